//===- JoinedLanes.h - moves of vectors behind the join of lanes ----------===//
//
// A machine pass: takes code whose registers are allocated, makes what the allocator put in front
// of a join of lanes happen for all of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace tilec::codegen {

/// Behind a branch that some lanes take, the block where they meet begins with an `s_or` of `exec`.
/// Where LLVM 22's allocator splits the range of a vector register at such a block, it puts the
/// copy (or the reload, or the constant made anew) behind the `s_or`, unless another instruction
/// stands before that: a scalar that it made anew there itself. The copy is then in front and done
/// for the lanes of the branch alone; the others read a register that was never written. Runs
/// behind the allocator of vector registers: there, what a block does with vectors in front of its
/// join was put there by the allocator. Behind later passes, which merge blocks, it might be code
/// of the branch.
class JoinedLanes : public llvm::MachineFunctionPass {
public:
  static char ID;
  JoinedLanes() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: moves behind the join of lanes"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override;
  bool runOnMachineFunction(llvm::MachineFunction &function) override;
};

} // namespace tilec::codegen
