//===- CheckUndefined.cpp - values that nothing has written ---------------===//
//
// By lane and bit for vector registers. Undefined values pass through arithmetic without a
// report, since compilers compute halves that are never used; they are reported where
// they decide something: an address, stored data, a comparison, a branch, a matrix.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BufferAddress.h"
#include "Checker.h"

#include <algorithm>

namespace tilec::sim {

std::string registerName(uint16_t reg, const Wave &wave);
std::string describe(const Wave &wave, const Instr &instr);

namespace {

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
  if ((instr.flags & isSccSelect) && source < 2)
    return wave.scc == (source == 0) ? ~0ull : 0;
  if (source == 0 && instr.dpp != DppKind::None)
    return 0; // other lanes than its own: not followed
  if (!(instr.flags & isValu) || instr.dst[0].isVgpr())
    return exec;
  if (instr.traits & isReadFirstLane)
    return exec ? exec & -exec : 1;
  if (instr.traits & isReadLane)
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

uint64_t WaveChecker::missingLanes(const Wave &wave, const Instr &instr, unsigned source,
                                   unsigned dword) const {
  uint16_t reg = instr.src[source].reg + static_cast<uint16_t>(dword);
  uint64_t missing = lanesRead(wave, instr, source) & ~definedV[reg];
  // A mask may be an offset beyond the end: what such lanes store decides nothing.
  constexpr unsigned dataSource = 1;
  if (missing && source == dataSource && (instr.flags & isStore) &&
      llvm::StringRef(instr.op->name).starts_with("buffer_"))
    missing &= ~lanesOutOfRange(wave, instr);
  if (!missing)
    return 0;
  const BitRow *bits = definedBitsV[reg].get();
  if (!bits)
    return missing;
  uint32_t read = bitsRead(instr, source);
  uint64_t result = 0;
  forEachActiveLane(missing, [&](unsigned lane) {
    result |= static_cast<uint64_t>((~(*bits)[lane] & read) != 0) << lane;
  });
  return result;
}

BitRow WaveChecker::bitsOf(const Operand &operand, unsigned dword) const {
  BitRow result;
  bool isKnown = !operand.isSgpr() || definedS[operand.reg + dword];
  result.fill(isKnown ? ~0u : 0);
  if (!operand.isVgpr())
    return result;
  const BitRow *bits = definedBitsV[operand.reg + dword].get();
  forEachActiveLane(~definedV[operand.reg + dword],
                    [&](unsigned lane) { result[lane] = bits ? (*bits)[lane] : 0; });
  return result;
}

void WaveChecker::checkUndefined(Wave &wave, const Instr &instr) {
  if (!(instr.traits & decides))
    return;
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const Operand &operand = instr.src[i];
    if (isHarmlessData(instr, i))
      continue;
    if (operand.isVgpr()) {
      for (uint16_t k = 0; k < operand.dwords; ++k)
        if (uint64_t missing = missingLanes(wave, instr, i, k))
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
  uint64_t result = 0;
  auto add = [&](uint64_t lanes, uint16_t reg) {
    if (lanes && !result)
      from = origin[reg] ? origin[reg] : &instr;
    result |= lanes;
  };
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const Operand &operand = instr.src[i];
    for (uint16_t k = 0; k < operand.dwords; ++k) {
      if (!depends(instr, i, k, to))
        continue;
      if (operand.isVgpr())
        add(missingLanes(wave, instr, i, k), operand.reg + k);
      else if (operand.isSgpr() && !definedS[operand.reg + k])
        // What a select does not choose may be anything.
        add(instr.flags & (isSelect | isSccSelect) ? lanesRead(wave, instr, i) : ~0ull,
            static_cast<uint16_t>(regSgpr0 + operand.reg + k));
    }
  }
  if ((instr.flags & readsScc) && !definedS[numSgprSlots])
    add(~0ull, regScc);
  return result;
}

/// The bits of dword `to` of a result that are defined, where the instruction keeps bits apart
/// and reads something undefined. Of those with two dwords v_mov_b64 and shifts do.
std::optional<BitRow> WaveChecker::resultBits(const Wave &wave, const Instr &instr,
                                              unsigned to) const {
  if (!(instr.flags & isValu) || !instr.dst[0].isVgpr() || instr.numSrc > 3)
    return std::nullopt;
  uint64_t read[3] = {};
  bool isWhole = true;
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    read[i] = instr.src[i].isVgpr() ? lanesRead(wave, instr, i) : 0;
    for (uint16_t k = 0; k < instr.src[i].dwords && read[i]; ++k)
      isWhole &= !(read[i] & ~definedV[instr.src[i].reg + k]);
  }
  if (isWhole)
    return std::nullopt;
  if (instr.dst[0].dwords == 2 && llvm::StringRef(instr.op->name) == "v_mov_b64")
    return bitsOf(instr.src[0], to);
  if (instr.dst[0].dwords == 2 && isPairShift(instr) && instr.src[1].isVgpr())
    return definedOfPair(wave, instr, to, bitsOf(instr.src[0], 0),
                         {bitsOf(instr.src[1], 0), bitsOf(instr.src[1], 1)});
  if (instr.dst[0].dwords != 1)
    return std::nullopt;
  std::array<BitRow, 3> sources = {};
  for (unsigned i = 0; i < instr.numSrc; ++i) {
    const Operand &operand = instr.src[i];
    sources[i] = bitsOf(operand, 0);
    if (operand.dwords == 2) { // a mask of lanes
      BitRow upper = bitsOf(operand, 1);
      for (unsigned lane = 0; lane < numLanes; ++lane)
        sources[i][lane] &= upper[lane];
    }
    if (operand.isVgpr())
      forEachActiveLane(~read[i], [&](unsigned lane) { sources[i][lane] = ~0u; });
  }
  return definedBits(wave, instr, sources);
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
      loadsUndefined(*op.instr, op.instr->dst[0].reg + dword, lane, ~0u);
  }
}

