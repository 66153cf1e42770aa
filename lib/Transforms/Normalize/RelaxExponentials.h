//===- RelaxExponentials.h - exponentials whose small results are nothing -===//
//
// The rules of RelaxMath.h about exponentials, and about logarithms that are only subtracted in
// their arguments.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Normalize/Fates.h"

#include "tilec/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilec {

constexpr double log2e = 1.44269504088896340736;

/// A constant of f32.
mlir::Value numberLike(mlir::OpBuilder &b, mlir::Location loc, double value);

/// Whether a difference must be 0 where its terms are the same: of a row before and after, in a
/// kernel that skips scaling by 1 (the mark of chained products). One fma for x * s - y * s would
/// leave the rounding error of a product, and saves one instruction a row.
bool mustVanish(mlir::arith::SubFOp difference, tile::ElementLoop loop);

/// Allows what an exponential of the loop may have.
void relaxExponential(mlir::Operation *op, tile::ElementLoop loop, const TargetInfo &target,
                      Fates &fates);

/// Whether all that the logarithm leads to is such an argument.
bool areExponents(mlir::Value logarithm, Fates &fates);

} // namespace tilec
