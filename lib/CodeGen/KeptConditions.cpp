//===- KeptConditions.cpp - conditions that a branch's shortcut would lose ===//
//
// A machine pass: takes code in front of LLVM's last peepholes, makes a condition that is read
// beside a branch be one of its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KeptConditions.h"

#include "Opcodes.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace tilec::codegen {

char KeptConditions::ID = 0;

/// The register `scc` where the instruction is `vcc = s_and ..., exec`.
static Register conditionOf(const MachineInstr &instr, const TargetInstrInfo &instructions,
                            const TargetRegisterInfo &info) {
  if (!instructions.getName(instr.getOpcode()).starts_with("S_AND_B64"))
    return {};
  auto isCalled = [&](const MachineOperand &operand, StringRef name) {
    return operand.isReg() && operand.getReg() && StringRef(info.getName(operand.getReg())) == name;
  };
  bool readsExec =
      llvm::any_of(instr.uses(), [&](const MachineOperand &it) { return isCalled(it, "EXEC"); });
  if (!readsExec || !isCalled(instr.getOperand(0), "VCC"))
    return {};
  for (const MachineOperand &operand : instr.operands())
    if (operand.isReg() && operand.isDef() && isCalled(operand, "SCC"))
      return operand.getReg();
  return {};
}

/// Whether anything reads the register behind the instruction before it is written again.
static bool isReadBehind(const MachineInstr &instr, Register scc, const TargetRegisterInfo &info) {
  const MachineBasicBlock &block = *instr.getParent();
  for (auto at = std::next(instr.getIterator()); at != block.end(); ++at) {
    if (at->readsRegister(scc, &info))
      return true;
    if (at->modifiesRegister(scc, &info))
      return false;
  }
  return llvm::any_of(block.successors(),
                      [&](const MachineBasicBlock *next) { return next->isLiveIn(scc); });
}

bool KeptConditions::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  const TargetRegisterInfo &info = *function.getSubtarget().getRegisterInfo();
  unsigned compare = 0;
  bool changed = false;
  for (MachineBasicBlock &block : function) {
    bool branches = llvm::any_of(block.terminators(), [&](const MachineInstr &instr) {
      return instructions.getName(instr.getOpcode()).starts_with("S_CBRANCH_VCC");
    });
    for (auto next = block.begin(); branches && next != block.end();) {
      MachineInstr &instr = *next++;
      Register scc = conditionOf(instr, instructions, info);
      if (!scc || !isReadBehind(instr, scc, info))
        continue;
      if (!compare)
        compare = opcodeOf(instructions, "S_CMP_LG_U64");
      BuildMI(block, next, instr.getDebugLoc(), instructions.get(compare))
          .addReg(instr.getOperand(0).getReg())
          .addImm(0);
      changed = true;
    }
  }
  return changed;
}

} // namespace tilec::codegen
