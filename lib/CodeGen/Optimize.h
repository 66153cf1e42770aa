//===- Optimize.h - the IR passes, on a target machine at hand ------------===//
//
// Takes a module and a target machine, runs LLVM's IR passes in the order that our kernels want.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tilec::codegen {

void optimizeWith(llvm::Module &module, llvm::TargetMachine &machine, Arch arch);

/// The passes of it.
llvm::ModulePassManager cleanUpPasses();

} // namespace tilec::codegen
