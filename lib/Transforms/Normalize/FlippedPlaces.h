//===- FlippedPlaces.h - places with a bit turned over ------------------------===//
//
// Takes places like j ^ 8, as butterflies and sorting networks have them, gives sums, quotients and
// remainders.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Short serial loops around parallels that read tiles at places with a bit turned over which the
/// loop's variable picks (`j ^ (1 << b)`) are their rounds: which elements of a tile are neighbours
/// is known then.
void unrollFlips(tile::KernelOp kernel);

/// j ^ c of a power of two is j + c - j / c % 2 * 2c, of which it is seen where the elements that a
/// lane reads are neighbours.
void straightenFlips(tile::KernelOp kernel);

} // namespace tilec
