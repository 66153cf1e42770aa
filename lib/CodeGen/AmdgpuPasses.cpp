//===- AmdgpuPasses.cpp - accumulate in place, hoist m0 writes ------------===//
//
// Machine passes that LLVM 22 needs to give an MFMA loop the code that one
// writes by hand, to convert to f16 for less, for wait states that it leaves out, and where its own
// lose lanes or conditions. They hook in through public headers only, and a thread_local says
// whether the compile of this thread wants the first of them, so compiles stay independent.
// Measured and explained in docs/machine-code/codegen.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AmdgpuPasses.h"

#include "HoistFreeValues.h"
#include "JoinedLanes.h"
#include "KeepOffsets.h"
#include "KeptConditions.h"
#include "LargeCode.h"
#include "LongRegions.h"
#include "MatrixResults.h"
#include "Opcodes.h"
#include "ScalarOperands.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilec::codegen {

static thread_local MachinePassState *currentState = nullptr;

MachinePassScope::MachinePassScope(MachinePassState *state) { currentState = state; }
MachinePassScope::~MachinePassScope() { currentState = nullptr; }

namespace {

/// 16x16 MFMAs have no tied form in LLVM 22: their result goes to fresh registers, and with 128 and
/// more accumulator registers the allocator then splits and spills. Rewrites, after
/// TwoAddressInstruction and before live intervals exist,
///     d = MFMA a, b, c    into    d = COPY c ; d = MFMA a, b, d
/// The register coalescer removes the copy wherever c ends here.
class AccumulateInPlace : public MachineFunctionPass {
public:
  static char ID;
  AccumulateInPlace() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tilec: accumulate in place"; }
  bool runOnMachineFunction(MachineFunction &function) override;
};
char AccumulateInPlace::ID = 0;

/// Operand numbers of every V_MFMA_* before its modifiers: vdst, src0, src1, src2.
constexpr unsigned dstOperand = 0, src0Operand = 1, src1Operand = 2, accumulatorOperand = 3;

bool canAccumulateInPlace(const MachineInstr &mfma, const MachineRegisterInfo &registers) {
  if (mfma.getNumOperands() <= accumulatorOperand)
    return false;
  const MachineOperand &dst = mfma.getOperand(dstOperand);
  const MachineOperand &src = mfma.getOperand(accumulatorOperand);
  if (!dst.isReg() || !src.isReg() || src.isTied() || src.isUndef())
    return false;
  if (!dst.getReg().isVirtual() || !src.getReg().isVirtual() || dst.getSubReg() || src.getSubReg())
    return false;
  if (dst.getReg() == src.getReg() ||
      registers.getRegClass(dst.getReg()) != registers.getRegClass(src.getReg()))
    return false;
  // The copy below writes d before a and b are read, and moves the end of c.
  for (unsigned i : {src0Operand, src1Operand}) {
    const MachineOperand &input = mfma.getOperand(i);
    if (input.isReg() && (input.getReg() == dst.getReg() || input.getReg() == src.getReg()))
      return false;
  }
  return registers.hasOneDef(dst.getReg()) && !mfma.readsVirtualRegister(dst.getReg());
}

bool AccumulateInPlace::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  const MachineRegisterInfo &registers = function.getRegInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : block) {
      if (!instructions.getName(instr.getOpcode()).starts_with("V_MFMA_") ||
          !canAccumulateInPlace(instr, registers))
        continue;
      MachineOperand &dst = instr.getOperand(dstOperand);
      MachineOperand &src = instr.getOperand(accumulatorOperand);
      BuildMI(block, instr, instr.getDebugLoc(), instructions.get(TargetOpcode::COPY), dst.getReg())
          .addReg(src.getReg(), getKillRegState(src.isKill()));
      src.setReg(dst.getReg());
      src.setIsKill(true);
      // d is now live before the instruction, so it cannot share registers with a or b anyway; left
      // in place the flag would clash with the use of d.
      dst.setIsEarlyClobber(false);
      if (currentState)
        ++currentState->accumulatorsInPlace;
      changed = true;
    }
  return changed;
}

/// Two f32 as a pair of f16, where no instruction converts two: LLVM 22 converts each and packs the
/// halves, three instructions. A mixed fused product writes one half of a register and keeps the
/// other, so that 1 * x - 0 is the conversion as well, rounded once, and two of them do. Runs while
/// registers have one definition each.
class MixHalves : public MachineFunctionPass {
public:
  static char ID;
  MixHalves() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tilec: halves by mixed products"; }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  /// What converts an operand of the pack, for it alone.
  MachineInstr *conversionOf(const MachineInstr &pack, unsigned operand) const;
  void build(MachineInstr &before, unsigned opcode, Register to, const MachineInstr &conversion,
             Register low) const;
  void findOpcodes();
  void pack(MachineInstr &pack, MachineInstr &low, MachineInstr &high);

