//===- RunAhead.h - a loop whose copies run ahead ---------------------------===//
//
// Takes a loop and its plan; rings get their slots, copies start rounds before they are read, and
// waits and barriers stand where a round needs them. RunAhead.cpp has the shape of a round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Ahead.h"
#include "Pipelines/HeldRounds.h"
#include "Pipelines/Pipeline.h"

#include "mlir/IR/IRMapping.h"

namespace tilec {

class RunAhead {
public:
  RunAhead(tile::ForOp loop, PipelinePlan &plan)
      : loop(loop), plan(plan), builder(loop), loc(loop.getLoc()), rounds(loop, builder) {}

  /// What it makes of each buffer of the plan. `held`, if there is one, has brought other tiles to
  /// the front of the round: a round waits behind its writes, and starts copies behind its reads.
  llvm::SmallVector<tile::AllocOp> run(HeldRounds *held = nullptr);
  /// Each iteration starts its copies at once, without registers, and waits for them.
  void copyTogether();
  /// The body stays one iteration, on slot 0 of the rings.
  llvm::SmallVector<tile::AllocOp> rotate();

private:
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }

  llvm::SmallVector<tile::AllocOp> rings() const {
    return llvm::map_to_vector(plan.rings, [&](tile::AllocOp ring) { return wide.lookup(ring); });
  }
  /// Gives the allocation `stages` slots; its users get slot (iteration % stages).
  void widen(tile::AllocOp ring);
  mlir::Value slotView(tile::AllocOp ring, mlir::Value slot);
  /// An iteration, what the loop's variable is in it, and the slot that it fills.
  struct Round {
    mlir::Value number, iv, slot;
  };
  /// Fills `first` to `last` of one iteration, as a group. They are those of the original body.
  void startCopies(Round round, size_t first, size_t last);
  void startCopy(size_t fill, mlir::Value slot, mlir::IRMapping &mapping, bool uncounted);
  /// Whether the iteration has the copy: what that stands under, its own condition or that of a
  /// counted round. Null where it has it in any case.
  mlir::Value conditionOf(tile::CopyOp copy, mlir::IRMapping &mapping);
  void startChoice(size_t fill, mlir::Value slot, mlir::IRMapping &mapping);
  void startGather(tile::ElementLoop gather, tile::AllocOp ring, Round round,
                   mlir::IRMapping &mapping);
  /// What that iteration's gathers will find their rows by.
  void startNumbers(mlir::Value number);
  /// The first group of an iteration, and its second one, if there is one.
  void startFirst(Round round) {
    startCopies(round, plan.numbers, plan.second ? plan.second : plan.fills.size());
  }
  void startSecond(Round round) {
    if (plan.second)
      startCopies(round, plan.second, plan.fills.size());
  }
  /// The view, or, where the condition does not hold, what lies behind its tensor.
  mlir::Value outsideUnless(mlir::Value condition, mlir::Value source);
  /// Has a gather bring nothing where the condition does not hold.
  void leaveOutUnless(mlir::Value condition, tile::ElementLoop gather);
  /// The ring's slot of an iteration.
  mlir::Value slotIn(size_t ring, mlir::Value iteration);
  void startCopiesBefore();
  void rewriteBody(HeldRounds *held);
  /// The same where slots are filled behind their reads.
  void fillBehind();
  /// The same where the two groups take turns.
  void fillInTurns();
  /// All copies have landed, in all waves.
  void awaitAll();
  /// Removes the original fills; what read the rings reads this slot of theirs in that iteration.
  void useSlots(mlir::Value number, mlir::Value ofFirst, mlir::Value ofSecond);
  tile::ForOp loop;
  PipelinePlan &plan;
  mlir::OpBuilder builder;
  mlir::Location loc;
  OtherRounds rounds;
  llvm::DenseMap<mlir::Operation *, tile::AllocOp> wide; // original ring -> ring with slots
};

} // namespace tilec
