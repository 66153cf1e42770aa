//===- ProductTest.cpp - which strategy a product on Hopper gets ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/ProductPlan.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

ProductShape square(int64_t size, int64_t tileM, int64_t tileN, int64_t threads) {
  ProductShape shape;
  shape.tileM = tileM;
  shape.tileN = tileN;
  shape.tileK = 64;
  shape.threads = threads;
  shape.accumulatorRegs = tileM * tileN / threads;
  shape.tilesM = (size + tileM - 1) / tileM;
  shape.tilesN = (size + tileN - 1) / tileN;
  shape.tiles = *shape.tilesM * *shape.tilesN;
  return shape;
}

std::string chosen(const ProductShape &shape, llvm::StringRef name = "auto") {
  llvm::Expected<ProductPlan> plan = planProduct(name, shape);
  return plan ? plan->strategy : llvm::toString(plan.takeError());
}

} // namespace

TEST(Product, AutoTakesClustersForManyWideTiles) {
  EXPECT_EQ(chosen(square(16384, 128, 256, 256)), "cluster_m");
  EXPECT_EQ(chosen(square(16384, 256, 128, 256)), "cluster_n");
  EXPECT_EQ(chosen(square(2048, 128, 256, 256)), "producer_consumer");
  EXPECT_EQ(chosen(square(16384, 64, 128, 128)), "producer_consumer");
  // A grid that only a run knows may be small.
  ProductShape open = square(16384, 128, 256, 256);
  open.tiles = std::nullopt;
  EXPECT_EQ(chosen(open), "producer_consumer");
}

TEST(Product, AutoLeavesOutWhatDoesNotFit) {
  ProductShape shape = square(16384, 128, 256, 256);
  shape.noClusterM = "there is a reason";
  EXPECT_EQ(chosen(shape), "producer_consumer");
  EXPECT_EQ(chosen(shape, "cluster_m"), "`cluster_m` does not fit: there is a reason");
  shape.tilesN = 1;
  EXPECT_EQ(chosen(shape, "cluster_n"),
            "`cluster_n` does not fit: the grid has one column of tiles");
}

TEST(Product, TeamsNeedRegistersAndThreads) {
  EXPECT_EQ(chosen(square(4096, 64, 256, 128), "ping_pong"), "ping_pong");
  EXPECT_EQ(chosen(square(4096, 128, 256, 256), "ping_pong"),
            "`ping_pong` does not fit: two tiles do not fit into registers");
  EXPECT_EQ(chosen(square(4096, 256, 64, 512), "ping_pong"),
            "`ping_pong` does not fit: two teams of 512 threads are too many");
}

TEST(Product, NamesThatAreNoneAreRefused) {
  EXPECT_EQ(chosen(square(4096, 128, 256, 256), "interleave"),
            "`interleave` is no schedule; known: auto, cluster_m, cluster_n, ping_pong, "
            "producer_consumer");
  for (const ProductStrategy &strategy : productStrategies())
    EXPECT_TRUE(isProductStrategy(strategy.name));
  EXPECT_FALSE(isProductStrategy("auto"));
}
