//===- JoinedLanes.cpp - moves of vectors behind the join of lanes --------===//
//
// A machine pass: takes code whose registers are allocated, makes what the allocator put in front
// of a join of lanes happen for all of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "JoinedLanes.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace tilec::codegen {

char JoinedLanes::ID = 0;

namespace {

class Joins {
public:
  Joins(MachineFunction &function, SlotIndexes *numbers)
      : instructions(*function.getSubtarget().getInstrInfo()),
        registers(*function.getSubtarget().getRegisterInfo()), numbers(numbers) {}

  bool mend(MachineBasicBlock &block);

private:
  bool isJoin(const MachineInstr &instr) const;
  bool isExec(const MachineOperand &operand) const {
    return operand.isReg() && StringRef(registers.getName(operand.getReg())).starts_with("EXEC");
  }
  bool hasVectors(const MachineInstr &instr) const;
  bool isMove(const MachineInstr &instr) const;
  bool isScalar(const MachineInstr &instr) const;
  bool canFollow(const MachineInstr &move, const MachineInstr &other) const;
  void putBehind(MachineInstr &move, MachineInstr &last);

  const TargetInstrInfo &instructions;
  const TargetRegisterInfo &registers;
  SlotIndexes *numbers; ///< if anyone asks for them later
};

/// `exec` becomes the lanes of the branch and those of a mask. (With a constant for a mask it is
/// the beginning of a part that all lanes do.)
bool Joins::isJoin(const MachineInstr &instr) const {
  StringRef name = instructions.getName(instr.getOpcode());
  if (!name.starts_with("S_OR_B") && !name.starts_with("S_OR_SAVEEXEC_B"))
    return false;
  return llvm::all_of(instr.operands(), [](const MachineOperand &it) { return it.isReg(); }) &&
         llvm::any_of(instr.operands(),
                      [&](const MachineOperand &it) { return isExec(it) && it.isDef(); });
}

bool Joins::hasVectors(const MachineInstr &instr) const {
  return llvm::any_of(instr.operands(), [&](const MachineOperand &operand) {
    if (!operand.isReg() || !operand.getReg().isPhysical())
      return false;
    // None of those of the machine's state, as of its modes.
    const TargetRegisterClass *type = registers.getMinimalPhysRegClass(operand.getReg());
    return type && registers.isDivergentRegClass(type);
  });
}

/// Whether it may be the allocator's: a copy, a spill or a reload of vector registers, or their
/// value made anew.
bool Joins::isMove(const MachineInstr &instr) const {
  StringRef name = instructions.getName(instr.getOpcode());
  return hasVectors(instr) &&
         (instr.isCopy() || instr.isImplicitDef() || name.starts_with("SI_SPILL_V") ||
          name.starts_with("SI_SPILL_A") || instructions.isReMaterializable(instr));
}

/// Whether it does the same for any `exec`.
bool Joins::isScalar(const MachineInstr &instr) const {
  if (instr.isDebugInstr())
    return true;
  if (instr.isTerminator() || instr.isCall() || instr.isInlineAsm())
    return false;
  StringRef name = instructions.getName(instr.getOpcode());
  bool isLane = name.starts_with("SI_RESTORE_S") || name.starts_with("SI_SPILL_S") ||
                name.starts_with("V_READLANE_") || name.starts_with("V_WRITELANE_");
  return isLane || (!hasVectors(instr) &&
                    llvm::none_of(instr.operands(), [&](const auto &it) { return isExec(it); }));
}

/// Whether `move`, in front of `other`, may be done behind it.
bool Joins::canFollow(const MachineInstr &move, const MachineInstr &other) const {
  return llvm::all_of(other.operands(), [&](const MachineOperand &operand) {
    if (!operand.isReg() || !operand.getReg() || isExec(operand))
      return true;
    return !move.modifiesRegister(operand.getReg(), &registers) &&
           !(operand.isDef() && move.readsRegister(operand.getReg(), &registers));
  });
}

void Joins::putBehind(MachineInstr &move, MachineInstr &last) {
  MachineBasicBlock &block = *move.getParent();
  if (numbers)
    numbers->removeMachineInstrFromMaps(move);
  block.splice(std::next(last.getIterator()), &block, move.getIterator());
  if (numbers)
    numbers->insertMachineInstrInMaps(move);
}

bool Joins::mend(MachineBasicBlock &block) {
  // A part of a block that was cut in two begins behind code of its own.
  if (block.pred_empty() || (block.pred_size() == 1 && (*block.pred_begin())->succ_size() == 1))
    return false;
  SmallVector<MachineInstr *, 4> moves;
  MachineInstr *join = nullptr;
  for (MachineInstr &instr : block) {
    if (isJoin(instr)) {
      join = &instr;
      break;
    }
    if (isMove(instr))
      moves.push_back(&instr);
    else if (!isScalar(instr))
      return false; // code of the block itself: it ends without a join
  }
  if (!join)
    return false;
  MachineInstr *last = join;
  for (MachineInstr *move : moves) {
    bool isFree = true;
    for (auto at = std::next(move->getIterator()); isFree && &*at != join; ++at)
      isFree = isMove(*at) || canFollow(*move, *at);
    if (!isFree || !canFollow(*move, *join))
      break;
    putBehind(*move, *last);
    last = move;
  }
  return last != join;
}

} // namespace

void JoinedLanes::getAnalysisUsage(AnalysisUsage &usage) const {
  usage.setPreservesAll();
  MachineFunctionPass::getAnalysisUsage(usage);
}

bool JoinedLanes::runOnMachineFunction(MachineFunction &function) {
  // The allocator runs three times: for scalars, for vectors that all lanes write, for vectors.
  if (!function.getProperties().hasNoVRegs())
    return false;
  auto *numbers = getAnalysisIfAvailable<SlotIndexesWrapperPass>();
  Joins joins(function, numbers ? &numbers->getSI() : nullptr);
  bool changed = false;
  for (MachineBasicBlock &block : function)
    changed |= joins.mend(block);
  return changed;
}

} // namespace tilec::codegen
