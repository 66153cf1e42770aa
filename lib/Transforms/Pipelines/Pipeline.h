//===- Pipeline.h - running copies ahead of their use ---------------------===//
//
// Takes a loop and the target, decides which copies run how far ahead. `tile-expand-pipelines`
// rewrites the loop so.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Memory/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// What is decided about one loop.
struct PipelinePlan {
  int64_t stages = 1; ///< buffers of each ring; copies run stages - 1 iterations ahead
  /// A slot is filled again in the round that has read it, behind a second barrier, and copies run
  /// as many iterations ahead as there are slots: where these are two, a wait leaves one in flight.
  bool fillsBehind = false;
  /// Not at the end of the round, but where it has read its tiles.
  bool fillsEarly = false;
  /// Copies from global memory whose destination only this loop's iteration reads: tile.copy, and
  /// loops over elements that do the same (Gather.h); an `if` of which either side copies, from
  /// elsewhere, to the same tile.
  llvm::SmallVector<mlir::Operation *, 4> fills;
  /// The shared buffers they fill, each once, or once for each copy of a part.
  llvm::SmallVector<tile::AllocOp, 4> rings;
  /// The first so many copies bring what gathers find their rows by, further ahead of them.
  size_t numbers = 0;
  /// What the copies stand under in the body, if that is nothing but this: rounds are left out.
  /// Else some of them may stand under conditions of their own (branchOf).
  mlir::scf::IfOp round;
  /// Copies under a condition are started in every round, so that they can be counted: from outside
  /// of the tensor, where there is nothing to read, in one that is left out.
  bool countsRounds = false;
  /// Fills from here on are a second group of each round, so that a wait leaves one in flight. 0:
  /// there is one group.
  size_t second = 0;
  /// What the second group fills has so many slots, and it runs a round further ahead; 0: it does
  /// not.
  int64_t deeperSlots = 0;
  /// Or it is awaited in front of this op, before which nothing reads what it fills.
  mlir::Operation *awaitedAt = nullptr;
  /// A round starts its copies behind this op of it, where what they find their rows by is read
  /// while matrix instructions run; null: behind the barrier that its own tiles stand in front of.
  mlir::Operation *startedBehind = nullptr;
  /// Each tile has one slot. The first group is read before `awaitedAt`, the second one behind it,
  /// and each is filled for the next round while the other is read.
  bool inTurns = false;

  /// Iterations that numbers run ahead. A gather's wait for its tile leaves what was started behind
  /// it in flight, the last round's gathers; what those were preceded by has landed.
  int64_t numbersAhead() const { return std::max(stages, 2 * stages - 3); }
  /// Slots of the ring with that number; of those of numbers a power of two.
  int64_t slotsOf(size_t ring) const;
  /// Null where it is a gather or a choice.
  tile::CopyOp copyAt(size_t n) const { return mlir::dyn_cast<tile::CopyOp>(fills[n]); }
  /// Null where it is a copy or a gather.
  mlir::scf::IfOp choiceAt(size_t n) const { return mlir::dyn_cast<mlir::scf::IfOp>(fills[n]); }
  bool hasGathers() const {
    return !llvm::all_of(
        fills, [](mlir::Operation *op) { return mlir::isa<tile::CopyOp, mlir::scf::IfOp>(op); });
  }
  /// Null where the fill brings the tile as a whole.
  tile::CopyOp partAt(size_t n) const;
  bool hasParts() const {
    return llvm::any_of(llvm::seq<size_t>(0, fills.size()),
                        [&](size_t n) { return bool(partAt(n)); });
  }
  bool isEmpty() const { return fills.empty(); }
};

/// The copies of the loop that can run ahead of their use, and `num_stages` of them; decides,
/// changes nothing.
PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target, bool withGathers = true);

/// Gives the rings of the plan their slots.
void setSlots(const PipelinePlan &plan, SharedMemory &memory);

/// Takes stages away until the rings fit into a block's shared memory, which they then are part of.
void fitInto(PipelinePlan &plan, SharedMemory &memory);

class LoopMemory;

/// A plan, with as many stages as there is shared memory for.
PipelinePlan planThatFits(tile::ForOp loop, LoopMemory &memory, const TargetInfo &target,
                          bool withGathers = true);

/// Whether the plan leaves a unit one block because its gathers have a second slot; where copies
/// are counted, and other blocks of the grid want the unit.
bool gathersTakeUnit(const PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                     const TargetInfo &target);

/// Where copies are counted, and other blocks of the grid want the unit: takes copies under
/// conditions of their own out of the plan whose slots keep a block from it. They are started in
/// every round.
void leaveConditions(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                     const TargetInfo &target);

/// Where copies are counted, and other blocks of the grid want the unit: takes slots away that keep
/// them from it. More than two never do, and the second does not take the place of the only other
/// block. Says so in a remark.
void leaveRoomForBlocks(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                        const TargetInfo &target);

/// Of a loop whose order is planned, where copies are counted, and other blocks of the grid want
/// the unit: takes slots away that keep it to one block, if that has few rounds, whose beginning
/// and end only another block hides, or rounds so short that its slots do not hide the way to
/// memory, either. Says so in a remark.
void shareUnit(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops, const TargetInfo &target);

/// Whether each wave of the block has a part of the fill: a wait counts on no other copies.
bool isOfAllWaves(const PipelinePlan &plan, size_t n, const TargetInfo &target);

/// Makes a second group of the fills that are read last, if others are read before.
bool awaitApart(PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target);

/// Whether slots of the loop's rings may keep blocks from a unit that could be there, and who wrote
/// it leaves that to the compiler.
bool competes(tile::ForOp loop, const TargetInfo &target);

/// Blocks on a unit where the plan has so many stages.
int64_t blocksWith(PipelinePlan plan, int64_t stages, tile::ForOp loop, SharedMemory &memory,
                   const TargetInfo &target);

/// With two slots the one wait of a round is for all copies that are under way. Gives such a loop a
/// third slot where that costs no resident block, with what other loops will take; where copies are
/// counted, one of its rings, or else a wait of its own to the copies that are read last.
void leaveCopiesInFlight(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                         const TargetInfo &target);

} // namespace tilec
