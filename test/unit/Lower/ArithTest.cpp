//===- ArithTest.cpp - integer and float arithmetic on the simulator ------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WaveRunner.h"

#include "tilec/Base/DType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tilec;
using namespace tilec::testing;

namespace {

/// Pairs of interesting integers; the second is not 0, and never the one division that overflows.
void integerPairs(std::vector<uint64_t> &xs, std::vector<uint64_t> &ys) {
  const int32_t specials[] = {1, -1, 2, -2, 3, 7, -7, 16, 1000, -1000, INT32_MAX, INT32_MIN, 0};
  for (int32_t x : specials)
    for (int32_t y : specials) {
      if (y == 0 || (x == INT32_MIN && y == -1))
        continue;
      xs.push_back(static_cast<uint32_t>(x));
      ys.push_back(static_cast<uint32_t>(y));
    }
  Random random(1);
  while (xs.size() < 1024) {
    xs.push_back(random.next());
    ys.push_back((random.next() >> (random.next() % 31)) | 1);
  }
}

struct IntegerOp {
  const char *name, *op;
  int64_t (*exact)(int64_t x, int64_t y); ///< of sign-extended operands
};

class Integers : public ::testing::TestWithParam<IntegerOp> {};

TEST_P(Integers, OfThirtyTwoBits) {
  std::vector<uint64_t> xs, ys;
  integerPairs(xs, ys);
  for (const char *type : {"i32", "index"}) {
    // Index values are read as i32 and cast.
    bool isIndex = type[2] == 'd';
    std::string body = isIndex ? "  %a = arith.index_cast %x : i32 to index\n"
                                 "  %b = arith.index_cast %y : i32 to index\n  %c = " +
                                     std::string(GetParam().op) +
                                     " %a, %b : index\n  %z = arith.index_cast %c : index to i32"
                               : "  %z = " + std::string(GetParam().op) + " %x, %y : i32";
    std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"i32", "i32", "i32", body}, xs, ys);
    ASSERT_EQ(zs.size(), xs.size());
    for (size_t i = 0; i < xs.size(); ++i) {
      auto x = static_cast<int32_t>(xs[i]), y = static_cast<int32_t>(ys[i]);
      EXPECT_EQ(static_cast<int32_t>(zs[i]), static_cast<int32_t>(GetParam().exact(x, y)))
          << x << " and " << y << " as " << type;
    }
  }
}

int64_t floorDivide(int64_t x, int64_t y) {
  return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
}
uint32_t low(int64_t x) { return static_cast<uint32_t>(x); }

const IntegerOp integerOps[] = {
    {"add", "arith.addi", [](int64_t x, int64_t y) { return x + y; }},
    {"sub", "arith.subi", [](int64_t x, int64_t y) { return x - y; }},
    {"mul", "arith.muli", [](int64_t x, int64_t y) { return x * y; }},
    {"divsi", "arith.divsi", [](int64_t x, int64_t y) { return x / y; }},
    {"remsi", "arith.remsi", [](int64_t x, int64_t y) { return x % y; }},
    {"divui", "arith.divui", [](int64_t x, int64_t y) { return int64_t(low(x) / low(y)); }},
    {"remui", "arith.remui", [](int64_t x, int64_t y) { return int64_t(low(x) % low(y)); }},
    {"floordivsi", "arith.floordivsi", floorDivide},
    {"ceildivsi", "arith.ceildivsi", [](int64_t x, int64_t y) { return -floorDivide(-x, y); }},
    {"ceildivui", "arith.ceildivui",
     [](int64_t x, int64_t y) { return int64_t((uint64_t(low(x)) + low(y) - 1) / low(y)); }},
    {"minsi", "arith.minsi", [](int64_t x, int64_t y) { return std::min(x, y); }},
    {"maxsi", "arith.maxsi", [](int64_t x, int64_t y) { return std::max(x, y); }},
    {"minui", "arith.minui",
     [](int64_t x, int64_t y) { return int64_t(std::min(low(x), low(y))); }},
    {"maxui", "arith.maxui",
     [](int64_t x, int64_t y) { return int64_t(std::max(low(x), low(y))); }},
    {"and", "arith.andi", [](int64_t x, int64_t y) { return x & y; }},
    {"or", "arith.ori", [](int64_t x, int64_t y) { return x | y; }},
    {"xor", "arith.xori", [](int64_t x, int64_t y) { return x ^ y; }},
};
INSTANTIATE_TEST_SUITE_P(Ops, Integers, ::testing::ValuesIn(integerOps),
                         [](const auto &info) { return info.param.name; });

