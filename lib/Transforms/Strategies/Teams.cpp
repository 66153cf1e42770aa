//===- Teams.cpp - teams of warp groups take tiles in turn ----------------===//
//
// While one team multiplies, the other stores its tile: the matrix units have work
// during epilogues. Every team holds a tile of the author's size. A team of one warp
// group with a tile of 128 rows asks shared memory for no more than two warp groups
// that multiply it together do: each 64 rows of it read all of B either way.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"

namespace tilec::strategy {

constexpr int64_t teams = 2;
/// Beside accumulators a thread holds addresses and the epilogue's values.
constexpr int64_t otherRegs = 40;

std::string teamsFit(const ProductShape &shape) {
  int64_t threads = teams * shape.threads + shape.groupThreads;
  if (threads > shape.mostThreads)
    return "two teams of " + std::to_string(shape.threads) + " threads are too many";
  if (teams * shape.threads * (shape.accumulatorRegs + otherRegs) > shape.registersOfUnit)
    return "two tiles do not fit into registers";
  return shape.noTeams;
}
/// A warp group that holds the tile alone has nobody to multiply while it stores, but the other
/// team. On hardware teams of 128 threads were 2 to 5 % faster than 256 threads with the same or
/// larger tiles (4096 and 8192; docs/numbers/hopper-trials.md); larger teams never were.
static bool areTeams(const ProductShape &shape) {
  constexpr int64_t fewestRegs = 64;
  return shape.threads == shape.groupThreads && shape.accumulatorRegs >= fewestRegs &&
         shape.tiles && *shape.tiles > shape.units;
}
ProductPlan planTeams(const ProductShape &) { return {"ping_pong", 1, 1, teams}; }

/// The same in blocks that share their copies: a slot is empty when the team whose turn it is has
/// released it in both blocks. Elsewhere than with rows that split sectors of L2 it lost (4 % at
/// 3000 x 1496 x 2000, A B^T; A B gained 17 %).
static std::string fitsM(const ProductShape &shape) {
  std::string reason = teamsFit(shape);
  return !reason.empty() ? reason : cluster_m.roles.fits(shape);
}
static bool suitsM(const ProductShape &shape) {
  return areTeams(shape) && shape.splitSectorsB && cluster_m.roles.suits(shape) &&
         fitsM(shape).empty();
}
static ProductPlan planM(const ProductShape &) { return {"ping_pong_cluster_m", 2, 1, teams}; }

static std::string fitsN(const ProductShape &shape) {
  std::string reason = teamsFit(shape);
  return !reason.empty() ? reason : cluster_n.roles.fits(shape);
}
static bool suitsN(const ProductShape &shape) {
  return areTeams(shape) && shape.splitSectorsA && cluster_n.roles.suits(shape) &&
         fitsN(shape).empty();
}
static ProductPlan planN(const ProductShape &) { return {"ping_pong_cluster_n", 1, 2, teams}; }

bool teamsSuit(const ProductShape &shape) {
  return areTeams(shape) && !suitsM(shape) && !suitsN(shape);
}

const Strategy ping_pong_cluster_m = {
    .name = "ping_pong_cluster_m",
    .summary = "teams, in two blocks along M that share their copies of B",
    .roles = {fitsM, suitsM, planM}};
const Strategy ping_pong_cluster_n = {
    .name = "ping_pong_cluster_n",
    .summary = "teams, in two blocks along N that share their copies of A",
    .roles = {fitsN, suitsN, planN}};

} // namespace tilec::strategy
