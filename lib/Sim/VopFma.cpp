//===- VopFma.cpp - fused multiply-add, carries and selects ---------------===//
//
// Fused operations must round once on every host, so the loop over lanes is cloned
// for hosts with an FMA instruction; elsewhere the C library emulates it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "HostClones.h"
#include "Vop.h"

#include <cmath>

namespace tilec::sim {
namespace {

TILEC_SIM_CLONES void fmaLanes(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                               float *out) {
  for (unsigned lane = 0; lane < numLanes; ++lane)
    out[lane] = __builtin_fmaf(f32Of(a[lane]), f32Of(b[lane]), f32Of(c[lane]));
}

/// D = S0 * S1 + S2
void execFma(Wave &wave, const Instr &instr) {
  Source s[3];
  for (unsigned i = 0; i < 3; ++i)
    readSource(wave, instr, i, Type::F32, s[i]);
  alignas(64) float out[numLanes];
  fmaLanes(s[0].row[0], s[1].row[0], s[2].row[0], out);
  writeResult<float>(wave, instr, out, writeMask(wave, instr));
}

constexpr OpInfo fmaRow(const char *name, const char *form, uint32_t flags = 0) {
  OpInfo op;
  op.name = name;
  op.exec = execFma;
  op.form = form;
  op.flags = flags | isValu | readsExec;
  op.src[0] = op.src[1] = op.src[2] = op.dst = Type::F32;
  return op;
}

/// The 64-bit mask that an SGPR pair (vcc or any) holds.
uint64_t maskOf(const Wave &wave, const Operand &operand) { return scalar64(wave, operand); }

/// D = VCC or mask ? S1 : S0
void execCndmask(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::B32, a);
  readSource(wave, instr, 1, Type::B32, b);
  uint64_t mask = maskOf(wave, instr.src[2]);
  alignas(64) uint32_t out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    out[lane] = mask >> lane & 1 ? b.row[0][lane] : a.row[0][lane];
  writeResult<uint32_t>(wave, instr, out, writeMask(wave, instr));
}

enum class Carry { Add, Sub, SubRev };

/// D = S0 +- S1 (+- carry in); carry or borrow of active lanes to the mask register, 0 for others.
template <Carry kind, bool carryIn> void execCarry(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::B32, a);
  readSource(wave, instr, 1, Type::B32, b);
  uint64_t in = carryIn ? maskOf(wave, instr.src[2]) : 0, carry = 0;
  alignas(64) uint32_t out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint64_t x = a.row[0][lane], y = b.row[0][lane], c = in >> lane & 1;
    if (kind == Carry::SubRev)
      std::swap(x, y);
    uint64_t result = kind == Carry::Add ? x + y + c : x - y - c;
    out[lane] = static_cast<uint32_t>(result);
    carry |= (result >> 32 & 1) << lane;
  }
  uint64_t mask = writeMask(wave, instr);
  wave.setPair(instr.dst[1].reg, carry & mask);
  writeResult<uint32_t>(wave, instr, out, mask);
}

/// D(64) = S0 * S1 + S2; carry out (of the 65-bit sum) to the mask register.
template <bool isSigned> void execMad64(Wave &wave, const Instr &instr) {
  Source a, b, c;
  readSource(wave, instr, 0, Type::B32, a);
  readSource(wave, instr, 1, Type::B32, b);
  readSource(wave, instr, 2, isSigned ? Type::I64 : Type::B64, c);
  uint64_t carry = 0;
  alignas(64) uint64_t out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint64_t addend = laneOf<uint64_t>(c, lane);
    uint64_t product = isSigned
                           ? static_cast<uint64_t>(static_cast<int64_t>(laneOf<int32_t>(a, lane)) *
                                                   laneOf<int32_t>(b, lane))
                           : static_cast<uint64_t>(a.row[0][lane]) * b.row[0][lane];
    out[lane] = product + addend;
    int64_t sum;
    bool over = isSigned ? __builtin_add_overflow(static_cast<int64_t>(product),
                                                  static_cast<int64_t>(addend), &sum)
                         : out[lane] < product;
    carry |= static_cast<uint64_t>(over) << lane;
  }
  uint64_t mask = writeMask(wave, instr);
  wave.setPair(instr.dst[1].reg, carry & mask);
  writeResult<uint64_t>(wave, instr, out, mask);
}

