//===- GroupRows.h - which rows of a fragment a warp group has ------------===//
//
// Takes a fragment or an op, gives the rows that each warp group has of it, where groups share
// none.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Warp group g has the rows (dimension 0) from g * step to g * step + count - 1, and all of the
/// other dimensions.
struct GroupRows {
  int64_t groups = 1, step = 0, count = 0;
  bool operator==(const GroupRows &) const = default;

  int64_t first(int64_t group) const { return group * step; }
  int64_t last(int64_t group) const { return group * step + count - 1; }
};

/// Nothing when warp groups share rows, or the buffer is no fragment with a layout.
std::optional<GroupRows> groupRowsOf(mlir::Value fragment);

/// Adds a fragment to those that have `rows` (none yet: nothing). False when it has others.
bool joinRows(std::optional<GroupRows> &rows, mlir::Value fragment);

/// The rows of all fragments that the op (with its regions) touches, when they are the same and the
/// op touches nothing else but tensors. Then warp groups may do it, or not, each for itself.
std::optional<GroupRows> groupRowsOf(mlir::Operation *op);

} // namespace tilec
