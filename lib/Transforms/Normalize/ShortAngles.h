//===- ShortAngles.h - functions of what index arithmetic bounds ----------===//
//
// Takes functions of floats whose argument index arithmetic bounds, gives shorter computations
// that are right there.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Math/IR/Math.h"

namespace tilec {

/// Whether `op` is the sine or cosine of an f32 that index arithmetic and constants bound so far
/// that a reduction in f32 is exact enough, as a rotary embedding's angles are.
bool hasShortAngle(mlir::Operation *op);

/// Whether the exponential is of what is bounded so that no result is below 2^-126.
bool hasNormalPower(mlir::math::Exp2Op op);

/// The sine or cosine that `op` is, to 1.5 ulp, by arithmetic on f32 alone: no branch for large
/// angles, and pairs where the chip has them. Replaces `op`.
void shortenAngle(mlir::Operation *op);

} // namespace tilec
