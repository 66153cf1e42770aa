//===- WholeNumbers.h - floats to integers on NVIDIA ------------------------===//
//
// Takes the IR of a function as it goes to NVIDIA's code generator, gives conversions to integers
// of 32 bits as the one instruction that they are.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// cvt of f32 saturates, makes 0 of NaN, and rounds in any of the four ways (PTX ISA, "cvt"). LLVM
/// 22 asks for each of the three by itself, and rounds by an instruction of its own, at a quarter
/// of the rate of others. (On AMD it asks, too; an `asm` for v_cvt_i32_f32 would not wait for what
/// a transcendental gives.)
struct WholeNumbers : llvm::PassInfoMixin<WholeNumbers> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
