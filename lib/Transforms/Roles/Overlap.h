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
      deferred;            ///< too, but the next first gemm need not wait for it
  bool takesTurns = false; ///< `ping_pong`
  /// The second gemm is waited for beside the first, and its tile released: where there is no
  /// second slot and the gemms take less time than a copy, the next tile comes beside `early`.
  bool endsTogether = false;
  /// From this value of the loop's variable on, rounds change nothing for the warp group that asks
  /// (`dead_from`). Null: all of them may.
  mlir::Value deadFrom;
};

/// Cuts the loop; `copies` are those that go to the producer. Says why not when it cannot.
llvm::Expected<OverlapPlan> planOverlap(tile::ForOp loop, llvm::ArrayRef<tile::CopyOp> copies);

/// Whether the gemm that reads this ring is the plan's first one.
bool feedsFirst(const OverlapPlan &plan, mlir::Value ring);

/// A ring of slots as the rewritten loop uses it.
struct OverlapPipe {
  mlir::Value pipe;
  bool ofFirst = true;                  ///< filled for the first gemm
  llvm::SmallVector<mlir::Value> rings; ///< buffers of the original loop
  /// The slot of a ring as a buffer, built at the builder's place.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value ring, mlir::Value slot)> view;
};

/// Replaces the loop by its overlapped form.
void applyOverlap(tile::ForOp loop, OverlapPlan &plan, llvm::ArrayRef<OverlapPipe> pipes);

} // namespace tilec
