//===- AsyncCopies.h - ops that copy without waiting -----------------------===//
//
// Takes an op, says whether what it writes is there only behind a tile.async_wait and a barrier.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

inline bool isAsyncCopy(mlir::Operation *op) {
  return mlir::isa<tile::AsyncCopyOp, tile::GatherOp>(op);
}

} // namespace tilec
