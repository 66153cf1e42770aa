//===- WarpGroups.h - gemms by whole warp groups --------------------------===//
//
// A warp group of 4 warps multiplies slabs of 64 rows with instructions (GroupAtom) that
// read operands from shared memory in the swizzles that tensor copies write. This says when a gemm
// may be done so, how the warp groups share it, and which bytes each instruction reads.
// docs/machine-code/hopper.md has the layouts.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"

namespace tilec {

/// Why warp groups cannot multiply it: types, tiles, and where the operands are.
llvm::Error checkWarpGroupGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves);
/// Whether they can.
bool isWarpGroupGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves);

/// Decides the plan of a marked gemm.
GemmPlan planWarpGroupGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves);
/// The plan that `mma` says, or why the target cannot do it.
llvm::Expected<GemmPlan> warpGroupPlanOf(tile::GemmOp gemm, const tile::Mma &mma,
                                         const TargetInfo &target);

/// How the instructions of a gemm find one operand in shared memory.
struct GroupOperand {
  uint64_t descriptor = 0;           ///< bits 16 to 63
  llvm::SmallVector<int64_t> starts; ///< bytes from the tile's first; [step][slab or piece]
  int64_t groupBytes = 0;            ///< between the parts of neighbouring warp groups
  int64_t groupsOfPanel = 1;         ///< whose parts lie side by side in one panel
  int64_t panelBytes = 0;            ///< between panels, where that are several
};
/// `isA`: rows are M and come in slabs; else they are N and come in pieces. The operand starts at
/// this row and column of the matrix that `layout` is of.
GroupOperand groupOperand(const GemmPlan &plan, const SharedLayout &layout, int64_t elemBytes,
                          bool isA, bool kIsRow, int64_t firstRow, int64_t firstCol,
                          const TargetInfo &target);

} // namespace tilec
