//===- DType.cpp - element types and their encodings ----------------------===//
//
// One row a type: name, bits, kind, exponent and mantissa; encoding and decoding of every format
// follows from the row.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/DType.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilec {
namespace {

enum class Special {
  None,   ///< every code is a number
  Ieee,   ///< top exponent: infinity and NaN
  NanTop, ///< all ones is NaN, no infinity (OCP e4m3fn)
  NanNeg0 ///< the code of -0 is NaN, no infinity (FNUZ)
};

struct Row {
  DType type;
  std::string_view name;
  unsigned bits;
  char kind; ///< 'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'e' exponent only
  int exponentBits, mantissaBits, bias;
  Special special;
};

// IEEE 754 for f16, f32, f64; OCP 8-bit Floating Point Specification 1.0 for e4m3fn and e5m2; CDNA3
// ISA, "FP8 and BF8" for the FNUZ formats; OCP Microscaling Formats 1.0 for e8m0 and e2m1.
constexpr Row rows[] = {
    {DType::Bool, "bool", 8, 'b', 0, 0, 0, Special::None},
    {DType::I4, "int4", 4, 'i', 0, 0, 0, Special::None},
    {DType::I8, "int8", 8, 'i', 0, 0, 0, Special::None},
    {DType::I16, "int16", 16, 'i', 0, 0, 0, Special::None},
    {DType::I32, "int32", 32, 'i', 0, 0, 0, Special::None},
    {DType::I64, "int64", 64, 'i', 0, 0, 0, Special::None},
    {DType::U4, "uint4", 4, 'u', 0, 0, 0, Special::None},
    {DType::U8, "uint8", 8, 'u', 0, 0, 0, Special::None},
    {DType::U16, "uint16", 16, 'u', 0, 0, 0, Special::None},
    {DType::U32, "uint32", 32, 'u', 0, 0, 0, Special::None},
    {DType::U64, "uint64", 64, 'u', 0, 0, 0, Special::None},
    {DType::F16, "float16", 16, 'f', 5, 10, 15, Special::Ieee},
    {DType::BF16, "bfloat16", 16, 'f', 8, 7, 127, Special::Ieee},
    {DType::F32, "float32", 32, 'f', 8, 23, 127, Special::Ieee},
    {DType::F64, "float64", 64, 'f', 11, 52, 1023, Special::Ieee},
    {DType::E4M3FN, "float8_e4m3fn", 8, 'f', 4, 3, 7, Special::NanTop},
    {DType::E5M2, "float8_e5m2", 8, 'f', 5, 2, 15, Special::Ieee},
    {DType::E4M3FNUZ, "float8_e4m3fnuz", 8, 'f', 4, 3, 8, Special::NanNeg0},
    {DType::E5M2FNUZ, "float8_e5m2fnuz", 8, 'f', 5, 2, 16, Special::NanNeg0},
    {DType::E8M0, "float8_e8m0fnu", 8, 'e', 8, 0, 127, Special::NanTop},
    {DType::E2M1, "float4_e2m1fn", 4, 'f', 2, 1, 1, Special::None},
};

const Row &row(DType type) { return rows[static_cast<unsigned>(type)]; }

struct Alias {
  std::string_view name;
  DType type;
};
// Spellings found in TileLang scripts beside the canonical names.
constexpr Alias aliases[] = {
    {"half", DType::F16},
    {"float", DType::F32},
    // What tensor cores read of it is a matter of precision: here all of it.
    {"tfloat32", DType::F32},
    {"double", DType::F64},
    {"int", DType::I32},
    {"uint", DType::U32},
    {"long", DType::I64},
    {"short", DType::I16},
    {"char", DType::I8},
    {"fp16", DType::F16},
    {"bf16", DType::BF16},
    {"fp32", DType::F32},
    {"fp64", DType::F64},
    {"f16", DType::F16},
    {"f32", DType::F32},
    {"f64", DType::F64},
    {"e4m3_float8", DType::E4M3FN},
    {"e5m2_float8", DType::E5M2},
    {"float8_e4m3", DType::E4M3FN},
    {"fp8_e4m3", DType::E4M3FN},
    {"fp8_e5m2", DType::E5M2},
    {"e4m3fn", DType::E4M3FN},
    {"e5m2", DType::E5M2},
    {"e4m3fnuz", DType::E4M3FNUZ},
    {"e5m2fnuz", DType::E5M2FNUZ},
    {"float8_e8m0", DType::E8M0},
    {"e8m0", DType::E8M0},
    {"float4_e2m1", DType::E2M1},
    {"e2m1", DType::E2M1},
    {"fp4", DType::E2M1},
    {"boolean", DType::Bool},
};

uint64_t lowMask(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

/// 2^exponent, of an exponent that a normal f64 has: exact, and without the library's call.
double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

uint64_t largestFinite(const Row &r) {
  uint64_t all = lowMask(r.exponentBits + r.mantissaBits);
  switch (r.special) {
  case Special::Ieee:
    return all - (1ull << r.mantissaBits); // exponent one below the top, mantissa all ones
  case Special::NanTop:
    return all - 1;
  default:
    return all;
  }
}

uint64_t nanCode(const Row &r) {
  switch (r.special) {
  case Special::Ieee: // quiet
    return (lowMask(r.exponentBits) << r.mantissaBits) | (1ull << (r.mantissaBits - 1));
  case Special::NanTop:
    return lowMask(r.exponentBits + r.mantissaBits);
  case Special::NanNeg0:
    return 1ull << (r.bits - 1);
  case Special::None:
    return largestFinite(r);
  }
  return 0;
}

} // namespace

unsigned bitsOf(DType type) { return row(type).bits; }
bool isFloat(DType type) { return row(type).kind == 'f' || row(type).kind == 'e'; }
bool isHalfOrLess(DType type) { return isFloat(type) && bitsOf(type) <= 16; }
bool isFp8(DType type) { return row(type).kind == 'f' && bitsOf(type) == 8; }
bool isInteger(DType type) { return row(type).kind == 'i' || row(type).kind == 'u'; }
bool isUnsigned(DType type) { return row(type).kind == 'u'; }
bool isSigned(DType type) { return row(type).kind == 'i'; }
std::string_view nameOf(DType type) { return row(type).name; }
bool hasInfinity(DType type) { return row(type).kind == 'f' && row(type).special == Special::Ieee; }

std::optional<DType> parseDType(std::string_view name) {
  for (const Row &r : rows)
    if (r.name == name)
      return r.type;
  for (const Alias &a : aliases)
    if (a.name == name)
      return a.type;
  return std::nullopt;
}

double decodeFloat(DType type, uint64_t bits) {
  const Row &r = row(type);
  bits &= lowMask(r.bits);
  if (type == DType::F64) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  if (type == DType::F32) {
    float f;
    uint32_t b = static_cast<uint32_t>(bits);
    std::memcpy(&f, &b, 4);
    return f;
  }
  if (r.kind == 'e')
    return bits == 0xff ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - r.bias);
  uint64_t sign = bits >> (r.bits - 1);
  uint64_t magnitude = bits & lowMask(r.bits - 1);
  uint64_t exponent = magnitude >> r.mantissaBits;
  uint64_t mantissa = magnitude & lowMask(r.mantissaBits);
  double value;
  if (r.special == Special::NanNeg0 && sign && magnitude == 0)
    return std::nan("");
  if (r.special == Special::NanTop && magnitude == lowMask(r.bits - 1))
    return std::nan("");
  if (r.special == Special::Ieee && exponent == lowMask(r.exponentBits))
    value = mantissa ? std::nan("") : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = static_cast<double>(mantissa) * powerOfTwo(1 - r.bias - r.mantissaBits);
  else
    value = static_cast<double>(mantissa | (1ull << r.mantissaBits)) *
            powerOfTwo(static_cast<int>(exponent) - r.bias - r.mantissaBits);
  return sign ? -value : value;
}

