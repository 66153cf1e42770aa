//===- Pieces.h - parallels of which a guard leaves a piece ---------------===//
//
// Takes a program, gives parallels over a piece of a fragment without iterations that do nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// `for i in T.Parallel(32): if i < 16: S[i] = F[p * 16 + i]` has 16 iterations: then they are a
/// piece of the fragment, which its lanes have (Infer/Windows.h). The guard is decided next.
void shortenToPieces(tile::ProgramOp program);

} // namespace tilec
