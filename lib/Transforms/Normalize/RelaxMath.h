//===- RelaxMath.h - arithmetic whose last bits are rounded away ----------===//
//
// Takes a kernel, sets flags on arithmetic whose last bits nobody can see, one rule a case.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilec {

/// Sets fast-math flags where the agreement rule (docs/decisions/0006) cannot see the difference:
///
/// * an exponential of what a row's maximum was subtracted from, whose results are rounded to 16
///   bits or summed, takes the hardware's approximation (`afn`: what is below 2^-126 of the largest
///   counts as zero), and its argument is rounded once (`contract`);
/// * so does one that is only added to a constant, as in a sigmoid; and where the accurate 2^x is a
///   sequence, the factor by which a running maximum's rise scales running sums, and what is
///   rounded to a type without such small numbers (f16);
/// * of any other that is rounded to 16 bits the argument is rounded once, and e^x is 2^(x log2 e);
/// * 1 + erf(x) and 1 + tanh(x), as in a GELU, become erfc(-x) and 2 / (1 + exp(-2x)), `afn`, where
///   they are rounded to 16 bits;
/// * a quotient that is rounded to 16 bits is a product with the reciprocal (`arcp`), of a divisor
///   that is made larger where it may be a denormal number; as is that of a reduction's sum and a
///   number, unless it reaches a rounding to integers or a comparison; of a sum of powers of at
///   most 1, and of a sigmoid's, the reciprocal is the hardware's, without scaling (`afn`); so is
///   an inverse square root that is rounded to 16 bits, of what is no denormal number;
/// * sines and cosines of angles with a known bound, from which values come that are rounded to 16
///   bits, are computed in f32 (ShortAngles.h);
/// * a logarithm that is only subtracted from arguments of exponentials that are rounded to 16 bits
///   is the hardware's (`afn`);
/// * a product is not rounded in front of a sum (`contract`) where it is a square in a reduction,
///   and where it hangs on a reduction's sum and what comes out is rounded to 16 bits.
void relaxMath(tile::KernelOp kernel, const TargetInfo &target);

/// The last of these for squares, in RelaxSquares.cpp.
void relaxSquares(tile::KernelOp kernel);

/// Adds flags to those that an op has.
void allow(mlir::Operation *op, mlir::arith::FastMathFlags more);

} // namespace tilec
