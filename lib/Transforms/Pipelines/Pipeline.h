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
  /// Copies from global memory whose destination only this loop's iteration reads.
  llvm::SmallVector<tile::CopyOp, 4> copies;
  /// Loops over elements that do the same (Gather.h).
  llvm::SmallVector<tile::ElementLoop, 2> gathers;
  /// The shared buffers they fill, each once: those of `copies`, then those of `gathers`.
  llvm::SmallVector<tile::AllocOp, 4> rings;
  /// What the copies stand under in the body, if that is nothing but this: rounds are left out.
  mlir::scf::IfOp round;
  /// Such copies are started in every round, so that they can be counted: from outside of the
  /// tensor, where there is nothing to read, in one that is left out.
  bool countsRounds = false;
  /// Copies from here on are a second group of each round, so that a wait leaves one in flight. 0:
  /// there is one group.
  size_t second = 0;
  /// What the second group fills has so many slots, and it runs a round further ahead; 0: it does
  /// not.
  int64_t deeperSlots = 0;
  /// Or it is awaited in front of this op, before which nothing reads what it fills.
  mlir::Operation *awaitedAt = nullptr;

  int64_t slotsOf(size_t ring) const {
    return deeperSlots != 0 && ring >= second ? deeperSlots : stages;
  }
  bool isEmpty() const { return copies.empty() && gathers.empty(); }
};

/// A copy that the target can do without registers, in pieces of so many bytes per lane; 0 when it
/// cannot: the pieces must be contiguous and aligned on both sides and entirely inside or outside
/// the tensor. Where only the run knows how long the tensor's rows are, that holds for those of
/// whole pieces.
int64_t asyncPieceBytes(mlir::Value src, mlir::Value dst, const TargetInfo &target);

/// The copies of the loop that can run ahead of their use, and `num_stages` of them; decides,
/// changes nothing.
PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target);

/// Takes stages away until the rings fit into a block's shared memory, which they then are part of.
void fitInto(PipelinePlan &plan, SharedMemory &memory);

class LoopMemory;

/// With two slots the one wait of a round is for all copies that are under way. Gives such a loop a
/// third slot where that costs no resident block, with what other loops will take; where copies are
/// counted, one of its rings, or else a wait of its own to the copies that are read last.
void leaveCopiesInFlight(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                         const TargetInfo &target);

} // namespace tilec
