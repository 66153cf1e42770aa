//===- KeptConditions.h - conditions that a branch's shortcut would lose --===//
//
// A machine pass: takes code in front of LLVM's last peepholes, makes a condition that is read
// beside a branch be one of its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace tilec::codegen {

/// `vcc = s_and vcc, exec` in front of a branch on vcc says in `scc`, too, whether any lane is
/// left. LLVM 22 (SIPreEmitPeephole) takes it away where the branch does not need it, and does not
/// ask who reads `scc`: an `s_cselect` then takes what an instruction before has left there.
/// Compares vcc anew where `scc` is read.
class KeptConditions : public llvm::MachineFunctionPass {
public:
  static char ID;
  KeptConditions() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: keep conditions"; }
  bool runOnMachineFunction(llvm::MachineFunction &function) override;
};

} // namespace tilec::codegen
