//===- ByteTranspose.h - tiles of bytes with rows and columns exchanged ---===//
//
// Warp groups read bytes with K contiguous only. An operand that has K as the slower dimension
// is written once more, the other way round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// Loops that move element [.., j, i] of one shared buffer to [.., i, j] of another, bytes both:
/// lanes can exchange blocks of 4 x 4.
llvm::SmallVector<tile::MoveOp> byteTranspositions(tile::KernelOp kernel);

/// Makes tile.transpose_bytes of those of the loops whose buffers' layouts keep the words of a row
/// together.
void markTranspositions(llvm::ArrayRef<tile::MoveOp> loops);

/// Operands of bytes that warp groups can only multiply with K contiguous are transposed in front
/// of the gemm. True: warp groups multiply it then.
bool transposeByteOperands(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves);

} // namespace tilec
