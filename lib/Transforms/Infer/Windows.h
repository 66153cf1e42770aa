//===- Windows.h - loops that walk over a fragment piece by piece ----------===//
//
// Takes a kernel whose loops count through pieces of a fragment, `F[i, n * 4 + j]`, gives layouts
// of what they compute and rounds of their own, in which registers have numbers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// The layout of a loop's iterations where they are a piece of a fragment with a layout, the
/// same in all rounds of a loop around it; nothing when lanes would need what others hold.
std::optional<FragmentLayout> layoutFromWindow(tile::ElementLoop loop);

/// Loops around parallels that index fragments by their variable become their rounds, where every
/// lane has what it needs of every piece then, and that is not too much code. Fragments have their
/// layouts.
void unrollWindows(tile::KernelOp kernel);

} // namespace tilec