  const TargetInstrInfo *instructions = nullptr;
  MachineRegisterInfo *registers = nullptr;
  unsigned lowHalf = 0, highHalf = 0, move = 0; ///< opcodes
  Register one; ///< 1 as a number: LLVM takes the inline constant for f16's
};
char MixHalves::ID = 0;

MachineInstr *MixHalves::conversionOf(const MachineInstr &pack, unsigned operand) const {
  const MachineOperand &half = pack.getOperand(operand);
  if (!half.isReg() || !half.getReg().isVirtual() || half.getSubReg() ||
      !registers->hasOneNonDBGUse(half.getReg()))
    return nullptr;
  MachineInstr *conversion = registers->getUniqueVRegDef(half.getReg());
  if (!conversion || conversion->getParent() != pack.getParent() ||
      instructions->getName(conversion->getOpcode()) != "V_CVT_F16_F32_e32")
    return nullptr;
  const MachineOperand &wide = conversion->getOperand(1);
  if (!wide.isReg() || !wide.getReg().isVirtual())
    return nullptr;
  const TargetRegisterInfo &info = *registers->getTargetRegisterInfo();
  return info.isDivergentRegClass(registers->getRegClass(wide.getReg())) ? conversion : nullptr;
}

/// The product in front of `before`; `low`: what the other half of the register already has.
void MixHalves::build(MachineInstr &before, unsigned opcode, Register to,
                      const MachineInstr &conversion, Register low) const {
  constexpr unsigned none = 0, negated = 1;
  const MachineOperand &wide = conversion.getOperand(1);
  registers->clearKillFlags(wide.getReg());
  BuildMI(*before.getParent(), before, conversion.getDebugLoc(), instructions->get(opcode), to)
      .addImm(none)
      .addReg(wide.getReg(), 0, wide.getSubReg())
      .addImm(none)
      .addReg(one)
      .addImm(negated)
      .addImm(0)
      .addImm(0) // no clamp
      .addReg(low, getUndefRegState(registers->def_empty(low)))
      .addImm(0) // all operands are f32
      .addImm(0)
      .setMIFlags(conversion.getFlags());
}

void MixHalves::findOpcodes() {
  lowHalf = opcodeOf(*instructions, "V_FMA_MIXLO_F16");
  highHalf = opcodeOf(*instructions, "V_FMA_MIXHI_F16");
  move = opcodeOf(*instructions, "S_MOV_B32");
}

void MixHalves::pack(MachineInstr &pack, MachineInstr &low, MachineInstr &high) {
  MachineBasicBlock &block = *pack.getParent();
  if (!move)
    findOpcodes();
  if (!one.isValid()) {
    const TargetRegisterInfo &info = *registers->getTargetRegisterInfo();
    const TargetRegisterClass *scalar =
        *llvm::find_if(info.regclasses(), [&](const TargetRegisterClass *type) {
          return StringRef(info.getRegClassName(type)) == "SReg_32";
        });
    one = registers->createVirtualRegister(scalar);
    BuildMI(block, block.getFirstNonPHI(), DebugLoc(), instructions->get(move), one)
        .addImm(0x3f800000);
  }
  Register result = pack.getOperand(0).getReg();
  const TargetRegisterClass *type = registers->getRegClass(result);
  Register half = registers->createVirtualRegister(type);
  build(low, lowHalf, half, low, registers->createVirtualRegister(type));
  build(pack, highHalf, result, high, half);
  for (MachineInstr *done : {&low, &high, &pack})
    done->eraseFromParent();
}

bool MixHalves::runOnMachineFunction(MachineFunction &function) {
  instructions = function.getSubtarget().getInstrInfo();
  registers = &function.getRegInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function) {
    one = Register();
    for (MachineInstr &instr : make_early_inc_range(block)) {
      if (instructions->getName(instr.getOpcode()) != "V_PACK_B32_F16_e64")
        continue;
      // dst, and modifiers and register of each half, clamp, op_sel
      bool isPlain = llvm::all_of(ArrayRef{1U, 3U, 5U, 6U}, [&](unsigned operand) {
        return instr.getOperand(operand).getImm() == 0;
      });
      MachineInstr *low = isPlain ? conversionOf(instr, 2) : nullptr;
      MachineInstr *high = isPlain ? conversionOf(instr, 4) : nullptr;
      if (!low || !high)
        continue;
      pack(instr, *low, *high);
      changed = true;
    }
  }
  return changed;
}

