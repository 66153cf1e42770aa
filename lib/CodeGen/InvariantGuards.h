//===- InvariantGuards.h - a condition around all rounds of a loop --------===//
//
// A pass on LLVM IR of NVIDIA: takes a function, gives it with such conditions before their loops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// for (...) if (c) { ... }   becomes   if (c) for (...) { ... }
///
/// where `c` is the same in all rounds and a round writes nothing without it: lanes that a block of
/// few threads does not have, or `if tx < 50` of an author. LLVM's own pass leaves conditions alone
/// in which lanes differ, since it would copy the loop; here nothing is copied. Loops in which
/// threads do something together stay as they are.
struct HoistInvariantGuards : llvm::PassInfoMixin<HoistInvariantGuards> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
