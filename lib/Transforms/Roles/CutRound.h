//===- CutRound.h - a round of two gemms, cut where they meet --------------===//
//
// Takes a loop of two gemms, the second of which takes what was computed from the first, says which
// of its statements may run beside the gemms of the next round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/Support/Error.h"

namespace tilec {

/// When each statement of a round runs in the overlapped loop (Overlap.h), or why there is none.
/// `copies` are those that a producer brings.
llvm::Expected<std::vector<tile::RoundPart>> cutRound(tile::ForOp loop,
                                                      llvm::ArrayRef<tile::CopyOp> copies);

/// Erases a statement, and what a loop that is cut says of it.
void eraseStatement(mlir::Operation *op);

} // namespace tilec
