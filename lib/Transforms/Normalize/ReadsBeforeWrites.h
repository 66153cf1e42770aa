//===- ReadsBeforeWrites.h - reads of a thread in front of its writes ------------===//
//
// Takes statements of a thread that stand in a row, moves up those that may stand in front of the
// first write.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Of loads, stores, local buffers and arithmetic from `first` to before `end`: in front of the
/// first store what no store before it changes. Nothing where that would be too many reads.
void putReadsFirst(mlir::Block::iterator first, mlir::Block::iterator end);

} // namespace tilec
