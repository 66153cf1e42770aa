//===- Vop3p.cpp - packed math, mixed precision and dot products ----------===//
//
// op_sel picks the half (or register) that the low result reads, op_sel_hi the one
// of the high result; neg_lo and neg_hi likewise.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "HostClones.h"
#include "Vop.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilec::sim {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;

/// Both 16-bit halves of a source as the low and high results see them.
struct Halves {
  u16 low[numLanes], high[numLanes];
};
void readHalves(const Wave &wave, const Instr &instr, unsigned index, Halves &out) {
  Source s;
  readSource(wave, instr, index, Type::B32, s);
  unsigned lowShift = instr.opSel >> index & 1 ? 16 : 0;
  unsigned highShift = instr.opSelHi >> index & 1 ? 16 : 0;
  u16 flipLow = instr.negLo >> index & 1 ? 0x8000 : 0,
      flipHigh = instr.negHi >> index & 1 ? 0x8000 : 0;
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    out.low[lane] = static_cast<u16>(s.row[0][lane] >> lowShift) ^ flipLow;
    out.high[lane] = static_cast<u16>(s.row[0][lane] >> highShift) ^ flipHigh;
  }
}

template <class T> T as(u16 bits) {
  if constexpr (std::is_same_v<T, float>)
    return f32FromF16(bits);
  else
    return static_cast<T>(bits);
}
u16 bitsOf16(float value, bool clamp) {
  if (clamp)
    value = value > 1 ? 1.0f : value > 0 ? value : 0.0f;
  return f16FromF32(value);
}
u16 bitsOf16(u16 value, bool) { return value; }
u16 bitsOf16(i16 value, bool) { return static_cast<u16>(value); }

template <auto F, class R, class... A> struct Packed {
  template <size_t... I>
  static void run(Wave &wave, const Instr &instr, std::index_sequence<I...>) {
    Halves in[sizeof...(A)];
    (readHalves(wave, instr, I, in[I]), ...);
    alignas(64) u32 out[numLanes];
    for (unsigned lane = 0; lane < numLanes; ++lane)
      out[lane] = bitsOf16(F(as<A>(in[I].low[lane])...), instr.clamp) |
                  u32(bitsOf16(F(as<A>(in[I].high[lane])...), instr.clamp)) << 16;
    writeRow(wave, instr, instr.dst[0].reg, out, writeMask(wave, instr));
  }
  static void exec(Wave &wave, const Instr &instr) {
    run(wave, instr, std::index_sequence_for<A...>());
  }
};
template <auto F, class S> struct PackedOf;
template <auto F, class R, class... A> struct PackedOf<F, R (*)(A...)> : Packed<F, R, A...> {
  static constexpr unsigned arity = sizeof...(A);
  static constexpr bool isFloat = std::is_same_v<R, float>;
};
template <auto F> constexpr OpInfo packed(const char *name, uint32_t flags = 0) {
  using P = PackedOf<F, decltype(+F)>;
  OpInfo op;
  op.name = name;
  op.exec = P::exec;
  constexpr const char *forms[] = {"", "d0", "d01", "d012"};
  op.form = forms[P::arity - (flags & readsDst ? 1 : 0)];
  op.flags = flags | isValu | readsExec | isPackedMath;
  op.src[0] = op.src[1] = op.src[2] = op.dst = P::isFloat ? Type::Packed16 : Type::B32;
  return op;
}

// ---- packed f32 --------------------------------------------------------------------------------

