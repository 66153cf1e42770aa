//===- Registers.cpp - what the checks know of an instruction -------------===//
//
// Which registers it reads and writes, and what its name says.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"

#include <iterator>

namespace tilec::sim {
namespace {

void addUse(Instr &instr, RegRange range) {
  if (range.count && instr.numUses < std::size(instr.uses))
    instr.uses[instr.numUses++] = range;
}
void addDef(Instr &instr, RegRange range) {
  if (range.count && instr.numDefs < std::size(instr.defs))
    instr.defs[instr.numDefs++] = range;
}
RegRange rangeOf(const Operand &operand) {
  if (operand.isVgpr())
    return {operand.reg, operand.dwords};
  if (operand.isSgpr())
    return {static_cast<uint16_t>(regSgpr0 + operand.reg), operand.dwords};
  if (operand.kind == OperandKind::Scc)
    return {regScc, 1};
  if (operand.kind == OperandKind::Vccz)
    return {regSgpr0 + sgprVcc, 2};
  return {};
}

constexpr RegRange vccRange = {regSgpr0 + sgprVcc, 2}, m0Range = {regSgpr0 + sgprM0, 1},
                   sccRange = {regScc, 1};

} // namespace

static uint16_t traitsOf(const Instr &instr) {
  llvm::StringRef name = instr.op->name;
  constexpr uint32_t alwaysDecide = isVmem | isLds | isSmem | isMfma | isBranch;
  uint16_t traits = 0;
  auto add = [&](bool holds, CheckTrait trait) { traits |= holds ? trait : 0; };
  add((instr.flags & alwaysDecide) || name.starts_with("v_cmp") || name.starts_with("s_setreg"),
      decides);
  add(name == "s_waitcnt", isWaitcnt);
  add(name == "s_nop", isNop);
  add(name == "v_readlane_b32", isReadLane);
  add(name == "v_readfirstlane_b32", isReadFirstLane);
  add(name == "v_writelane_b32", isWriteLane);
  add(name == "v_div_fmas_f32" || name == "v_div_fmas_f64", isDivFmas);
  add(name.starts_with("v_permlane"), isPermLane);
  add(name.starts_with("ds_cmpst") || name.contains("cmpswap"), isCompareAndSwap);
  add(name.starts_with("ds_or_") || name.starts_with("ds_xor_"), isOrOfBits);
  add(name.starts_with("ds_and_"), isAndOfBits);
  if (instr.flags & isMfma) {
    add(name.ends_with("_f32") && !name.ends_with("_xf32"), isF32Matrix);
    add(name.ends_with("_f64"), isF64Matrix);
  }
  return traits;
}

void computeRegisters(Instr &instr) {
  instr.traits = traitsOf(instr);
  uint32_t flags = instr.flags;
  for (unsigned i = 0; i < instr.numSrc; ++i)
    addUse(instr, rangeOf(instr.src[i]));
  if (flags & readsVcc)
    addUse(instr, vccRange);
  if (flags & readsM0)
    addUse(instr, m0Range);
  if (flags & readsScc)
    addUse(instr, sccRange);
  bool scalarAtomic = (flags & isSmem) && (flags & isAtomic) && instr.glc;
  for (const Operand &dst : instr.dst)
    addDef(instr, rangeOf(dst));
  if (scalarAtomic)
    addDef(instr, rangeOf(instr.src[2]));
  if (flags & writesBothOperands) {
    addDef(instr, rangeOf(instr.src[0]));
    addUse(instr, rangeOf(instr.dst[0]));
  }
  if (flags & writesVcc)
    addDef(instr, vccRange);
  if (flags & writesM0)
    addDef(instr, m0Range);
  if (flags & writesScc)
    addDef(instr, sccRange);
}

} // namespace tilec::sim