/// After `define`, which takes what a load gives as defined.
void WaveChecker::forgetLoadedUndefined() {
  for (const LoadedUndefined &l : loadedUndefined) {
    std::unique_ptr<BitRow> &row = definedBitsV[l.reg];
    if (!row && l.bits != ~0u)
      row = std::make_unique<BitRow>(BitRow{});
    if (row)
      forEachActiveLane(l.lanes & definedV[l.reg], [&](unsigned lane) { (*row)[lane] = ~l.bits; });
    definedV[l.reg] &= ~l.lanes;
    origin[l.reg] = l.load;
  }
  loadedUndefined.clear();
}

/// Of lanes that are not all defined: which bits are; `bits` null: none.
void WaveChecker::setBits(uint16_t reg, uint64_t lanes, const BitRow *bits) {
  std::unique_ptr<BitRow> &row = definedBitsV[reg];
  if (!row && !bits)
    return;
  if (!row)
    row = std::make_unique<BitRow>(BitRow{});
  forEachActiveLane(lanes, [&](unsigned lane) { (*row)[lane] = bits ? (*bits)[lane] : 0; });
}

void WaveChecker::define(Wave &wave, const Instr &instr) {
  if (instr.numDefs == 0)
    return;
  uint64_t lanes = instr.flags & ignoresExec ? ~0ull : execBefore;
  if (instr.flags & writesBothOperands) { // a swap: what was undefined stays so, on the other side
    for (uint16_t k = 0; k < instr.dst[0].dwords; ++k) {
      std::swap(definedV[instr.dst[0].reg + k], definedV[instr.src[0].reg + k]);
      std::swap(definedBitsV[instr.dst[0].reg + k], definedBitsV[instr.src[0].reg + k]);
    }
    return;
  }
  if (instr.traits & isWriteLane) {
    definedV[instr.dst[0].reg] |= 1ull << (scalar32(wave, instr.src[1]) & 63);
    return;
  }
  // Loads were checked where they take their address; lane masks are taken as defined.
  bool follows =
      (instr.flags & (isValu | isSalu)) && !(instr.traits & decides) && !(instr.flags & isMaskOp);
  uint64_t undefined[4] = {};
  const Instr *from[4] = {};
  for (unsigned k = 0; k < 4 && follows; ++k)
    if (k == 0 || k < instr.dst[0].dwords)
      undefined[k] = undefinedLanes(wave, instr, k, from[k]);
  const BitRow *bits[4] = {};
  for (unsigned k : {0, 1})
    if (undefined[k] && bitsOfResult[k]) {
      bits[k] = &*bitsOfResult[k];
      undefined[k] = 0;
      for (unsigned lane = 0; lane < numLanes; ++lane)
        undefined[k] |= static_cast<uint64_t>((*bits[k])[lane] != ~0u) << lane;
    }
  for (unsigned i = 0; i < instr.numDefs; ++i)
    for (uint16_t k = 0; k < instr.defs[i].count; ++k) {
      uint16_t reg = instr.defs[i].first + k;
      // The first range is the result; carries and SCC come from all of it.
      unsigned dword = i == 0 && k < 4 ? k : 0;
      if (undefined[dword])
        origin[reg] = from[dword];
      if (reg < regSgpr0) {
        uint64_t missing = lanes & undefined[dword];
        definedV[reg] = (definedV[reg] | lanes) & ~missing;
        if (missing)
          setBits(reg, missing, bits[dword]);
      } else
        definedS[reg - regSgpr0] = undefined[dword] == 0;
    }
}

} // namespace tilec::sim