// v_div_scale: scales S0 so that the division iteration neither over- nor underflows; VCC tells
// v_div_fmas to undo it. S0 is the denominator (S1) or the numerator (S2).
template <class T> struct DivScale {
  static constexpr int expBias = sizeof(T) == 4 ? 127 : 1023;
  static constexpr int bigDifference = sizeof(T) == 4 ? 96 : 768;
  static constexpr int tinyNumerator = sizeof(T) == 4 ? 23 : 53;
  static constexpr int step = sizeof(T) == 4 ? 64 : 128;
  static int exponent(T x) {
    if (x == 0 || !std::isfinite(x))
      return x == 0 ? 0 : 2 * expBias + 1;
    int e;
    (void)std::frexp(x, &e);
    return std::max(e - 1 + expBias, 0); // biased, 0 for denormals
  }
  static bool denormal(T x) { return x != 0 && std::fabs(x) < std::numeric_limits<T>::min(); }

  static T apply(T s0, T den, T num, bool &scaled) {
    scaled = false;
    bool isDen = s0 == den || std::isnan(s0);
    if (num == 0 || den == 0)
      return std::numeric_limits<T>::quiet_NaN();
    if (exponent(num) - exponent(den) >= bigDifference) {
      scaled = true; // num / den overflows
      return isDen ? std::ldexp(s0, step) : s0;
    }
    if (denormal(den))
      return std::ldexp(s0, step);
    bool reciprocalDenormal = denormal(T(1) / den), quotientDenormal = denormal(num / den);
    if (reciprocalDenormal && quotientDenormal) {
      scaled = true; // v_div_fmas will multiply by 2^-step: the quotient has to grow
      return isDen ? std::ldexp(s0, -step) : s0;
    }
    if (reciprocalDenormal)
      return std::ldexp(s0, -step);
    if (quotientDenormal) {
      scaled = true;
      return isDen ? s0 : std::ldexp(s0, step);
    }
    if (exponent(num) <= tinyNumerator)
      return std::ldexp(s0, step);
    return s0;
  }
};

template <class T> void execDivScale(Wave &wave, const Instr &instr) {
  Source s[3];
  for (unsigned i = 0; i < 3; ++i)
    readSource(wave, instr, i, TypeTraits<T>::type, s[i]);
  uint64_t vcc = 0;
  alignas(64) T out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    bool scaled;
    out[lane] = DivScale<T>::apply(laneOf<T>(s[0], lane), laneOf<T>(s[1], lane),
                                   laneOf<T>(s[2], lane), scaled);
    vcc |= static_cast<uint64_t>(scaled) << lane;
  }
  uint64_t mask = writeMask(wave, instr);
  wave.setPair(instr.dst[1].reg, vcc & mask);
  writeResult<T>(wave, instr, out, mask);
}

/// D = S0 * S1 + S2, times 2^32 (f64: 2^64) where VCC is set. The scale is a power of two below or
/// above by the exponent of S2, so that v_div_scale is undone.
template <class T> void execDivFmas(Wave &wave, const Instr &instr) {
  Source s[3];
  for (unsigned i = 0; i < 3; ++i)
    readSource(wave, instr, i, TypeTraits<T>::type, s[i]);
  uint64_t vcc = wave.vcc();
  constexpr int step = sizeof(T) == 4 ? 64 : 128;
  alignas(64) T out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    T c = laneOf<T>(s[2], lane);
    // Rounded once, at the end: to a denormal number with fewer bits.
    using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
    bool isScaled = vcc >> lane & 1;
    Wide sum = std::fma(Wide(laneOf<T>(s[0], lane)), Wide(laneOf<T>(s[1], lane)), Wide(c));
    int by = std::fabs(c) >= T(2) ? step : -step;
    out[lane] = isScaled ? static_cast<T>(std::ldexp(sum, by))
                         : std::fma(laneOf<T>(s[0], lane), laneOf<T>(s[1], lane), c);
  }
  writeResult<T>(wave, instr, out, writeMask(wave, instr));
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags = 0,
                     Type type = Type::B32) {
  return valuRow(name, exec, form, type, flags);
}
constexpr OpInfo carryRow(const char *name, ExecFn exec, const char *form, uint32_t flags = 0) {
  OpInfo op = row(name, exec, form, flags);
  op.src[2] = Type::B64;
  return op;
}
constexpr OpInfo madRow(const char *name, ExecFn exec, Type addend) {
  OpInfo op = row(name, exec, "dD012");
  op.src[2] = op.dst = addend;
  return op;
}

