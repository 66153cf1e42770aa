//===- VopConvert.cpp - conversions ---------------------------------------===//
//
// Float to integer saturates and takes NaN to 0. f32 to f16 rounds as MODE asks only
// in nearest mode; other modes are refused at launch (Machine.cpp). fp8 is OCP on
// gfx950 and FNUZ on gfx942.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Narrow.h"
#include "Vop.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilec::sim {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using f32 = float;
using f64 = double;

template <class I, class F> I toInt(F value) {
  if (std::isnan(value))
    return 0;
  constexpr F low = static_cast<F>(std::numeric_limits<I>::min());
  constexpr F above = static_cast<F>(static_cast<double>(std::numeric_limits<I>::max()) + 1.0);
  if (value <= low)
    return std::numeric_limits<I>::min();
  if (value >= above)
    return std::numeric_limits<I>::max();
  return static_cast<I>(value);
}
u32 halves(u32 low, u32 high) { return (low & 0xffff) | high << 16; }

f32 f16TowardZero(f32 x) {
  // Clearing the bits that f16 does not keep truncates; denormals lose more bits.
  if (!std::isfinite(x))
    return x;
  f32 magnitude = std::fabs(x);
  if (magnitude >= 65504.0f)
    return std::copysign(65504.0f, x); // truncation never reaches infinity
  if (magnitude < 0x1p-14f)
    return std::copysign(std::trunc(magnitude * 0x1p24f) * 0x1p-24f, x);
  return f32Of(bitsOf(x) & ~0x1fffu);
}
u32 rtz(f32 a, f32 b) { return halves(f16FromF32(f16TowardZero(a)), f16FromF32(f16TowardZero(b))); }

i16 snorm16(f32 x) { return toInt<i16>(std::rint(std::clamp(x, -1.0f, 1.0f) * 32767.0f)); }
u16 unorm16(f32 x) { return toInt<u16>(std::rint(std::clamp(x, 0.0f, 1.0f) * 65535.0f)); }

/// One byte of S0 (SDWA or op_sel picks it) from fp8 or bf8.
template <bool isBf8> void execFromFp8(Wave &wave, const Instr &instr) {
  Source s;
  readSource(wave, instr, 0, Type::B32, s);
  unsigned byte = instr.sdwa ? 0 : (instr.opSel & 3); // op_sel bits name the byte in VOP3
  const float *values = narrowTable(wave, isBf8 ? Narrow::Bf8 : Narrow::Fp8);
  alignas(64) float out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    out[lane] = values[s.row[0][lane] >> (8 * byte) & 0xff];
  writeResult<float>(wave, instr, out, writeMask(wave, instr));
}

/// Two bytes of S0: the low or (SDWA WORD_1, op_sel[0]) the high half.
template <bool isBf8> void execPkFromFp8(Wave &wave, const Instr &instr) {
  Source s;
  readSource(wave, instr, 0, Type::B32, s);
  unsigned shift = !instr.sdwa && (instr.opSel & 1) ? 16 : 0;
  const float *values = narrowTable(wave, isBf8 ? Narrow::Bf8 : Narrow::Fp8);
  alignas(64) uint64_t out[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    u32 pair = s.row[0][lane] >> shift;
    out[lane] = bitsOf(values[pair & 0xff]) | uint64_t(bitsOf(values[pair >> 8 & 0xff])) << 32;
  }
  writeResult<uint64_t>(wave, instr, out, writeMask(wave, instr));
}

/// Two f32 to one half of D, the other half unchanged; op_sel[2] picks the half.
template <bool isBf8> void execPkToFp8(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::F32, a);
  readSource(wave, instr, 1, Type::F32, b);
  unsigned shift = instr.opSel >> 2 & 1 ? 16 : 0;
  uint32_t *to = wave.v[instr.dst[0].reg];
  forEachActiveLane(writeMask(wave, instr), [&](unsigned lane) {
    Narrow kind = isBf8 ? Narrow::Bf8 : Narrow::Fp8;
    u32 pair = encodeFp8(wave, kind, f32Of(a.row[0][lane])) |
               encodeFp8(wave, kind, f32Of(b.row[0][lane])) << 8;
    to[lane] = (to[lane] & ~(0xffffu << shift)) | pair << shift;
  });
}

