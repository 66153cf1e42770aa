//===- KeepOperands.h - operands that a loop does not change --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// Shared tiles that a gemm reads in every round of a loop that does not write them (Q of
/// attention) become fragments, filled once in front of the loop, as far as registers are left.
/// for targets with registers of their own for accumulators.
void keepOperands(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
