//===- WholeTiles.h - guarded stores of tiles that are whole ---------------===//
//
// Takes a loop that stores elements under a condition, gives one without for tiles of which it
// holds everywhere.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Puts the loop into the second branch of one whose first has the same loop without its guard, if
/// one comparison tells whether that holds for all elements, and `suits` wants the new loop. False:
/// all is as it was.
bool splitWholeTile(tile::ElementLoop loop, llvm::function_ref<bool(tile::ElementLoop)> suits);

/// Whether at most one of the two runs.
bool areExclusive(mlir::Operation *a, mlir::Operation *b);

} // namespace tilec
