//===- Corner.h - conditions on indices, asked of a whole tile ------------===//
//
// Takes a condition on the indices of a tile's elements, gives one in front of the loop that says
// whether it holds for all, or for none.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/GroupRows.h"

#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tilec {

/// Asks, in front of a loop over the elements of a tile, whether a condition (comparisons of index
/// arithmetic, joined by `and` and `or`) is the same in all of the tile: each comparison in the
/// corner where it is hardest to meet. With `rows`, in those of the warp group that asks.
class Corner {
public:
  explicit Corner(tile::ElementLoop loop, std::optional<GroupRows> rows = {})
      : loop(loop), rows(rows), b(loop), loc(loop.getLoc()) {}

  /// True only where the condition is `wanted` everywhere; null where that cannot be told.
  mlir::Value everywhere(mlir::Value condition, bool wanted);
  /// The smallest value of a variable of `rounds`, a loop around that counts up, from which on the
  /// condition is `wanted` everywhere, known in front of it. Null where that cannot be told.
  mlir::Value wantedFrom(mlir::Value condition, bool wanted, tile::ForOp rounds);

  /// The smallest value of an index of the loop, known in front of `rounds`, which stands before
  /// it.
  mlir::Value leastOf(mlir::Value index, tile::ForOp rounds);

  /// Whether an answer hangs on the warp group.
  bool asksForGroup() const { return bool(group); }

private:
  bool isVariable(mlir::Value value) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    return argument && argument.getOwner() == loop.bodyBlock();
  }
  bool isOutside(mlir::Value value) {
    return !loop->isAncestor(value.getParentRegion()->getParentOp());
  }
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  /// The value in front of the loop; null where that depends on the loop or on what the kernel
  /// writes.
  mlir::Value hoisted(mlir::Value value);
  mlir::Value sum(const LinearForm &form, bool wantLow);
  std::optional<LinearForm> formOf(mlir::Value value);
  mlir::Value compare(mlir::arith::CmpIOp op, bool wanted);
  mlir::Value comparedFrom(mlir::arith::CmpIOp op, bool wanted, tile::ForOp rounds);

  tile::ElementLoop loop;
  std::optional<GroupRows> rows;
  mlir::Value group;
  mlir::OpBuilder b;
  mlir::Location loc;
};

/// One of two values: a select, or the result of a branch.
struct Choice {
  mlir::Value condition, whenTrue, whenFalse;
};
std::optional<Choice> choiceOf(mlir::Value value);

} // namespace tilec
