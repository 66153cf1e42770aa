//===- KOrder.h - which k the lanes of a matrix instruction hold ----------===//
//
// The sum over k may be taken in any order, as long as A and B agree. So a fragment that
// is made of the accumulators of another product can be an operand where it lies
// (docs/machine-code/layouts.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"

namespace tilec {

/// The order of k with which the gemm takes a fragment of this layout as its operand A (`isB`: B)
/// where it is: nothing when there is none. The identity where the gemm takes it as it is.
std::optional<llvm::SmallVector<int64_t>>
kOrderFor(tile::GemmOp gemm, bool isB, const FragmentLayout &fragment, const GemmPlan &plan);

/// The layout of the gemm's operand as a fragment, in the order of the operand's dimensions.
FragmentLayout operandLayout(tile::GemmOp gemm, bool isB, const GemmPlan &plan);

} // namespace tilec
