//===- CheckHazards.cpp - required wait states ----------------------------===//
//
// Numbers: test/data/hazards/llvm_hazards.json, measured on LLVM 22's hazard recognizer
// (AMD's own table of what hardware does not interlock), and for C of a matrix
// instruction that table itself (CDNA3 ISA table 37, CDNA4 ISA table 38, "VOP3P-Matrix
// Opcodes Required NOPs"), which asks for more than LLVM does. A wait state is one issue
// slot of the wave, four clocks; a matrix instruction keeps the next one waiting for its
// passes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include "CodeObjectImpl.h"

namespace tilec::sim {

std::string describe(const Wave &wave, const Instr &instr);

namespace {

/// Index of the number of passes in the rows below.
unsigned passIndex(unsigned passes) {
  return passes <= 2 ? 0 : passes <= 4 ? 1 : passes <= 8 ? 2 : 3;
}
struct MfmaRule {
  unsigned readD[4];    ///< by passes 2, 4, 8, 16: VALU, memory, or A/B of another
  unsigned overlapC[4]; ///< C of another XDL overlaps D without being it, or its passes differ
  unsigned otherC[4];   ///< C of an f32 or f64 one, by the same rule
};
constexpr MfmaRule xdl942 = {{5, 7, 11, 19}, {3, 5, 9, 17}, {3, 5, 9, 17}};
constexpr MfmaRule xdl950 = {{5, 8, 12, 20}, {4, 6, 10, 18}, {3, 6, 10, 18}};
constexpr MfmaRule f32Rule = {{4, 6, 10, 18}, {0, 0, 0, 0}, {2, 4, 8, 16}};
constexpr unsigned overwriteC[4] = {1, 3, 7, 15}; // XDL reads C while a VALU overwrites it

bool isF32Mfma(const Instr &i) { return i.traits & isF32Matrix; }
bool isF64Mfma(const Instr &i) { return i.traits & isF64Matrix; }
/// f64, f32, and all others, which the ISA documents call XDL.
enum class MatrixUnit { Xdl, F32, F64 };
MatrixUnit unitOf(const Instr &i) {
  return isF64Mfma(i) ? MatrixUnit::F64 : isF32Mfma(i) ? MatrixUnit::F32 : MatrixUnit::Xdl;
}
/// Whether the second can take the result of the first as C on its way out, if it names the very
/// registers: not the opcode must be the same but the unit and its passes.
bool forwardsC(const Instr &first, const Instr &second) {
  return unitOf(first) == unitOf(second) && first.passes == second.passes;
}

RegRange vectorRange(const Operand &operand) {
  return operand.isVgpr() ? RegRange{operand.reg, operand.dwords} : RegRange{};
}
/// The accumulator that a matrix instruction reads: D itself where A is sparse.
RegRange accumulatorOf(const Instr &instr) {
  return vectorRange(instr.flags & readsDst ? instr.dst[0] : instr.src[2]);
}
/// Whether it is in A, B, the sparse index or the scales.
bool multiplies(const Instr &instr, RegRange range) {
  unsigned accumulator = instr.flags & readsDst ? instr.numSrc - 1u : 2u;
  for (unsigned i = 0; i < instr.numSrc; ++i)
    if (i != accumulator && vectorRange(instr.src[i]).overlaps(range))
      return true;
  return false;
}
bool reads(const Instr &instr, RegRange range) {
  for (unsigned i = 0; i < instr.numUses; ++i)
    if (instr.uses[i].overlaps(range))
      return true;
  return false;
}
bool writes(const Instr &instr, RegRange range) {
  for (unsigned i = 0; i < instr.numDefs; ++i)
    if (instr.defs[i].overlaps(range))
      return true;
  return false;
}

} // namespace

void WaveChecker::require(Wave &wave, const Instr &instr, const Recent &producer, unsigned states,
                          const char *rule, bool lint) {
  uint64_t between = position - producer.position - 1;
  if (between >= states)
    return;
  report(wave, instr, CheckKind::WaitStates, lint ? FindingClass::Lint : group.timingClass(), false,
         -1,
         llvm::Twine(rule) + ": " + llvm::Twine(states) + " wait states are required after " +
             describe(wave, *producer.instr) + ", there are " + llvm::Twine(between));
}

void WaveChecker::checkAfterValu(Wave &wave, const Instr &instr, const Recent &producer) {
  const Instr &p = *producer.instr;
  bool gfx950 = wave.group->engine->program->arch() == Arch::Gfx950;
  if (instr.traits & isDivFmas)
    if (writes(p, {regSgpr0 + sgprVcc, 2}))
      require(wave, instr, producer, 4, "VALU writes VCC, v_div_fmas reads it");
  if (instr.dpp != DppKind::None) {
    if (p.flags & writesExec)
      require(wave, instr, producer, 5, "VALU writes EXEC, DPP follows");
    if (writes(p, vectorRange(instr.src[0])))
      require(wave, instr, producer, 2, "VALU writes a register, DPP reads it");
  }
  for (unsigned i = 0; i < p.numDefs; ++i) {
    RegRange def = p.defs[i];
    if (def.first >= regSgpr0) {
      bool laneSelect = instr.traits & (isReadLane | isWriteLane);
      RegRange select = instr.src[1].isSgpr()
                            ? RegRange{static_cast<uint16_t>(regSgpr0 + instr.src[1].reg), 1}
                            : RegRange{};
      if ((instr.flags & isVmem) && reads(instr, def))
        require(wave, instr, producer, 5, "VALU writes an SGPR, a memory instruction reads it");
      else if (laneSelect && def.overlaps(select))
        require(wave, instr, producer, 4, "VALU writes an SGPR that selects a lane");
      else if ((instr.flags & isValu) && reads(instr, def))
        require(wave, instr, producer, 2, "VALU writes an SGPR, VALU reads it");
      continue;
    }
    if (!reads(instr, def))
      continue;
    if (instr.traits & (isReadLane | isReadFirstLane))
      require(wave, instr, producer, 1, "VALU writes a register, v_readlane reads it");
    else if (instr.flags & isMfma)
      require(wave, instr, producer, 2, "VALU writes an operand of a matrix instruction");
    else if (gfx950 && (instr.traits & isPermLane))
      require(wave, instr, producer, 2, "VALU writes a register, v_permlane swaps it");
    else if ((p.flags & isTrans) && (instr.flags & isValu))
      require(wave, instr, producer, 1, "a transcendental result is read");
  }
}

void WaveChecker::checkAfterMfma(Wave &wave, const Instr &instr, const Recent &producer) {
  const Instr &p = *producer.instr;
  bool gfx950 = wave.group->engine->program->arch() == Arch::Gfx950;
  RegRange d = vectorRange(p.dst[0]), c = accumulatorOf(p);
  unsigned index = passIndex(p.passes);
  const MfmaRule &rule = isF32Mfma(p) ? f32Rule : gfx950 ? xdl950 : xdl942;
  bool toXdl = (instr.flags & isMfma) && unitOf(instr) == MatrixUnit::Xdl;
  unsigned readD = rule.readD[index], memoryD = readD, overwriteD = readD,
           overlapC = (toXdl ? rule.overlapC : rule.otherC)[index], sameC = p.passes <= 2 ? 2 : 0;
  if (isF64Mfma(p)) {
    bool small = p.dst[0].dwords == 2;
    readD = small ? 6 : gfx950 ? 19 : 11;
    overwriteD = small ? 6 : 11;
    memoryD = small ? 9 : 18;
    overlapC = toXdl ? 0 : small ? 4 : gfx950 ? 17 : 9;
    sameC = small ? 4 : 0;
  }
  if (instr.flags & isMfma) {
    if (multiplies(instr, d))
      require(wave, instr, producer, readD, "a matrix result is A or B of another");
    RegRange nextC = accumulatorOf(instr);
    if (nextC == d && forwardsC(p, instr))
      require(wave, instr, producer, sameC, "a matrix result is C of another");
    else if (nextC == d)
      require(wave, instr, producer, overlapC,
              "a matrix result is C of another with other passes, or of another kind");
    else if (nextC.overlaps(d))
      require(wave, instr, producer, overlapC, "a matrix result overlaps C of another");
    return;
  }
  if (instr.flags & isValu) {
    if (reads(instr, d))
      require(wave, instr, producer, readD, "a matrix result is read");
    else if (writes(instr, d))
      require(wave, instr, producer, overwriteD, "a matrix result is overwritten");
    else if (c.count && c != d && !isF32Mfma(p) && !isF64Mfma(p) && writes(instr, c))
      require(wave, instr, producer, overwriteC[index], "C of a matrix instruction is overwritten");
    return;
  }
  if ((instr.flags & (isVmem | isLds)) && reads(instr, d))
    require(wave, instr, producer, memoryD, "a matrix result is stored or used as an address");
}

void WaveChecker::checkHazards(Wave &wave, const Instr &instr) {
  ++position;
  if (instr.flags & isMfma) {
    position = std::max(position, matrixPipeFree);
    matrixPipeFree = position + instr.passes;
  }
  constexpr uint64_t longest = 20; // of all rules
  for (unsigned i = 1; i <= historyLength; ++i) {
    const Recent &recent = history[(nextHistory + historyLength - i) % historyLength];
    if (!recent.instr || position - recent.position > longest + 1)
      break;
    if (recent.instr->flags & isMfma)
      checkAfterMfma(wave, instr, recent);
    else if ((recent.instr->flags & isValu) && position - recent.position <= 6)
      checkAfterValu(wave, instr, recent);
    else if ((instr.flags & isLdsDma) && position - recent.position == 1 &&
             writes(*recent.instr, {regSgpr0 + sgprM0, 1}))
      require(wave, instr, recent, 1, "M0 is written, an LDS DMA reads it", /*lint=*/true);
  }
  if (instr.flags & (isValu | isSalu)) {
    history[nextHistory] = {&instr, position};
    nextHistory = (nextHistory + 1) % historyLength;
  }
  if (instr.traits & isNop)
    position += instr.src[0].imm & 15;
}

} // namespace tilec::sim
