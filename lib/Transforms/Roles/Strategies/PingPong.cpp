//===- PingPong.cpp - teams of warp groups take tiles in turn -------------===//
//
// While one team multiplies, the other stores its tile: the matrix units have work
// during epilogues. Every team holds a tile of the author's size. A team of one warp
// group with a tile of 128 rows asks shared memory for no more than two warp groups
// that multiply it together do: each 64 rows of it read all of B either way.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Strategies/Strategies.h"

namespace tilec::product {

constexpr int64_t teams = 2;
constexpr int64_t producerThreads = 128;
/// Beside accumulators a thread holds addresses and the epilogue's values.
constexpr int64_t otherRegs = 40;

static std::string fits(const ProductShape &shape) {
  int64_t threads = teams * shape.threads + producerThreads;
  if (threads > shape.mostThreads)
    return "two teams of " + std::to_string(shape.threads) + " threads are too many";
  if (teams * shape.threads * (shape.accumulatorRegs + otherRegs) > shape.registersOfUnit)
    return "two tiles do not fit into registers";
  return shape.noTeams;
}
/// A warp group that holds the tile alone has nobody to multiply while it stores, but the other
/// team. On hardware teams of 128 threads were 2 to 5 % faster than 256 threads with the same or
/// larger tiles (4096 and 8192; docs/numbers/hopper-trials.md); larger teams never were.
static bool suits(const ProductShape &shape) {
  constexpr int64_t oneGroup = 128, fewestRegs = 64;
  return shape.threads == oneGroup && shape.accumulatorRegs >= fewestRegs && shape.tiles &&
         *shape.tiles > shape.units;
}
static bool isOnRequest(const ProductShape &) { return false; }
static ProductPlan plan(const ProductShape &) { return {"ping_pong", 1, 1, teams}; }

const ProductStrategy ping_pong = {"ping_pong", "two teams of warp groups take tiles in turn", fits,
                                   suits, plan};

/// The same in blocks that share their copies: a slot is empty when the team whose turn it is has
/// released it in both blocks.
static std::string fitsM(const ProductShape &shape) {
  std::string reason = fits(shape);
  return !reason.empty() ? reason : cluster_m.fits(shape);
}
static ProductPlan planM(const ProductShape &) { return {"ping_pong_cluster_m", 2, 1, teams}; }

static std::string fitsN(const ProductShape &shape) {
  std::string reason = fits(shape);
  return !reason.empty() ? reason : cluster_n.fits(shape);
}
static ProductPlan planN(const ProductShape &) { return {"ping_pong_cluster_n", 1, 2, teams}; }

const ProductStrategy ping_pong_cluster_m = {
    "ping_pong_cluster_m", "teams, in two blocks along M that share their copies of B", fitsM,
    isOnRequest, planM};
const ProductStrategy ping_pong_cluster_n = {
    "ping_pong_cluster_n", "teams, in two blocks along N that share their copies of A", fitsN,
    isOnRequest, planN};

} // namespace tilec::product
