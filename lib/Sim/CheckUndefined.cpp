//===- CheckUndefined.cpp - values that nothing has written ---------------===//
//
// By lane for vector registers. Undefined values pass through arithmetic without a
// report, since compilers compute halves that are never used; they are reported where
// they decide something: an address, stored data, a comparison, a branch, a matrix.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>

namespace tilec::sim {

std::string registerName(uint16_t reg, const Wave &wave);
std::string describe(const Wave &wave, const Instr &instr);

namespace {

/// Whether undefined sources of this instruction are reported.
bool isSink(const Instr &instr) {
  constexpr uint32_t always = isVmem | isLds | isSmem | isMfma | isBranch;
  return (instr.flags & always) || llvm::StringRef(instr.op->name).starts_with("v_cmp") ||
         llvm::StringRef(instr.op->name).starts_with("s_setreg");
}

/// Data that may be undefined: spilled registers, and what lanes merely exchange.
bool isHarmlessData(const Instr &instr, unsigned source) {
  if (source != 1)
    return false;
  llvm::StringRef name = instr.op->name;
  return name.starts_with("scratch_store") || name == "ds_bpermute_b32" || name == "ds_permute_b32";
}

/// Whether dword `to` of the result depends on dword `from` of source `source`.
bool depends(const Instr &instr, unsigned source, unsigned from, unsigned to) {
  const Operand &operand = instr.src[source];
  if (instr.dst[0].dwords < 2 || operand.dwords < 2)
    return true;
  if (instr.flags & isPackedMath)
    return from == ((to ? instr.opSelHi : instr.opSel) >> source & 1u);
  llvm::StringRef name = instr.op->name;
  if (name == "v_mov_b64" || name == "s_mov_b64" || name.starts_with("s_cselect") ||
      name.starts_with("s_cmov"))
    return from == to;
  if (name == "v_mad_u64_u32" || name == "v_mad_i64_i32" || name == "v_lshl_add_u64" ||
      name == "v_lshlrev_b64" || name == "s_lshl_b64")
    return from <= to; // carries go up
  return true;
}

} // namespace

/// The lanes of source `source` that matter.
uint64_t WaveChecker::lanesRead(const Wave &wave, const Instr &instr, unsigned source) const {
  uint64_t exec = execBefore;
  if (instr.flags & isMfma)
    return ~0ull;
  if ((instr.flags & isSelect) && source < 2) {
    uint64_t mask = scalar64(wave, instr.src[2]);
    return exec & (source == 0 ? ~mask : mask);
  }
  if (source == 0 && instr.dpp != DppKind::None)
    return 0; // other lanes than its own: not followed
  if (!(instr.flags & isValu) || instr.dst[0].isVgpr())
    return exec;
  llvm::StringRef name = instr.op->name;
  if (name == "v_readfirstlane_b32")
    return exec ? exec & -exec : 1;
  if (name == "v_readlane_b32")
    return 1ull << (scalar32(wave, instr.src[1]) & 63);
  return exec;
}

void WaveChecker::reportUndefined(Wave &wave, const Instr &instr, uint16_t reg, int lane) {
  const Instr *from = origin[reg];
  report(wave, instr, CheckKind::Uninitialized, FindingClass::Error, false, lane,
         registerName(reg, wave) + " is used and " +
             (from ? "holds what " + describe(wave, *from) +
                         " computed from a register that nothing "
                         "had written"
                   : std::string("nothing has written it")));
}

void WaveChecker::checkUndefined(Wave &wave, const Instr &instr) {
  if (!isSink(instr))
    return;
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const Operand &operand = instr.src[i];
    if (isHarmlessData(instr, i))
      continue;
    if (operand.isVgpr()) {
      uint64_t lanes = lanesRead(wave, instr, i);
      for (uint16_t k = 0; k < operand.dwords; ++k)
        if (uint64_t missing = lanes & ~definedV[operand.reg + k])
          return reportUndefined(wave, instr, operand.reg + k, __builtin_ctzll(missing));
    } else if (operand.isSgpr()) {
      for (uint16_t k = 0; k < operand.dwords; ++k)
        if (!definedS[operand.reg + k])
          return reportUndefined(wave, instr, static_cast<uint16_t>(regSgpr0 + operand.reg + k),
                                 -1);
    }
  }
  auto implicit = [&](uint32_t flag, unsigned reg, unsigned count) {
    for (unsigned k = 0; k < count && (instr.flags & flag); ++k)
      if (!definedS[reg + k]) {
        reportUndefined(wave, instr, static_cast<uint16_t>(regSgpr0 + reg + k), -1);
        return true;
      }
    return false;
  };
  if (implicit(readsVcc, sgprVcc, 2) || implicit(readsM0, sgprM0, 1))
    return;
  implicit(readsScc, numSgprSlots, 1);
}

