//===- ForwardOperands.h - what is only passed on is left out ---------------===//
//
// Takes a program, lets products read shared tiles themselves instead of copies of them in
// fragments, and fragments tensors themselves instead of converted copies in shared tiles.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A fragment that only brings a whole shared tile to one product of the same block goes away: the
/// product reads the shared tile, from which the target takes its operands in the way that it has
/// for that (matrix descriptors, transposing reads, plans). Takes copies that are ops, before
/// copiesToMoves.
void forwardOperands(tile::ProgramOp program);

/// A shared tile that only brings elements of a tensor, converted, to one fragment of the same
/// block goes away: no asynchronous copy could fill it, and the fragment's own loads wait for no
/// barrier. Takes copies that are ops, too.
void forwardTiles(tile::ProgramOp program);

} // namespace tilec
