//===- Updates.h - stores of op(what is there, e) -------------------------===//
//
// Takes a store, says whether it updates its element, and with what.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "mlir/IR/IRMapping.h"

namespace tilec {

/// One update of an element.
struct Update {
  tile::StoreOp store;
  tile::LoadOp old;
  tile::ReduceKind kind;
  bool isUnsigned = false;
  /// The operands of the combination other than the old value; all are combined into e. For
  /// x - e, the operand is negated.
  llvm::SmallVector<std::pair<mlir::Value, bool>, 2> terms;
};

std::optional<Update> matchUpdate(tile::StoreOp store);

/// e: the operands other than the old value, combined.
mlir::Value makeTerm(mlir::OpBuilder &b, mlir::Location loc, const Update &update);

/// The update goes; what only it used of `loop` dies with it.
void eraseUpdate(tile::StoreOp store, tile::ParallelOp loop);

/// Computes a value of the loop's body where the builder is, with what `mapping` has for the loop's
/// variables.
mlir::Value computed(mlir::OpBuilder &b, mlir::Value value, tile::ElementLoop loop,
                     mlir::IRMapping &mapping);

/// Whether an iteration computes these indices alike.
bool sameIndices(mlir::ValueRange a, mlir::ValueRange b);

} // namespace tilec
