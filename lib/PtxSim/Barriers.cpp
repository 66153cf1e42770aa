//===- Barriers.cpp - barriers of blocks and clusters ---------------------===//
//
// A warp arrives once and then asks whether the barrier's generation has changed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

enum Kind : uint8_t { Sync, Arrive, Popc, And, Or };

/// Ends a generation when all have come. Without a thread count, all warps that still run take
/// part.
void settle(Block &block, NamedBarrier &barrier, bool isWhole) {
  if (barrier.warps == 0)
    return;
  if (isWhole) {
    unsigned here = popcount(barrier.warps);
    if (here < block.liveWarps())
      return;
  } else if (barrier.arrived < barrier.expected) {
    return;
  }
  ++barrier.generation;
  barrier.lastClock = barrier.clock;
  barrier.lastCount = barrier.count;
  barrier.lastAll = barrier.all;
  barrier.lastAny = barrier.any;
  barrier.count = 0;
  barrier.all = true;
  barrier.any = false;
  barrier.arrived = barrier.expected = 0;
  barrier.warps = 0;
  ++block.cluster.events;
}

/// Goes on when the generation that the warp has arrived in is over.
Step pass(Warp &warp, const Instruction &instr, uint32_t lanes, NamedBarrier &barrier) {
  if (barrier.generation == warp.barrierGeneration)
    return Step::Wait;
  warp.isAtBarrier = false;
  warp.acquire(barrier.lastClock);
  if (instr.mode >= Popc) {
    uint64_t result = instr.mode == Popc  ? barrier.lastCount
                      : instr.mode == And ? barrier.lastAll
                                          : barrier.lastAny;
    uint64_t results[warpLanes];
    std::fill(results, results + warpLanes, result);
    warp.out(instr.args[0], lanes, results, lanes);
  }
  return Step::Next;
}

/// bar.red has its result first and its predicate last.
Step barrier(Warp &warp, const Instruction &instr, uint32_t lanes) {
  bool isReduction = instr.mode >= Popc;
  unsigned first = isReduction;
  uint64_t id = warp.use(instr.args[first], lanes, "a barrier's number")[countr_zero(lanes)];
  if (id >= warp.block.barriers.size()) {
    warp.fail(instr, lanes, "there are 16 barriers, this is number " + Twine(id));
    return Step::Next;
  }
  NamedBarrier &barrier = warp.block.barriers[id];
  bool isWhole = instr.args.size() - isReduction <= first + 1;
  if (warp.isAtBarrier) {
    if (isWhole)
      settle(warp.block, barrier, isWhole); // a warp may have returned since
    return pass(warp, instr, lanes, barrier);
  }
  uint32_t expected = warp.machine.threads();
  if (!isWhole)
    expected =
        uint32_t(warp.use(instr.args[first + 1], lanes, "a barrier's threads")[countr_zero(lanes)]);
  std::string problem;
  if (expected % warpLanes != 0 && !isWhole)
    problem = (Twine(expected) + " threads are no whole warps").str();
  else if (barrier.warps != 0 && barrier.expected != expected)
    problem = ("waits for " + Twine(expected) + " threads, others at this barrier for " +
               Twine(barrier.expected))
                  .str();
  else if (barrier.warps >> warp.index & 1)
    problem = ("arrives twice at barrier " + Twine(id) + " in one phase").str();
  if (!problem.empty()) {
    warp.fail(instr, lanes, problem);
    return Step::Next;
  }
  barrier.expected = expected;
  barrier.warps |= 1ull << warp.index;
  barrier.arrived += warpLanes;
  if (isReduction) {
    Value p = warp.use(instr.args.back(), lanes, "a predicate");
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (lanes >> lane & 1) {
        barrier.count += p[lane] != 0;
        barrier.all &= p[lane] != 0;
        barrier.any |= p[lane] != 0;
      }
  }
  warp.release(barrier.clock);
  warp.barrierGeneration = barrier.generation;
  warp.isAtBarrier = instr.mode != Arrive;
  settle(warp.block, barrier, isWhole);
  return instr.mode == Arrive ? Step::Next : pass(warp, instr, lanes, barrier);
}

/// Ends a phase of the cluster's barrier when every warp has come that has not returned.
void settle(Cluster &cluster) {
  unsigned all = 0;
  for (const auto &block : cluster.blocks)
    all += block->liveWarps();
  if (cluster.arrivedWarps == 0 || cluster.arrivedWarps < all)
    return;
  cluster.arrivedWarps = 0;
  ++cluster.phase;
  cluster.arrived.join(cluster.arriving);
  ++cluster.events;
}

Step clusterArrive(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Cluster &cluster = warp.block.cluster;
  if (warp.clusterArrivals != warp.clusterWaits) {
    warp.fail(instr, lanes, "arrives twice at the cluster's barrier without waiting");
    return Step::Next;
  }
  ++warp.clusterArrivals;
  if (instr.mode == 0) // .relaxed orders nothing
    warp.release(cluster.arriving);
  ++cluster.arrivedWarps;
  settle(cluster);
  return Step::Next;
}

Step clusterWait(Warp &warp, const Instruction &instr, uint32_t lanes) {
  Cluster &cluster = warp.block.cluster;
  if (warp.clusterArrivals == warp.clusterWaits) {
    warp.fail(instr, lanes, "waits at the cluster's barrier without having arrived");
    return Step::Next;
  }
  settle(cluster); // a warp may have returned since
  if (cluster.phase < warp.clusterArrivals)
    return Step::Wait;
  ++warp.clusterWaits;
  warp.acquire(cluster.arrived);
  return Step::Next;
}

} // namespace

bool decodeBarriers(const Statement &s, Instruction &i) {
  if (s.opcode != "bar" && s.opcode != "barrier")
    return false;
  i.meeting = Meeting::All;
  if (s.has("cluster")) {
    i.mode = s.has("relaxed");
    i.run = s.has("arrive") ? clusterArrive : clusterWait;
    return s.has("arrive") || s.has("wait");
  }
  if (s.has("red"))
    i.mode = s.has("popc") ? Popc : s.has("and") ? And : Or;
  else if (s.has("arrive"))
    i.mode = Arrive;
  else if (!s.has("sync"))
    return false;
  i.run = barrier;
  return true;
}

} // namespace tilec::ptx
