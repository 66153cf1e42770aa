//===- Windows.h - loops that walk over a fragment piece by piece --------===//
//
// Takes a loop over a piece of a fragment, `F[i, n * 4 + j]`, gives the layout of what it computes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// The elements of fragments that the loop reads and writes.
llvm::SmallVector<ElementAccess> fragmentReadsAndWrites(tile::ElementLoop loop);

/// The layout of a loop's iterations where they are a piece of a fragment with a layout, the
/// same in all rounds of a loop around it; nothing when lanes would need what others hold.
std::optional<FragmentLayout> layoutFromWindow(tile::ElementLoop loop);

} // namespace tilec