std::vector<uint64_t> countTo(size_t count) {
  std::vector<uint64_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = i;
  return values;
}

TEST(IntegerOps, DivisionOfBytesByConstants) {
  std::vector<uint64_t> xs = countTo(256);
  for (int divisor : {1, 4, 7, -3}) {
    std::string body = "  %c = arith.constant " + std::to_string(divisor) +
                       " : i8\n  %z = arith.floordivsi %x, %c : i8";
    std::vector<uint64_t> zs = runElementWise(Arch::Gfx942, {"i8", "i8", "i8", body}, xs, xs);
    ASSERT_EQ(zs.size(), xs.size());
    for (uint64_t x : xs)
      EXPECT_EQ(static_cast<int8_t>(zs[x]),
                static_cast<int8_t>(floorDivide(static_cast<int8_t>(x), divisor)));
  }
}

TEST(IntegerOps, WideProducts) {
  std::vector<uint64_t> xs, ys;
  integerPairs(xs, ys);
  for (bool isSigned : {false, true}) {
    std::string body = std::string("  %l, %h = arith.mul") + (isSigned ? "si" : "ui") +
                       "_extended %x, %y : i32\n"
                       "  %v = wave.pack %l, %h : i32, i32 -> vector<2xi32>\n"
                       "  %z = wave.bitcast %v : vector<2xi32> -> i64";
    std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"i32", "i32", "i64", body}, xs, ys);
    ASSERT_EQ(zs.size(), xs.size());
    for (size_t i = 0; i < xs.size(); ++i) {
      uint64_t want = isSigned ? static_cast<uint64_t>(int64_t(static_cast<int32_t>(xs[i])) *
                                                       static_cast<int32_t>(ys[i]))
                               : xs[i] * ys[i];
      EXPECT_EQ(zs[i], want);
    }
  }
}

TEST(IntegerOps, SixtyFourBits) {
  std::vector<uint64_t> xs, ys;
  Random random(2);
  auto wide = [&] { return uint64_t(random.next()) << 32 | random.next(); };
  for (int i = 0; i < 256; ++i) {
    xs.push_back(wide());
    ys.push_back((wide() >> (random.next() % 60)) | 1);
  }
  std::string body = "  %q = arith.divsi %x, %y : i64\n  %r = arith.remui %x, %y : i64\n"
                     "  %m = arith.muli %q, %r : i64\n  %z = arith.addi %m, %x : i64";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"i64", "i64", "i64", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    auto quotient = static_cast<uint64_t>(int64_t(xs[i]) / int64_t(ys[i]));
    EXPECT_EQ(zs[i], quotient * (xs[i] % ys[i]) + xs[i]);
  }
}

/// Floats of every kind, NaNs and denormals among them.
std::vector<uint64_t> anyFloats(size_t count, uint64_t seed) {
  std::vector<uint64_t> bits;
  for (float value : {0.0f, -0.0f, 1.0f, -2.5f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-45f, 3e38f})
    bits.push_back(bitsOf(value));
  Random random(seed);
  while (bits.size() < count)
    bits.push_back(bits.size() % 2 ? random.next()
                                   : bitsOf(static_cast<float>(random.next() * 0x1p-30 - 2)));
  return bits;
}

struct FloatOp {
  const char *name, *op;
  float (*exact)(float x, float y);
};
class Floats : public ::testing::TestWithParam<FloatOp> {};

bool isSame(float a, float b) { return (std::isnan(a) && std::isnan(b)) || bitsOf(a) == bitsOf(b); }

