//===- Overlap.h - the second gemm of a round under the next one's first --===//
//
// Takes a loop of two products, cuts a round so that the second runs under the first of the next
// round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/Support/Error.h"

#include <functional>

namespace tilec {

/// A round of a loop of two gemms, the second of which takes what was computed from the first, cut
/// for the schedules `overlap` and `ping_pong`:
///
///   head(0); wait; early(0); late(0)
///   for k = 1 ..:  start head(k); deferred(k - 1); start second(k - 1)
///                  wait for head(k);       early(k), to the middle of `longest`
///                  wait for second(k - 1); the rest of early(k); late(k)
///   deferred(last); second(last); wait
///
/// A warp group for which rounds are dead leaves the loop before them, and only waits for their
/// tiles and releases them.
struct OverlapPlan {
  tile::GemmOp first, second;
  llvm::SmallVector<mlir::Operation *> head; ///< what the first gemm needs, without it
  llvm::SmallVector<mlir::Operation *>
      early; ///< may run beside the second gemm of the round before
  /// Of `early`, what `late` reads from is computed last by this: its second half and what follows
  /// it run beside `late`. Null: all of `early` comes first.
  mlir::Operation *longest = nullptr;
  llvm::SmallVector<mlir::Operation *> late; ///< must wait for that gemm
  llvm::SmallVector<mlir::Operation *>
      deferred; ///< too, but the next first gemm need not wait for it
};

/// Fragments that a round has for itself stand in front of the loop: one starts undefined, and its
/// registers are the same in every round.
void hoistFragments(tile::ForOp loop);

/// Cuts the loop; `copies` are those that go to the producer. Says why not when it cannot. A
/// function of the loop as it stands, which it leaves so: whether there is a cut decides the form
/// of a round (`tile-choose-rounds`), what it is decides how the loop is written anew
/// (`tile-expand-producers`), and nothing in between touches the loop's body. Lists of statements
/// are no attribute; so it is asked for twice.
llvm::Expected<OverlapPlan> planOverlap(tile::ForOp loop, llvm::ArrayRef<tile::CopyOp> copies);

/// Whether the first gemm of the loop's body reads this ring.
bool feedsFirst(tile::ForOp loop, mlir::Value ring);

/// A ring of slots as the rewritten loop uses it.
struct OverlapPipe {
  mlir::Value pipe;
  bool ofFirst = true;                  ///< filled for the first gemm
  llvm::SmallVector<mlir::Value> rings; ///< buffers of the original loop
  /// The slot of a ring as a buffer, built at the builder's place.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value ring, mlir::Value slot)> view;
};

/// Replaces the loop by its overlapped form, as its `served` and `dead_from` say.
void applyOverlap(tile::ForOp loop, OverlapPlan &plan, llvm::ArrayRef<OverlapPipe> pipes);

} // namespace tilec