struct Pair {
  alignas(64) float low[numLanes], high[numLanes];
};
void readPair(const Wave &wave, const Instr &instr, unsigned index, Pair &out) {
  Source s;
  readSource(wave, instr, index, Type::B64, s);
  unsigned lowAt = instr.opSel >> index & 1, highAt = instr.opSelHi >> index & 1;
  u32 flipLow = (instr.negLo >> index & 1u) << 31, flipHigh = (instr.negHi >> index & 1u) << 31;
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    out.low[lane] = f32Of(s.row[lowAt][lane] ^ flipLow);
    out.high[lane] = f32Of(s.row[highAt][lane] ^ flipHigh);
  }
}
enum class PkOp { Add, Mul, Fma };
TILEC_SIM_CLONES void fmaPairs(const Pair &a, const Pair &b, const Pair &c, Pair &out) {
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    out.low[lane] = __builtin_fmaf(a.low[lane], b.low[lane], c.low[lane]);
    out.high[lane] = __builtin_fmaf(a.high[lane], b.high[lane], c.high[lane]);
  }
}
template <PkOp op> void execPk32(Wave &wave, const Instr &instr) {
  Pair a, b, c, out;
  readPair(wave, instr, 0, a);
  readPair(wave, instr, 1, b);
  if (op == PkOp::Fma) {
    readPair(wave, instr, 2, c);
    fmaPairs(a, b, c, out);
  } else {
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      out.low[lane] = op == PkOp::Add ? a.low[lane] + b.low[lane] : a.low[lane] * b.low[lane];
      out.high[lane] = op == PkOp::Add ? a.high[lane] + b.high[lane] : a.high[lane] * b.high[lane];
    }
  }
  if (instr.clamp) {
    modifyResult(wave, instr, out.low);
    modifyResult(wave, instr, out.high);
  }
  uint64_t mask = writeMask(wave, instr);
  u32 bits[numLanes];
  std::memcpy(bits, out.low, sizeof(bits));
  writeRow(wave, instr, instr.dst[0].reg, bits, mask);
  std::memcpy(bits, out.high, sizeof(bits));
  writeRow(wave, instr, static_cast<uint16_t>(instr.dst[0].reg + 1), bits, mask);
}
/// D.low = S0[op_sel[0]], D.high = S1[op_sel[1]]
void execPkMov(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::B64, a);
  readSource(wave, instr, 1, Type::B64, b);
  u32 low[numLanes], high[numLanes];
  std::memcpy(low, a.row[instr.opSel & 1], sizeof(low));
  std::memcpy(high, b.row[instr.opSel >> 1 & 1], sizeof(high));
  uint64_t mask = writeMask(wave, instr);
  writeRow(wave, instr, instr.dst[0].reg, low, mask);
  writeRow(wave, instr, static_cast<uint16_t>(instr.dst[0].reg + 1), high, mask);
}

// ---- mixed precision: each source is f32, or (op_sel_hi) the f16 half that op_sel names
// ----------

void readMixed(const Wave &wave, const Instr &instr, unsigned index, float *out) {
  Source s;
  Instr plain = instr;
  plain.src[index].neg = plain.src[index].abs = false;
  readSource(wave, plain, index, Type::B32, s);
  bool isHalf = instr.opSelHi >> index & 1;
  unsigned shift = instr.opSel >> index & 1 ? 16 : 0;
  bool neg = instr.src[index].neg || (instr.negLo >> index & 1);
  bool abs = instr.src[index].abs || (instr.negHi >> index & 1);
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    float x = isHalf ? f32FromF16(s.row[0][lane] >> shift & 0xffff) : f32Of(s.row[0][lane]);
    x = abs ? std::fabs(x) : x;
    out[lane] = neg ? -x : x;
  }
}
enum class MixTo { F32, Low, High };
template <MixTo to> void execMix(Wave &wave, const Instr &instr) {
  float a[numLanes], b[numLanes], c[numLanes];
  readMixed(wave, instr, 0, a);
  readMixed(wave, instr, 1, b);
  readMixed(wave, instr, 2, c);
  alignas(64) float out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    out[lane] = std::fma(a[lane], b[lane], c[lane]);
  if (instr.clamp)
    modifyResult(wave, instr, out);
  uint32_t *row = wave.v[instr.dst[0].reg];
  forEachActiveLane(writeMask(wave, instr), [&](unsigned lane) {
    if (to == MixTo::F32)
      row[lane] = bitsOf(out[lane]);
    else if (to == MixTo::Low)
      row[lane] = (row[lane] & 0xffff0000u) | f16FromF32(out[lane]);
    else
      row[lane] = (row[lane] & 0xffffu) | u32(f16FromF32(out[lane])) << 16;
  });
}

