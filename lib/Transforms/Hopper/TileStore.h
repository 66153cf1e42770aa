//===- TileStore.h - accumulators to global memory through TMA ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Layout/FragmentLayout.h"

namespace tilec {

/// A parallel that writes a whole accumulator of warp groups to a box of a tensor, rounded to 16
/// bits. Each warp group sends its rows in chunks of 64 columns through shared memory.
struct TileStore {
  tile::LoadOp load;
  tile::StoreOp store;
  int64_t slabs = 1, groupsM = 1, groupsN = 1;
  int64_t rowDim = 0;     ///< the tensor's dimension that rows run along; columns: the last
  int64_t chunks = 1;     ///< of 64 columns, per warp group
  int64_t chunkBytes = 0; ///< of one warp group
  llvm::SmallVector<int64_t, 5> extents; ///< of one transfer, per dimension of the tensor

  int64_t rows() const { return 64 * slabs; }
};
constexpr int64_t chunkCols = 64; ///< 128 bytes, one row of the swizzle

/// Nothing when the loop is none, or TMA cannot write the tensor.
std::optional<TileStore> matchTileStore(tile::ParallelOp loop);

/// Set on a loop that is stored so: how many chunks of a warp group are in flight.
constexpr llvm::StringLiteral tileStoreBuffers = "tma_store_buffers";

} // namespace tilec