// Every operation rounds for itself, denormals included; nothing is fused.
TEST_P(Floats, AreExact) {
  std::vector<uint64_t> xs = anyFloats(1024, 1), ys = anyFloats(1024, 2);
  std::reverse(ys.begin(), ys.begin() + 10);
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950}) {
    std::string body = std::string("  %z = ") + GetParam().op + " %x, %y : f32";
    std::vector<uint64_t> zs = runElementWise(arch, {"f32", "f32", "f32", body}, xs, ys);
    ASSERT_EQ(zs.size(), xs.size());
    for (size_t i = 0; i < xs.size(); ++i) {
      float x = floatOf(xs[i]), y = floatOf(ys[i]), want = GetParam().exact(x, y);
      EXPECT_TRUE(isSame(floatOf(zs[i]), want))
          << std::hexfloat << x << " and " << y << ": " << floatOf(zs[i]) << ", not " << want;
    }
  }
}

float propagating(bool isMax, float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return NAN;
  if (x == 0 && y == 0)
    return std::signbit(x) == isMax ? y : x;
  return isMax ? std::max(x, y) : std::min(x, y);
}

const FloatOp floatOps[] = {
    {"add", "arith.addf", [](float x, float y) { return x + y; }},
    {"sub", "arith.subf", [](float x, float y) { return x - y; }},
    {"mul", "arith.mulf", [](float x, float y) { return x * y; }},
    {"div", "arith.divf", [](float x, float y) { return x / y; }},
    {"maximum", "arith.maximumf", [](float x, float y) { return propagating(true, x, y); }},
    {"minimum", "arith.minimumf", [](float x, float y) { return propagating(false, x, y); }},
    {"copysign", "math.copysign", [](float x, float y) { return std::copysign(x, y); }},
};
INSTANTIATE_TEST_SUITE_P(Ops, Floats, ::testing::ValuesIn(floatOps),
                         [](const auto &info) { return info.param.name; });

TEST(FloatArithmetic, MultiplyAndAddRoundTwice) {
  std::vector<uint64_t> xs, ys;
  Random random(4);
  for (int i = 0; i < 512; ++i) {
    xs.push_back(bitsOf(1 + static_cast<float>(random.next() * 0x1p-32)));
    ys.push_back(bitsOf(1 + static_cast<float>(random.next() * 0x1p-32)));
  }
  std::string body = "  %m = arith.mulf %x, %y : f32\n  %z = arith.subf %m, %x : f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "f32", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  bool fusingWouldShow = false;
  for (size_t i = 0; i < xs.size(); ++i) {
    volatile float product = floatOf(xs[i]) * floatOf(ys[i]);
    EXPECT_EQ(floatOf(zs[i]), product - floatOf(xs[i]));
    fusingWouldShow |= std::fma(floatOf(xs[i]), floatOf(ys[i]), -floatOf(xs[i])) != floatOf(zs[i]);
  }
  EXPECT_TRUE(fusingWouldShow);
}

TEST(FloatArithmetic, MaxNumIgnoresNaN) {
  std::vector<uint64_t> xs = anyFloats(256, 1), ys = anyFloats(256, 2);
  std::reverse(ys.begin(), ys.begin() + 10);
  std::string body = "  %a = arith.maxnumf %x, %y : f32\n  %z = arith.minnumf %a, %y : f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "f32", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    float x = floatOf(xs[i]), y = floatOf(ys[i]), want = std::fmin(std::fmax(x, y), y);
    EXPECT_TRUE(floatOf(zs[i]) == want || (std::isnan(want) && std::isnan(floatOf(zs[i]))));
  }
}

TEST(FloatArithmetic, HalvesAndBf16RoundOnce) {
  for (DType type : {DType::F16, DType::BF16}) {
    std::string name = type == DType::F16 ? "f16" : "bf16";
    std::vector<uint64_t> xs, ys;
    Random random(6);
    for (int i = 0; i < 2048; ++i) {
      xs.push_back(random.next() & 0xffff);
      ys.push_back((xs.back() + random.next() % 4096) & 0xffff);
    }
    std::string body = "  %z = arith.addf %x, %y : " + name;
    std::vector<uint64_t> zs = runElementWise(Arch::Gfx942, {name, name, name, body}, xs, ys);
    ASSERT_EQ(zs.size(), xs.size());
    for (size_t i = 0; i < xs.size(); ++i) {
      double exact = decodeFloat(type, xs[i]) + decodeFloat(type, ys[i]);
      double want = decodeFloat(type, encodeFloat(type, exact)), got = decodeFloat(type, zs[i]);
      EXPECT_TRUE(want == got || (std::isnan(want) && std::isnan(got))) << exact;
    }
  }
}

