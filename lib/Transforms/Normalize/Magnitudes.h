//===- Magnitudes.h - how small numbers may be, and who minds a last bit --===//
//
// Questions about values of a kernel, for arithmetic that is not exact.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tilec {

/// Whether an f32 may be a denormal number, which hardware takes for zero and whose reciprocal is
/// infinite. Zero is none.
bool mayBeDenormal(mlir::Value value);

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
