//===- MatrixResults.cpp - wait states behind matrix instructions ---------===//
//
// A machine pass: takes scheduled code, makes it wait for results of matrix instructions where
// LLVM's hazard recogniser does not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MatrixResults.h"

#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <algorithm>

using namespace llvm;

namespace tilec::codegen {

char MatrixResults::ID = 0;

namespace {

/// As the ISA documents part them: what is neither f32 nor f64 is XDL.
enum class Unit { Xdl, F32, F64 };

/// A matrix instruction, by its operands: vdst, src0, src1, src2, modifiers; a sparse one
/// accumulates in vdst, and an index may stand in src2's place.
struct Matrix {
  const MachineInstr *instr = nullptr;
  Unit unit = Unit::Xdl;
  unsigned passes = 0; ///< of four clocks
  Register result, accumulator;

  bool isAccumulator(const MachineOperand &operand) const {
    return operand.isTied() || operand.getReg() == accumulator;
  }
};

/// Wait states from a matrix instruction to a use of its result.
struct Needed {
  unsigned read;        ///< by a VALU instruction, or as A or B
  unsigned stored;      ///< by a memory instruction, also as an address
  unsigned overwritten; ///< by a VALU instruction
  unsigned sameC;       ///< as C of one of the same unit and passes, in the very same registers
  unsigned xdlC;        ///< as C of another XDL
  unsigned otherC;      ///< as C of another f32 or f64
  unsigned reused;      ///< until its C, which is not its D, may be overwritten

  unsigned most() const {
    return std::max({read, stored, overwritten, sameC, xdlC, otherC, reused});
  }
};

Needed neededBehind(const Matrix &matrix, bool isGfx950) {
  unsigned passes = matrix.passes, again = passes <= 2 ? 2 : 0;
  switch (matrix.unit) {
  case Unit::Xdl: {
    unsigned late = isGfx950 && passes > 2; // a pass more on its way
    unsigned read = passes + 3 + late, overlapping = passes + 1 + late;
    unsigned xdlC = overlapping + (isGfx950 && passes <= 2 ? 1 : 0);
    return {read, read, read, again, xdlC, overlapping, passes - 1};
  }
  case Unit::F32:
    return {passes + 2, passes + 2, passes + 2, again, 0, passes, 0};
  case Unit::F64:
    if (passes <= 4)
      return {6, 9, 6, 4, 0, 4, 0};
    return {isGfx950 ? 19u : 11u, 18, 11, 0, 0, isGfx950 ? 17u : 9u, 0};
  }
  llvm_unreachable("all units are above");
}

class Walk {
public:
  Walk(MachineFunction &function)
      : instructions(*function.getSubtarget().getInstrInfo()),
        registers(*function.getSubtarget().getRegisterInfo()),
        isGfx950(function.getSubtarget().getCPU() == "gfx950") {
    model.init(&function.getSubtarget());
  }

  std::optional<Matrix> matrixOf(const MachineInstr &instr) const;
  /// Spends what is missing behind the matrix instruction, on all ways.
  bool follow(const Matrix &matrix);

private:
  bool overlaps(const MachineOperand &operand, Register reg) const {
    return operand.isReg() && operand.getReg() && reg &&
           registers.regsOverlap(operand.getReg(), reg);
  }
  unsigned neededBy(const MachineInstr &instr, const Matrix &behind, const Needed &needed) const;
  unsigned waitStatesOf(const MachineInstr &instr) const;

