//===- AsyncPieces.h - what one copy without registers can move -----------===//
//
// Takes a copy from a tensor to a shared tile and the target, says in which pieces the target moves
// it, and what its offsets reach.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// A copy that the target can do without registers, in pieces of so many bytes per lane; 0 when it
/// cannot: the pieces must be contiguous and aligned on both sides and entirely inside or outside
/// the tensor. Where only the run knows how long the tensor's rows are, that holds for those of
/// whole pieces.
int64_t asyncPieceBytes(mlir::Value src, mlir::Value dst, const TargetInfo &target);

/// Whether copies without registers move as much at once as a lane's access does: narrower ones are
/// slower than registers, which leave shared memory to other blocks.
bool copiesWidePieces(const TargetInfo &target);

/// Whether some lanes of a wave have no part in the copy.
bool leavesLanesOut(tile::CopyOp copy, const TargetInfo &target);

/// Of tiles that may pass the end of a tensor's rows: whether accesses of registers move pieces
/// that begin anywhere, and a branch takes those apart that pass the end. Parts of words are worth
/// it, in rows of several tiles of so many columns, or of a length that only the run knows.
bool partsRowEnds(tile::BufferType tensor, int64_t columns, const TargetInfo &target);

/// Elements of the tensor's dimensions from each one on, 1 behind the last: what an index of the
/// one before is multiplied by. -1 from where on only the run knows, or offsets of 32 bits in bytes
/// do not reach all.
llvm::SmallVector<int64_t> sizesWithinOffsets(tile::BufferType tensor);
/// Whether they reach all of the tensor.
bool fitsOffsets(tile::BufferType tensor);

} // namespace tilec
