//===- JoinBases.h - one base for neighbouring addresses ------------------===//
//
// Takes a function of NVIDIA, gives accesses that differ by constants one address to count from.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// LLVM takes constants out of the offsets of addresses, but leaves offsets without one alone: the
/// first of neighbouring elements has another base then than the others, and is in no wide access.
///
///   A + zext(a | b), A + zext(a | (b | 2))   becomes   p = A + zext(a | b), p + 2
struct JoinBases : llvm::PassInfoMixin<JoinBases> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
