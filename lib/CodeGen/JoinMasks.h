//===- JoinMasks.h - two constants in one operation of bits on NVIDIA -------===//
//
// Takes the IR of a function as it goes to NVIDIA's code generator, gives lop3 where two operations
// of bits with constants follow one another.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// `x & A | B` is one instruction of three inputs. ptxas makes it of two only where one constant at
/// most is in them, as an instruction holds one: it does not keep the other one in a register.
/// Numbers of 4 bits become f16 so: 8 instead of 12 instructions for 8 of them.
struct JoinMasks : llvm::PassInfoMixin<JoinMasks> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
