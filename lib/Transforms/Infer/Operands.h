//===- Operands.h - operands of tile ops in the form the target takes -----===//
//
// Takes a kernel before and after layouts are chosen, gives tile ops operands of the types, scopes
// and layouts that they compute with.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"

namespace tilec {

/// Before layouts: gemms have element types that the target's matrix instructions take; a gemm's C
/// and a reduction's operands are whole fragments, a gemm's A and B whole fragments or shared
/// tiles; anything else is copied to one that is, and back.
void isolateOperands(tile::KernelOp kernel, const TargetInfo &target, bool useWarpGroups);

/// After layouts: a fragment operand whose layout is not the one that the op computes with is
/// replaced by a copy that has it (C of a gemm, result of a reduction) or by a shared tile (A, B).
void matchOperands(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