/// Lanes of the result's dword `to` that come from undefined sources; scalar sources count for all.
uint64_t WaveChecker::undefinedLanes(const Wave &wave, const Instr &instr, unsigned to,
                                     const Instr *&from) const {
  // Compilers merge halves and bytes with v_perm_b32, or bytes by a mask with v_bitop3_b16, of
  // which some are not used afterwards: the result counts as undefined only where both data sources
  // are.
  llvm::StringRef name = instr.op->name;
  bool isMerge = name == "v_perm_b32" ||
                 (name == "v_bitop3_b16" && instr.numSrc > 2 && !instr.src[2].isVgpr());
  uint64_t result = 0;
  auto add = [&](uint64_t lanes, uint16_t reg) {
    if (lanes && !result)
      from = origin[reg] ? origin[reg] : &instr;
    result |= lanes;
  };
  auto isDefined = [&](const Operand &operand) {
    return operand.isVgpr()                             ? definedV[operand.reg]
           : operand.isSgpr() && !definedS[operand.reg] ? 0
                                                        : ~0ull;
  };
  uint64_t merged = isMerge ? isDefined(instr.src[0]) | isDefined(instr.src[1]) : 0;
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const Operand &operand = instr.src[i];
    for (uint16_t k = 0; k < operand.dwords; ++k) {
      if (!depends(instr, i, k, to))
        continue;
      if (operand.isVgpr())
        add(lanesRead(wave, instr, i) & ~definedV[operand.reg + k] & ~(i < 2 ? merged : 0),
            operand.reg + k);
      else if (operand.isSgpr() && !definedS[operand.reg + k])
        add(~0ull, static_cast<uint16_t>(regSgpr0 + operand.reg + k));
    }
  }
  return result;
}

void WaveChecker::scratchAccess(Wave &wave, const MemOp &op, unsigned lane, uint64_t at,
                                unsigned bytes, bool store) {
  uint8_t *written = wave.scratchWritten + at;
  if (store) {
    std::fill(written, written + bytes, 1);
    return;
  }
  if (op.instr->flags & isAtomic)
    return;
  for (unsigned dword = 0; dword * 4 < bytes; ++dword) {
    uint8_t *end = written + std::min(bytes, dword * 4 + 4);
    if (std::find(written + dword * 4, end, 0) != end)
      loadedUndefined.push_back(
          {op.instr, static_cast<uint16_t>(op.instr->dst[0].reg + dword), 1ull << lane});
  }
}

/// After `define`, which takes what a load gives as defined.
void WaveChecker::forgetLoadedUndefined() {
  for (const LoadedUndefined &l : loadedUndefined) {
    definedV[l.reg] &= ~l.lanes;
    origin[l.reg] = l.load;
  }
  loadedUndefined.clear();
}

void WaveChecker::define(Wave &wave, const Instr &instr) {
  if (instr.numDefs == 0)
    return;
  uint64_t lanes = instr.flags & ignoresExec ? ~0ull : execBefore;
  if (instr.flags & writesBothOperands) { // a swap: what was undefined stays so, on the other side
    for (uint16_t k = 0; k < instr.dst[0].dwords; ++k)
      std::swap(definedV[instr.dst[0].reg + k], definedV[instr.src[0].reg + k]);
    return;
  }
  if (llvm::StringRef(instr.op->name) == "v_writelane_b32") {
    definedV[instr.dst[0].reg] |= 1ull << (scalar32(wave, instr.src[1]) & 63);
    return;
  }
  // Loads were checked where they take their address; lane masks are taken as defined.
  bool follows = (instr.flags & (isValu | isSalu)) && !isSink(instr) && !(instr.flags & isMaskOp);
  uint64_t undefined[4] = {};
  const Instr *from[4] = {};
  for (unsigned k = 0; k < 4 && follows; ++k)
    if (k == 0 || k < instr.dst[0].dwords)
      undefined[k] = undefinedLanes(wave, instr, k, from[k]);
  for (unsigned i = 0; i < instr.numDefs; ++i)
    for (uint16_t k = 0; k < instr.defs[i].count; ++k) {
      uint16_t reg = instr.defs[i].first + k;
      // The first range is the result; carries and SCC come from all of it.
      unsigned dword = i == 0 && k < 4 ? k : 0;
      if (undefined[dword])
        origin[reg] = from[dword];
      if (reg < regSgpr0)
        definedV[reg] = (definedV[reg] | lanes) & ~(lanes & undefined[dword]);
      else
        definedS[reg - regSgpr0] = undefined[dword] == 0;
    }
}

} // namespace tilec::sim
