//===- InFlight.h - gemms that run beside what does not need them ---------===//
//
// Takes a round of a loop with a producer, leaves its gemms in flight until something needs them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Gemms of warp groups in `round` that read shared memory which only the producer writes stay in
/// flight until a statement writes what they read or touches what they write, at most until the end
/// of the round. Nothing changes where operands in flight would need more registers than fragments
/// leave.
void leaveGemmsInFlight(tile::KernelOp kernel, mlir::Block &round);

} // namespace tilec
