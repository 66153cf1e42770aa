//===- ExactProducts.h - products that f32 holds to the last bit ----------===//
//
// Takes a kernel, marks sums whose products are exact, so that one instruction multiplies and adds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// a * b + c of f32, where a and b have so few significant bits that a * b has at most 24 (elements
/// of f16, 8 bits and fewer, and what only such are stored to), may be one fused operation
/// (`contract`): it rounds as the two do. Not of bf16, whose products may be beyond f32's range.
void fuseExactProducts(tile::KernelOp kernel);

} // namespace tilec
