//===- HalfPairs.h - pairs of f32 that come from f16, or become it --------===//
//
// A pass on LLVM IR of AMD: takes packed f32 arithmetic beside conversions, gives what the chip's
// mixed-precision instructions compute.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// Arithmetic on f32 comes in pairs where the chip has instructions for them. Beside f16 it has
/// better ones:
///
/// * the larger of two f32 that were f16 is the larger f16, and pairs of f16 are compared at once;
/// * v_fma_mix_f32 multiplies and adds elements that still are f16, so that a conversion each is
///   saved where a pair saves half an instruction each;
/// * v_fma_mixlo_f16 rounds its result to f16, which on gfx942 saves the conversion.
///
/// None of it changes a result.
struct HalfPairs : llvm::PassInfoMixin<HalfPairs> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
