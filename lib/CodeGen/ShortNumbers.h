//===- ShortNumbers.h - small integers that become floats -----------------===//
//
// Takes a function of NVIDIA, gives conversions of few bits without conversion instructions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// The conversions of a multiprocessor take four clocks where its logic and f16 additions take one.
/// f16 from 1024 to 2047 have steps of 1, so that an integer of ten bits lies in the low bits of
/// such a number: `f16(x) = bits(0x6400 | x) - 1024`, and of nine bits and a sign
/// `bits(0x6600 + x) - 1536`. Both are exact. So it is with bf16 from 128 on, where two numbers are
/// made of a byte (ShortNumbers.cpp), and with f32 from 2^23 on.
struct ShortNumbers : llvm::PassInfoMixin<ShortNumbers> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
