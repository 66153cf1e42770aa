//===- PingPong.cpp - teams of warp groups take tiles in turn -------------===//
//
// While one team multiplies, the other stores its tile: the matrix units have work
// during epilogues. Every team holds a tile of the author's size, so that tiles are
// smaller than those that all warp groups multiply together, and shared memory is
// asked for more.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/Strategies/Strategies.h"

#include "Hopper/Registers.h"

namespace tilec::product {

constexpr int64_t teams = 2;
constexpr int64_t mostThreads = 1024, producerThreads = 128;
/// Beside accumulators a thread holds addresses and the epilogue's values.
constexpr int64_t otherRegs = 40;

static std::string fits(const ProductShape &shape) {
  int64_t threads = teams * shape.threads + producerThreads;
  if (threads > mostThreads)
    return "two teams of " + std::to_string(shape.threads) + " threads are too many";
  if (teams * shape.threads * (shape.accumulatorRegs + otherRegs) > registersOfMultiprocessor)
    return "two tiles do not fit into registers";
  return shape.noTeams;
}
/// Never faster in what was measured (docs/performance-nvidia.md).
static bool suits(const ProductShape &) { return false; }
static ProductPlan plan(const ProductShape &) { return {"ping_pong", 1, 1, teams}; }

const ProductStrategy ping_pong = {"ping_pong", "two teams of warp groups take tiles in turn", fits,
                                   suits, plan};

} // namespace tilec::product
