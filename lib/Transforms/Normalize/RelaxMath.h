//===- RelaxMath.h - arithmetic whose last bits are rounded away ----------===//
//
// What the passes share that set fast-math flags, or write cheaper forms, where the agreement rule
// (docs/decisions/0006) cannot see the difference. Each of them is one rule:
//
//   tile-rewrite-gates, -shorten-angles, -fuse-squares, -fuse-affine, -relax-exponentials,
//   -relax-logarithms, -relax-tangents, -relax-quotients, -fuse-exact-products
//
// Where a value goes is asked of Fates.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Normalize/Fates.h"

#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilec {

constexpr double log2e = 1.44269504088896340736;

/// The program's kernels whose arithmetic may be another one: none where it asks for the library's
/// functions.
llvm::SmallVector<tile::KernelOp> relaxedKernels(tile::ProgramOp program);

/// The arithmetic on f32 in loops over elements.
llvm::SmallVector<mlir::Operation *> arithmeticOf(tile::KernelOp kernel);

/// Calls `relax` for each arithmetic op of these kinds, with what becomes of its kernel's values:
/// that is looked for where there is such an op.
template <typename... Ops>
void forArithmetic(tile::ProgramOp program,
                   llvm::function_ref<void(mlir::Operation *op, Fates &fates)> relax) {
  for (tile::KernelOp kernel : relaxedKernels(program)) {
    std::optional<Fates> fates;
    for (mlir::Operation *op : arithmeticOf(kernel)) {
      if (!mlir::isa<Ops...>(op))
        continue;
      if (!fates)
        fates.emplace(kernel);
      relax(op, *fates);
    }
  }
}

/// Adds flags to those that an op has.
void allow(mlir::Operation *op, mlir::arith::FastMathFlags more);

/// A constant of f32.
mlir::Value numberLike(mlir::OpBuilder &b, mlir::Location loc, double value);

/// Whether a difference must be 0 where its terms are the same: of a row before and after, in a
/// kernel that skips scaling by 1 (the mark of chained products). One fma for x * s - y * s would
/// leave the rounding error of a product, and saves one instruction a row.
bool mustVanish(mlir::arith::SubFOp difference, tile::ElementLoop loop);

} // namespace tilec
