//===- WideProducts.h - 32 x 32 to 64 bits on NVIDIA ------------------------===//
//
// Takes the IR of a function as it goes to NVIDIA's code generator, gives it products of halves
// where those are what is multiplied.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// Products of 64 bits of numbers that have 32 are the two halves of a product of those.
struct WideProducts : llvm::PassInfoMixin<WideProducts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
