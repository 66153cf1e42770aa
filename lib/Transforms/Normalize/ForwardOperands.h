//===- ForwardOperands.h - products read shared tiles where they lie ------===//
//
// Takes a program, lets products read shared tiles themselves instead of copies of them in
// fragments.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A fragment that only brings a whole shared tile to one product of the same block goes away: the
/// product reads the shared tile, from which the target takes its operands in the way that it has
/// for that (matrix descriptors, transposing reads, plans). Takes copies that are ops, before
/// lowerFragmentCopies.
void forwardOperands(tile::ProgramOp program);

} // namespace tilec
