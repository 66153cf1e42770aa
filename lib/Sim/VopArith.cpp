//===- VopArith.cpp - vector arithmetic, one line an operation ------------===//
//
// VOP1, VOP2 and VOP3 operations that work on each lane alone. Formulas as in
// "AMD Instinct MI300 ISA" and "CDNA4 ISA", chapter "Instructions".
// Transcendental functions are correctly rounded or nearly so (hardware allows
// 1 ulp) and, as hardware's, flush f32 denormals; see docs/simulators/simulator.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
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
using u64 = uint64_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;

// A NaN operand loses against a number (IEEE 754-2008 minNum and maxNum); -0 is less than +0.
template <class T> T minNum(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b < a ? b : std::signbit(a) ? a : b;
}
template <class T> T maxNum(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b > a ? b : std::signbit(a) ? b : a;
}
template <class T> T med3Num(T a, T b, T c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return minNum(minNum(a, b), c);
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
template <class T> T med3(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
F16 min16(F16 a, F16 b) { return {minNum(a.value, b.value)}; }
F16 max16(F16 a, F16 b) { return {maxNum(a.value, b.value)}; }
// IEEE 754-2019 minimum and maximum: a NaN wins.
f32 minimum(f32 a, f32 b) { return std::isnan(a) ? a : std::isnan(b) ? b : minNum(a, b); }
f32 maximum(f32 a, f32 b) { return std::isnan(a) ? a : std::isnan(b) ? b : maxNum(a, b); }

f32 legacyMul(f32 a, f32 b) { return a == 0 || b == 0 ? 0.0f : a * b; }
i32 sext24(i32 x) { return x << 8 >> 8; }
u32 zext24(u32 x) { return x & 0xffffff; }

u32 bfe(u32 value, u32 offset, u32 width) {
  offset &= 31, width &= 31;
  return width == 0 ? 0 : value >> offset & ((1u << width) - 1);
}
i32 bfeSigned(i32 value, u32 offset, u32 width) {
  offset &= 31, width &= 31;
  if (width == 0)
    return 0;
  // Bits beyond the top are copies of the sign.
  return offset + width < 32 ? signExtend(static_cast<u32>(value) >> offset, width)
                             : value >> offset;
}
u32 bfi(u32 mask, u32 a, u32 b) { return (mask & a) | (~mask & b); }

/// Byte selector of v_perm_b32: bytes 0-3 are source 1, 4-7 source 0, 8-11 signs, 12 zero, else
/// 0xff.
u32 permByte(u64 data, u32 selector) {
  if (selector >= 13)
    return 0xff;
  if (selector == 12)
    return 0;
  if (selector >= 8) // sign of bytes 1, 3, 5, 7
    return data >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
  return data >> (8 * selector) & 0xff;
}
u32 perm(u32 high, u32 low, u32 selector) {
  u64 data = static_cast<u64>(high) << 32 | low;
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= permByte(data, selector >> (8 * i) & 0xff) << (8 * i);
  return result;
}

u32 sadBytes(u32 a, u32 b, u32 sum) {
  for (unsigned i = 0; i < 32; i += 8) {
    i32 d = static_cast<i32>(a >> i & 0xff) - static_cast<i32>(b >> i & 0xff);
    sum += static_cast<u32>(d < 0 ? -d : d);
  }
  return sum;
}
u32 lerp(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (unsigned i = 0; i < 32; i += 8)
    result |= (((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 & 0xff) << i;
  return result;
}

// ---- transcendental ----------------------------------------------------------------------------

f32 flush(f32 x) {
  return std::fabs(x) < std::numeric_limits<f32>::min() ? std::copysign(0.0f, x) : x;
}
f32 exp2f32(f32 x) {
  // 2^x = 2^n * e^(f ln 2), |f| <= 1/2; the series to degree 11 is exact to 2^-50.
  f64 d = flush(x);
  d = d < -160 ? -160 : d > 130 ? 130 : d; // also keeps NaN: neither comparison holds
  f64 shifted = d + 6755399441055744.0;    // 1.5 * 2^52: rounds to an integer
  f64 n = shifted - 6755399441055744.0;
  f64 t = (d - n) * 0.693147180559945309417;
  f64 p = 1 / 39916800.0;
  p = p * t + 1 / 3628800.0;
  p = p * t + 1 / 362880.0;
  p = p * t + 1 / 40320.0;
  p = p * t + 1 / 5040.0;
  p = p * t + 1 / 720.0;
  p = p * t + 1 / 120.0;
  p = p * t + 1 / 24.0;
  p = p * t + 1 / 6.0;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  u64 scale = (bitsOf(shifted) + 1023) << 52; // the low bits of `shifted` hold n
  f32 result = static_cast<f32>(p * valueOf<f64>(scale));
  result = x != x ? x : result;
  return flush(result);
}
f32 log2f32(f32 x) { return static_cast<f32>(std::log2(static_cast<f64>(flush(x)))); }
f32 rcp(f32 x) { return flush(static_cast<f32>(1.0 / flush(x))); }
f32 rsq(f32 x) { return static_cast<f32>(1.0 / std::sqrt(static_cast<f64>(flush(x)))); }
f32 sqrtf32(f32 x) { return std::sqrt(flush(x)); }
// The argument is in revolutions; beyond 256 of them hardware gives 0 and 1.
f64 radians(f64 x) { return (x - std::floor(x)) * 6.283185307179586476925; }
f32 sine(f32 x) { return std::fabs(x) > 256 ? 0.0f : static_cast<f32>(std::sin(radians(x))); }
f32 cosine(f32 x) { return std::fabs(x) > 256 ? 1.0f : static_cast<f32>(std::cos(radians(x))); }
template <class T> T fractOf(T x, T below1) { return std::fmin(x - std::floor(x), below1); }
template <class T> i32 frexpExp(T x) {
  int e = 0;
  if (std::isfinite(x))
    (void)std::frexp(x, &e);
  return e;
}
template <class T> T frexpMant(T x) {
  int e = 0;
  return std::isfinite(x) ? std::frexp(x, &e) : x;
}
template <class T> T ldexpOf(T x, i32 e) { return std::ldexp(x, std::clamp(e, -5000, 5000)); }

// ---- division: v_div_fixup patches the quotient that the scaled iteration gave -----------------

template <class T> T divFixup(T quotient, T denominator, T numerator) {
  bool sign = std::signbit(denominator) != std::signbit(numerator);
  auto signedValue = [&](T magnitude) { return sign ? -magnitude : magnitude; };
  T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  if (std::isnan(numerator))
    return numerator;
  if (std::isnan(denominator))
    return denominator;
  if ((numerator == 0 && denominator == 0) || (std::isinf(numerator) && std::isinf(denominator)))
    return nan;
  if (denominator == 0 || std::isinf(numerator))
    return signedValue(infinity);
  if (std::isinf(denominator) || numerator == 0)
    return signedValue(0);
  int eNum, eDen;
  (void)std::frexp(numerator, &eNum);
  (void)std::frexp(denominator, &eDen);
  constexpr int tiny = sizeof(T) == 4 ? -150 : -1075,
                huge = sizeof(T) == 4 ? 255 - 127 : 2047 - 1023;
  if (eNum - eDen < tiny)
    return signedValue(std::numeric_limits<T>::denorm_min() / 2); // underflows as rounding asks
  if (eNum - eDen > huge + 1)
    return signedValue(infinity);
  return signedValue(std::fabs(quotient));
}

u64 mulHigh(u32 a, u32 b) { return static_cast<u64>(a) * b >> 32; }
template <class T> T saturate(i64 value) {
  return static_cast<T>(
      std::clamp<i64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}
i32 saturate32(i64 value) { return saturate<i32>(value); }

constexpr u32 t = isTrans;

const OpInfo table[] = {
    // moves and bits
    vop<[](u32 a) -> u32 { return a; }>("v_mov_b32"),
    vop<[](u64 a) -> u64 { return a; }>("v_mov_b64"),
    vop<[](u32 a) -> u32 { return a; }>("v_accvgpr_mov_b32"),
    vop<[](u32 a) -> u32 { return a; }>("v_accvgpr_read_b32"),
    vop<[](u32 a) -> u32 { return a; }>("v_accvgpr_write_b32"),
    vop<[](u32 a) -> u32 { return ~a; }>("v_not_b32"),
    vop<[](u32 a) -> u32 { return reverseBits(a); }>("v_bfrev_b32"),
    vop<[](u32 a) -> i32 { return a ? __builtin_clz(a) : -1; }>("v_ffbh_u32"),
    vop<[](i32 a) -> i32 {
      u32 x = static_cast<u32>(a < 0 ? ~a : a); // leading bits that equal the sign
      return x ? __builtin_clz(x) : -1;
    }>("v_ffbh_i32"),
    vop<[](u32 a) -> i32 { return a ? __builtin_ctz(a) : -1; }>("v_ffbl_b32"),
    vop<[](u32 a, u32 b) -> u32 { return (static_cast<u32>(__builtin_popcount(a)) + b); }>(
        "v_bcnt_u32_b32"),
    vop<[](u32 a, u32 b) -> u32 { return a & b; }>("v_and_b32"),
    vop<[](u32 a, u32 b) -> u32 { return a | b; }>("v_or_b32"),
    vop<[](u32 a, u32 b) -> u32 { return a ^ b; }>("v_xor_b32"),
    vop<[](u32 a, u32 b) -> u32 { return ~(a ^ b); }>("v_xnor_b32"),
    vop<[](u32 a, u32 b) -> u32 { return b << (a & 31); }>("v_lshlrev_b32"),
    vop<[](u32 a, u32 b) -> u32 { return (b >> (a & 31)); }>("v_lshrrev_b32"),
    vop<[](u32 a, i32 b) -> i32 { return (b >> (a & 31)); }>("v_ashrrev_i32"),
    vop<[](u32 a, u64 b) -> u64 { return b << (a & 63); }>("v_lshlrev_b64"),
    vop<[](u32 a, u64 b) -> u64 { return (b >> (a & 63)); }>("v_lshrrev_b64"),
    vop<[](u32 a, i64 b) -> i64 { return (b >> (a & 63)); }>("v_ashrrev_i64"),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(b << (a & 15))); }>("v_lshlrev_b16"),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(b >> (a & 15))); }>("v_lshrrev_b16"),
    vop<[](u16 a, i16 b) -> i16 { return (static_cast<i16>(b >> (a & 15))); }>("v_ashrrev_i16"),
    vop<[](u32 a, u32 b) -> u32 { return ((1u << (a & 31)) - 1) << (b & 31); }>("v_bfm_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return bfe(a, b, c); }>("v_bfe_u32"),
    vop<[](i32 a, u32 b, u32 c) -> i32 { return bfeSigned(a, b, c); }>("v_bfe_i32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return bfi(a, b, c); }>("v_bfi_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return perm(a, b, c); }>("v_perm_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 {
      return (static_cast<u32>((static_cast<u64>(a) << 32 | b) >> (c & 31)));
    }>("v_alignbit_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 {
      return (static_cast<u32>((static_cast<u64>(a) << 32 | b) >> (8 * (c & 3))));
    }>("v_alignbyte_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return (a << (b & 31)) | c; }>("v_lshl_or_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return (a & b) | c; }>("v_and_or_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return a | b | c; }>("v_or3_b32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return (a ^ b) + c; }>("v_xad_u32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return lerp(a, b, c); }>("v_lerp_u8"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return sadBytes(a, b, c); }>("v_sad_u8"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return (sadBytes(a, b, 0) << 16) + c; }>("v_sad_hi_u8"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return ((a > b ? a - b : b - a) + c); }>("v_sad_u32"),
    // integers
    vop<[](u32 a, u32 b) -> u32 { return a + b; }>("v_add_u32"),
    vop<[](u32 a, u32 b) -> u32 { return a - b; }>("v_sub_u32"),
    vop<[](u32 a, u32 b) -> u32 { return b - a; }>("v_subrev_u32"),
    vop<[](u32 a, u32 b) -> u32 { return a + b; }>("v_add_i32"),
    vop<[](u32 a, u32 b) -> u32 { return a - b; }>("v_sub_i32"),
    vop<[](u32 a, u32 b) -> u32 { return a + b < a ? ~0u : a + b; }>("v_add_u32_clamp"),
    vop<[](u32 a, u32 b) -> u32 { return a < b ? 0 : a - b; }>("v_sub_u32_clamp"),
    vop<[](u32 a, u32 b) -> u32 { return b < a ? 0 : b - a; }>("v_subrev_u32_clamp"),
    vop<[](i32 a, i32 b) -> i32 { return saturate32(i64(a) + b); }>("v_add_i32_clamp"),
    vop<[](i32 a, i32 b) -> i32 { return saturate32(i64(a) - b); }>("v_sub_i32_clamp"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return a + b + c; }>("v_add3_u32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return (a << (b & 31)) + c; }>("v_lshl_add_u32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return (a + b) << (c & 31); }>("v_add_lshl_u32"),
    vop<[](u64 a, u32 b, u64 c) -> u64 { return (a << (b & 7)) + c; }>("v_lshl_add_u64"),
    vop<[](u32 a, u32 b) -> u32 { return a * b; }>("v_mul_lo_u32"),
    vop<[](u32 a, u32 b) -> u32 { return (static_cast<u32>(mulHigh(a, b))); }>("v_mul_hi_u32"),
    vop<[](i32 a, i32 b) -> i32 { return (static_cast<i32>(i64(a) * b >> 32)); }>("v_mul_hi_i32"),
    vop<[](i32 a, i32 b) -> i32 { return (static_cast<i32>(i64(sext24(a)) * sext24(b))); }>(
        "v_mul_i32_i24"),
    vop<[](i32 a, i32 b) -> i32 { return (static_cast<i32>(i64(sext24(a)) * sext24(b) >> 32)); }>(
        "v_mul_hi_i32_i24"),
    vop<[](u32 a, u32 b) -> u32 { return zext24(a) * zext24(b); }>("v_mul_u32_u24"),
    vop<[](u32 a, u32 b) -> u32 { return (static_cast<u32>(mulHigh(zext24(a), zext24(b)))); }>(
        "v_mul_hi_u32_u24"),
    vop<[](i32 a, i32 b, u32 c) -> u32 {
      return (static_cast<u32>(i64(sext24(a)) * sext24(b)) + c);
    }>("v_mad_i32_i24"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return zext24(a) * zext24(b) + c; }>("v_mad_u32_u24"),
    vop<[](i32 a, i32 b) -> i32 { return std::min(a, b); }>("v_min_i32"),
    vop<[](i32 a, i32 b) -> i32 { return std::max(a, b); }>("v_max_i32"),
    vop<[](u32 a, u32 b) -> u32 { return std::min(a, b); }>("v_min_u32"),
    vop<[](u32 a, u32 b) -> u32 { return std::max(a, b); }>("v_max_u32"),
    vop<[](i32 a, i32 b, i32 c) -> i32 { return std::min({a, b, c}); }>("v_min3_i32"),
    vop<[](i32 a, i32 b, i32 c) -> i32 { return std::max({a, b, c}); }>("v_max3_i32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return std::min({a, b, c}); }>("v_min3_u32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return std::max({a, b, c}); }>("v_max3_u32"),
    vop<[](i32 a, i32 b, i32 c) -> i32 { return med3(a, b, c); }>("v_med3_i32"),
    vop<[](u32 a, u32 b, u32 c) -> u32 { return med3(a, b, c); }>("v_med3_u32"),
    // 16-bit integers
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a + b)); }>("v_add_u16"),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a - b)); }>("v_sub_u16"),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(b - a)); }>("v_subrev_u16"),
    vop<[](u16 a, u16 b) -> u16 { return static_cast<u16>(std::min(u32(a) + b, 0xffffu)); }>(
        "v_add_u16_clamp"),
    vop<[](u16 a, u16 b) -> u16 { return a < b ? 0 : static_cast<u16>(a - b); }>("v_sub_u16_clamp"),
    vop<[](u16 a, u16 b) -> u16 { return b < a ? 0 : static_cast<u16>(b - a); }>(
        "v_subrev_u16_clamp"),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a + b)); }>("v_add_i16", preservesHigh),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(a - b)); }>("v_sub_i16", preservesHigh),
    vop<[](u16 a, u16 b) -> u16 { return (static_cast<u16>(u32(a) * b)); }>("v_mul_lo_u16"),
    vop<[](u16 a, u16 b, u16 c) -> u16 { return (static_cast<u16>(u32(a) * b + c)); }>(
        "v_mad_u16", preservesHigh),
    // The forms of gfx8, which clear the upper half.
    vop<[](u16 a, u16 b, u16 c) -> u16 { return (static_cast<u16>(u32(a) * b + c)); }>(
        "v_mad_legacy_u16"),
    vop<[](i16 a, i16 b, i16 c) -> i16 { return (static_cast<i16>(i32(a) * b + c)); }>(
        "v_mad_legacy_i16"),
    vop<[](i16 a, i16 b, i16 c) -> i16 { return (static_cast<i16>(i32(a) * b + c)); }>(
        "v_mad_i16", preservesHigh),
    vop<[](i16 a, i16 b) -> i16 { return std::min(a, b); }>("v_min_i16"),
    vop<[](i16 a, i16 b) -> i16 { return std::max(a, b); }>("v_max_i16"),
    vop<[](u16 a, u16 b) -> u16 { return std::min(a, b); }>("v_min_u16"),
    vop<[](u16 a, u16 b) -> u16 { return std::max(a, b); }>("v_max_u16"),
    vop<[](i16 a, i16 b, i16 c) -> i16 { return std::min({a, b, c}); }>("v_min3_i16",
                                                                        preservesHigh),
    vop<[](i16 a, i16 b, i16 c) -> i16 { return std::max({a, b, c}); }>("v_max3_i16",
                                                                        preservesHigh),
    vop<[](u16 a, u16 b, u16 c) -> u16 { return std::min({a, b, c}); }>("v_min3_u16",
                                                                        preservesHigh),
    vop<[](u16 a, u16 b, u16 c) -> u16 { return std::max({a, b, c}); }>("v_max3_u16",
                                                                        preservesHigh),
    vop<[](i16 a, i16 b, i16 c) -> i16 { return med3(a, b, c); }>("v_med3_i16", preservesHigh),
    vop<[](u16 a, u16 b, u16 c) -> u16 { return med3(a, b, c); }>("v_med3_u16", preservesHigh),
    vop<[](u16 a, u16 b, u32 c) -> u32 { return u32(a) * b + c; }>("v_mad_u32_u16"),
    vop<[](i16 a, i16 b, u32 c) -> u32 { return static_cast<u32>(i32(a) * b) + c; }>(
        "v_mad_i32_i16"),
    vop<[](u16 a, u16 b) -> u32 { return a | u32(b) << 16; }>("v_pack_b32_f16"),
    // f32
    vop<[](f32 a, f32 b) -> f32 { return a + b; }>("v_add_f32"),
    vop<[](f32 a, f32 b) -> f32 { return a - b; }>("v_sub_f32"),
    vop<[](f32 a, f32 b) -> f32 { return b - a; }>("v_subrev_f32"),
    vop<[](f32 a, f32 b) -> f32 { return a * b; }>("v_mul_f32"),
    vop<[](f32 a, f32 b) -> f32 { return legacyMul(a, b); }>("v_mul_legacy_f32"),
    vop<[](f32 a, f32 b) -> f32 { return minNum(a, b); }>("v_min_f32"),
    vop<[](f32 a, f32 b) -> f32 { return maxNum(a, b); }>("v_max_f32"),
    vop<[](f32 a, f32 b, f32 c) -> f32 { return minNum(minNum(a, b), c); }>("v_min3_f32"),
    vop<[](f32 a, f32 b, f32 c) -> f32 { return maxNum(maxNum(a, b), c); }>("v_max3_f32"),
    vop<[](f32 a, f32 b, f32 c) -> f32 { return med3Num(a, b, c); }>("v_med3_f32"),
    vop<[](f32 a, f32 b, f32 c) -> f32 { return minimum(minimum(a, b), c); }>("v_minimum3_f32"),
    vop<[](f32 a, f32 b, f32 c) -> f32 { return maximum(maximum(a, b), c); }>("v_maximum3_f32"),
    vop<[](f32 a, f32 b, f32 c) -> f32 { return divFixup(a, b, c); }>("v_div_fixup_f32"),
    vop<[](f32 a, i32 b) -> f32 { return ldexpOf(a, b); }>("v_ldexp_f32"),
    vop<[](f32 a) -> f32 { return std::trunc(a); }>("v_trunc_f32"),
    vop<[](f32 a) -> f32 { return std::ceil(a); }>("v_ceil_f32"),
    vop<[](f32 a) -> f32 { return std::floor(a); }>("v_floor_f32"),
    vop<[](f32 a) -> f32 { return __builtin_roundevenf(a); }>("v_rndne_f32"),
    vop<[](f32 a) -> f32 { return fractOf(a, 0x1.fffffep-1f); }>("v_fract_f32"),
    vop<[](f32 a) -> i32 { return frexpExp(a); }>("v_frexp_exp_i32_f32"),
    vop<[](f32 a) -> f32 { return frexpMant(a); }>("v_frexp_mant_f32"),
    vop<[](f32 a) -> f32 { return exp2f32(a); }>("v_exp_f32", t),
    vop<[](f32 a) -> f32 { return log2f32(a); }>("v_log_f32", t),
    vop<[](f32 a) -> f32 { return exp2f32(a); }>("v_exp_legacy_f32", t),
    vop<[](f32 a) -> f32 { return log2f32(a); }>("v_log_legacy_f32", t),
    vop<[](f32 a) -> f32 { return rcp(a); }>("v_rcp_f32", t),
    vop<[](f32 a) -> f32 { return rcp(a); }>("v_rcp_iflag_f32", t),
    vop<[](f32 a) -> f32 { return rsq(a); }>("v_rsq_f32", t),
    vop<[](f32 a) -> f32 { return sqrtf32(a); }>("v_sqrt_f32", t),
    vop<[](f32 a) -> f32 { return sine(a); }>("v_sin_f32", t),
    vop<[](f32 a) -> f32 { return cosine(a); }>("v_cos_f32", t),
    // f64
    vop<[](f64 a, f64 b) -> f64 { return a + b; }>("v_add_f64"),
    vop<[](f64 a, f64 b) -> f64 { return a * b; }>("v_mul_f64"),
    vop<[](f64 a, f64 b) -> f64 { return minNum(a, b); }>("v_min_f64"),
    vop<[](f64 a, f64 b) -> f64 { return maxNum(a, b); }>("v_max_f64"),
    vop<[](f64 a, f64 b, f64 c) -> f64 { return std::fma(a, b, c); }>("v_fma_f64"),
    vop<[](f64 a, f64 b, f64 c) -> f64 { return std::fma(a, b, c); }>("v_fmac_f64", readsDst),
    vop<[](f64 a, f64 b, f64 c) -> f64 { return divFixup(a, b, c); }>("v_div_fixup_f64"),
    vop<[](f64 a, i32 b) -> f64 { return ldexpOf(a, b); }>("v_ldexp_f64"),
    vop<[](f64 a) -> f64 { return std::trunc(a); }>("v_trunc_f64"),
    vop<[](f64 a) -> f64 { return std::ceil(a); }>("v_ceil_f64"),
    vop<[](f64 a) -> f64 { return std::floor(a); }>("v_floor_f64"),
    vop<[](f64 a) -> f64 { return __builtin_roundeven(a); }>("v_rndne_f64"),
    vop<[](f64 a) -> f64 { return fractOf(a, 0x1.fffffffffffffp-1); }>("v_fract_f64"),
    vop<[](f64 a) -> i32 { return frexpExp(a); }>("v_frexp_exp_i32_f64"),
    vop<[](f64 a) -> f64 { return frexpMant(a); }>("v_frexp_mant_f64"),
    vop<[](f64 a) -> f64 { return 1 / a; }>("v_rcp_f64", t),
    vop<[](f64 a) -> f64 { return 1 / std::sqrt(a); }>("v_rsq_f64", t),
    vop<[](f64 a) -> f64 { return std::sqrt(a); }>("v_sqrt_f64", t),
    // f16: computed in f32 and rounded once, which is exact for + - * / sqrt (24 >= 2 * 11 + 2
    // bits)
    vop<[](F16 a, F16 b) -> F16 { return {a.value + b.value}; }>("v_add_f16"),
    vop<[](F16 a, F16 b) -> F16 { return {a.value - b.value}; }>("v_sub_f16"),
    vop<[](F16 a, F16 b) -> F16 { return {b.value - a.value}; }>("v_subrev_f16"),
    vop<[](F16 a, F16 b) -> F16 { return {a.value * b.value}; }>("v_mul_f16"),
    vop<[](F16 a, F16 b) -> F16 { return min16(a, b); }>("v_min_f16"),
    vop<[](F16 a, F16 b) -> F16 { return max16(a, b); }>("v_max_f16"),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return min16(min16(a, b), c); }>("v_min3_f16",
                                                                          preservesHigh),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return max16(max16(a, b), c); }>("v_max3_f16",
                                                                          preservesHigh),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return {med3Num(a.value, b.value, c.value)}; }>(
        "v_med3_f16", preservesHigh),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return {divFixup(a.value, b.value, c.value)}; }>(
        "v_div_fixup_f16", preservesHigh),
    vop<[](F16 a, F16 b, F16 c) -> F16 { return {divFixup(a.value, b.value, c.value)}; }>(
        "v_div_fixup_legacy_f16"),
    vop<[](F16 a, i16 b) -> F16 { return {ldexpOf(a.value, b)}; }>("v_ldexp_f16"),
    vop<[](F16 a) -> F16 { return {std::trunc(a.value)}; }>("v_trunc_f16"),
    vop<[](F16 a) -> F16 { return {std::ceil(a.value)}; }>("v_ceil_f16"),
    vop<[](F16 a) -> F16 { return {std::floor(a.value)}; }>("v_floor_f16"),
    vop<[](F16 a) -> F16 { return {__builtin_roundevenf(a.value)}; }>("v_rndne_f16"),
    vop<[](F16 a) -> F16 { return {fractOf(a.value, 0x1.ffcp-1f)}; }>("v_fract_f16"),
    vop<[](F16 a) -> i16 { return (static_cast<i16>(frexpExp(a.value))); }>("v_frexp_exp_i16_f16"),
    vop<[](F16 a) -> F16 { return {frexpMant(a.value)}; }>("v_frexp_mant_f16"),
    vop<[](F16 a) -> F16 { return {exp2f32(a.value)}; }>("v_exp_f16", t),
    vop<[](F16 a) -> F16 { return {log2f32(a.value)}; }>("v_log_f16", t),
    vop<[](F16 a) -> F16 { return {1 / a.value}; }>("v_rcp_f16", t),
    vop<[](F16 a) -> F16 { return {1 / std::sqrt(a.value)}; }>("v_rsq_f16", t),
    vop<[](F16 a) -> F16 { return {std::sqrt(a.value)}; }>("v_sqrt_f16", t),
    vop<[](F16 a) -> F16 { return {sine(a.value)}; }>("v_sin_f16", t),
    vop<[](F16 a) -> F16 { return {cosine(a.value)}; }>("v_cos_f16", t),
};

} // namespace

llvm::ArrayRef<OpInfo> vopOps() { return table; }

} // namespace tilec::sim
