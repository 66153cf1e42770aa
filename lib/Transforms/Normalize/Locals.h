//===- Locals.h - local buffers of a block --------------------------------===//
//
// Outside of lockstep mode a local buffer is one buffer of the block: takes one, gives what touches
// it, for the passes that decide where it is.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A local buffer and all that touches it.
struct Local {
  tile::AllocOp alloc;
  llvm::SmallVector<mlir::Operation *> users, views; ///< users are none of the views

  explicit Local(tile::AllocOp alloc);
  tile::BufferType type() { return alloc.getResult().getType(); }
  bool writes(mlir::Operation *op);
  /// Of the buffer and its views.
  void setScope(tile::Scope scope);
};

/// Local buffers of a kernel but those of an iteration of a parallel, which belong to one thread.
std::vector<Local> localsOf(tile::KernelOp kernel);

/// The parallel around the op that stands in no other one.
tile::ParallelOp outermostParallelOf(mlir::Operation *op);
bool hasOneIteration(tile::ParallelOp loop);
/// Whether the value may differ between iterations of the parallel.
bool variesIn(mlir::Value value, tile::ParallelOp loop);
/// Whether the value is computed from the loop's variable.
bool isComputedFrom(mlir::Value value, mlir::BlockArgument iv);

} // namespace tilec
