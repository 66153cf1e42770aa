//===- Overlap.h - the second gemm of a round under the next one's first --===//
//
// Takes a loop of two gemms whose round is cut, writes it so that the second gemm of a round runs
// under the first of the next one:
//
//   head(0); wait; early(0); late(0)
//   for k = 1 ..:  start head(k); deferred(k - 1); start second(k - 1)
//                  wait for head(k);       early(k), to the middle of the longest
//                  wait for second(k - 1); the rest of early(k); late(k)
//   deferred(last); second(last); wait
//
// A warp group for which rounds are dead leaves the loop before them, and only waits for their
// tiles and releases them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include <functional>

namespace tilec {

/// A ring of slots as the rewritten loop uses it.
struct OverlapPipe {
  mlir::Value pipe;
  bool ofFirst = true;                  ///< filled for the first gemm
  llvm::SmallVector<mlir::Value> rings; ///< buffers of the original loop
  /// The slot of a ring as a buffer, built at the builder's place.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value ring, mlir::Value slot)> view;
};

/// Replaces the loop by its overlapped form, as its `served` and `dead_from` say.
void applyOverlap(tile::ForOp loop, llvm::ArrayRef<OverlapPipe> pipes);

} // namespace tilec
