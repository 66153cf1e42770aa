//===- ShareDivisors.h - quotients by one divisor ---------------------------===//
//
// Takes the IR of a function as it goes to a code generator, gives its quotients of f32 that have
// a divisor in common in another form: correctly rounded as they were.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// A row divided by its sum or its scale: the divisor's reciprocal is taken once, and each quotient
/// is a product, its residual and a correction. Code generators take the reciprocal for each
/// quotient, scale or check both operands of each, and on NVIDIA have a branch around each.
struct ShareDivisors : llvm::PassInfoMixin<ShareDivisors> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
