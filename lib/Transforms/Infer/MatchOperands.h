//===- MatchOperands.h - fragments where tile ops want them --------------===//
//
// Takes a kernel whose fragments have layouts, gives tile ops operands of the layouts that they
// compute with.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// After layouts: a fragment operand whose layout is not the one that the op computes with is
/// replaced by a copy that has it (C of a gemm, result of a reduction) or by a shared tile (A, B).
void matchOperands(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
