//===- Bits.h - encodings, without tables or branches ---------------------===//
//
// Conversions of narrow floating formats as loops over lanes can vectorise them.
// tilec/Base/DType.h is the exact, slow authority; tests compare the two.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tilec::sim {

/// Addresses above every allocation: a flat access there goes to LDS or to the lane's scratch.
inline constexpr uint64_t sharedAperture = 1ull << 48;
inline constexpr uint64_t privateAperture = 2ull << 48;

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
template <class T> T valueOf(uint64_t bits);
template <> inline double valueOf<double>(uint64_t bits) { return std::bit_cast<double>(bits); }
inline float f32Of(uint32_t bits) { return std::bit_cast<float>(bits); }

/// Exact.
inline float f32FromF16(uint32_t half) {
  constexpr uint32_t topExponent = 0x7c00u << 13;
  uint32_t shifted = (half & 0x7fffu) << 13;
  uint32_t exponent = shifted & topExponent;
  uint32_t normal = shifted + ((127u - 15u) << 23);
  uint32_t special = normal + ((128u - 16u) << 23);
  uint32_t denormal = bitsOf(f32Of(normal + (1u << 23)) - f32Of(113u << 23));
  uint32_t magnitude = exponent == topExponent ? special : exponent == 0 ? denormal : normal;
  return f32Of(magnitude | (half & 0x8000u) << 16);
}

/// To nearest, ties to even (with the host's default rounding mode); overflow gives infinity.
inline uint16_t f16FromF32(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t sign = bits & 0x80000000u;
  bits ^= sign;
  // Adding a power of two aligns the bits that a denormal keeps with the low end of the mantissa.
  uint32_t denormal = bitsOf(f32Of(bits) + f32Of(126u << 23)) - (126u << 23);
  uint32_t odd = bits >> 13 & 1;
  uint32_t normal = (bits + (static_cast<uint32_t>(15 - 127) << 23) + 0xfffu + odd) >> 13;
  uint32_t half = bits < (113u << 23) ? denormal : normal;
  half = bits >= (143u << 23) ? 0x7c00u : half; // 65536 and more
  half = bits > (255u << 23) ? 0x7e00u | (bits >> 13 & 0x3ffu) : half;
  return static_cast<uint16_t>(half | sign >> 16);
}

/// Rounds to odd: what is lost is remembered in the last bit, so that rounding the result again, to
/// f16, is as good as rounding `exact` once.
inline float f32ToOdd(double exact) {
  float nearest = static_cast<float>(exact);
  double back = nearest;
  uint32_t bits = bitsOf(nearest);
  bits -= std::fabs(back) > std::fabs(exact);
  bits |= back != exact;
  return f32Of(bits);
}

inline float f32FromBf16(uint32_t half) { return f32Of(half << 16); }

/// To nearest, ties to even; a NaN stays a (quiet) NaN.
inline uint16_t bf16FromF32(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded);
}

template <class U> U reverseBits(U value) {
  U result = 0;
  for (unsigned i = 0; i < 8 * sizeof(U); ++i)
    result |= (value >> i & 1) << (8 * sizeof(U) - 1 - i);
  return result;
}

inline int32_t signExtend(uint32_t value, unsigned bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

} // namespace tilec::sim
