//===- DTypeTest.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/DType.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilec;

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(DType::E2M1); ++i) {
    DType type = static_cast<DType>(i);
    EXPECT_EQ(parseDType(nameOf(type)), type) << nameOf(type);
  }
  EXPECT_EQ(parseDType("float"), DType::F32);
  EXPECT_EQ(parseDType("e4m3_float8"), DType::E4M3FN);
  EXPECT_FALSE(parseDType("float17").has_value());
}

// Every code that is a number survives a trip through double, in every narrow format.
TEST(DType, EveryNarrowCodeRoundTrips) {
  for (DType type : {DType::F16, DType::BF16, DType::E4M3FN, DType::E5M2, DType::E4M3FNUZ,
                     DType::E5M2FNUZ, DType::E2M1, DType::E8M0}) {
    for (uint64_t code = 0; code < (1ull << bitsOf(type)); ++code) {
      double value = decodeFloat(type, code);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decodeFloat(type, encodeFloat(type, value))));
        continue;
      }
      if (std::isinf(value) && bitsOf(type) == 8)
        continue; // e5m2 has infinities, conversions saturate
      EXPECT_EQ(encodeFloat(type, value), code) << nameOf(type) << " code " << code;
    }
  }
}

TEST(DType, KnownValues) {
  EXPECT_EQ(decodeFloat(DType::F16, 0x3c00), 1.0);
  EXPECT_EQ(decodeFloat(DType::E4M3FN, 0x7e), 448.0);
  EXPECT_EQ(decodeFloat(DType::E4M3FNUZ, 0x7f), 240.0);
  EXPECT_EQ(decodeFloat(DType::E5M2, 0x7b), 57344.0);
  EXPECT_EQ(decodeFloat(DType::E5M2FNUZ, 0x7f), 57344.0);
  EXPECT_EQ(decodeFloat(DType::E2M1, 0x7), 6.0);
  EXPECT_TRUE(std::isnan(decodeFloat(DType::E4M3FNUZ, 0x80)));
  EXPECT_EQ(decodeFloat(DType::E8M0, 127), 1.0);
}

TEST(DType, PowersOfTwoAtOrAbove) {
  EXPECT_EQ(encodeFloat(DType::E8M0, 1.0), 127u);
  EXPECT_EQ(encodeFloat(DType::E8M0, -1.5), 128u);
  EXPECT_EQ(encodeFloat(DType::E8M0, 1e300), 254u);
  EXPECT_EQ(encodeFloat(DType::E8M0, INFINITY), 254u); // as all that is too large
  EXPECT_EQ(encodeFloat(DType::E8M0, -INFINITY), 254u);
  EXPECT_EQ(encodeFloat(DType::E8M0, std::nan("")), 255u);
}

TEST(DType, RoundsToNearestEven) {
  EXPECT_EQ(encodeFloat(DType::BF16, 1.0 + 1.0 / 256), 0x3f80u); // tie, to even below
  EXPECT_EQ(encodeFloat(DType::BF16, 1.0 + 3.0 / 256), 0x3f82u); // tie, to even above
  EXPECT_EQ(encodeFloat(DType::F16, 65519.0), 0x7bffu);          // below the tie with 65536
  EXPECT_EQ(encodeFloat(DType::F16, 65520.0), 0x7c00u);          // overflows to infinity
  EXPECT_EQ(encodeFloat(DType::E4M3FN, 1000.0), 0x7eu);          // saturates
  EXPECT_EQ(encodeFloat(DType::E4M3FN, -INFINITY), 0xfeu);       // saturates
  EXPECT_EQ(encodeFloat(DType::E4M3FNUZ, -0.0), 0u);             // no -0
  EXPECT_EQ(encodeFloat(DType::F16, std::ldexp(1.0, -25)), 0u);  // half the least subnormal
  EXPECT_EQ(encodeFloat(DType::F16, std::ldexp(1.5, -25)), 1u);
}

TEST(DType, IntegersWrapAndExtend) {
  EXPECT_EQ(decodeInt(DType::I8, encodeInt(DType::I8, 200)), -56);
  EXPECT_EQ(decodeInt(DType::U8, encodeInt(DType::U8, -1)), 255);
  EXPECT_EQ(decodeInt(DType::I4, 0x8), -8);
  EXPECT_EQ(decodeInt(DType::U64, encodeInt(DType::U64, -1)), -1);
}
