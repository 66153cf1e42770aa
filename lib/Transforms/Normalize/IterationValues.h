//===- IterationValues.h - indices and conditions of one iteration --------===//
//
// Takes the values of loop variables, gives those of indices and conditions in that iteration.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/DenseMap.h"

namespace tilec {

/// Of indices and conditions in one iteration.
class IterationValues {
public:
  explicit IterationValues(tile::ParallelOp loop) : loop(loop) {}

  llvm::DenseMap<mlir::Value, int64_t> variables; ///< of the parallel and of loops in it

  /// `exact`: nothing is made up. Otherwise what comes from outside of the parallel and is not
  /// known stands for itself: a number that no other unknown has.
  std::optional<int64_t> of(mlir::Value value, bool exact);

private:
  static std::optional<int64_t> evaluate(mlir::Operation *op, llvm::ArrayRef<int64_t> x);

  tile::ParallelOp loop;
  llvm::DenseMap<mlir::Value, int64_t> unknowns;
};

} // namespace tilec
