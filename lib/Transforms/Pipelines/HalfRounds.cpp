//===- HalfRounds.cpp - one slot a tile, filled while others are read ------===//
//
// Attention reads K, then V. A second slot for both lets copies run a round ahead, and takes room
// that another block could have. With one slot each,
//
//   read K                                  // its slot is free behind the barrier
//   V has landed; barrier; start K of the next round
//   read V
//   K has landed; barrier; start V of the next round
//
// a copy has half a round, in which the unit's other blocks multiply as well. Past the end the
// last tiles are copied again, as elsewhere: that the last round starts none was tried, and blocks
// of few rounds took longer.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/HalfRounds.h"

#include "Layouts/GemmPlan.h"
#include "Pipelines/Ahead.h"
#include "Pipelines/LoopMemory.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {
namespace {

/// Whether the op, with what is in it, is of the first half of a round: in front of the wait for
/// the second group.
bool isBefore(Operation *op, const PipelinePlan &plan) {
  return op->isBeforeInBlock(plan.awaitedAt);
}

/// Whether each group's tiles are read in their half alone, and the round reads and writes no
/// tensor beside: that would be counted with copies.
bool areReadApart(const PipelinePlan &plan, tile::ForOp loop) {
  for (Operation &op : *loop.bodyBlock()) {
    if (llvm::is_contained(plan.fills, &op))
      continue;
    Accesses accesses = accessesOf(&op);
    if (anyGlobal(accesses.reads) || anyGlobal(accesses.writes))
      return false;
    for (size_t n = 0; n < plan.rings.size(); ++n) {
      tile::AllocOp ring = plan.rings[n];
      if (llvm::is_contained(accesses.reads, ring.getResult()) &&
          isBefore(&op, plan) != (n < plan.second))
        return false;
    }
  }
  return true;
}

/// Clocks of matrix instructions in the shorter half of a round.
int64_t clocksOfHalf(const PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target) {
  int64_t first = 0, second = 0;
  for (Operation &op : *loop.bodyBlock())
    op.walk([&](tile::GemmOp gemm) {
      (isBefore(&op, plan) ? first : second) += clocksOfGemm(gemm, target);
    });
  return std::min(first, second);
}

/// Of so many blocks that have room on a unit, those that the grid has for it.
int64_t blocksOfUnit(tile::ForOp loop, int64_t room, const TargetInfo &target) {
  std::optional<int64_t> all = loop->getParentOfType<tile::KernelOp>().blocksOfGrid();
  return all ? std::min(room, ceilDiv(*all, target.units)) : room;
}

/// Whether all blocks have as many rounds.
bool isSameForBlocks(tile::ForOp loop) {
  return tile::constantInt(loop.getLower()) && tile::constantInt(loop.getUpper());
}

/// Whether the grid is long enough for so many blocks on each unit: where blocks have rounds of
/// different numbers, more of them at once leave less to fill the end of the grid with.
bool fillsGrid(tile::ForOp loop, int64_t blocks, const TargetInfo &target) {
  constexpr int64_t turns = 3;
  std::optional<int64_t> all = loop->getParentOfType<tile::KernelOp>().blocksOfGrid();
  return isSameForBlocks(loop) || !all || *all >= turns * target.units * blocks;
}

/// Whether so many blocks keep the vector unit busy, which has more to do than the matrix unit:
/// every scheduler has a wave that computes exponentials while another one multiplies.
bool fillsVectorUnit(tile::ForOp loop, int64_t blocks, const TargetInfo &target) {
  constexpr int64_t together = 2;
  int64_t powers = 0;
  for (tile::ElementLoop each : loop.bodyBlock()->getOps<tile::ElementLoop>()) {
    std::optional<SmallVector<int64_t, 4>> extents = each.constantExtents();
    if (extents && llvm::any_of(*each.bodyBlock(),
                                [](Operation &op) { return isa<math::ExpOp, math::Exp2Op>(op); }))
      powers += llvm::product_of(*extents);
  }
  int64_t lanes = target.schedulers * target.waveLanes;
  return blocks * wavesOf(loop, target) >= together * target.schedulers &&
         powers * target.clocks.softmax > lanes * clocksOfRound(loop, target);
}

} // namespace

bool canTakeTurns(PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target) {
  if (target.asyncCopies.completion == Completion::Groups || loop.getExact() || plan.round ||
      plan.numbers != 0 || loop->getParentOfType<tile::KernelOp>().getLockstep())
    return false;
  for (size_t n = 0; n < plan.fills.size(); ++n)
    if (!plan.copyAt(n) || branchOf(plan.fills[n], loop)) // each wait is for all that is under way
      return false;
  PipelinePlan turns = plan;
  turns.stages = 1;
  if (!awaitApart(turns, loop, target) || !areReadApart(turns, loop) ||
      clocksOfHalf(turns, loop, target) == 0)
    return false;
  plan = turns;
  plan.inTurns = true;
  return true;
}

bool takeTurnsForBlocks(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                        const TargetInfo &target) {
  PipelinePlan turns = plan;
  if (plan.stages < 2 || !competes(loop, target) || !canTakeTurns(turns, loop, target))
    return false;
  SharedMemory &memory = loops.wished();
  int64_t withTwo = blocksOfUnit(loop, blocksWith(plan, 2, loop, memory, target), target);
  int64_t blocks = blocksOfUnit(loop, blocksWith(turns, 1, loop, memory, target), target);
  int64_t hidden = blocks * clocksOfHalf(turns, loop, target);
  // Half of a copy's time is a fair price for a block more; where there is none, nothing is.
  int64_t wanted = target.clocks.copyToShared / (blocks > withTwo ? 2 : 1);
  // Blocks of different numbers of rounds lose some of that at the end of the grid.
  bool isEnough = !isSameForBlocks(loop) && fillsVectorUnit(loop, withTwo, target);
  // With a block to itself a unit may have better: tiles that wait in registers.
  if (withTwo < 2 || hidden < wanted || isEnough || !fillsGrid(loop, blocks, target)) {
    setSlots(plan, memory);
    return false;
  }
  loop.emitRemark() << "pipelined with one slot instead of " << plan.stages
                    << ": a tile is copied while another is read, and a compute unit has " << blocks
                    << " blocks so, " << withTwo << " with two slots";
  plan = turns;
  return true;
}

} // namespace tilec
