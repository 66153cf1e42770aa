//===- SmallFloatsTest.cpp - f8 and f4 against tilec/Base/DType.h ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveRunner.h"

#include "tilec/Base/DType.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilec;
using namespace tilec::testing;

namespace {

struct Format {
  const char *mlir;
  DType type;
};
const Format formats[] = {{"f8E4M3FN", DType::E4M3FN},
                          {"f8E5M2", DType::E5M2},
                          {"f8E4M3FNUZ", DType::E4M3FNUZ},
                          {"f8E5M2FNUZ", DType::E5M2FNUZ},
                          {"f8E8M0FNU", DType::E8M0}};

struct Case {
  Arch arch;
  Format format;
};

class SmallFloats : public ::testing::TestWithParam<Case> {};

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (const Format &format : formats)
      cases.push_back({arch, format});
  return cases;
}

std::string nameOfCase(const ::testing::TestParamInfo<Case> &info) {
  return std::string(nameOf(info.param.arch)) + "_" + info.param.format.mlir;
}

bool isSameNumber(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// The four wider types that a code is extended to.
struct Wide {
  const char *mlir;
  DType type;
};

TEST_P(SmallFloats, EveryCodeExtendsExactly) {
  Case c = GetParam();
  std::vector<uint64_t> codes;
  for (uint64_t code = 0; code < 256; ++code)
    codes.push_back(code);
  for (Wide wide : {Wide{"f32", DType::F32}, Wide{"f64", DType::F64}, Wide{"f16", DType::F16},
                    Wide{"bf16", DType::BF16}}) {
    std::string body = std::string("  %w = arith.bitcast %x : i8 to ") + c.format.mlir +
                       "\n  %z = arith.extf %w : " + c.format.mlir + " to " + wide.mlir;
    std::vector<uint64_t> zs = runElementWise(c.arch, {"i8", "i8", wide.mlir, body}, codes, codes);
    ASSERT_EQ(zs.size(), codes.size());
    for (uint64_t code : codes) {
      double exact = decodeFloat(c.format.type, code);
      // e8m0 has powers of two that f16 has not.
      double want = decodeFloat(wide.type, encodeFloat(wide.type, exact));
      double got = decodeFloat(wide.type, zs[code]);
      EXPECT_TRUE(isSameNumber(got, want))
          << wide.mlir << " of code " << code << ": " << got << ", not " << want;
    }
  }
}

/// Numbers around every code, around the middle between neighbours, and any bits.
std::vector<uint64_t> interestingFloats(DType type) {
  std::vector<uint64_t> bits;
  auto around = [&](double value) {
    uint32_t center = bitsOf(static_cast<float>(value));
    for (int delta : {-1, 0, 1})
      bits.push_back(center + static_cast<uint32_t>(delta));
  };
  for (unsigned code = 0; code < 256; ++code) {
    double value = decodeFloat(type, code), next = decodeFloat(type, (code + 1) & 0xff);
    if (std::isfinite(value))
      around(value);
    if (std::isfinite(value) && std::isfinite(next))
      around((value + next) / 2);
  }
  for (float value : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN, 1e30f, -1e30f, 1e-40f})
    bits.push_back(bitsOf(value));
  Random random(5);
  while (bits.size() < 4096 || bits.size() % 64 != 0)
    bits.push_back(random.next());
  return bits;
}

TEST_P(SmallFloats, TruncationRoundsToNearestAndSaturates) {
  Case c = GetParam();
  std::vector<uint64_t> xs = interestingFloats(c.format.type);
  std::string body = std::string("  %w = arith.truncf %x : f32 to ") + c.format.mlir +
                     "\n  %z = arith.bitcast %w : " + c.format.mlir + " to i8";
  std::vector<uint64_t> zs = runElementWise(c.arch, {"f32", "f32", "i8", body}, xs, xs);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    double x = floatOf(xs[i]);
    if (c.format.type == DType::E8M0 && !std::isfinite(x))
      continue; // frexp of infinity has no meaning
    uint64_t want = encodeFloat(c.format.type, x);
    double wanted = decodeFloat(c.format.type, want), got = decodeFloat(c.format.type, zs[i]);
    EXPECT_TRUE(isSameNumber(got, wanted))
        << std::hexfloat << x << ": code " << zs[i] << ", not " << want;
  }
}

