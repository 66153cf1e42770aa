//===- SerialRounds.h - serial loops that may as well run ahead ------------===//
//
// Takes a kernel without pipelined loops, gives its serial loops that bring tiles two stages where
// that costs nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// A tile that several of the loops fill anew in each round becomes one a loop: rings are a loop's
/// own. Their bytes are shared, as they are needed at different times.
void separateTiles(tile::KernelOp kernel, mlir::ArrayRef<tile::ForOp> loops);

/// `T.serial` asks for no ring and forbids none: a round that brings rows and works on them element
/// by element waits for memory once a round else. Gives such loops two stages where a block's
/// shared memory holds them with as many blocks on a unit as before.
void letSerialLoopsRunAhead(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
