//===- BesideProducer.cpp - what a round copies while a producer brings tiles ===//
//
// A producer copies boxes. Rows that a tensor names are no box: the consumers' threads gather
// those, with copies that need no registers and wait for nobody. They are in flight for a round
// where shared memory has a second slot, and with each other where it has one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/BesideProducer.h"

#include "Layouts/Registers.h"
#include "Pipelines/Gather.h"
#include "Pipelines/RunAhead.h"
#include "Roles/ProducerLoop.h"
#include "Roles/RingSlots.h"

using namespace mlir;

namespace tilec {
namespace {

/// Tiles that loops over elements of the round gather, and the statements in front of the loop, too
/// (the first round of one that is cut): the loop's become its own. The way back is kept.
class OwnTiles {
public:
  OwnTiles(tile::ForOp loop, const TargetInfo &chip) : loop(loop) {
    for (tile::ElementLoop gather : roundOf(loop)->getOps<tile::ElementLoop>())
      if (std::optional<Gather> found = gatherOf(gather, chip))
        if (auto tile = found->store.getBuffer().getDefiningOp<tile::AllocOp>())
          separate(tile);
  }

  void undo() {
    for (auto [own, before] : pairs) {
      own.getResult().replaceAllUsesWith(before.getResult());
      own->erase();
    }
  }

private:
  /// Nothing behind the loop reads what it leaves there.
  void separate(tile::AllocOp tile) {
    if (tile->getBlock() != loop->getBlock())
      return;
    bool hasOther = false;
    for (Operation *user : tile->getUsers()) {
      if (loop->isAncestor(user))
        continue;
      hasOther = true;
      Operation *op = loop->getBlock()->findAncestorOpInBlock(*user);
      if (!op->isBeforeInBlock(loop))
        return;
    }
    if (!hasOther)
      return;
    auto own = cast<tile::AllocOp>(OpBuilder(tile).clone(*tile));
    tile.getResult().replaceUsesWithIf(
        own.getResult(), [&](OpOperand &use) { return loop->isAncestor(use.getOwner()); });
    pairs.push_back({own, tile});
  }

  tile::ForOp loop;
  SmallVector<std::pair<tile::AllocOp, tile::AllocOp>> pairs;
};

/// The last product of the round that nobody has waited for before a wait for one of them; null:
/// none is in flight.
Operation *lastInFlight(tile::ForOp loop) {
  Operation *last = nullptr;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op); gemm && gemm.getInFlight())
      last = gemm;
    if (isa<tile::GemmWaitOp>(op))
      break;
  }
  return last;
}

} // namespace

bool gatherBesideProducer(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  bool hasProducer = !roundOf(loop)->getOps<tile::PipeWaitOp>().empty();
  if (!hasProducer || kernel.getLockstep() || chip.asyncCopies.completion != Completion::Groups)
    return false;
  OwnTiles tiles(loop, chip);
  memory.forget();
  PipelinePlan plan = planPipeline(loop, chip);
  if (!plan.hasGathers()) {
    tiles.undo();
    memory.forget();
    return false;
  }
  int64_t before = memory.now().bytes();
  plan.stages = 2;
  if (!plan.round)
    plan.startedBehind = lastInFlight(loop);
  setSlots(plan, memory.now());
  int64_t most =
      bytesForSameOccupancy(kernel, producerThreads(chip, kernel.getThreads()), before, chip);
  if (memory.now().fits() && memory.now().bytes() <= most) {
    RunAhead(loop, plan).run();
  } else {
    plan.stages = 1;
    RunAhead(loop, plan).copyTogether();
  }
  memory.forget();
  return true;
}

} // namespace tilec
