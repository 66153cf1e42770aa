//===- Cluster.cpp - two blocks copy what both need once ------------------===//
//
// Neighbours along M multiply with the same part of B (along N: of A). Each copies one
// half of it into the shared memory of both (TMA multicast), so that L2 is asked for
// half as much of it: 32 instead of 48 bytes a clock and multiprocessor for tiles of
// 128 x 256, of about 46 that it gives.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Strategies/Strategies.h"

namespace tilec::product {

constexpr int64_t blocks = 2;

/// On hardware, bf16, tiles of 128 x 256, a cluster lost 2 % in one round of tiles (2048) and made
/// no difference beyond what runs differ by at 4, 16 and 62 rounds.
/// It halves what L2 is asked for, so it is taken where it costs nothing; the number is a choice,
/// not a measurement.
constexpr int64_t fewestRounds = 16;
/// Where rows do not begin at sectors of L2, L2 is what limits (76 % busy at K = 4104): a cluster
/// gains 13 % at 4096 x 4096 x 4104, 8 % at 5000.
constexpr int64_t fewestRaggedRounds = 2;
static bool hasManyRounds(const ProductShape &shape) {
  int64_t fewest = shape.raggedPitch ? fewestRaggedRounds : fewestRounds;
  return shape.tiles && *shape.tiles >= fewest * shape.units;
}
/// Smaller tiles ask more of shared memory than clusters save in L2.
static bool isWide(const ProductShape &shape) { return shape.tileM * shape.tileN >= 128 * 192; }

static std::string fitsM(const ProductShape &shape) {
  return shape.tilesM == 1 ? "the grid has one row of tiles" : shape.noClusterM;
}
static bool suitsM(const ProductShape &shape) {
  return hasManyRounds(shape) && isWide(shape) && shape.tileN >= shape.tileM;
}
static ProductPlan planM(const ProductShape &) { return {"cluster_m", blocks, 1}; }

static std::string fitsN(const ProductShape &shape) {
  return shape.tilesN == 1 ? "the grid has one column of tiles" : shape.noClusterN;
}
static bool suitsN(const ProductShape &shape) {
  return hasManyRounds(shape) && isWide(shape) && shape.tileM > shape.tileN;
}
static ProductPlan planN(const ProductShape &) { return {"cluster_n", 1, blocks}; }

const ProductStrategy cluster_m = {"cluster_m", "two blocks along M share their copies of B", fitsM,
                                   suitsM, planM};
const ProductStrategy cluster_n = {"cluster_n", "two blocks along N share their copies of A", fitsN,
                                   suitsN, planN};

} // namespace tilec::product
