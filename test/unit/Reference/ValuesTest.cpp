//===- ValuesTest.cpp - the fast conversions equal those of Base ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Values.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilec;
using namespace tilec::reference;

namespace {

constexpr DType floatTypes[] = {DType::F16,    DType::BF16, DType::F32,      DType::F64,
                                DType::E4M3FN, DType::E5M2, DType::E4M3FNUZ, DType::E5M2FNUZ,
                                DType::E8M0,   DType::E2M1};

bool sameNumber(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Values, DecodingEqualsBaseForEveryCode) {
  for (DType dtype : floatTypes) {
    unsigned bits = bitsOf(dtype);
    for (uint64_t code = 0; code < (uint64_t(1) << std::min(bits, 16u)); ++code) {
      uint8_t stored[8] = {};
      // Wider formats: the code's bits at the top, where sign and exponent are.
      uint64_t full = bits > 16 ? code << (bits - 16) : code;
      writeBits(stored, bits, 0, full);
      double asDouble;
      float asFloat;
      decodeSpan(dtype, stored, 0, 1, 1, &asDouble);
      decodeSpan(dtype, stored, 0, 1, 1, &asFloat);
      double expected = decodeFloat(dtype, full);
      ASSERT_TRUE(sameNumber(asDouble, expected)) << nameOf(dtype) << ' ' << full;
      ASSERT_TRUE(sameNumber(asFloat, static_cast<float>(expected)))
          << nameOf(dtype) << ' ' << full;
    }
  }
}

template <typename T> void expectSameEncoding(DType dtype, T value) {
  uint8_t stored[8] = {};
  encodeSpan(dtype, stored, 0, 1, 1, &value);
  ASSERT_EQ(readBits(stored, bitsOf(dtype), 0), encodeFloat(dtype, value))
      << nameOf(dtype) << ' ' << std::hexfloat << value;
}

// Around every f16 and bf16 value: itself, the midpoints to its neighbours, and just beside these.
TEST(Values, EncodingEqualsBaseAroundEveryTie) {
  for (DType dtype : {DType::F16, DType::BF16})
    for (uint64_t code = 0; code < 0x10000; ++code) {
      double value = decodeFloat(dtype, code), next = decodeFloat(dtype, code + 1);
      double middle = std::isfinite(next) ? value + (next - value) / 2 : value * 1.001;
      for (double at : {value, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
        expectSameEncoding(dtype, at);
      for (float at : {float(value), float(middle), std::nextafter(float(middle), 0.0f)})
        expectSameEncoding(dtype, at);
    }
}

TEST(Values, EncodingEqualsBaseForRandomBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    for (DType dtype : floatTypes) {
      // Half of the exponents near 0, where the narrow formats have their range.
      double d = i % 2 ? std::bit_cast<double>(bits)
                       : std::ldexp(double(int64_t(bits)), -63 + int(bits % 40) - 20);
      expectSameEncoding(dtype, d);
      expectSameEncoding(dtype, float(d));
    }
  }
}

TEST(Values, Fp8Saturates) {
  for (auto [dtype, largest] : {std::pair{DType::E4M3FN, 448.0},
                                {DType::E5M2, 57344.0},
                                {DType::E4M3FNUZ, 240.0},
                                {DType::E5M2FNUZ, 57344.0},
                                {DType::E2M1, 6.0}}) {
    uint8_t stored[2];
    double in[] = {1e30, -1e30};
    encodeSpan(dtype, stored, 0, 1, 2, in);
    double out[2];
    decodeSpan(dtype, stored, 0, 1, 2, out);
    EXPECT_EQ(out[0], largest) << nameOf(dtype);
    EXPECT_EQ(out[1], -largest) << nameOf(dtype);
  }
}

TEST(Values, StridedSpansTouchOnlyTheirElements) {
  std::vector<uint8_t> stored(64, 0);
  int64_t in[] = {1, -2, 3};
  encodeSpan(DType::I16, stored.data(), 2, 5, 3, in);
  int64_t all[32];
  decodeSpan(DType::I16, stored.data(), 0, 1, 32, all);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(all[i], i == 2 ? 1 : i == 7 ? -2 : i == 12 ? 3 : 0) << i;
}

TEST(Values, FourBitElementsShareABytePerPair) {
  uint8_t stored[2] = {0, 0};
  int64_t in[] = {-1, 7, -8};
  encodeSpan(DType::I4, stored, 1, 1, 3, in);
  EXPECT_EQ(stored[0], 0xf0);
  EXPECT_EQ(stored[1], 0x87);
}

// By way of a plain float these would be ties, and go to the even neighbour.
TEST(Values, IntegersAreRoundedOnceToBfloat16) {
  int64_t in[] = {(int64_t(1) << 30) + (1 << 22) + 1, -(int64_t(1) << 30) - (1 << 22) - 1,
                  (int64_t(1) << 62) + (int64_t(1) << 54) + 1,
                  (int64_t(1) << 62) + 3 * (int64_t(1) << 54) - 1};
  uint16_t out[4];
  encodeSpan(DType::BF16, reinterpret_cast<uint8_t *>(out), 0, 1, 4, in);
  EXPECT_EQ(out[0], 0x4e81); // 2^30 * (1 + 2^-7)
  EXPECT_EQ(out[1], 0xce81);
  EXPECT_EQ(out[2], 0x5e81);
  EXPECT_EQ(out[3], 0x5e81);
}

TEST(Values, FloatToIntTruncatesAndSaturatesAt32Bits) {
  EXPECT_EQ(floatToInt(-2.9, 32, false), -2);
  EXPECT_EQ(floatToInt(1e10, 32, false), 0x7fffffff);
  EXPECT_EQ(floatToInt(-1e10, 32, false), -0x80000000ll);
  EXPECT_EQ(floatToInt(-5, 32, true), 0);
  EXPECT_EQ(floatToInt(1e20, 64, false), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(floatToInt(300, 8, false), 44); // 300 - 256
  EXPECT_EQ(floatToInt(NAN, 32, false), 0);
}

TEST(Values, UninitialisedElementsShow) {
  uint8_t stored[16];
  for (DType dtype :
       {DType::F16, DType::BF16, DType::F32, DType::F64, DType::E4M3FN, DType::E4M3FNUZ}) {
    fillUninitialised(dtype, stored, 2);
    double out[2];
    decodeSpan(dtype, stored, 0, 1, 2, out);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1])) << nameOf(dtype);
  }
  fillUninitialised(DType::I32, stored, 1);
  EXPECT_EQ(readBits(stored, 32, 0), 0xA5A5A5A5u);
}

} // namespace
