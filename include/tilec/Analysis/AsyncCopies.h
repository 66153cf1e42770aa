//===- AsyncCopies.h - ops that copy without waiting -----------------------===//
//
// Takes an op, says whether what it writes is there only behind a tile.async_wait and a barrier.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether its pieces are copied like those of a tile.async_copy (Pipelines/Gather.h).
inline bool isAsyncGather(mlir::Operation *op) {
  auto loop = mlir::dyn_cast<tile::ParallelOp>(op);
  return loop && loop.getAsync();
}

inline bool isAsyncCopy(mlir::Operation *op) {
  return mlir::isa<tile::AsyncCopyOp>(op) || isAsyncGather(op);
}

} // namespace tilec
