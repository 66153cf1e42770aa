//===- JoinCopies.h - one copy for two branches ---------------------------===//
//
// Takes a program, gives one in which two branches that copy to the same tiles are one row of
// copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// `if c: copy(K[x], t) else: copy(K[y], t)` becomes `copy(K[x if c else y], t)`: a copy that each
/// round executes can run ahead. Both branches copy boxes of the same tensors to the same tiles in
/// the same order, and do nothing else.
void joinCopies(tile::ProgramOp program);

} // namespace tilec
