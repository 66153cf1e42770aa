//===- Vop.cpp - operands and results of vector operations ----------------===//
//
// CDNA3 ISA sections 6 (vector ALU), 13.3.9 (SDWA) and 13.3.10 (DPP).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Vop.h"

#include <cfenv>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tilec::sim {
namespace {

/// The lane that `lane` reads, or -1 when there is none.
int dppSourceLane(const Instr &instr, int lane) {
  int row = lane & ~15, in = lane & 15, n = instr.dppArg;
  auto inRow = [&](int at) { return at >= 0 && at < 16 ? row + at : -1; };
  switch (instr.dpp) {
  case DppKind::QuadPerm:
    return (lane & ~3) | (n >> (2 * (lane & 3)) & 3);
  case DppKind::RowShl:
    return inRow(in + n);
  case DppKind::RowShr:
    return inRow(in - n);
  case DppKind::RowRor:
    return row + ((in - n) & 15);
  case DppKind::WaveShl:
    return lane < 63 ? lane + 1 : -1;
  case DppKind::WaveRol:
    return (lane + 1) & 63;
  case DppKind::WaveShr:
    return lane - 1;
  case DppKind::WaveRor:
    return (lane - 1) & 63;
  case DppKind::RowMirror:
    return row + 15 - in;
  case DppKind::RowHalfMirror:
    return (lane & ~7) + 7 - (lane & 7);
  case DppKind::RowBcast15:
    return lane >= 16 ? row - 1 : -1;
  case DppKind::RowBcast31:
    return lane >= 32 ? 31 : -1;
  case DppKind::RowNewBcast:
    return row + n;
  case DppKind::None:
    break;
  }
  return lane;
}

/// A lane that is out of range, or off in exec, gives no data: the reader gets 0 with bound_ctrl
/// and is not written without.
bool dppValid(const Wave &wave, int from) { return from >= 0 && (wave.exec() >> from & 1); }

void applyDpp(const Wave &wave, const Instr &instr, const uint32_t *from, uint32_t *to) {
  for (int lane = 0; lane < int(numLanes); ++lane) {
    int at = dppSourceLane(instr, lane);
    to[lane] = dppValid(wave, at) ? from[at] : 0;
  }
}

uint32_t selectBits(uint32_t value, Sel sel, bool sext) {
  switch (sel) {
  case Sel::Dword:
    return value;
  case Sel::Word0:
  case Sel::Word1: {
    uint32_t word = value >> (sel == Sel::Word1 ? 16 : 0) & 0xffff;
    return sext ? static_cast<uint32_t>(signExtend(word, 16)) : word;
  }
  default: {
    unsigned byte = static_cast<unsigned>(sel) - static_cast<unsigned>(Sel::Byte0);
    uint32_t b = value >> (8 * byte) & 0xff;
    return sext ? static_cast<uint32_t>(signExtend(b, 8)) : b;
  }
  }
}

uint32_t signBitOf(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::B16 ? 0x8000u : 0x80000000u;
}

/// Registers of one dword of the operand as a row.
const uint32_t *rowOf(const Wave &wave, const Operand &operand, unsigned dword, uint32_t *buffer) {
  if (operand.isVgpr())
    return wave.v[operand.reg + dword];
  uint64_t bits;
  if (operand.isSgpr())
    bits = operand.dwords > dword
               ? static_cast<uint64_t>(wave.s[operand.reg + dword]) << (32 * dword)
               : 0;
  else if (operand.isImm())
    bits = operand.imm;
  else
    bits = scalar32(wave, operand);
  auto value = static_cast<uint32_t>(bits >> (32 * dword));
  for (unsigned lane = 0; lane < numLanes; ++lane)
    buffer[lane] = value;
  return buffer;
}

} // namespace

void readSource(const Wave &wave, const Instr &instr, unsigned index, Type type, Source &source) {
  const Operand &operand = instr.src[index];
  bool wide = type == Type::F64 || type == Type::B64 || type == Type::I64;
  bool narrow = type == Type::F16 || type == Type::BF16 || type == Type::B16;
  source.row[0] = rowOf(wave, operand, 0, source.buffer[0]);
  if (wide)
    source.row[1] = rowOf(wave, operand, 1, source.buffer[1]);
  if (index == 0 && instr.dpp != DppKind::None) {
    for (unsigned dword = 0; dword <= unsigned(wide); ++dword) {
      uint32_t moved[numLanes];
      applyDpp(wave, instr, source.row[dword], moved);
      std::memcpy(source.buffer[dword], moved, sizeof(moved));
      source.row[dword] = source.buffer[dword];
    }
  }
  if (operand.sel != Sel::Dword || operand.sext) {
    for (unsigned lane = 0; lane < numLanes; ++lane)
      source.buffer[0][lane] = selectBits(source.row[0][lane], operand.sel, operand.sext);
    source.row[0] = source.buffer[0];
  }
  if (narrow && !instr.sdwa && (instr.opSel >> index & 1)) {
    for (unsigned lane = 0; lane < numLanes; ++lane)
      source.buffer[0][lane] = source.row[0][lane] >> 16;
    source.row[0] = source.buffer[0];
  }
  if (operand.neg || operand.abs) {
    uint32_t sign = signBitOf(type);
    uint32_t clear = operand.abs ? ~sign : ~0u, flip = operand.neg ? sign : 0;
    unsigned dword = wide ? 1 : 0;
    for (unsigned lane = 0; lane < numLanes; ++lane)
      source.buffer[dword][lane] = (source.row[dword][lane] & clear) ^ flip;
    source.row[dword] = source.buffer[dword];
  }
}

