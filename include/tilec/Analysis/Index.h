//===- Index.h - what is known about index values -------------------------===//
//
// Three questions that bounds checks, vector widths and layouts ask of an index:
// which linear form it has, between which numbers it lies, and what divides it.
// Answers are conservative and never depend on overflow: index arithmetic of a
// legal program does not overflow 64 bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "mlir/Support/LLVM.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec::tile {
class TensorOp;
} // namespace tilec::tile

namespace tilec {

/// constant + sum of coefficient * value. Terms are distinct values with coefficients that are not
/// zero; a value that has no linear form is one term.
struct LinearForm {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> terms;

  int64_t coefficient(mlir::Value value) const;
  /// The form without the terms of `values`.
  LinearForm without(mlir::ValueRange values) const;
  void add(const LinearForm &other, int64_t factor);
};

/// Looks through constants, addi, subi, muli by a constant, shli, negation and index casts.
LinearForm linearize(mlir::Value value);

/// Inclusive bounds.
struct IndexRange {
  int64_t low, high;
};

/// A sum of index values that is not made into ops: what asks about an address changes no program.
struct IndexSum {
  llvm::SmallVector<mlir::Value, 2> terms; ///< none: 0

  bool isZero() const { return terms.empty(); }
  /// The constant that it is.
  std::optional<int64_t> constant() const;
};
LinearForm linearize(const IndexSum &sum);

/// The range of an index: constants, block coordinates of a grid with constant extents, loop
/// variables with bounded bounds, thread numbers, dims (at least 1) and arithmetic on them.
std::optional<IndexRange> rangeOf(mlir::Value value);
std::optional<IndexRange> rangeOf(const IndexSum &sum);
std::optional<IndexRange> rangeOf(const LinearForm &form);

/// Whether 0 <= index < dim is known, whatever the dim (tile.dim) is: the index is piece * n +
/// rest, where n counts whole pieces of the dim (a coordinate of the grid or a loop's variable
/// below dim / piece, and with `op` also what is at most the last of a loop around it) and the rest
/// is less than a piece.
bool isWithin(mlir::Value index, mlir::Value dim, mlir::Operation *op = nullptr);

/// What is known of an index at an op.
struct KnownEnds {
  bool isNotNegative = false;
  bool isBelow = false; ///< the extent that was asked about
};

/// The same by what branches ask, those of `branches` whose first region the op is in:
/// `if i < dim: use(i)`. The extent is a dim or, if that is null, a number.
KnownEnds knownEnds(mlir::Operation *op, mlir::Value index, mlir::Value dim, int64_t extent,
                    const llvm::SmallPtrSetImpl<mlir::Operation *> &branches);

/// The largest number known to divide `value`, at most 2^20; 2^20 for zero.
int64_t divisorOf(mlir::Value value);
int64_t divisorOf(const IndexSum &sum);
/// What divides the number of elements of each row of the tensor: the number itself, where it is
/// known, else what its expression or a promise says (`T.assume(n % 8 == 0)`).
int64_t divisorOfRows(tile::TensorOp tensor);

} // namespace tilec
