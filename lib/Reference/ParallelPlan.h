//===- ParallelPlan.h - how a tile.parallel nest may be run ---------------===//
//
// Finds the reductions of an outermost tile.parallel and decides whether a chunk of
// its iterations may run instruction by instruction. Both answers are conservative: an
// access that is not understood makes the loop run one iteration after the other.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::reference {

/// `store op(... op(load x, e0) ..., en), x`, where x does not depend on all parallel indices, or
/// not on the round of a serial loop of the iteration.
struct FoundReduction {
  tile::StoreOp store;
  mlir::Operation *level = nullptr; ///< the loop at whose end the value is rounded
  Combine combine = Combine::Sum;
  struct Step {
    mlir::Value value;
    bool isSubtract;
  };
  llvm::SmallVector<Step, 1> steps;                 ///< in the order of evaluation
  llvm::SmallVector<mlir::Operation *, 2> absorbed; ///< the load and the combining ops
};

struct ParallelPlan {
  std::vector<FoundReduction> reductions;
  bool mayRunTogether = false;
};

ParallelPlan planParallel(tile::ElementLoop outermost);

/// The tensor, workspace or alloc that a buffer value is a part of.
mlir::Value rootBuffer(mlir::Value buffer);

} // namespace tilec::reference
