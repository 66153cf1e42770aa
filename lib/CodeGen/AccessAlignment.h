//===- AccessAlignment.h - what addresses are a multiple of ---------------===//
//
// Takes a function of NVIDIA, says of each access how it is aligned.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// LLVM looks six operations deep (InferAlignment), of which a sum of the offsets of a block, a
/// wave and a lane takes that many: neighbouring elements are aligned for nothing then but
/// themselves, and are not read together. Sums and products are followed here forty times as deep.
struct AccessAlignment : llvm::PassInfoMixin<AccessAlignment> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
