//===- Steps.h - values whose last bit may matter -------------------------===//
//
// Takes a kernel and a float of it, says whether a step (a rounding to integers, a comparison) is
// made of it, for arithmetic that is not exact.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tilec {

/// Finds values whose last bit may change a result by more than as much: those that go into a
/// rounding to integers, a remainder or a comparison, on whatever way through the kernel.
class Steps {
public:
  explicit Steps(tile::KernelOp kernel) : kernel(kernel) {}
  bool isReachedBy(mlir::Value value);

private:
  /// The ops of the kernel that read each root, found when first asked.
  llvm::ArrayRef<mlir::Operation *> readersOf(mlir::Value root);

  tile::KernelOp kernel;
  bool isScanned = false;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *, 4>> readers;
};

} // namespace tilec
