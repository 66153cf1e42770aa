//===- LateSums.h - sums over rounds are combined over lanes once ---------===//
//
// Takes a kernel, lets each lane keep its part of a sum over the rounds of a loop, and combines
// lanes once behind it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// `l[i] = l[i] * alpha[i] + sum(row i of S)` in every round of a loop, from l = 0: each lane keeps
/// the sum of its own elements, and lanes and waves combine theirs after the loop. After layouts
/// are known. docs/decisions/0007.
void delaySums(tile::KernelOp kernel);

} // namespace tilec
