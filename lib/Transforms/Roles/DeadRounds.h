//===- DeadRounds.h - rounds that change nothing for a warp group ---------===//
//
// Takes a loop over tiles of keys, gives the condition under which a round changes nothing for a
// warp group.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// For a loop over tiles of keys (attention) whose mask puts -inf on all scores of a warp group's
/// rows from some round on: the value of the loop's variable at that round, made in front of the
/// loop, different for each warp group. Such rounds leave all that the loop carries as it is,
/// where the numbers in memory are finite (docs/decisions/0008); a first round may not. A warp
/// group whose rows are only stored outside of tensors needs no rounds at all. Null when that
/// cannot be told, or when no warp group has such rounds. Asked before masks are simplified.
mlir::Value findDeadRounds(tile::ForOp loop);

} // namespace tilec
