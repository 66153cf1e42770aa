//===- Values.h - spans of elements as numbers ----------------------------===//
//
// Decoding and encoding of many elements at once. Results equal those of
// tilec/Base/DType.h (tested over all codes); f16, bf16 and f32 have fast paths.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tilec::reference {

/// What a scalar of some dtype is held as while it is computed with.
enum class Rep : uint8_t { Int, F32, F64 };

inline Rep repOf(DType dtype) {
  return !isFloat(dtype) ? Rep::Int : dtype == DType::F64 ? Rep::F64 : Rep::F32;
}

inline float halfToFloat(uint16_t h) {
  // The exponent is rebased by a multiplication, which also normalises denormals.
  float magnitude = std::bit_cast<float>(uint32_t(h & 0x7fff) << 13) * 0x1p112f;
  uint32_t bits = std::bit_cast<uint32_t>(magnitude);
  if ((h & 0x7c00) == 0x7c00)
    bits = (h & 0x3ff) ? 0x7fc00000 : 0x7f800000;
  return std::bit_cast<float>(bits | uint32_t(h & 0x8000) << 16);
}

inline float bfloatToFloat(uint16_t b) { return std::bit_cast<float>(uint32_t(b) << 16); }

/// f32 whose rounding to any format of at most 22 significant bits equals that of `d`: rounds
/// towards zero and makes an inexact result odd.
inline float toFloatOdd(double d) {
  float f = static_cast<float>(d);
  if (static_cast<double>(f) == d || d != d)
    return f;
  uint32_t bits = std::bit_cast<uint32_t>(f);
  if (std::fabs(static_cast<double>(f)) > std::fabs(d))
    --bits; // away from zero: step back (from infinity to the largest finite value)
  return std::bit_cast<float>(bits | 1);
}

/// The same of an integer, for formats of at most 8 significant bits whose range has all of int64
/// (those that have more hold no integer that f32 does not).
inline float toFloatOdd(int64_t i) {
  constexpr int64_t exact = int64_t(1) << 53, low = (int64_t(1) << 24) - 1;
  bool isExact = i >= -exact && i <= exact;
  // Below half of the last place that f64 has beyond 2^53, let alone f32: one bit tells of them.
  int64_t odd = (i | ((i & low) + low)) & ~low;
  return toFloatOdd(static_cast<double>(isExact ? i : odd));
}

inline uint16_t floatToHalf(float f) {
  uint32_t bits = std::bit_cast<uint32_t>(f), sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00;
  if (bits >= 0x477ff000) // rounds to 65536 or more
    return sign | 0x7c00;
  if (bits < 0x38800000) { // below 2^-14: the adder rounds to multiples of 2^-24
    float shifted = std::bit_cast<float>(bits) + 0.5f;
    return sign | uint16_t(std::bit_cast<uint32_t>(shifted) - 0x3f000000);
  }
  return sign | uint16_t((bits + 0xc8000fff + ((bits >> 13) & 1)) >> 13);
}

inline uint16_t floatToBfloat(float f) {
  uint32_t bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16 & 0x8000) | 0x7fc0;
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// The stored bits of element `index` of an array at `base`.
inline uint64_t readBits(const uint8_t *base, unsigned bits, int64_t index) {
  uint64_t value = 0;
  if (bits == 4)
    return (base[index >> 1] >> ((index & 1) * 4)) & 15;
  std::memcpy(&value, base + index * (bits / 8), bits / 8);
  return value;
}
inline void writeBits(uint8_t *base, unsigned bits, int64_t index, uint64_t value) {
  if (bits == 4) {
    unsigned shift = (index & 1) * 4;
    base[index >> 1] = uint8_t((base[index >> 1] & ~(15 << shift)) | (value & 15) << shift);
    return;
  }
  std::memcpy(base + index * (bits / 8), &value, bits / 8);
}

/// `count` elements from element `first` on, `stride` elements apart, as T (float, double or
/// int64_t). A float T takes floats (double: also integers); int64_t takes integers and bool.
template <typename T>
void decodeSpan(DType dtype, const uint8_t *base, int64_t first, int64_t stride, int64_t count,
                T *out);
/// The reverse. A float is rounded to nearest even (integers truncate towards zero and saturate);
/// an int64_t wraps, or is rounded when `dtype` is a float.
template <typename T>
void encodeSpan(DType dtype, uint8_t *base, int64_t first, int64_t stride, int64_t count,
                const T *in);

/// What an element of `dtype` holds that was set to `value`: of float8_e8m0fnu 0 is 2^-127.
double asStored(DType dtype, double value);

/// Values this close to the middle of two neighbours of a format, relative to their size, may be
/// rounded to either by a device: its f32 value differs by the order of its sums and by its exp. In
/// an attention the scores' error becomes the probabilities' relative error, some 2^-18.
constexpr double tieBand = 0x1p-16;

/// encodeSpan for the second run of the agreement rule: a value within `tieBand` of a tie goes to
/// the other neighbour. Formats of 32 and 64 bits, integers, and values that are not near a tie are
/// encoded as ever.
template <typename T>
void encodeSpanAcrossTies(DType dtype, uint8_t *base, int64_t first, int64_t stride, int64_t count,
                          const T *in);

/// An integer dtype's value as a double; uint64 is not negative.
inline double intToDouble(DType dtype, int64_t value) {
  return dtype == DType::U64 ? static_cast<double>(static_cast<uint64_t>(value))
                             : static_cast<double>(value);
}

/// Bytes that make a use of an uninitialised element visible: NaN, or 0xA5 in every byte.
void fillUninitialised(DType dtype, uint8_t *base, int64_t count);

} // namespace tilec::reference
