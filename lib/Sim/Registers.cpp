//===- Registers.cpp - which registers an instruction reads and writes ----===//
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

void computeRegisters(Instr &instr) {
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
