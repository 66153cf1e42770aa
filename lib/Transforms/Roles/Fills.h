//===- Fills.h - accumulators that need not be filled ---------------------===//
//
// Takes a kernel, removes fills and masks of an accumulator which its product can begin without.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Where a mask of minus infinity in a product's C goes: in front of it, or behind it, where the
/// instruction takes a zero for C that costs no register.
enum class MaskPlace { InFront, Behind };

/// A fill with zeros of the C of a gemm of warp groups becomes its `clear`. A loop over elements
/// that stores `inside ? 0 : x` before a gemm, or `inside ? what is there : x` anywhere, with a
/// condition on indices (a mask), is left out where the condition holds for the whole tile; with
/// `byGroup`, each warp group leaves it out where it holds for its rows.
void simplifyFills(tile::KernelOp kernel, MaskPlace place = MaskPlace::InFront,
                   bool byGroup = false);

} // namespace tilec
