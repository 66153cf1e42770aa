//===- InFlight.h - gemms that run beside what does not need them ---------===//
//
// Takes a round of a loop with a producer, leaves its gemms in flight until something needs them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// Whether a wait behind other statements can stand for the gemm: it is one of warp groups into a
/// whole fragment, and no sparse one.
bool canFly(tile::GemmOp gemm);

/// Gemms of warp groups in `round`, of `loop`, stay in flight until a statement of it writes what
/// they read or touches what they write, at most until its end. What they read of shared memory is
/// complete before the loop, or the producer's. Nothing changes where operands in flight would need
/// more registers than fragments leave.
void leaveGemmsInFlight(tile::KernelOp kernel, tile::ForOp loop, mlir::Block &round,
                        const TargetInfo &target);

} // namespace tilec
