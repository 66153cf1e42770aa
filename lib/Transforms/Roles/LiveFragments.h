//===- LiveFragments.h - registers that fragments take at once -------------===//
//
// Takes a kernel, gives the most bits of its fragments that are alive at one place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A fragment lives from its first to its last user, and through every loop that hands it on: it is
/// used outside, or the round reads it before it writes it.
int64_t liveFragmentBits(tile::KernelOp kernel);

} // namespace tilec
