//===- ScalarOperands.h - a fault of LLVM 22's SIFixSGPRCopies ------------===//
//
// A machine pass: takes operands of an asm that want registers of the wave and have registers of
// lanes, reads the first active lane of those.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace tilec::codegen {

/// Runs behind SIFixSGPRCopies. That pass moves values that are the same in all lanes, such as the
/// counter of a loop whose exits go through a common block, to registers of lanes. It rewrites what
/// uses them, but for an asm without text, whose constraint says "s".
class ScalarOperands : public llvm::MachineFunctionPass {
public:
  static char ID;
  ScalarOperands() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: scalar operands of asm"; }
  bool runOnMachineFunction(llvm::MachineFunction &function) override;
};

} // namespace tilec::codegen