/// A load to LDS must not follow a scalar write of m0 at once (gfx9: one wait state), and LLVM puts
/// the write directly before the load and an s_nop between. Moving the write up by one instruction
/// puts that instruction in the place of the s_nop. Runs after the waits are inserted and before
/// the hazard recogniser, which adds the s_nop where this was impossible.
class HoistM0 : public MachineFunctionPass {
public:
  static char ID;
  HoistM0() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tilec: hoist m0 writes"; }
  bool runOnMachineFunction(MachineFunction &function) override;
};
char HoistM0::ID = 0;

/// Whether `first`, directly before `second`, may be executed after it. `second` is a scalar move
/// or add: it does not touch memory and has no side effects.
bool canSwap(const MachineInstr &first, const MachineInstr &second,
             const TargetRegisterInfo &info) {
  if (first.isPosition() || first.isTerminator() || first.isInlineAsm() || first.isCall() ||
      first.isMetaInstruction() || first.isBundled())
    return false;
  for (const MachineOperand &operand : second.operands()) {
    if (!operand.isReg() || !operand.getReg())
      continue;
    if (first.modifiesRegister(operand.getReg(), &info))
      return false;
    if (operand.isDef() && first.readsRegister(operand.getReg(), &info))
      return false;
  }
  return true;
}

/// Those that are left of scalar registers are lanes of vector registers and dead here.
static unsigned vectorSpillsOf(const MachineFunction &function) {
  const MachineFrameInfo &frame = function.getFrameInfo();
  unsigned count = 0;
  for (int slot = 0; slot < frame.getObjectIndexEnd(); ++slot)
    count += frame.isSpillSlotObjectIndex(slot) && !frame.isDeadObjectIndex(slot) &&
             frame.getStackID(slot) == TargetStackID::Default;
  return count;
}

bool HoistM0::runOnMachineFunction(MachineFunction &function) {
  if (currentState)
    currentState->vectorSpills += vectorSpillsOf(function);
  const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  const TargetRegisterInfo &info = *function.getSubtarget().getRegisterInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (auto next = block.begin(); next != block.end();) {
      MachineInstr &instr = *next++;
      StringRef name = instructions.getName(instr.getOpcode());
      if ((name != "S_MOV_B32" && name != "S_ADD_I32" && name != "S_ADD_U32") ||
          instr.getIterator() == block.begin())
        continue;
      Register m0 = instr.getOperand(0).getReg();
      if (StringRef(info.getName(m0)) != "M0" || next == block.end() ||
          !next->readsRegister(m0, &info) || !next->mayLoad())
        continue;
      MachineInstr &before = *std::prev(instr.getIterator());
      if (!canSwap(before, instr, info))
        continue;
      instr.moveBefore(&before);
      if (currentState)
        ++currentState->m0Hoisted;
      changed = true;
    }
  return changed;
}

/// The scheduler moves an instruction several times, and each move takes a new number between those
/// of its neighbours. Where none is left, all that follow are numbered anew until some room is
/// found, soon to the function's end: time by the square. Gives the instructions of a large
/// function numbers that lie far apart, before the scheduler runs.
class RoomForMoves : public MachineFunctionPass {
public:
  static char ID;
  RoomForMoves() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tilec: room for moves"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<SlotIndexesWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;
};
char RoomForMoves::ID = 0;

bool RoomForMoves::runOnMachineFunction(MachineFunction &function) {
  if (!isLarge(function.getFunction()))
    return false;
  SlotIndexes &numbers = getAnalysis<SlotIndexesWrapperPass>().getSI();
  const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  // The number of an instruction that is gone stays. Two more fit between neighbours; packing then
  // gives each of the three as much room as an instruction had.
  constexpr unsigned rounds = 3, fitting = 2;
  for (unsigned round = 0; round < rounds; ++round) {
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instr : block.instrs()) {
        if (instr.isBundledWithPred() || !numbers.hasIndex(instr))
          continue;
        for (unsigned i = 0; i < fitting; ++i) {
          MachineInstr *gone = BuildMI(block, MachineBasicBlock::iterator(instr), DebugLoc(),
                                       instructions.get(TargetOpcode::KILL));
          numbers.insertMachineInstrInMaps(*gone);
          numbers.removeMachineInstrFromMaps(*gone);
          gone->eraseFromParent();
        }
      }
    numbers.packIndexes();
  }
  return false;
}

/// LLVM's machine verifier with its findings as an error of the compile. (The pass that LLVM has
/// for it can be inserted as an instance only, and the register allocator runs three times on
/// AMDGPU.)
class VerifyMachineCode : public MachineFunctionPass {
public:
  static char ID;
  VerifyMachineCode() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tilec: verify machine code"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    std::string findings;
    raw_string_ostream os(findings);
    if (!function.verify(this, "tilec", &os, /*AbortOnError=*/false))
      function.getFunction().getContext().diagnose(
          DiagnosticInfoGeneric("machine verifier: " + findings, DS_Error));
    return false;
  }
};
char VerifyMachineCode::ID = 0;