// ---- dot products: D = sum of products + S2
// ------------------------------------------------------

template <unsigned bits, bool isSigned> i32 element(u32 word, unsigned i) {
  u32 raw = word >> (bits * i) & ((1u << bits) - 1);
  return isSigned ? signExtend(raw, bits) : static_cast<i32>(raw);
}
template <unsigned bits, bool isSigned> u32 dotInt(u32 a, u32 b, u32 c, bool clamp) {
  int64_t sum = isSigned ? static_cast<i32>(c) : static_cast<int64_t>(c);
  for (unsigned i = 0; i < 32 / bits; ++i)
    sum += static_cast<int64_t>(element<bits, isSigned>(a, i)) * element<bits, isSigned>(b, i);
  if (clamp)
    sum = isSigned ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                   : std::clamp<int64_t>(sum, 0, UINT32_MAX);
  return static_cast<u32>(sum);
}
template <unsigned bits, bool isSigned> void execDotInt(Wave &wave, const Instr &instr) {
  Source s[3];
  for (unsigned i = 0; i < 3; ++i)
    readSource(wave, instr, i, Type::B32, s[i]);
  alignas(64) u32 out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    out[lane] = dotInt<bits, isSigned>(s[0].row[0][lane], s[1].row[0][lane], s[2].row[0][lane],
                                       instr.clamp);
  writeRow(wave, instr, instr.dst[0].reg, out, writeMask(wave, instr));
}
/// f16 or bf16 pairs; products and sums in f32, low element first.
template <bool bf16> void execDot2(Wave &wave, const Instr &instr) {
  Halves a, b;
  readHalves(wave, instr, 0, a);
  readHalves(wave, instr, 1, b);
  Source c;
  readSource(wave, instr, 2, Type::F32, c);
  auto value = [](u16 x) { return bf16 ? f32FromBf16(x) : f32FromF16(x); };
  u32 flip = (instr.negLo >> 2 & 1u) << 31;
  alignas(64) float out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    float sum = std::fma(value(a.low[lane]), value(b.low[lane]), f32Of(c.row[0][lane] ^ flip));
    out[lane] = std::fma(value(a.high[lane]), value(b.high[lane]), sum);
  }
  if (instr.clamp)
    modifyResult(wave, instr, out);
  u32 bits[numLanes];
  std::memcpy(bits, out, sizeof(bits));
  writeRow(wave, instr, instr.dst[0].reg, bits, writeMask(wave, instr));
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, Type type,
                     uint32_t flags = isPackedMath) {
  return valuRow(name, exec, form, type, flags);
}

float minF(float a, float b) { return std::fmin(a, b); }
float maxF(float a, float b) { return std::fmax(a, b); }
// IEEE 754-2019: a NaN wins, -0 is less than 0.
float minimumF(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<float>::quiet_NaN()
         : a == b                       ? (std::signbit(a) ? a : b)
                                        : std::min(a, b);
}
float maximumF(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<float>::quiet_NaN()
                                        : -minimumF(-a, -b);
}

