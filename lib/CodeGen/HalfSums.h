//===- HalfSums.h - sums of products that stay f16 ------------------------===//
//
// Takes a function of NVIDIA, gives multiply-adds of f16 for those in f32 that are rounded to it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// f16(f32(a) * f32(b) + f32(c)) of f16 is one instruction, which rounds once; three and a chain of
/// two conversions for each step of a sum else. The product is exact in f32, so that results differ
/// where rounding to f32 first met the middle of two f16.
struct HalfSums : llvm::PassInfoMixin<HalfSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
