//===- MeetingIterations.h - iterations that touch one element ------------===//
//
// Takes a store of a parallel, says whether two of its iterations store to one element.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/ADT/SmallSet.h"

namespace tilec {

/// Variables of a loop over elements, by number.
using Variables = llvm::SmallSet<unsigned, 4>;

/// Those that occur in index expressions, through any pure arithmetic.
Variables variablesIn(mlir::ValueRange indices, tile::ElementLoop loop);

/// Whether two iterations that differ in `used` are seen to store to one element. What depends on
/// memory is not tried out: tile-check warns of it.
bool mayMeet(tile::StoreOp store, const Variables &used, tile::ParallelOp loop);

} // namespace tilec
