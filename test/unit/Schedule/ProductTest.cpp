//===- ProductTest.cpp - which strategy a product on Hopper gets ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/Strategy.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

ProductShape square(int64_t size, int64_t tileM, int64_t tileN, int64_t threads) {
  ProductShape shape;
  shape.units = 132;
  shape.registersOfUnit = 65536;
  shape.mostThreads = 1024;
  shape.groupThreads = 128;
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
  EXPECT_EQ(chosen(square(16384, 128, 128, 256)), "producer_consumer");
  // A grid that only a run knows may be small.
  ProductShape open = square(16384, 128, 256, 256);
  open.tiles = std::nullopt;
  EXPECT_EQ(chosen(open), "producer_consumer");
}

TEST(Product, AutoTakesClustersEarlierWhereRowsAreRagged) {
  ProductShape shape = square(4096, 128, 256, 256); // 512 tiles, less than four rounds
  EXPECT_EQ(chosen(shape), "producer_consumer");
  shape.raggedPitch = true;
  EXPECT_EQ(chosen(shape), "cluster_m");
  shape.tiles = 132;
  EXPECT_EQ(chosen(shape), "producer_consumer");
}

TEST(Product, AutoSharesRowsThatSplitSectors) {
  ProductShape shape = square(1664, 128, 128, 256); // 169 tiles
  EXPECT_EQ(chosen(shape), "producer_consumer");
  shape.raggedPitch = shape.splitSectorsB = true;
  EXPECT_EQ(chosen(shape), "cluster_m");
  shape.splitSectorsA = true;
  EXPECT_EQ(chosen(shape), "cluster_m");
  shape.splitSectorsB = false;
  EXPECT_EQ(chosen(shape), "cluster_n");
  // Of the tile's narrow side less is to be had.
  shape.tileN = 192;
  EXPECT_EQ(chosen(shape), "producer_consumer");
  shape.tileN = 64;
  EXPECT_EQ(chosen(shape), "producer_consumer") << "small tiles";
}

TEST(Product, SectorsAreNotSharedWhereThatCostsMore) {
  ProductShape shape = square(1280, 128, 128, 256); // 100 tiles
  shape.raggedPitch = shape.splitSectorsB = true;
  shape.tilesK = 32;
  EXPECT_EQ(chosen(shape), "cluster_m");
  shape.tilesK = 31;
  EXPECT_EQ(chosen(shape), "producer_consumer") << "one round of a short K";
  shape.tilesK = 32;
  shape.tiles = 66;
  EXPECT_EQ(chosen(shape), "producer_consumer") << "half of the chip is idle";
  shape.tilesM = 13;
  shape.tilesN = 10;
  shape.tiles = 130;
  EXPECT_EQ(chosen(shape), "producer_consumer") << "140 tiles are two rounds";
}

TEST(Product, TeamsShareSectorsToo) {
  ProductShape shape = square(2560, 128, 192, 128);
  EXPECT_EQ(chosen(shape), "ping_pong");
  shape.raggedPitch = shape.splitSectorsB = true;
  EXPECT_EQ(chosen(shape), "ping_pong_cluster_m");
  shape = square(2560, 128, 128, 128);
  shape.raggedPitch = shape.splitSectorsA = true;
  EXPECT_EQ(chosen(shape), "ping_pong_cluster_n");
  shape.noClusterN = "there is a reason";
  EXPECT_EQ(chosen(shape), "ping_pong");
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

TEST(Product, AutoGivesWarpGroupsThatAreAloneATeam) {
  EXPECT_EQ(chosen(square(8192, 128, 192, 128)), "ping_pong");
  EXPECT_EQ(chosen(square(1024, 64, 128, 128)), "producer_consumer") << "one tile a block";
  EXPECT_EQ(chosen(square(8192, 64, 64, 128)), "producer_consumer") << "few registers";
  ProductShape odd = square(8192, 128, 192, 128);
  odd.noTeams = "there is a reason";
  EXPECT_EQ(chosen(odd), "cluster_m");
}

TEST(Product, TeamsInClustersNeedWhatBothNeed) {
  ProductShape shape = square(4096, 128, 128, 128);
  llvm::Expected<ProductPlan> plan = planProduct("ping_pong_cluster_m", shape);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->clusterM, 2);
  EXPECT_EQ(plan->clusterN, 1);
  EXPECT_EQ(plan->teams, 2);
  plan = planProduct("ping_pong_cluster_n", shape);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->clusterN, 2);
  shape.noClusterM = "there is a reason";
  EXPECT_EQ(chosen(shape, "ping_pong_cluster_m"),
            "`ping_pong_cluster_m` does not fit: there is a reason");
  EXPECT_EQ(chosen(square(4096, 128, 256, 256), "ping_pong_cluster_n"),
            "`ping_pong_cluster_n` does not fit: two tiles do not fit into registers");
}

TEST(Product, NamesThatAreNoneAreRefused) {
  EXPECT_EQ(chosen(square(4096, 128, 256, 256), "interleave"),
            "`interleave` is no schedule; known: auto, ping_pong, ping_pong_cluster_m, "
            "ping_pong_cluster_n, cluster_m, cluster_n, producer_consumer, overlap");
  for (const Strategy &strategy : strategies()) {
    EXPECT_EQ(isProductStrategy(strategy.name), bool(strategy.roles));
    EXPECT_EQ(isScheduleStrategy(strategy.name), bool(strategy.order));
    EXPECT_TRUE(strategy.roles || strategy.order) << strategy.name.str();
  }
  EXPECT_FALSE(isProductStrategy("auto"));
}
