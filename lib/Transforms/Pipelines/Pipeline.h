//===- Pipeline.h - running copies ahead of their use ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// What is decided about one loop.
struct PipelinePlan {
  int64_t stages = 1; ///< buffers of each ring; copies run stages - 1 iterations ahead
  /// Copies from global memory whose destination only this loop's iteration reads.
  llvm::SmallVector<tile::CopyOp, 4> copies;
  /// The shared buffers they fill, each once.
  llvm::SmallVector<tile::AllocOp, 4> rings;
  int64_t sharedBytes = 0; ///< of all rings together

  void print(llvm::raw_ostream &os) const;
};

/// A copy that the target can do without registers, in pieces of so many bytes per lane; 0 when it
/// cannot: the pieces must be contiguous and aligned on both sides and entirely inside or outside
/// the tensor.
int64_t asyncPieceBytes(mlir::Value src, mlir::Value dst, const TargetInfo &target);

/// Decides; changes nothing. `sharedLeftBytes` is what the other shared buffers leave.
PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target, int64_t sharedLeftBytes);

/// Rewrites the loop as planned.
void applyPipeline(tile::ForOp loop, PipelinePlan plan);

} // namespace tilec