/// Product and sum are exact in f64 but for bits that cannot decide the rounding.
F16 fmaF16(F16 a, F16 b, F16 c) {
  return {f32ToOdd(std::fma(double(a.value), double(b.value), double(c.value)))};
}
float withoutDenormal(float x) {
  constexpr float smallestNormalF16 = 0x1p-14f;
  return std::fabs(x) < smallestNormalF16 ? std::copysign(0.0f, x) : x;
}
/// Not fused: product and sum are rounded, each of the three operands and both results without
/// denormals, whatever MODE says. LLVM uses these instructions in place of v_mul and v_add (its
/// ISD::FMAD), so they give the same bits.
F16 madF16(F16 a, F16 b, F16 c) {
  float product = withoutDenormal(a.value) * withoutDenormal(b.value); // exact
  product = withoutDenormal(f32FromF16(f16FromF32(product)));
  // Rounding the sum to f32 first does no harm: f32 has more than twice the bits of f16.
  float sum = product + withoutDenormal(c.value);
  return {withoutDenormal(f32FromF16(f16FromF32(sum)))};
}

const OpInfo table[] = {
    fmaRow("v_fma_f32", "d012"),
    fmaRow("v_fmac_f32", "d01", readsDst),
    fmaRow("v_fmamk_f32", "d012"), // D = S0 * K + S1, operands in this order
    fmaRow("v_fmaak_f32", "d012"), // D = S0 * S1 + K
    vop<[](F16 a, F16 b, F16 c) -> F16 { return fmaF16(a, b, c); }>("v_fma_f16", preservesHigh),
    // legacy: the other half becomes 0
    vop<[](F16 a, F16 b, F16 c) -> F16 { return fmaF16(a, b, c); }>("v_fma_legacy_f16"),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return madF16(a, b, c); }>("v_mad_f16", preservesHigh),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return madF16(a, b, c); }>("v_mad_legacy_f16"),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return madF16(a, b, c); }>("v_mac_f16", readsDst),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return madF16(a, b, c); }>("v_madmk_f16"), // S0 * K + S1
    vop<[](F16 a, F16 b, F16 c) -> F16 { return madF16(a, b, c); }>("v_madak_f16"), // S0 * S1 + K
    carryRow("v_cndmask_b32", execCndmask, "d012", isSelect),
    row("v_add_co_u32", execCarry<Carry::Add, false>, "dD01"),
    row("v_sub_co_u32", execCarry<Carry::Sub, false>, "dD01"),
    row("v_subrev_co_u32", execCarry<Carry::SubRev, false>, "dD01"),
    carryRow("v_addc_co_u32", execCarry<Carry::Add, true>, "dD012"),
    carryRow("v_subb_co_u32", execCarry<Carry::Sub, true>, "dD012"),
    carryRow("v_subbrev_co_u32", execCarry<Carry::SubRev, true>, "dD012"),
    madRow("v_mad_u64_u32", execMad64<false>, Type::B64),
    madRow("v_mad_i64_i32", execMad64<true>, Type::I64),
    row("v_div_scale_f32", execDivScale<float>, "dD012", 0, Type::F32),
    row("v_div_scale_f64", execDivScale<double>, "dD012", isF64, Type::F64),
    row("v_div_fmas_f32", execDivFmas<float>, "d012", readsVcc, Type::F32),
    row("v_div_fmas_f64", execDivFmas<double>, "d012", readsVcc | isF64, Type::F64),
};

} // namespace

llvm::ArrayRef<OpInfo> vopFmaOps() { return table; }

} // namespace tilec::sim
