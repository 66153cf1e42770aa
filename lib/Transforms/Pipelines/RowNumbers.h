//===- RowNumbers.h - what gathers find their rows by ----------------------===//
//
// Takes a loop whose gathers read numbers of rows that are other ones in each round, lets each
// round copy them to shared memory first. Where copies are counted, that is how a gather's rows
// are known in time: what lanes read of tensors themselves would be waited for with the copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include <vector>

namespace tilec {

/// The loop as it was stays beside what replaces it until one of both is chosen.
class RowNumbers {
public:
  /// Changes nothing where the target has no use for it, or the loop does not want to run ahead.
  RowNumbers(tile::ForOp loop, const TargetInfo &target);
  RowNumbers(const RowNumbers &) = delete;
  RowNumbers &operator=(const RowNumbers &) = delete;

  bool isEmpty() const { return tiles.empty(); }
  /// The loop is as it was before.
  void undo();

private:
  /// Consecutive elements of a tensor's last dimension from a place on that is the round's.
  struct Tile {
    mlir::Value tensor;
    llvm::SmallVector<LinearForm, 4> first; ///< where it begins
    int64_t extent;
    tile::AllocOp alloc;
    tile::CopyOp copy;
  };
  /// What a load in a loop over elements reads: the round's place, and how far behind it.
  struct Place {
    llvm::SmallVector<mlir::Value, 4> first;
    mlir::Value behind;
    int64_t extent; ///< `behind` is less
  };

  std::optional<Place> placeOf(tile::LoadOp load);
  Tile *find(tile::LoadOp load, const Place &place);
  Tile makeTile(tile::LoadOp load, const Place &place);
  void replace(tile::LoadOp load, Tile &tile, mlir::Value at);

  tile::ForOp loop;
  const TargetInfo &target;
  std::vector<Tile> tiles;
  std::vector<std::pair<tile::LoadOp, tile::LoadOp>> loads; ///< as they were, and of tiles
};

} // namespace tilec
