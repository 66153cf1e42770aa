//===- ProducerSlice.h - what a producer warp repeats of a kernel ---------===//
//
// Takes the copies of a producer, gives the loops, branches and scalars around them that it has to
// repeat.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/Support/Error.h"

namespace tilec {

/// The control flow around the copies of a producer warp, and the scalar statements that decide it
/// and give their addresses. A producer runs these by itself, on variables of its own: arithmetic
/// on block coordinates, parameters and loop variables, variables that hold such values only, and
/// elements of tensors that the kernel does not write. It never waits for what others compute.
class ProducerSlice {
public:
  /// `written`: by the kernel.
  ProducerSlice(tile::KernelOp kernel, llvm::ArrayRef<mlir::Value> written);

  /// Adds all that it takes to come to `op` as often as the kernel does, with these values at hand.
  /// Adds nothing when the producer cannot, and says why.
  llvm::Error add(mlir::Operation *op, mlir::ValueRange values);

  /// The same for all that these copies of a round of the loop need.
  llvm::Error addRound(tile::ForOp loop, mlir::Block &round, llvm::ArrayRef<tile::CopyOp> copies);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }

  /// Repeats what is in the slice of a block, in order, at the builder's place.
  struct Hooks {
    llvm::function_ref<void(mlir::Operation *)> before; ///< each op of the block
    llvm::function_ref<void(mlir::Block &)> atEnd;      ///< of a loop or branch of the slice
  };
  void repeat(mlir::Block &block, mlir::OpBuilder &b, mlir::IRMapping &values, const Hooks &hooks);

private:
  mlir::Operation *shellOf(mlir::Operation *op, mlir::OpBuilder &b, mlir::IRMapping &values);
  void repeatStructure(mlir::Operation *op, mlir::OpBuilder &b, mlir::IRMapping &values,
                       const Hooks &hooks);
  llvm::Error reach(mlir::Operation *op);
  llvm::Error need(mlir::Value value);
  llvm::Error needLoad(tile::LoadOp load);
  llvm::Error needVariable(mlir::Value variable);
  llvm::Error include(mlir::Operation *op);

  tile::KernelOp kernel;
  llvm::SmallVector<mlir::Value, 4> written; ///< by the kernel
  llvm::SmallPtrSet<mlir::Operation *, 32> ops;
};

} // namespace tilec
