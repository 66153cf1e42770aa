//===- SharedRows.h - rows of tensors that lanes of a round share ----------===//
//
// Takes a loop of products whose rounds read a row of a tensor for all rows of a tile (a key's
// mask, its segment, its scale), lets each round copy the row to shared memory, as its tiles are.
// Each lane would have all elements of its columns in registers, of this round and the next one,
// or wait for them with the copies of later rounds, where those are counted.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include <vector>

namespace tilec {

struct PipelinePlan;

/// The loop as it was stays beside what replaces it until one of both is chosen.
class SharedRows {
public:
  /// Changes nothing where the target has no use for it, or the loop does not want to run ahead.
  SharedRows(tile::ForOp loop, const TargetInfo &target);
  SharedRows(const SharedRows &) = delete;
  SharedRows &operator=(const SharedRows &) = delete;

  bool isEmpty() const { return rows.empty(); }
  /// Whether the plan copies all of them.
  bool areCopiedBy(const PipelinePlan &plan) const;
  /// Nothing is left of the loop as it was: reads of tensors in rounds have a say in their plans.
  void keep();
  /// The loop is as it was before.
  void undo();

private:
  struct Row {
    mlir::Value tensor;
    llvm::SmallVector<LinearForm, 4> first; ///< where it begins
    int64_t extent;
    tile::AllocOp alloc;
    tile::CopyOp copy;
  };
  /// What a load in a loop over elements reads: from where on, and which of the loop's variables
  /// says which of the row's elements.
  struct Place {
    llvm::SmallVector<LinearForm, 4> first;
    mlir::Value variable;
    int64_t extent;
  };

  std::optional<Place> placeOf(tile::LoadOp load, tile::ElementLoop parallel);
  void replace(tile::LoadOp load, tile::ElementLoop parallel);
  Row *find(tile::LoadOp load, const Place &place, tile::ElementLoop parallel);
  std::optional<Row> makeRow(tile::LoadOp load, const Place &place, tile::ElementLoop parallel);

  tile::ForOp loop;
  const TargetInfo &target;
  std::vector<Row> rows;
  std::vector<std::pair<tile::LoadOp, tile::LoadOp>> loads; ///< as they were, and of rows
};

} // namespace tilec
