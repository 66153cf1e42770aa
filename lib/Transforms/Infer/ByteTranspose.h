//===- ByteTranspose.h - tiles of bytes with rows and columns exchanged ---===//
//
// Takes a kernel, gives the loops that lanes can run by exchanging blocks of bytes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

constexpr int64_t blockEdge = 4; ///< of the blocks that lanes exchange

/// Loops that move element [.., j, i] of one shared buffer to [.., i, j] of another, bytes both:
/// lanes can exchange blocks of 4 x 4.
llvm::SmallVector<tile::MoveOp> byteTranspositions(tile::KernelOp kernel);

} // namespace tilec