/// Stochastic rounding: S1's top bits are added below the last kept bit. op_sel[3:2] picks the
/// byte.
template <bool isBf8> void execSrToFp8(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::F32, a);
  readSource(wave, instr, 1, Type::B32, b);
  unsigned shift = 8 * (instr.opSel >> 2 & 3);
  uint32_t *to = wave.v[instr.dst[0].reg];
  forEachActiveLane(writeMask(wave, instr), [&](unsigned lane) {
    u32 byte = encodeFp8Stochastic(wave, isBf8 ? Narrow::Bf8 : Narrow::Fp8, f32Of(a.row[0][lane]),
                                   b.row[0][lane]);
    to[lane] = (to[lane] & ~(0xffu << shift)) | byte << shift;
  });
}

/// The same to one half of D; op_sel[2] picks it.
template <bool bf16> void execSrToHalf(Wave &wave, const Instr &instr) {
  Source a, b;
  readSource(wave, instr, 0, Type::F32, a);
  readSource(wave, instr, 1, Type::B32, b);
  unsigned shift = instr.opSel >> 2 & 1 ? 16 : 0;
  uint32_t *to = wave.v[instr.dst[0].reg];
  forEachActiveLane(writeMask(wave, instr), [&](unsigned lane) {
    u32 half = encodeHalfStochastic(f32Of(a.row[0][lane]), bf16, b.row[0][lane]);
    to[lane] = (to[lane] & ~(0xffffu << shift)) | half << shift;
  });
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags = 0) {
  OpInfo op;
  op.name = name;
  op.exec = exec;
  op.form = form;
  op.flags = flags | isValu | readsExec;
  op.src[0] = op.src[1] = Type::F32;
  op.dst = Type::F32;
  return op;
}

