//===- WordPhis.h - bytes that live from round to round --------------------===//
//
// Takes a function, keeps vectors of bytes in words where a loop's round gives them to the next.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// A phi of a vector of bytes is one of 32-bit words. The AMDGPU back end (LLVM 22) has no register
/// class for such vectors: it cuts them into a register for each byte at the end of the round
/// before, and so waits there for the load.
struct WordPhis : llvm::PassInfoMixin<WordPhis> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
