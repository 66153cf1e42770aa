//===- Gather.h - loops over elements that copies can do -------------------===//
//
// Takes a tile.parallel, says whether it fills a shared tile with elements of a tensor in pieces
// that lie together on both sides: rows by number, boxes of an image, masked copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Layout/FragmentLayout.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// tile[i, j] = mask ? tensor[f(i, j)] : 0, where f moves by one element along j in each piece.
struct Gather {
  tile::LoadOp load;
  tile::StoreOp store;
  mlir::Value mask; ///< null: always
  int64_t pieceBytes = 0;
};

/// Nothing when the loop does anything else, or the target has no such copies.
std::optional<Gather> gatherOf(tile::ElementLoop loop, const TargetInfo &target);

/// Whether a value that the gather's body uses may be another one in another round of the loop
/// around, which writes those buffers. What does not vary is known in front of the loop. Tensors
/// that the loop writes are not asked for: a gather reads none.
bool variesByRound(mlir::Value value, tile::ElementLoop gather,
                   llvm::ArrayRef<mlir::Value> written);

/// Which lane copies which pieces: rows of 128 bytes first, so that a lane's pieces differ by
/// constants in shared memory and few rows' numbers are read.
FragmentLayout gatherLayout(tile::ElementLoop loop, Gather gather, const TargetInfo &target,
                            int64_t numWaves);

} // namespace tilec
