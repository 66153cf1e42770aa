//===- MatrixResults.h - wait states behind matrix instructions -----------===//
//
// A machine pass: takes scheduled code, makes it wait for results of matrix instructions where
// LLVM's hazard recogniser does not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace tilec::codegen {

/// Runs behind LLVM 22's hazard recogniser, which leaves out three things:
/// * it looks back over 19 wait states, where a result of 16 passes takes 20 on gfx950;
/// * it looks back through the predecessors of a block and takes each block once, on the first way
///   that it finds: behind an `if`, or in a short loop, the shorter way may not be looked at;
/// * it takes equal registers of C and D for an accumulation that needs no wait states, whatever
///   unit the two belong to, or however many passes they take.
/// This pass looks forward from each matrix instruction along all ways, and spends what is missing
/// in front of the use. Wait states: CDNA3 ISA table 37, CDNA4 ISA table 38 ("VOP3P-Matrix Opcodes
/// Required NOPs"); passes: LLVM's scheduling model.
class MatrixResults : public llvm::MachineFunctionPass {
public:
  static char ID;
  MatrixResults() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: wait for matrix results"; }
  bool runOnMachineFunction(llvm::MachineFunction &function) override;
};

} // namespace tilec::codegen