template <typename PassType> Pass *createPass() { return new PassType(); }

/// LLVM's passes without a public ID: the registry knows them by name.
AnalysisID idOf(StringRef name) {
  const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(name);
  if (!info)
    report_fatal_error("this LLVM has no pass " + Twine(name));
  return info->getTypeInfo();
}

void configurePasses(TargetMachine &machine, PassManagerBase &, TargetPassConfig *config) {
  config->insertPass(idOf("codegenprepare"), &CutLongBlocks::ID);
  if (!machine.getTargetTriple().isAMDGCN())
    return;
  config->insertPass(idOf("unify-loop-exits"), &HoistFreeValues::ID); // StructurizeCFG is next
  config->insertPass(&HoistFreeValues::ID, &KeepOffsets::ID);
  config->insertPass(idOf("si-fix-sgpr-copies"), &ScalarOperands::ID);
  config->insertPass(&VirtRegRewriterID, &JoinedLanes::ID);
  config->insertPass(idOf("si-insert-waitcnts"), &KeptConditions::ID);
  config->insertPass(idOf("si-post-ra-bundler"), &LongRegions::ID);
  if (!currentState)
    return;
  // Follows variables through registers, and our line tables have none: a tenth of the code
  // generator's time for nothing.
  config->disablePass(&LiveDebugValuesID);
  config->insertPass(idOf("si-shrink-instructions"), &MixHalves::ID);
  config->insertPass(&TwoAddressInstructionPassID, &AccumulateInPlace::ID);
  config->insertPass(&RegisterCoalescerID, &RoomForMoves::ID);
  config->insertPass(idOf("si-insert-waitcnts"), &HoistM0::ID);
  config->insertPass(&PostRAHazardRecognizerID, &MatrixResults::ID);
  if (currentState->verify)
    for (AnalysisID after : {AnalysisID(&MixHalves::ID), AnalysisID(&AccumulateInPlace::ID),
                             AnalysisID(&RegisterCoalescerID), AnalysisID(&VirtRegRewriterID),
                             AnalysisID(&HoistM0::ID)})
      config->insertPass(after, &VerifyMachineCode::ID);
}

} // namespace

void registerMachinePasses() {
  // The registry owns them; the callback lives as long as the process.
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  // Else known from their first use on only.
  initializeFlattenCFGLegacyPassPass(registry);
  initializeUnifyLoopExitsLegacyPassPass(registry);
  auto add = [&registry](StringRef name, StringRef argument, const void *id,
                         PassInfo::NormalCtor_t create) {
    registry.registerPass(*new PassInfo(name, argument, id, create, false, false),
                          /*ShouldFree=*/true);
  };
  add("tilec: accumulate in place", "tilec-accumulate-in-place", &AccumulateInPlace::ID,
      createPass<AccumulateInPlace>);
  add("tilec: cut long blocks", "tilec-cut-long-blocks", &CutLongBlocks::ID,
      createPass<CutLongBlocks>);
  add("tilec: hoist free values", "tilec-hoist-free-values", &HoistFreeValues::ID,
      createPass<HoistFreeValues>);
  add("tilec: halves by mixed products", "tilec-mix-halves", &MixHalves::ID, createPass<MixHalves>);
  add("tilec: hoist m0 writes", "tilec-hoist-m0", &HoistM0::ID, createPass<HoistM0>);
  add("tilec: room for moves", "tilec-room-for-moves", &RoomForMoves::ID, createPass<RoomForMoves>);
  add("tilec: moves behind the join of lanes", "tilec-joined-lanes", &JoinedLanes::ID,
      createPass<JoinedLanes>);
  add("tilec: wait for matrix results", "tilec-matrix-results", &MatrixResults::ID,
      createPass<MatrixResults>);
  add("tilec: keep buffer offsets", "tilec-keep-offsets", &KeepOffsets::ID,
      createPass<KeepOffsets>);
  add("tilec: keep conditions", "tilec-kept-conditions", &KeptConditions::ID,
      createPass<KeptConditions>);
  add("tilec: cut long regions", "tilec-long-regions", &LongRegions::ID, createPass<LongRegions>);
  add("tilec: scalar operands of asm", "tilec-scalar-operands", &ScalarOperands::ID,
      createPass<ScalarOperands>);
  add("tilec: verify machine code", "tilec-verify-machine-code", &VerifyMachineCode::ID,
      createPass<VerifyMachineCode>);
  static RegisterTargetPassConfigCallback callback(configurePasses);
}

} // namespace tilec::codegen
