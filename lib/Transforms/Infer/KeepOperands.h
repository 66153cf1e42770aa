//===- KeepOperands.h - operands that a loop does not change --------------===//
//
// Takes a kernel, gives operands that loops do not change a place in registers, where there is
// room.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// Registers of a lane that all fragments take together, were each spread evenly.
int64_t fragmentRegisters(tile::KernelOp kernel, const TargetInfo &target);
/// What to leave beside them, for addresses, operands and what is computed on the way.
constexpr int64_t besideFragments = 64;

/// Shared tiles that a gemm reads in every round of a loop that does not write them (Q of
/// attention) become fragments, filled once in front of the loop, as far as registers are left.
/// for targets with registers of their own for accumulators.
void keepOperands(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