const OpInfo table[] = {
    vop<[](i32 a) -> f32 { return (static_cast<f32>(a)); }>("v_cvt_f32_i32"),
    vop<[](u32 a) -> f32 { return (static_cast<f32>(a)); }>("v_cvt_f32_u32"),
    vop<[](f32 a) -> i32 { return (toInt<i32>(a)); }>("v_cvt_i32_f32"),
    vop<[](f32 a) -> u32 { return (toInt<u32>(a)); }>("v_cvt_u32_f32"),
    vop<[](f32 a) -> i32 { return (toInt<i32>(std::floor(double(a) + 0.5))); }>(
        "v_cvt_rpi_i32_f32"),
    vop<[](f32 a) -> i32 { return (toInt<i32>(std::floor(a))); }>("v_cvt_flr_i32_f32"),
    vop<[](f32 a) -> F16 { return {a}; }>("v_cvt_f16_f32"),
    vop<[](F16 a) -> f32 { return a.value; }>("v_cvt_f32_f16"),
    vop<[](BF16 a) -> f32 { return a.value; }>("v_cvt_f32_bf16"),
    vop<[](u32 a) -> f32 { return (static_cast<f32>(a & 0xff)); }>("v_cvt_f32_ubyte0"),
    vop<[](u32 a) -> f32 { return (static_cast<f32>(a >> 8 & 0xff)); }>("v_cvt_f32_ubyte1"),
    vop<[](u32 a) -> f32 { return (static_cast<f32>(a >> 16 & 0xff)); }>("v_cvt_f32_ubyte2"),
    vop<[](u32 a) -> f32 { return (static_cast<f32>(a >> 24)); }>("v_cvt_f32_ubyte3"),
    vop<[](u32 a) -> f32 { return (static_cast<f32>(signExtend(a & 15, 4)) / 16); }>(
        "v_cvt_off_f32_i4"),
    vop<[](f32 a) -> f64 { return a; }>("v_cvt_f64_f32"),
    vop<[](f64 a) -> f32 { return (static_cast<f32>(a)); }>("v_cvt_f32_f64"),
    vop<[](i32 a) -> f64 { return a; }>("v_cvt_f64_i32"),
    vop<[](u32 a) -> f64 { return a; }>("v_cvt_f64_u32"),
    vop<[](f64 a) -> i32 { return (toInt<i32>(a)); }>("v_cvt_i32_f64"),
    vop<[](f64 a) -> u32 { return (toInt<u32>(a)); }>("v_cvt_u32_f64"),
    vop<[](u16 a) -> F16 { return {(static_cast<f32>(a))}; }>("v_cvt_f16_u16"),
    vop<[](i16 a) -> F16 { return {(static_cast<f32>(a))}; }>("v_cvt_f16_i16"),
    vop<[](F16 a) -> u16 { return (toInt<u16>(a.value)); }>("v_cvt_u16_f16"),
    vop<[](F16 a) -> i16 { return (toInt<i16>(a.value)); }>("v_cvt_i16_f16"),
    vop<[](F16 a) -> i16 { return snorm16(a.value); }>("v_cvt_norm_i16_f16"),
    vop<[](F16 a) -> u16 { return unorm16(a.value); }>("v_cvt_norm_u16_f16"),
    // two results in one register
    vop<[](f32 a, f32 b) -> u32 { return rtz(a, b); }>("v_cvt_pkrtz_f16_f32"),
    vop<[](f32 a, f32 b) -> u32 { return halves(f16FromF32(a), f16FromF32(b)); }>(
        "v_cvt_pk_f16_f32"),
    vop<[](f32 a, f32 b) -> u32 { return halves(bf16FromF32(a), bf16FromF32(b)); }>(
        "v_cvt_pk_bf16_f32"),
    vop<[](f32 a, f32 b) -> u32 { return halves(u32(snorm16(a)), u32(snorm16(b))); }>(
        "v_cvt_pknorm_i16_f32"),
    vop<[](f32 a, f32 b) -> u32 { return halves(unorm16(a), unorm16(b)); }>("v_cvt_pknorm_u16_f32"),
    vop<[](u32 a, u32 b) -> u32 { return halves(std::min(a, 0xffffu), std::min(b, 0xffffu)); }>(
        "v_cvt_pk_u16_u32"),
    vop<[](i32 a, i32 b) -> u32 {
      return halves(u32(std::clamp(a, -32768, 32767)), u32(std::clamp(b, -32768, 32767)));
    }>("v_cvt_pk_i16_i32"),
    vop<[](f32 a, u32 b, u32 c) -> u32 {
      unsigned shift = 8 * (b & 3);
      return ((c & ~(0xffu << shift)) | u32(toInt<uint8_t>(std::rint(a))) << shift);
    }>("v_cvt_pk_u8_f32"),
    vop<[](u32 a) -> u32 {
      u32 low = u32(std::clamp<i32>(i16(a), 0, 255)),
          high = u32(std::clamp<i32>(i16(a >> 16), 0, 255));
      return low | high << 8;
    }>("v_sat_pk_u8_i16"),
    vop<[](i32 a, i32 b, u32 c) -> u32 {
      auto clamped = [&](i32 x) { return (u32(std::clamp(x >> (c & 31), -128, 127)) & 0xff); };
      return clamped(a) | clamped(b) << 8;
    }>("v_ashr_pk_i8_i32"),
    vop<[](i32 a, i32 b, u32 c) -> u32 {
      auto clamped = [&](i32 x) { return (u32(std::clamp(x >> (c & 31), 0, 255))); };
      return clamped(a) | clamped(b) << 8;
    }>("v_ashr_pk_u8_i32"),
    // fp8
    row("v_cvt_f32_fp8", execFromFp8<false>, "d0"),
    row("v_cvt_f32_bf8", execFromFp8<true>, "d0"),
    row("v_cvt_pk_f32_fp8", execPkFromFp8<false>, "d0"),
    row("v_cvt_pk_f32_bf8", execPkFromFp8<true>, "d0"),
    row("v_cvt_pk_fp8_f32", execPkToFp8<false>, "d01"),
    row("v_cvt_pk_bf8_f32", execPkToFp8<true>, "d01"),
    row("v_cvt_sr_fp8_f32", execSrToFp8<false>, "d01"),
    row("v_cvt_sr_bf8_f32", execSrToFp8<true>, "d01"),
    row("v_cvt_sr_f16_f32", execSrToHalf<false>, "d01", preservesHigh),
    row("v_cvt_sr_bf16_f32", execSrToHalf<true>, "d01", preservesHigh),
};

} // namespace

llvm::ArrayRef<OpInfo> vopConvertOps() { return table; }

} // namespace tilec::sim
