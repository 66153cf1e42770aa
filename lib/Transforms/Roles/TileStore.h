//===- TileStore.h - accumulators to global memory through TMA ------------===//
//
// Takes a loop over an accumulator, gives the transfers that bring its tile to global memory
// through shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Memory/SharedMemory.h"

#include "tilec/Layout/FragmentLayout.h"

namespace tilec {

/// A tensor that a loop over an accumulator writes: one transfer brings `cols` columns of a warp
/// group's rows, rows of `rowBytes` in shared memory.
struct TileTarget {
  mlir::Operation *op = nullptr; ///< tile.store, or tile.atomic that adds
  mlir::Value tensor, value;
  llvm::SmallVector<mlir::Value, 5> indices;
  bool adds = false;
  int64_t rowDim = -1; ///< the tensor's dimension that rows run along; columns: the last
  int64_t elemBytes = 0, rowBytes = 0;
  llvm::SmallVector<int64_t, 5> extents; ///< of one transfer, per dimension of the tensor

  int64_t cols() const { return rowBytes / elemBytes; }
};

/// A parallel that computes what it writes to boxes of tensors element by element from a whole
/// accumulator of warp groups. Each warp group sends its rows in steps of some columns through
/// shared memory.
struct TileStore {
  FragmentLayout layout;
  llvm::SmallVector<mlir::Operation *> ops; ///< of the body, without a guard of bounds
  llvm::SmallVector<TileTarget, 2> targets;
  int64_t slabRows = 0, slabs = 1; ///< of an instruction; of a warp group
  int64_t groupsM = 1, groupsN = 1;

  int64_t rows() const { return slabRows * slabs; }            ///< of a warp group
  int64_t cols() const { return layout.shape()[1] / groupsN; } ///< the same
  int64_t stepCols() const;                                    ///< columns of a step
  int64_t transfers() const;                                   ///< of a warp group, in all steps
  int64_t bufferBytes() const;                                 ///< of one transfer of a warp group
};

/// What a tile.store_tile says of itself.
TileStore tileStoreOf(tile::StoreTileOp loop, const TargetInfo &target);

/// What a loop could become; nothing when TMA cannot write a tensor, or the body does more.
std::optional<TileStore> matchTileStore(tile::ElementLoop loop, const TargetInfo &target);

/// Whether nothing else of the kernel has to see, or be seen by, what the loop writes: a transfer
/// writes some time after it was started, and threads do not see it. Before an author's loop comes
/// to the store again, what it wrote is there.
bool isAlone(const TileStore &store, tile::ElementLoop loop, tile::KernelOp kernel);

/// What the loop becomes: it matches, and is alone with its tensors.
std::optional<TileStore> tileStoreIn(tile::ElementLoop loop, tile::KernelOp kernel,
                                     const TargetInfo &target);

/// Whether a loop of the author's is around `op`: its rounds may write the same elements.
bool isInAuthorsLoop(mlir::Operation *op);

/// Whether the loop goes through all of a tile of this type, with its variables for indices.
bool coversTile(tile::ElementLoop loop, mlir::ValueRange indices, tile::BufferType type);

/// What no loop variable moves is computed in front of the loop.
void hoistInvariants(tile::ElementLoop loop);

} // namespace tilec
