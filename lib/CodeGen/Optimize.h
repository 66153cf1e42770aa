//===- Optimize.h - the IR passes, on a target machine at hand ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilec::codegen {

void optimizeWith(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilec::codegen