const OpInfo table[] = {
    packed<[](float a, float b) -> float { return a + b; }>("v_pk_add_f16"),
    packed<[](float a, float b) -> float { return a * b; }>("v_pk_mul_f16"),
    packed<[](float a, float b) -> float { return minF(a, b); }>("v_pk_min_f16"),
    packed<[](float a, float b) -> float { return maxF(a, b); }>("v_pk_max_f16"),
    packed<[](float a, float b, float c) -> float { return minimumF(minimumF(a, b), c); }>(
        "v_pk_minimum3_f16"),
    packed<[](float a, float b, float c) -> float { return maximumF(maximumF(a, b), c); }>(
        "v_pk_maximum3_f16"),
    packed<[](float a, float b, float c) -> float { return f32ToOdd(double(a) * b + c); }>(
        "v_pk_fma_f16"),
    packed<[](float a, float b, float c) -> float { return f32ToOdd(double(a) * b + c); }>(
        "v_pk_fmac_f16", readsDst),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a + b)); }>("v_pk_add_u16"),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a - b)); }>("v_pk_sub_u16"),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a + b)); }>("v_pk_add_i16"),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a - b)); }>("v_pk_sub_i16"),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(u32(a) * b)); }>("v_pk_mul_lo_u16"),
    packed<[](u16 a, u16 b, u16 c) -> u16 { return (static_cast<u16>(u32(a) * b + c)); }>(
        "v_pk_mad_u16"),
    packed<[](u16 a, u16 b, u16 c) -> u16 { return (static_cast<u16>(u32(a) * b + c)); }>(
        "v_pk_mad_i16"),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(b << (a & 15))); }>(
        "v_pk_lshlrev_b16"),
    packed<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(b >> (a & 15))); }>(
        "v_pk_lshrrev_b16"),
    packed<[](u16 a, i16 b) -> i16 { return (static_cast<i16>(b >> (a & 15))); }>(
        "v_pk_ashrrev_i16"),
    packed<[](i16 a, i16 b) -> i16 { return std::max(a, b); }>("v_pk_max_i16"),
    packed<[](i16 a, i16 b) -> i16 { return std::min(a, b); }>("v_pk_min_i16"),
    packed<[](u16 a, u16 b) -> u16 { return std::max(a, b); }>("v_pk_max_u16"),
    packed<[](u16 a, u16 b) -> u16 { return std::min(a, b); }>("v_pk_min_u16"),
    row("v_pk_add_f32", execPk32<PkOp::Add>, "d01", Type::Packed32),
    row("v_pk_mul_f32", execPk32<PkOp::Mul>, "d01", Type::Packed32),
    row("v_pk_fma_f32", execPk32<PkOp::Fma>, "d012", Type::Packed32),
    row("v_pk_mov_b32", execPkMov, "d01", Type::Packed32),
    row("v_fma_mix_f32", execMix<MixTo::F32>, "d012", Type::F32, 0),
    row("v_fma_mixlo_f16", execMix<MixTo::Low>, "d012", Type::F32, preservesHigh),
    row("v_fma_mixhi_f16", execMix<MixTo::High>, "d012", Type::F32, preservesHigh),
    row("v_dot2_f32_f16", execDot2<false>, "d012", Type::F32),
    row("v_dot2_f32_bf16", execDot2<true>, "d012", Type::F32),
    row("v_dot2c_f32_f16", execDot2<false>, "d01", Type::F32, readsDst),
    row("v_dot2c_f32_bf16", execDot2<true>, "d01", Type::F32, readsDst),
    row("v_dot2_i32_i16", execDotInt<16, true>, "d012", Type::B32, isPackedMath | intClamp),
    row("v_dot2_u32_u16", execDotInt<16, false>, "d012", Type::B32, isPackedMath | intClamp),
    row("v_dot2c_i32_i16", execDotInt<16, true>, "d01", Type::B32, readsDst),
    row("v_dot4_i32_i8", execDotInt<8, true>, "d012", Type::B32, isPackedMath | intClamp),
    row("v_dot4_u32_u8", execDotInt<8, false>, "d012", Type::B32, isPackedMath | intClamp),
    row("v_dot4c_i32_i8", execDotInt<8, true>, "d01", Type::B32, readsDst),
    row("v_dot8_i32_i4", execDotInt<4, true>, "d012", Type::B32, isPackedMath | intClamp),
    row("v_dot8_u32_u4", execDotInt<4, false>, "d012", Type::B32, isPackedMath | intClamp),
    row("v_dot8c_i32_i4", execDotInt<4, true>, "d01", Type::B32, readsDst),
};

} // namespace

llvm::ArrayRef<OpInfo> vop3pOps() { return table; }

} // namespace tilec::sim
