//===- Uniformity.h - what differs between the threads of a block ---------===//
//
// Takes a lockstep kernel, says which of its values may differ between threads and which
// operations the block does as one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/ADT/DenseSet.h"

namespace tilec::tile {

/// Which values of a lockstep kernel may differ between threads, and therefore which tile
/// operations each thread does on its own. In other kernels nothing differs.
///
/// A value differs when it comes from the thread's number, from an exchange between threads, from
/// an atomic, or from anything that differs; a local buffer differs when a store to it does, or
/// when only some threads reach the store. "May differ" is meant among the threads that are there.
class Uniformity {
public:
  explicit Uniformity(KernelOp kernel);

  bool isUniform(mlir::Value value) const { return !differing.contains(value); }
  /// Whether only some threads may get to the ops of this block while others do not.
  bool isDivergent(mlir::Block *block) const { return divergentBlocks.contains(block); }
  /// Whether this tile operation (copy, fill, gemm, reduce, scan, print, parallel) is done by each
  /// thread on its own instead of once by all: it writes a local buffer from outside of it, or
  /// works with a value or a local buffer that differs.
  bool runsPerThread(mlir::Operation *op) const { return perThread.contains(op); }
  /// Of such an operation: whether threads get different results, so that doing it once for all of
  /// them would not do.
  bool usesDiffering(mlir::Operation *op) const { return usesOwn.contains(op); }

private:
  void visit(mlir::Block &block, bool divergent);
  void visit(mlir::Operation &op, bool divergent);
  void visitTileOp(mlir::Operation &op, bool divergent);
  bool anyDiffers(mlir::ValueRange values) const;
  void differ(mlir::Value value);

  llvm::DenseSet<mlir::Value> differing; ///< scalars, and local buffers
  llvm::DenseSet<mlir::Block *> divergentBlocks;
  llvm::DenseSet<mlir::Operation *> perThread, usesOwn;
  bool changed = false;
};

/// Whether the op is one of those that a lockstep kernel does once for the block, if at all.
bool isTileOperation(mlir::Operation *op);

/// Whether the blocks of the kernel wait for each other.
bool hasGridSync(KernelOp kernel);

/// The buffer behind views.
mlir::Value bufferBehind(mlir::Value buffer);

} // namespace tilec::tile
