//===- SymbolicRound.h - a round of a loop, computed with symbols ---------===//
//
// Takes a loop, says whether its rounds touch rows by themselves, so that a round can be computed
// for one row with symbols.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether an access is to the element of a fragment that the loop is at.
bool isDirect(mlir::Value buffer, mlir::ValueRange indices, tile::ElementLoop parallel);

/// Whether rows are reduced by themselves, and no warp asks another one.
bool isWithinRows(tile::ReduceOp reduce);

/// Whether all that the loop changes are rows of fragments, each by itself.
bool staysInRows(tile::ForOp loop);

/// The same, and a round in which the condition is `truth` in all elements of a row leaves all that
/// the loop carries of the row as it is. What gemms multiply is taken to be finite
/// (docs/decisions/0008).
bool changesNothing(tile::ForOp loop, mlir::Value condition, bool truth);

} // namespace tilec
