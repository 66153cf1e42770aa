//===- Cluster.cpp - two blocks copy what both need once ------------------===//
//
// Neighbours along M multiply with the same part of B (along N: of A). Each copies one
// half of it into the shared memory of both (TMA multicast), so that L2 is asked for
// half as much of it: 32 instead of 48 bytes a clock and multiprocessor for tiles of
// 128 x 256, of about 46 that it gives.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"

#include "tilec/Base/Math.h"

namespace tilec::strategy {

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
/// Where they do not begin at one of its sectors, reading less of that operand counts for more than
/// anything else, in one round of tiles as in several: measured 1.05 to 1.4 times as fast. Not that
/// of the tile's narrow side (0.93 at 1056 x 2448 x 2744); nor where half of the chip is idle,
/// since a cluster's blocks are neighbours there, which share a way to L2 (0.8 at 808 x 1552 x
/// 5032); nor in one round of a short K, where that clusters begin and end together counts (0.9 at
/// 1368 x 1104 x 1272).
static bool sharesSectors(const ProductShape &shape, bool ofB) {
  constexpr int64_t leastArea = 128 * 128, fewestTilesK = 32;
  bool isSplit = ofB ? shape.splitSectorsB : shape.splitSectorsA;
  bool isWide = ofB ? shape.tileN >= shape.tileM : shape.tileM >= shape.tileN;
  if (!isSplit || !isWide || shape.tileM * shape.tileN < leastArea || !shape.tiles)
    return false;
  bool isShort = *shape.tiles <= shape.units && shape.tilesK.value_or(fewestTilesK) < fewestTilesK;
  return 2 * *shape.tiles > shape.units && !isShort;
}
/// Whether the neighbour that an odd last tile is given makes one more round of tiles: 1632 x 1800
/// x 5864 took 111 us in 140 tiles of 128 x 192, 86 in 130.
static bool addsRound(const ProductShape &shape, bool alongM) {
  std::optional<int64_t> along = alongM ? shape.tilesM : shape.tilesN;
  if (!along || !shape.tiles || *along % 2 == 0 || *shape.tiles >= fewestRounds * shape.units)
    return false;
  int64_t padded = *shape.tiles / *along * (*along + 1);
  return ceilDiv(padded, shape.units) > ceilDiv(*shape.tiles, shape.units);
}
/// Smaller tiles ask more of shared memory than clusters save in L2.
static bool isWide(const ProductShape &shape) { return shape.tileM * shape.tileN >= 128 * 192; }

static std::string fitsM(const ProductShape &shape) {
  return shape.tilesM == 1 ? "the grid has one row of tiles" : shape.noClusterM;
}
static bool suitsM(const ProductShape &shape) {
  bool isWanted = sharesSectors(shape, /*ofB=*/true) ||
                  (hasManyRounds(shape) && isWide(shape) && shape.tileN >= shape.tileM);
  return isWanted && !addsRound(shape, /*alongM=*/true);
}
static ProductPlan planM(const ProductShape &) { return {"cluster_m", blocks, 1}; }

static std::string fitsN(const ProductShape &shape) {
  return shape.tilesN == 1 ? "the grid has one column of tiles" : shape.noClusterN;
}
static bool suitsN(const ProductShape &shape) {
  bool isWanted = sharesSectors(shape, /*ofB=*/false) ||
                  (hasManyRounds(shape) && isWide(shape) && shape.tileM > shape.tileN);
  return isWanted && !addsRound(shape, /*alongM=*/false);
}
static ProductPlan planN(const ProductShape &) { return {"cluster_n", 1, blocks}; }

const Strategy cluster_m = {.name = "cluster_m",
                            .summary = "two blocks along M share their copies of B",
                            .roles = {fitsM, suitsM, planM}};
const Strategy cluster_n = {.name = "cluster_n",
                            .summary = "two blocks along N share their copies of A",
                            .roles = {fitsN, suitsN, planN}};

} // namespace tilec::strategy
