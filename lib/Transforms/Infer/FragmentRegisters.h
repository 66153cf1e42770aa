//===- FragmentRegisters.h - registers that fragments take ---------------===//
//
// Takes a kernel whose fragments may have no layouts yet, gives what a lane has to keep for them.
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

} // namespace tilec
