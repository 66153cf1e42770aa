//===- DecideComparisons.h - comparisons that every iteration answers alike -===//
//
// Takes a program, gives it without guards whose outcome its index ranges already say.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Comparisons of indices that every iteration answers alike are constants: a guard `k * 32 + j <
/// 128` in a loop over four tiles of 32 columns does not keep a lane's loads apart.
void decideComparisons(tile::ProgramOp program);

} // namespace tilec
