//===- SerialRounds.cpp - serial loops that may as well run ahead ----------===//
//
// Where groups of copies are waited for, a second slot costs a round no more than the addresses of
// its slot. Where they are counted, loops with one slot have plans of their own (holdNextRound,
// copyTogether), and are left to them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/SerialRounds.h"
#include "Pipelines/Pipeline.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include <algorithm>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RUNSERIALAHEADPASS
#include "tilec/Transforms/Passes.h.inc"

/// Whether the body copies a tensor's tile to shared memory, and has no loop and no product: rounds
/// of products take long, and who writes them pipelines them.
static bool bringsRows(tile::ForOp loop) {
  bool copies = llvm::any_of(loop.bodyBlock()->getOps<tile::CopyOp>(), [](tile::CopyOp copy) {
    return copy.getSrc().getType().isGlobal() && copy.getDst().getType().isShared();
  });
  return copies && !loop.bodyBlock()
                        ->walk([](Operation *op) {
                          return isa<tile::ForOp, tile::GemmOp>(op) ? WalkResult::interrupt()
                                                                    : WalkResult::advance();
                        })
                        .wasInterrupted();
}

/// Bytes of shared memory with which a block keeps no other one from a unit, whatever registers its
/// lanes take.
static int64_t bytesLeft(tile::KernelOp kernel, int64_t used, const TargetInfo &target) {
  if (hasUnitsForAll(kernel, target))
    return target.sharedBytes;
  int64_t lanes = target.schedulers * target.wavesOfScheduler * target.waveLanes;
  int64_t kept = target.sharedBytesKept, all = target.sharedBytesOfUnit;
  int64_t resident = std::min<int64_t>(lanes / kernel.getThreads(), all / (used + kept));
  return std::min<int64_t>(target.sharedBytes, all / std::max<int64_t>(resident, 1) - kept);
}

/// `T.serial` asks for no ring and forbids none: a round that brings rows and works on them element
/// by element waits for memory once a round else. Gives such loops two stages where a block's
/// shared memory holds them with as many blocks on a unit as before.
static void letSerialLoopsRunAhead(tile::KernelOp kernel, const TargetInfo &target) {
  if (target.asyncCopies.completion != Completion::Groups || kernel.getLockstep())
    return;
  SmallVector<tile::ForOp> loops;
  bool hasStages = false;
  kernel.walk([&](tile::ForOp loop) {
    hasStages |= loop.getKind() == tile::LoopKind::Pipelined;
    if (loop.getKind() == tile::LoopKind::Serial && loop.getStages() == 1 && bringsRows(loop))
      loops.push_back(loop);
  });
  if (hasStages || loops.empty())
    return;
  separateTiles(kernel, loops);
  SharedMemory memory(kernel, target);
  int64_t most = bytesLeft(kernel, memory.bytes(), target);
  for (tile::ForOp loop : loops) {
    loop.setStages(2);
    PipelinePlan plan = planPipeline(loop, target);
    // Rounds that are left out would be brought all the same.
    bool runs = llvm::any_of(plan.fills, llvm::IsaPred<tile::CopyOp>) && !plan.round;
    setSlots(plan, memory);
    if (runs && memory.bytes() <= most)
      continue;
    loop.setStages(1);
    for (tile::AllocOp ring : plan.rings)
      memory.setSlots(ring, 1);
  }
}

namespace {
struct RunSerialAheadPass : impl::RunSerialAheadPassBase<RunSerialAheadPass> {
  using RunSerialAheadPassBase::RunSerialAheadPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      letSerialLoopsRunAhead(kernel, *chip);
  }
};
} // namespace

} // namespace tilec