TEST(Conversions, FloatsToIntegersTruncate) {
  std::vector<uint64_t> xs;
  Random random(8);
  for (int i = 0; i < 512; ++i)
    xs.push_back(bitsOf(static_cast<float>(random.next() * 0x1p-24 - 128)));
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    unsigned bits = static_cast<unsigned>(std::stoi(type + 1));
    std::string body = std::string("  %z = arith.fptosi %x : f32 to ") + type;
    std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", type, body}, xs, xs);
    ASSERT_EQ(zs.size(), xs.size());
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (size_t i = 0; i < xs.size(); ++i)
      EXPECT_EQ(zs[i] & mask, static_cast<uint64_t>(static_cast<int64_t>(floatOf(xs[i]))) & mask);
  }
}

// docs/simulators/reference-device.md: saturating at 32 bits, then wrapping; NaN is 0.
TEST(Conversions, FloatsOutOfRangeSaturate) {
  const float values[] = {-5.0f, 300.0f, 1e20f, -1e20f, std::numeric_limits<float>::quiet_NaN()};
  std::vector<uint64_t> xs; // whole blocks
  for (size_t i = 0; i < 512; ++i)
    xs.push_back(bitsOf(values[i % std::size(values)]));
  struct Case {
    const char *op, *type;
    std::vector<uint64_t> expected;
  };
  const Case cases[] = {
      {"fptoui", "i8", {0, 44, 0xff, 0, 0}},
      {"fptosi", "i8", {0xfb, 44, 0xff, 0, 0}},
      {"fptoui", "i32", {0, 300, 0xffffffff, 0, 0}},
      {"fptosi", "i32", {0xfffffffb, 300, 0x7fffffff, 0x80000000, 0}},
      {"fptoui", "i64", {0, 300, ~0ull, 0, 0}},
  };
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (const Case &c : cases) {
      std::string body = std::string("  %z = arith.") + c.op + " %x : f32 to " + c.type;
      std::vector<uint64_t> zs = runElementWise(arch, {"f32", "f32", c.type, body}, xs, xs);
      ASSERT_EQ(zs.size(), xs.size());
      unsigned bits = static_cast<unsigned>(std::stoi(c.type + 1));
      uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
      for (size_t i = 0; i < xs.size(); ++i)
        EXPECT_EQ(zs[i] & mask, c.expected[i % std::size(values)])
            << c.op << " to " << c.type << ", value " << floatOf(xs[i]);
    }
}

TEST(Conversions, IntegersToFloatsAndWider) {
  std::vector<uint64_t> xs, ys;
  integerPairs(xs, ys);
  struct Cast {
    const char *body, *type;
    uint64_t (*exact)(int32_t);
  };
  const Cast casts[] = {
      {"  %z = arith.sitofp %x : i32 to f32", "f32",
       [](int32_t x) { return uint64_t(bitsOf(static_cast<float>(x))); }},
      {"  %z = arith.uitofp %x : i32 to f32", "f32",
       [](int32_t x) { return uint64_t(bitsOf(static_cast<float>(static_cast<uint32_t>(x)))); }},
      {"  %z = arith.extsi %x : i32 to i64", "i64", [](int32_t x) { return uint64_t(int64_t(x)); }},
      {"  %z = arith.extui %x : i32 to i64", "i64",
       [](int32_t x) { return uint64_t(uint32_t(x)); }},
      {"  %k = arith.index_castui %x : i32 to index\n  %z = arith.index_castui %k : index to i64",
       "i64", [](int32_t x) { return uint64_t(uint32_t(x)); }},
      {"  %k = arith.index_cast %x : i32 to index\n  %z = arith.index_cast %k : index to i64",
       "i64", [](int32_t x) { return uint64_t(int64_t(x)); }},
  };
  for (const Cast &cast : casts) {
    std::vector<uint64_t> zs =
        runElementWise(Arch::Gfx950, {"i32", "i32", cast.type, cast.body}, xs, ys);
    ASSERT_EQ(zs.size(), xs.size());
    for (size_t i = 0; i < xs.size(); ++i)
      EXPECT_EQ(zs[i], cast.exact(static_cast<int32_t>(xs[i]))) << cast.body;
  }
}

} // namespace