uint64_t writeMask(const Wave &wave, const Instr &instr) {
  uint64_t mask = wave.exec();
  if (instr.dpp == DppKind::None)
    return mask;
  for (int lane = 0; lane < int(numLanes); ++lane) {
    bool masked = !(instr.rowMask >> (lane >> 4) & 1) || !(instr.bankMask >> (lane >> 2 & 3) & 1);
    if (masked || (!instr.boundCtrl && !dppValid(wave, dppSourceLane(instr, lane))))
      mask &= ~(1ull << lane);
  }
  return mask;
}

static void storeRow(uint32_t *to, const uint32_t *from, uint64_t mask) {
  if (mask == ~0ull) {
    std::memcpy(to, from, sizeof(Row));
    return;
  }
  forEachActiveLane(mask, [&](unsigned lane) { to[lane] = from[lane]; });
}

/// SDWA: the selected part of the destination gets the result's low bits.
static uint32_t placeSdwa(const Instr &instr, uint32_t old, uint32_t value) {
  unsigned shift = 0, bits = 32;
  switch (instr.dstSel) {
  case Sel::Dword:
    return value;
  case Sel::Word0:
  case Sel::Word1:
    bits = 16;
    shift = instr.dstSel == Sel::Word1 ? 16 : 0;
    break;
  default:
    bits = 8;
    shift = 8 * (static_cast<unsigned>(instr.dstSel) - static_cast<unsigned>(Sel::Byte0));
  }
  uint32_t field = ((1u << bits) - 1) << shift;
  uint32_t placed = value << shift & field;
  switch (instr.dstUnused) {
  case SdwaUnused::Pad:
    return placed;
  case SdwaUnused::Sext: {
    uint32_t above = ~((field - (1u << shift)) | field | ((1u << shift) - 1));
    bool negative = value >> (bits - 1) & 1;
    return placed | (negative ? above : 0);
  }
  case SdwaUnused::Preserve:
    return placed | (old & ~field);
  }
  return placed;
}

void writeRow(Wave &wave, const Instr &instr, uint16_t reg, const uint32_t *values, uint64_t mask) {
  uint32_t *to = wave.v[reg];
  if (instr.sdwa && instr.dstSel != Sel::Dword) {
    forEachActiveLane(mask,
                      [&](unsigned lane) { to[lane] = placeSdwa(instr, to[lane], values[lane]); });
    return;
  }
  storeRow(to, values, mask);
}

void write16(Wave &wave, const Instr &instr, uint16_t reg, const uint32_t *values, uint64_t mask) {
  if (instr.sdwa)
    return writeRow(wave, instr, reg, values, mask);
  uint32_t *to = wave.v[reg];
  bool high = instr.opSel >> instr.numSrc & 1;
  if (high)
    forEachActiveLane(mask,
                      [&](unsigned lane) { to[lane] = (to[lane] & 0xffff) | values[lane] << 16; });
  else if (instr.flags & preservesHigh)
    forEachActiveLane(mask,
                      [&](unsigned lane) { to[lane] = (to[lane] & 0xffff0000u) | values[lane]; });
  else
    storeRow(to, values, mask);
}

template <class T> static void modify(const Wave &wave, const Instr &instr, T *values) {
  constexpr T factors[] = {1, 2, 4, T(0.5)};
  constexpr uint32_t modeDx10Clamp = 1u << 8; // MODE bit 8: clamp turns NaN into 0
  T factor = factors[instr.omod & 3];
  bool nanToZero = wave.mode & modeDx10Clamp;
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    T x = values[lane] * factor;
    if (instr.clamp)
      x = std::isnan(x) ? (nanToZero ? T(0) : x) : x < T(0) ? T(0) : x > T(1) ? T(1) : x;
    values[lane] = x;
  }
}
void modifyResult(const Wave &wave, const Instr &instr, float *values) {
  modify(wave, instr, values);
}
void modifyResult(const Wave &wave, const Instr &instr, double *values) {
  modify(wave, instr, values);
}

// MODE: bits 1:0 f32 rounding, 3:2 f64/f16 rounding, 5:4 f32 denormals, 7:6 f64/f16 denormals.
// Rounding 0 nearest even, 1 +inf, 2 -inf, 3 zero; denormals bit 0 keeps inputs, bit 1 outputs.
uint32_t FloatEnv::hostControl(uint32_t mode, bool f64) {
  uint32_t round = mode >> (f64 ? 2 : 0) & 3, denormals = mode >> (f64 ? 6 : 4) & 3;
#if defined(__x86_64__)
  constexpr uint32_t roundBits[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN,
                                    _MM_ROUND_TOWARD_ZERO};
  constexpr uint32_t denormalsAreZero = 0x0040, maskAll = 0x1f80;
  return maskAll | roundBits[round] | (denormals & 1 ? 0 : denormalsAreZero) |
         (denormals & 2 ? 0 : _MM_FLUSH_ZERO_ON);
#elif defined(__aarch64__)
  constexpr uint32_t roundBits[] = {0u, 1u << 22, 2u << 22, 3u << 22};
  return roundBits[round] | (denormals == 3 ? 0 : 1u << 24); // FPCR.FZ: both directions
#else
#error "the simulator needs to know how to set this host's floating-point mode"
#endif
}

FloatEnv::FloatEnv(uint32_t control) {
#if defined(__x86_64__)
  saved = _mm_getcsr();
  _mm_setcsr(control);
#else
  uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  saved = static_cast<uint32_t>(fpcr);
  asm volatile("msr fpcr, %0" ::"r"(static_cast<uint64_t>(control)));
#endif
}
FloatEnv::~FloatEnv() {
#if defined(__x86_64__)
  _mm_setcsr(saved);
#else
  asm volatile("msr fpcr, %0" ::"r"(static_cast<uint64_t>(saved)));
#endif
}

} // namespace tilec::sim