uint64_t encodeFloat(DType type, double value) {
  const Row &r = row(type);
  if (type == DType::F64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (type == DType::F32) {
    float f = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  }
  if (r.kind == 'e') { // the power of two at or above |value|, clamped
    if (std::isnan(value))
      return 0xff;
    if (std::isinf(value)) // of which frexp tells no exponent
      return 0xfe;
    int exponent = 0;
    double m = std::frexp(std::fabs(value), &exponent);
    int e = (m == 0.5 ? exponent - 1 : exponent) + r.bias;
    return value == 0 || e < 0 ? 0 : e > 254 ? 254 : e;
  }
  uint64_t sign = std::signbit(value) ? 1ull << (r.bits - 1) : 0;
  if (std::isnan(value))
    return r.special == Special::NanNeg0 ? nanCode(r) : sign | nanCode(r);
  double magnitude = std::fabs(value);
  bool saturates = r.bits <= 8;
  uint64_t infinity = lowMask(r.exponentBits) << r.mantissaBits;
  if (std::isinf(value))
    return sign | (saturates ? largestFinite(r) : infinity);
  uint64_t code = 0;
  if (magnitude != 0) {
    // A subnormal f64 is below half the smallest number of any format here, and so is 2^-1023.
    int exponent = static_cast<int>(std::bit_cast<uint64_t>(magnitude) >> 52) - 1023;
    int ulpExponent = exponent - r.mantissaBits;
    int least = 1 - r.bias - r.mantissaBits; // exponent of the smallest subnormal
    if (ulpExponent < least)
      ulpExponent = least;
    // Beside 2^52 a double has no fraction: the addition rounds ties to even. The scaled value is
    // below 2^12.
    double units = (magnitude * powerOfTwo(-ulpExponent) + 0x1p52) - 0x1p52;
    // units counts ulps; a carry into the next binade falls out of the addition.
    code = static_cast<uint64_t>(units);
    if (code != 0)
      code += static_cast<uint64_t>(ulpExponent - least) << r.mantissaBits;
  }
  uint64_t largest = largestFinite(r);
  if (code > largest)
    code = saturates ? largest : infinity;
  if (code == 0 && r.special == Special::NanNeg0)
    return 0; // no -0
  return sign | code;
}

int64_t decodeInt(DType type, uint64_t bits) {
  const Row &r = row(type);
  bits &= lowMask(r.bits);
  if (r.kind == 'b')
    return bits != 0;
  if (r.kind == 'i' && r.bits < 64 && (bits >> (r.bits - 1)) & 1)
    bits |= ~lowMask(r.bits);
  return static_cast<int64_t>(bits);
}

uint64_t encodeInt(DType type, int64_t value) {
  if (type == DType::Bool)
    return value != 0;
  return static_cast<uint64_t>(value) & lowMask(bitsOf(type));
}

int64_t floatToInt(double value, unsigned bits, bool isUnsigned) {
  if (std::isnan(value))
    return 0;
  unsigned wide = bits <= 32 ? 32 : 64;
  double low = isUnsigned ? 0 : -std::ldexp(1.0, wide - 1);
  double above = std::ldexp(1.0, isUnsigned ? wide : wide - 1); // the first value too large
  value = std::trunc(value);
  uint64_t result;
  if (value < low)
    result = isUnsigned ? 0 : uint64_t(1) << (wide - 1);
  else if (value >= above)
    result = isUnsigned ? (wide == 64 ? ~0ull : 0xffffffffull) : (uint64_t(1) << (wide - 1)) - 1;
  else
    result = isUnsigned ? static_cast<uint64_t>(value)
                        : static_cast<uint64_t>(static_cast<int64_t>(value));
  return wrapInt(static_cast<int64_t>(result), bits);
}

double maxValue(DType type) {
  const Row &r = row(type);
  switch (r.kind) {
  case 'b':
    return 1;
  case 'i':
    return std::ldexp(1.0, r.bits - 1) - 1;
  case 'u':
    return std::ldexp(1.0, r.bits) - 1;
  case 'e':
    return std::ldexp(1.0, 127);
  default:
    return decodeFloat(type, largestFinite(r));
  }
}

double minValue(DType type) {
  const Row &r = row(type);
  switch (r.kind) {
  case 'b':
  case 'u':
    return 0;
  case 'i':
    return -std::ldexp(1.0, r.bits - 1);
  case 'e':
    return std::ldexp(1.0, -127);
  default:
    return -decodeFloat(type, largestFinite(r));
  }
}

} // namespace tilec
