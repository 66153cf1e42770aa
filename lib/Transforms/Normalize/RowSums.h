//===- RowSums.h - what hangs on sums by reductions -----------------------===//
//
// Takes a kernel, says which values hang on a sum whose last bit hangs on the order of its terms.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// The fragments whose elements hang on sums by reductions.
class RowSums {
public:
  explicit RowSums(tile::KernelOp kernel);
  /// Whether the value, of a loop over elements, is computed from an element of one of them.
  bool reach(mlir::Value value) const;

private:
  llvm::DenseSet<mlir::Value> fragments;
};

} // namespace tilec
