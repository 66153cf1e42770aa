//===- VopCrossLane.cpp - operations that look at other lanes -------------===//
//
// One function an instruction that moves values between lanes, and the table of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Vop.h"

#include <cstring>
#include <utility>

namespace tilec::sim {
namespace {

/// D(sgpr) = S0 of the lowest active lane; of lane 0 when none is active.
void execReadFirstLane(Wave &wave, const Instr &instr) {
  uint64_t exec = wave.exec();
  unsigned lane = exec ? static_cast<unsigned>(__builtin_ctzll(exec)) : 0;
  const Operand &source = instr.src[0];
  wave.s[instr.dst[0].reg] = source.isVgpr() ? wave.v[source.reg][lane] : scalar32(wave, source);
}

/// D(sgpr) = S0[lane S1]; exec plays no part.
void execReadLane(Wave &wave, const Instr &instr) {
  unsigned lane = scalar32(wave, instr.src[1]) & 63;
  const Operand &source = instr.src[0];
  wave.s[instr.dst[0].reg] = source.isVgpr() ? wave.v[source.reg][lane] : scalar32(wave, source);
}

/// D[lane S1] = S0; exec plays no part.
void execWriteLane(Wave &wave, const Instr &instr) {
  wave.v[instr.dst[0].reg][scalar32(wave, instr.src[1]) & 63] = scalar32(wave, instr.src[0]);
}

/// D = S1 + number of bits of mask S0 that belong to lanes below this one (lo: lanes 0-31).
template <bool high> void execMbcnt(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::B32, a);
  readSource(wave, instr, 1, Type::B32, b);
  alignas(64) uint32_t out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint64_t below = (1ull << lane) - 1;
    auto part = static_cast<uint32_t>(high ? below >> 32 : below);
    out[lane] = static_cast<uint32_t>(__builtin_popcount(a.row[0][lane] & part)) + b.row[0][lane];
  }
  writeResult<uint32_t>(wave, instr, out, writeMask(wave, instr));
}

/// Bit i of D is bit (S0[i] << 2 | S1[i] << 1 | S2[i]) of the instruction's truth table.
template <unsigned width> void execBitop3(Wave &wave, const Instr &instr) {
  Source s[3];
  for (unsigned i = 0; i < 3; ++i)
    readSource(wave, instr, i, width == 16 ? Type::B16 : Type::B32, s[i]);
  alignas(64) uint32_t out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint32_t bits[3] = {s[0].row[0][lane], s[1].row[0][lane], s[2].row[0][lane]}, result = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (instr.bitop3 >> row & 1)
        result |= (row & 4 ? bits[0] : ~bits[0]) & (row & 2 ? bits[1] : ~bits[1]) &
                  (row & 1 ? bits[2] : ~bits[2]);
    out[lane] = width == 16 ? result & 0xffff : result;
  }
  if (width == 16)
    write16(wave, instr, instr.dst[0].reg, out, writeMask(wave, instr));
  else
    writeRow(wave, instr, instr.dst[0].reg, out, writeMask(wave, instr));
}

/// Swaps both registers, lane by lane.
void execSwap(Wave &wave, const Instr &instr) {
  uint32_t *a = wave.v[instr.dst[0].reg], *b = wave.v[instr.src[0].reg];
  forEachActiveLane(wave.exec(), [&](unsigned lane) { std::swap(a[lane], b[lane]); });
}

/// Swaps odd rows of D with even rows of S0; a row is 16 (32) lanes: D[16..31] <-> S0[0..15] and so
/// on. CDNA4 ISA, v_permlane16_swap_b32 and v_permlane32_swap_b32. A pair is swapped where the
/// lanes are active.
template <unsigned rowLanes> void execPermlaneSwap(Wave &wave, const Instr &instr) {
  uint32_t *d = wave.v[instr.dst[0].reg], *s = wave.v[instr.src[0].reg];
  uint64_t exec = wave.exec();
  for (unsigned base = 0; base < numLanes; base += 2 * rowLanes)
    for (unsigned i = 0; i < rowLanes; ++i) {
      unsigned even = base + i, odd = even + rowLanes;
      uint32_t fromD = d[odd], fromS = s[even];
      if (exec >> odd & 1)
        d[odd] = fromS;
      if (exec >> even & 1)
        s[even] = fromD;
    }
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags = 0) {
  OpInfo op;
  op.name = name;
  op.exec = exec;
  op.form = form;
  op.flags = flags | isValu;
  op.src[0] = op.src[1] = op.dst = Type::B32;
  return op;
}

const OpInfo table[] = {
    row("v_readfirstlane_b32", execReadFirstLane, "d0", readsExec),
    row("v_readlane_b32", execReadLane, "d01", ignoresExec),
    row("v_writelane_b32", execWriteLane, "d01", ignoresExec),
    row("v_mbcnt_lo_u32_b32", execMbcnt<false>, "d01", readsExec),
    row("v_mbcnt_hi_u32_b32", execMbcnt<true>, "d01", readsExec),
    row("v_bitop3_b32", execBitop3<32>, "d012", readsExec),
    row("v_bitop3_b16", execBitop3<16>, "d012", readsExec | preservesHigh),
    row("v_swap_b32", execSwap, "d0", readsExec | writesBothOperands),
    row("v_permlane16_swap_b32", execPermlaneSwap<16>, "d0", readsExec | writesBothOperands),
    row("v_permlane32_swap_b32", execPermlaneSwap<32>, "d0", readsExec | writesBothOperands),
    row(
        "v_nop", [](Wave &, const Instr &) {}, ""),
    row( // exceptions are not recorded
        "v_clrexcp", [](Wave &, const Instr &) {}, ""),
};

} // namespace

llvm::ArrayRef<OpInfo> vopCrossLaneOps() { return table; }

} // namespace tilec::sim
