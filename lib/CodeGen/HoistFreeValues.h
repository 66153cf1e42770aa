//===- HoistFreeValues.h - a fault of LLVM 22's StructurizeCFG ------------===//
//
// Takes a function before StructurizeCFG, moves values that cost nothing to where the pass cannot
// misplace them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Pass.h"

namespace llvm {
class DominatorTree;
class TargetTransformInfo;
} // namespace llvm

namespace tilec::codegen {

/// What the pass does; whether it has changed anything.
bool hoistFreeValues(llvm::Function &function, const llvm::DominatorTree &tree,
                     const llvm::TargetTransformInfo &costs);

/// Runs before StructurizeCFG, which must not find the values without cost that it would move
/// wrongly.
class HoistFreeValues : public llvm::FunctionPass {
public:
  static char ID;
  HoistFreeValues() : FunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: hoist free values"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override;
  bool runOnFunction(llvm::Function &function) override;
};

} // namespace tilec::codegen
