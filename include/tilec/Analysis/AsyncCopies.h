//===- AsyncCopies.h - what travels while a round computes -----------------===//
//
// Takes an op, says whether what it writes is there only behind a tile.async_wait and a barrier;
// takes a loop, says whether a round reads the tiles of the next one to registers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

inline bool isAsyncCopy(mlir::Operation *op) {
  return mlir::isa<tile::AsyncCopyOp, tile::GatherOp>(op);
}

/// Whether the body writes fragments to shared memory, or uses them otherwise, that it reads from
/// global memory behind that: of the next round.
bool readsNextRound(tile::ForOp loop);

/// Whether the loop's bounds are known, and give one round or none.
bool hasOneRound(tile::ForOp loop);

} // namespace tilec
