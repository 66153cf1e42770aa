//===- KeepOffsets.h - buffer offsets that LLVM 22 must not split ---------===//
//
// A pass on LLVM IR: takes sums that buffer instructions have as offset, hides how they are made,
// so that LLVM keeps them in one register.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Pass.h"

namespace tilec::codegen {

/// What the pass does; whether it has changed anything.
bool keepOffsets(llvm::Function &function);

/// Runs before instruction selection, behind everything that rewrites addresses: hides how the
/// offset of a buffer access is made where a part of it could be negative.
class KeepOffsets : public llvm::FunctionPass {
public:
  static char ID;
  KeepOffsets() : FunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: keep buffer offsets"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override { usage.setPreservesCFG(); }
  bool runOnFunction(llvm::Function &function) override;
};

} // namespace tilec::codegen
