//===- GemmAtoms.h - which matrix instruction multiplies a product --------===//
//
// Takes a gemm and a target, gives a row of the target's atoms, or what the lanes of a wave
// multiply where no instruction does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// 32-bit registers of a lane that an operand of the atom takes.
int64_t operandRegisters(const MmaAtom &atom);

/// `swapped`: the atom's A is the gemm's B. `large`: also atoms with more rows and columns than
/// others. `mostRegisters`: of an operand.
const MmaAtom *chooseAtom(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves,
                          bool swapped, bool large, int64_t mostRegisters = INT64_MAX);

/// What a wave does of the product where lanes do it (isLaneProduct of GemmPlan.h).
const MmaAtom &laneAtomOf(tile::GemmOp gemm);

} // namespace tilec