// Vectors take the packed instructions; f64, f16 and bf16 sources round once.
TEST_P(SmallFloats, VectorsOfOtherSources) {
  Case c = GetParam();
  struct Source {
    const char *mlir;
    DType type;
    uint64_t mask;
  };
  Random random(9);
  for (Source source : {Source{"f64", DType::F64, ~0ull}, Source{"f16", DType::F16, 0xffff},
                        Source{"bf16", DType::BF16, 0xffff}}) {
    std::vector<uint64_t> xs;
    for (int i = 0; i < 1024; ++i) {
      double magnitude =
          std::ldexp(1 + random.next() * 0x1p-32, static_cast<int>(random.next() % 40) - 24);
      if (i % 4 == 0) // just beside the middle of two codes
        magnitude = std::ldexp(1 + 0x1p-4 + (i % 8 ? 0x1p-40 : -0x1p-40),
                               static_cast<int>(random.next() % 8));
      xs.push_back(encodeFloat(source.type, random.next() & 1 ? -magnitude : magnitude) &
                   source.mask);
    }
    std::string f = c.format.mlir, s = source.mlir;
    std::string body = "  %v = wave.pack %x, %y, %x : " + s + ", " + s + ", " + s +
                       " -> vector<3x" + s + ">\n  %n = arith.truncf %v : vector<3x" + s +
                       "> to vector<3x" + f + ">\n  %e = wave.extract %n[2] : vector<3x" + f +
                       "> -> " + f + "\n  %z = arith.bitcast %e : " + f + " to i8";
    std::vector<uint64_t> zs = runElementWise(c.arch, {s, s, "i8", body}, xs, xs);
    ASSERT_EQ(zs.size(), xs.size());
    for (size_t i = 0; i < xs.size(); ++i) {
      double x = decodeFloat(source.type, xs[i]);
      uint64_t want = encodeFloat(c.format.type, x);
      EXPECT_EQ(zs[i], want) << source.mlir << " " << std::hexfloat << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloats, ::testing::ValuesIn(allCases()), nameOfCase);

// Two codes a byte: what one instruction reads is taken apart and put together again.
TEST(Fp4, EveryCodeThereAndBack) {
  std::vector<uint64_t> bytes;
  for (uint64_t byte = 0; byte < 256; ++byte)
    bytes.push_back(byte);
  std::string body = "  %p = wave.bitcast %x : i8 -> vector<2xf4E2M1FN>\n"
                     "  %low = wave.extract %p[0] : vector<2xf4E2M1FN> -> f4E2M1FN\n"
                     "  %high = wave.extract %p[1] : vector<2xf4E2M1FN> -> f4E2M1FN\n"
                     "  %v = wave.pack %low, %high : f4E2M1FN, f4E2M1FN -> vector<2xf4E2M1FN>\n"
                     "  %f = arith.extf %v : vector<2xf4E2M1FN> to vector<2xf16>\n"
                     "  %z = wave.bitcast %f : vector<2xf16> -> i32\n";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"i8", "i8", "i32", body}, bytes, bytes);
  ASSERT_EQ(zs.size(), bytes.size());
  for (uint64_t byte : bytes) {
    EXPECT_EQ(decodeFloat(DType::F16, zs[byte] & 0xffff), decodeFloat(DType::E2M1, byte & 15));
    EXPECT_EQ(decodeFloat(DType::F16, zs[byte] >> 16), decodeFloat(DType::E2M1, byte >> 4));
  }
}

TEST(Fp4, TruncationOfPairs) {
  std::vector<uint64_t> xs, ys;
  Random random(13);
  for (int i = 0; i < 512; ++i) {
    xs.push_back(bitsOf(static_cast<float>(static_cast<int>(random.next() % 257) - 128) / 16));
    ys.push_back(i % 9 == 0 ? bitsOf(NAN)
                            : bitsOf(static_cast<float>(random.next() * 0x1p-30 - 2)));
  }
  std::string body = "  %v = wave.pack %x, %y : f32, f32 -> vector<2xf32>\n"
                     "  %n = arith.truncf %v : vector<2xf32> to vector<2xf4E2M1FN>\n"
                     "  %z = wave.bitcast %n : vector<2xf4E2M1FN> -> i8\n";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "i8", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    EXPECT_EQ(zs[i] & 15, encodeFloat(DType::E2M1, floatOf(xs[i]))) << floatOf(xs[i]);
    if (!std::isnan(floatOf(ys[i]))) {
      EXPECT_EQ(zs[i] >> 4, encodeFloat(DType::E2M1, floatOf(ys[i]))) << floatOf(ys[i]);
    } else {
      EXPECT_EQ(zs[i] >> 4 & 7, 7u);
    }
  }
}

} // namespace
