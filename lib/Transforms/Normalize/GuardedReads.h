//===- GuardedReads.h - reads that a branch leaves out for a zero ---------===//
//
// Takes a program, gives parallels that move elements where branches chose between one and zero.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// `if row < n: S[i, j] = A[row, j]` with `else: S[i, j] = 0` reads A in all iterations.
void guardReads(tile::ProgramOp program);

} // namespace tilec
