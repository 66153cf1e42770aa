//===- RoundReads.h - what a round reads for itself, in front of it --------===//
//
// Takes a loop whose tiles run ahead, gives it with fewer reads of tensors behind theirs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Elements of tensors that are the same in all rounds (a sequence's length) are read in front of
/// the loop.
void readSameElementsFirst(tile::ForOp loop);

/// Elements that some variables of a loop over elements name, alike in all rounds (a row's
/// segment), wait in registers, where they are few.
void readSameRowsFirst(tile::ForOp loop);

/// What the round behind `fill` brings from tensors to fragments, it brings in front of it.
void readFragmentsBefore(mlir::Operation *fill);

} // namespace tilec
