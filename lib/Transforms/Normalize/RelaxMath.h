//===- RelaxMath.h - arithmetic whose last bits are rounded away ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Sets fast-math flags where the agreement rule (docs/decisions/0006) cannot see the difference:
///
/// * an exponential of what a row's maximum was subtracted from, whose results are rounded to 16
///   bits or summed, takes the hardware's approximation (`afn`: what is below 2^-126 of the largest
///   counts as zero), and its argument is rounded once (`contract`);
/// * so does one that a positive constant is added to, where the sum is rounded so in the end, as
/// in
///   sigmoids (the argument's rounding is 2^-17 of the exponential at most);
/// * a quotient that is rounded to 16 bits is a product with the reciprocal (`arcp`).
void relaxMath(tile::KernelOp kernel);

} // namespace tilec
