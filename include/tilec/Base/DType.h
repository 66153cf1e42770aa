//===- DType.h - element types and their encodings ------------------------===//
//
// A dtype name fixes an encoding on every target (docs/language/README.md). This is the
// only place that knows how many bits an element has and what they mean; the
// front end, the reference, the simulator and the runtime all ask here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilec {

enum class DType : uint8_t {
  Bool,
  I4,
  I8,
  I16,
  I32,
  I64,
  U4,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  E4M3FN,   ///< OCP fp8, no infinity, NaN 0x7f, largest 448
  E5M2,     ///< OCP fp8, IEEE-like, largest 57344
  E4M3FNUZ, ///< CDNA3 fp8, bias 8, NaN 0x80, largest 240
  E5M2FNUZ, ///< CDNA3 bf8, bias 16, NaN 0x80, largest 57344
  E8M0,     ///< scale 2^(x-127), NaN 0xff
  E2M1,     ///< fp4, largest 6
};

/// Bits of one element in memory. Bool takes 8, I4, U4 and E2M1 take 4.
unsigned bitsOf(DType type);
/// Bytes of one element; 4-bit types report 1 (use bitsOf for storage of arrays).
inline unsigned bytesOf(DType type) { return (bitsOf(type) + 7) / 8; }
/// Bytes that `count` packed elements take.
inline int64_t storageBytes(DType type, int64_t count) { return (count * bitsOf(type) + 7) / 8; }

bool isFloat(DType type);      ///< any floating format, fp8, fp4 and e8m0 included
bool isHalfOrLess(DType type); ///< floats narrower than f32
bool isFp8(DType type);        ///< the four 8-bit formats with a sign
bool isInteger(DType type);    ///< integers, not bool
bool isUnsigned(DType type);
bool isSigned(DType type); ///< signed integers

/// The name that manifests, diagnostics and Tile IR print: `float16`, `bfloat16`, `float8_e4m3fn`,
/// `uint8`, `bool`, ...
std::string_view nameOf(DType type);
/// Accepts every spelling that TileLang scripts use: canonical names, `half`, `float`, `int`,
/// `e4m3_float8`, `float8_e4m3`, `fp8_e4m3`, ...
std::optional<DType> parseDType(std::string_view name);

/// The value of an encoding, exactly. `bits` holds the element in its low bits.
double decodeFloat(DType type, uint64_t bits);
/// Rounds to nearest, ties to even. f16 and bf16 overflow to infinity; fp8 and fp4 saturate to the
/// largest finite value (also for infinities, as hardware's saturating conversions do); NaN stays
/// NaN where the format has one and becomes the largest magnitude in e2m1. e8m0: the power of two
/// at or above the magnitude, at most 2^127.
uint64_t encodeFloat(DType type, double value);

/// An integer element as a 64-bit value, sign- or zero-extended.
int64_t decodeInt(DType type, uint64_t bits);
/// The low bitsOf(type) bits: integers wrap.
uint64_t encodeInt(DType type, int64_t value);

/// The low `bits` of `value`, sign-extended: how the reference holds integer scalars.
inline int64_t wrapInt(int64_t value, unsigned bits) {
  return bits >= 64
             ? value
             : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}
/// A float as an integer of `bits` bits, held as wrapInt does: towards zero, saturating at 32 (or
/// 64) bits and then wrapping, as GPU conversions do; NaN gives 0.
int64_t floatToInt(double value, unsigned bits, bool isUnsigned);

/// Largest and smallest finite values (for integers, as double when exact).
double maxValue(DType type);
double minValue(DType type);
/// Whether the format has an infinity.
bool hasInfinity(DType type);

} // namespace tilec
