//===- Narrow.cpp - 8-bit and smaller floats in instructions --------------===//
//
// Takes the chip and a format of 8, 6 or 4 bits, gives its values and conversions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Narrow.h"

#include "CodeObjectImpl.h"
#include "Wave.h"

#include <array>
#include <cmath>

namespace tilec::sim {

// fp6 e2m3 (bias 1) and bf6 e3m2 (bias 3), OCP Microscaling Formats 1.0: no infinity, no NaN.
static double decodeFp6(uint32_t code, int mantissaBits, int bias) {
  int exponent = static_cast<int>(code >> mantissaBits & ((1u << (5 - mantissaBits)) - 1));
  int mantissa = static_cast<int>(code & ((1u << mantissaBits) - 1));
  double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                    : std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
  return code >> 5 & 1 ? -magnitude : magnitude;
}

static bool isFnuz(const Wave &wave) { return wave.group->engine->program->arch() == Arch::Gfx942; }

DType dtypeOf(const Wave &wave, Narrow kind) {
  if (kind == Narrow::Fp4)
    return DType::E2M1;
  if (kind == Narrow::Fp8)
    return isFnuz(wave) ? DType::E4M3FNUZ : DType::E4M3FN;
  return isFnuz(wave) ? DType::E5M2FNUZ : DType::E5M2;
}

using Table = std::array<float, 256>;
static Table makeTable(DType type) {
  Table table;
  for (uint32_t code = 0; code < 256; ++code)
    table[code] = static_cast<float>(decodeFloat(type, code));
  return table;
}
static Table makeFp6Table(int mantissaBits, int bias) {
  Table table;
  for (uint32_t code = 0; code < 256; ++code)
    table[code] = static_cast<float>(decodeFp6(code & 63, mantissaBits, bias));
  return table;
}

const float *narrowTable(const Wave &wave, Narrow kind) {
  static const Table ocp8 = makeTable(DType::E4M3FN), ocpBf8 = makeTable(DType::E5M2),
                     fnuz8 = makeTable(DType::E4M3FNUZ), fnuzBf8 = makeTable(DType::E5M2FNUZ),
                     fp4 = makeTable(DType::E2M1), fp6 = makeFp6Table(3, 1),
                     bf6 = makeFp6Table(2, 3);
  switch (kind) {
  case Narrow::Fp8:
    return (isFnuz(wave) ? fnuz8 : ocp8).data();
  case Narrow::Bf8:
    return (isFnuz(wave) ? fnuzBf8 : ocpBf8).data();
  case Narrow::Fp6:
    return fp6.data();
  case Narrow::Bf6:
    return bf6.data();
  case Narrow::Fp4:
    return fp4.data();
  }
  return nullptr;
}

static uint32_t overflowCode(DType type, bool negative) {
  switch (type) {
  case DType::E4M3FN:
    return negative ? 0xff : 0x7f; // NaN
  case DType::E5M2:
    return negative ? 0xfc : 0x7c; // infinity
  default:
    return 0x80; // FNUZ NaN
  }
}

uint32_t encodeFp8(const Wave &wave, Narrow kind, float value) {
  constexpr uint32_t modeFp16Ovfl = 1u << 23; // MODE.FP16_OVFL: finite overflow saturates
  DType type = dtypeOf(wave, kind);
  if (std::isinf(value))
    return overflowCode(type, value < 0);
  auto code = static_cast<uint32_t>(encodeFloat(type, value));
  if (wave.mode & modeFp16Ovfl || std::isnan(value))
    return code;
  // encodeFloat saturates: it overflowed when rounding without a limit would have gone further.
  double largest = maxValue(type);
  double ulp = kind == Narrow::Fp8 ? largest / (isFnuz(wave) ? 15 : 14) : largest / 7;
  double magnitude = std::fabs(static_cast<double>(value)), tie = largest + ulp / 2;
  bool largestIsEven = type == DType::E4M3FN; // mantissa 110; the others end in 1
  bool overflows = largestIsEven ? magnitude > tie : magnitude >= tie;
  return overflows ? overflowCode(type, value < 0) : code;
}

uint16_t encodeHalfStochastic(float value, bool bf16, uint32_t random) {
  if (!std::isfinite(value))
    return bf16 ? bf16FromF32(value) : f16FromF32(value);
  unsigned kept = bf16 ? 7 : 10, dropped = 23 - kept;
  int bias = bf16 ? 127 : 15;
  double magnitude = std::fabs(static_cast<double>(value)),
         smallestNormal = std::ldexp(1.0, 1 - bias);
  if (bf16 || magnitude >= smallestNormal) { // bf16 has f32's exponents: denormals add alike
    uint32_t bits = bitsOf(value) + (random >> (32 - dropped));
    float truncated = f32Of(bits & ~((1u << dropped) - 1));
    return bf16 ? static_cast<uint16_t>(bitsOf(truncated) >> 16) : f16FromF32(truncated);
  }
  // A denormal's last bit is a fixed step; the same number of random bits lies below it.
  double step = std::ldexp(smallestNormal, -static_cast<int>(kept));
  double steps =
      std::floor(magnitude / step + std::ldexp(static_cast<double>(random >> (32 - dropped)),
                                               -static_cast<int>(dropped)));
  return f16FromF32(std::copysign(static_cast<float>(steps * step), value));
}

uint32_t encodeFp8Stochastic(const Wave &wave, Narrow kind, float value, uint32_t random) {
  DType type = dtypeOf(wave, kind);
  if (!std::isfinite(value))
    return encodeFp8(wave, kind, value);
  // Add random bits below the last kept mantissa bit, then truncate.
  unsigned kept = kind == Narrow::Fp8 ? 3 : 2, dropped = 23 - kept;
  uint32_t bits = bitsOf(value);
  double magnitude = std::fabs(static_cast<double>(value));
  int bias = type == DType::E4M3FN     ? 7
             : type == DType::E4M3FNUZ ? 8
             : type == DType::E5M2     ? 15
                                       : 16;
  double smallestNormal = std::ldexp(1.0, 1 - bias);
  if (magnitude >= smallestNormal) {
    uint32_t sum = bits + (random >> (32 - dropped));
    return encodeFp8(wave, kind, f32Of(sum & ~((1u << dropped) - 1)));
  }
  double step = std::ldexp(smallestNormal, -static_cast<int>(kept));
  double steps = std::floor(magnitude / step + static_cast<double>(random) * 0x1p-32);
  return encodeFp8(wave, kind, std::copysign(static_cast<float>(steps * step), value));
}

} // namespace tilec::sim