  const TargetInstrInfo &instructions;
  const TargetRegisterInfo &registers;
  TargetSchedModel model;
  bool isGfx950;
};

std::optional<Matrix> Walk::matrixOf(const MachineInstr &instr) const {
  constexpr unsigned dst = 0, src2 = 3;
  StringRef name = instructions.getName(instr.getOpcode());
  bool isSparse = name.starts_with("V_SMFMAC_");
  if (!name.starts_with("V_MFMA_") && !isSparse)
    return std::nullopt;
  Matrix matrix;
  matrix.instr = &instr;
  matrix.passes = model.computeInstrLatency(&instr);
  matrix.result = instr.getOperand(dst).getReg();
  matrix.accumulator = matrix.result;
  if (!isSparse)
    matrix.accumulator = instr.getNumOperands() > src2 && instr.getOperand(src2).isReg()
                             ? instr.getOperand(src2).getReg()
                             : Register();
  // V_MFMA_F32_16X16X4F32_..., but not ...16X16X8XF32_... or ...16X16X32_F16_...
  if (name.consume_front("V_MFMA_F64_"))
    matrix.unit = Unit::F64;
  else if (name.consume_front("V_MFMA_F32_")) {
    StringRef shape = name.split('_').first;
    if (shape.ends_with("F32") && !shape.ends_with("XF32"))
      matrix.unit = Unit::F32;
  }
  return matrix;
}

unsigned Walk::waitStatesOf(const MachineInstr &instr) const {
  if (instr.isMetaInstruction() || instr.isBundle() || instr.isInlineAsm())
    return 0;
  bool isNop = instructions.getName(instr.getOpcode()) == "S_NOP";
  return isNop ? unsigned(instr.getOperand(0).getImm()) + 1 : 1;
}

unsigned Walk::neededBy(const MachineInstr &instr, const Matrix &behind,
                        const Needed &needed) const {
  if (instr.isMetaInstruction() || instr.isBundle())
    return 0;
  std::optional<Matrix> next = matrixOf(instr);
  unsigned most = 0;
  for (const MachineOperand &operand : instr.operands()) {
    if (overlaps(operand, behind.result)) {
      if (!next && operand.isDef()) // what a load brings, comes late
        most = std::max(most, instr.mayLoadOrStore() ? 0 : needed.overwritten);
      else if (!next)
        most = std::max(most, instr.mayLoadOrStore() ? needed.stored : needed.read);
      else if (operand.isDef())
        continue; // results come in order
      else if (!next->isAccumulator(operand))
        most = std::max(most, needed.read);
      else if (operand.getReg() == behind.result && next->unit == behind.unit &&
               next->passes == behind.passes)
        most = std::max(most, needed.sameC);
      else
        most = std::max(most, next->unit == Unit::Xdl ? needed.xdlC : needed.otherC);
    }
    if (!next && operand.isReg() && operand.isDef() && behind.accumulator != behind.result &&
        overlaps(operand, behind.accumulator) && !instr.mayLoadOrStore())
      most = std::max(most, needed.reused);
  }
  return most;
}

bool Walk::follow(const Matrix &matrix) {
  const Needed needed = neededBehind(matrix, isGfx950);
  const unsigned enough = needed.most();
  struct Way {
    MachineBasicBlock *block;
    MachineBasicBlock::instr_iterator from;
    unsigned spent;
  };
  auto *home = const_cast<MachineBasicBlock *>(matrix.instr->getParent());
  auto self = const_cast<MachineInstr *>(matrix.instr)->getIterator();
  SmallVector<Way, 8> ways{{home, std::next(self), 0}};
  SmallDenseMap<const MachineBasicBlock *, unsigned, 8> fewest; // spent at the block's begin
  bool changed = false;
  while (!ways.empty()) {
    auto [block, at, spent] = ways.pop_back_val();
    bool isOver = false;
    for (; at != block->instr_end() && !isOver; ++at) {
      unsigned asked = neededBy(*at, matrix, needed);
      if (asked > spent) {
        MachineBasicBlock::iterator before(getBundleStart(at));
        instructions.insertNoops(*block, before, asked - spent);
        spent = asked;
        changed = true;
      }
      spent += waitStatesOf(*at);
      // Behind another that overwrites all of the result, that one's own ways count.
      isOver = spent >= enough ||
               (at->getNumOperands() && at->getOperand(0).isReg() && at->getOperand(0).isDef() &&
                at->getOperand(0).getReg() == matrix.result && matrixOf(*at));
    }
    if (isOver)
      continue;
    for (MachineBasicBlock *to : block->successors()) {
      auto [place, isNew] = fewest.try_emplace(to, spent);
      if (!isNew && place->second <= spent)
        continue;
      place->second = spent;
      ways.push_back({to, to->instr_begin(), spent});
    }
  }
  return changed;
}

} // namespace

bool MatrixResults::runOnMachineFunction(MachineFunction &function) {
  Walk walk(function);
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : block.instrs())
      if (std::optional<Matrix> matrix = walk.matrixOf(instr))
        changed |= walk.follow(*matrix);
  return changed;
}

} // namespace tilec::codegen
