//===- SerialRounds.h - loops with tiles of their own ----------------------===//
//
// Takes a kernel and loops of it that are, or may be, pipelined, and gives each tiles of its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A tile that several of the loops fill anew in each round becomes one a loop.
void separateTiles(tile::KernelOp kernel, mlir::ArrayRef<tile::ForOp> loops);

} // namespace tilec
