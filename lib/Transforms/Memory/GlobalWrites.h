//===- GlobalWrites.h - elements of tensors that are written twice --------===//
//
// Takes statements of a block that write global memory, says whether one thread may write an
// element that another has written before.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Uniformity.h"

namespace tilec {

/// What one op writes of a tensor.
struct GlobalWrite {
  mlir::Operation *op;
  mlir::Operation *statement; ///< the tile.parallel around it, or the op
  mlir::Value tensor;
  /// Of each dimension the first element, and how many there are; empty: any element.
  struct Extent {
    LinearForm first;
    int64_t count; ///< ShapedType::kDynamic: not known
  };
  llvm::SmallVector<Extent, 4> box;
};

/// Those of an op and all in it; atomic updates, which need no order among themselves, are none.
llvm::SmallVector<GlobalWrite, 1> globalWritesIn(mlir::Operation *op);

/// Whether `second`, after `first` or in a later round of a loop around both, may write an element
/// by another thread than `first` has done. `threads`: of a lockstep kernel.
bool mayOverwrite(const GlobalWrite &first, const GlobalWrite &second,
                  const tile::Uniformity *threads);

} // namespace tilec
