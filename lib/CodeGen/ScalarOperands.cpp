//===- ScalarOperands.cpp - a fault of LLVM 22's SIFixSGPRCopies ----------===//
//
// A machine pass: takes operands of an asm that want registers of the wave and have registers of
// lanes, reads the first active lane of those.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ScalarOperands.h"

#include "Opcodes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace tilec::codegen {

char ScalarOperands::ID = 0;

namespace {

constexpr unsigned wordBits = 32;

/// Reads registers of lanes into registers of the wave.
class FirstLane {
public:
  explicit FirstLane(MachineFunction &function)
      : instructions(*function.getSubtarget().getInstrInfo()),
        info(*function.getSubtarget().getRegisterInfo()), registers(function.getRegInfo()) {}

  /// The registers that the operand wants, if it has others; null: all is well.
  const TargetRegisterClass *wantedBy(const MachineInstr &instr, unsigned operand) const;
  void read(MachineInstr &instr, MachineOperand &operand, const TargetRegisterClass &wanted);

private:
  /// Word `n` of `from`, all of it where it has no more.
  Register wordOf(MachineInstr &before, Register from, unsigned subRegister);
  unsigned subRegister(unsigned n) const;

  const TargetInstrInfo &instructions;
  const TargetRegisterInfo &info;
  MachineRegisterInfo &registers;
  std::optional<unsigned> readFirstLane; ///< its opcode, once it is needed
};

const TargetRegisterClass *FirstLane::wantedBy(const MachineInstr &instr, unsigned operand) const {
  const MachineOperand &input = instr.getOperand(operand);
  if (!input.isReg() || !input.isUse() || !input.getReg().isVirtual() || input.getSubReg() ||
      !info.isDivergentRegClass(registers.getRegClass(input.getReg())))
    return nullptr;
  const TargetRegisterClass *wanted = instr.getRegClassConstraint(operand, &instructions, &info);
  return wanted && !info.isDivergentRegClass(wanted) ? wanted : nullptr;
}

unsigned FirstLane::subRegister(unsigned n) const {
  unsigned index = 1; // 0 is none
  while (info.getSubRegIndexName(index) != "sub" + utostr(n))
    ++index;
  return index;
}

Register FirstLane::wordOf(MachineInstr &before, Register from, unsigned subRegister) {
  if (!readFirstLane)
    readFirstLane = opcodeOf(instructions, "V_READFIRSTLANE_B32");
  const MCInstrDesc &read = instructions.get(*readFirstLane);
  MachineBasicBlock &block = *before.getParent();
  // The register may also be one that LLVM uses for matrices alone.
  Register lanes = registers.createVirtualRegister(instructions.getRegClass(read, 1));
  Register word = registers.createVirtualRegister(instructions.getRegClass(read, 0));
  BuildMI(block, before, before.getDebugLoc(), instructions.get(TargetOpcode::COPY), lanes)
      .addReg(from, 0, subRegister);
  BuildMI(block, before, before.getDebugLoc(), read, word).addReg(lanes);
  return word;
}

void FirstLane::read(MachineInstr &instr, MachineOperand &operand,
                     const TargetRegisterClass &wanted) {
  Register from = operand.getReg();
  registers.clearKillFlags(from);
  unsigned words = info.getRegSizeInBits(*registers.getRegClass(from)) / wordBits;
  SmallVector<Register> parts;
  for (unsigned n = 0; n < words; ++n)
    parts.push_back(wordOf(instr, from, words == 1 ? 0 : subRegister(n)));
  Register whole = registers.createVirtualRegister(&wanted);
  unsigned opcode = words == 1 ? TargetOpcode::COPY : TargetOpcode::REG_SEQUENCE;
  auto join =
      BuildMI(*instr.getParent(), instr, instr.getDebugLoc(), instructions.get(opcode), whole);
  for (auto [n, part] : enumerate(parts)) {
    join.addReg(part);
    if (words > 1)
      join.addImm(subRegister(n));
  }
  operand.setReg(whole);
}

} // namespace

bool ScalarOperands::runOnMachineFunction(MachineFunction &function) {
  FirstLane lane(function);
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : block) {
      if (!instr.isInlineAsm())
        continue;
      for (auto [n, operand] : enumerate(instr.operands()))
        if (const TargetRegisterClass *wanted = lane.wantedBy(instr, n)) {
          lane.read(instr, operand, *wanted);
          changed = true;
        }
    }
  return changed;
}

} // namespace tilec::codegen
