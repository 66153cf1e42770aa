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

#include <algorithm>

using namespace mlir;

namespace tilec {

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

/// The outermost of `loops` that the op stands in, or, if it is in none, of all; null: it is in no
/// loop.
static tile::ForOp topLoopOf(Operation *op, ArrayRef<tile::ForOp> loops) {
  tile::ForOp among, any;
  for (; op; op = op->getParentOp())
    if (auto loop = dyn_cast<tile::ForOp>(op)) {
      any = loop;
      among = llvm::is_contained(loops, loop) ? loop : among;
    }
  return among ? among : any;
}

void separateTiles(tile::KernelOp kernel, ArrayRef<tile::ForOp> loops) {
  SmallVector<tile::AllocOp> tiles;
  for (tile::ForOp loop : loops)
    for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>())
      if (auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
          tile && tile->getParentOp() == kernel && tile.getResult().getType().isShared() &&
          !llvm::is_contained(tiles, tile))
        tiles.push_back(tile);
  for (tile::AllocOp tile : tiles) {
    llvm::SetVector<Operation *> users;
    bool isOfLoops = llvm::all_of(tile->getUsers(), [&](Operation *user) {
      tile::ForOp loop = topLoopOf(user, loops);
      if (loop)
        users.insert(loop);
      return bool(loop);
    });
    // What a loop leaves in the tile may be read by the loop around it.
    bool isNested = llvm::any_of(users, [&](Operation *loop) {
      return llvm::any_of(users, [&](Operation *other) { return loop->isProperAncestor(other); });
    });
    if (!isOfLoops || isNested || !llvm::all_of(users, [&](Operation *loop) {
          return isFilledFirst(cast<tile::ForOp>(loop), tile.getResult());
        }))
      continue;
    for (Operation *loop : users.getArrayRef().drop_front()) {
      auto own = cast<tile::AllocOp>(OpBuilder(tile).clone(*tile));
      tile.getResult().replaceUsesWithIf(
          own.getResult(), [&](OpOperand &use) { return loop->isAncestor(use.getOwner()); });
    }
  }
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

void letSerialLoopsRunAhead(tile::KernelOp kernel, const TargetInfo &target) {
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

} // namespace tilec
