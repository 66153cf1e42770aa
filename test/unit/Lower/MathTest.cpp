//===- MathTest.cpp - the expansions of math against the host's libm ------===//
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

/// The distance of a float from an exact value, in units of the exact value's last place.
double ulpError(float got, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  if (rounded == got)
    return 0;                                 // also infinities
  if (std::isinf(rounded) || std::isinf(got)) // one step beyond the largest number is infinity
    return std::fabs(std::isinf(got) ? exact : static_cast<double>(got)) > 3.402822e38
               ? 1
               : std::numeric_limits<double>::infinity();
  int exponent;
  std::frexp(exact, &exponent);
  double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::fabs(static_cast<double>(got) - exact) / ulp;
}

struct Function {
  const char *name;
  const char *op; ///< of Wave IR, on %x : f32
  double (*exact)(double);
  double low, high; ///< where most arguments lie
  double maxUlp;
};

std::ostream &operator<<(std::ostream &os, const Function &f) { return os << f.name; }

const float specials[] = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::denorm_min(),
                          -std::numeric_limits<float>::denorm_min(),
                          std::numeric_limits<float>::min(),
                          std::numeric_limits<float>::max(),
                          std::numeric_limits<float>::lowest(),
                          0x1.fffffep-127f,
                          0.5f,
                          -0.5f,
                          2.0f,
                          10.0f,
                          88.72283f,
                          88.72284f,
                          -87.33655f,
                          -103.97f,
                          128.0f,
                          -150.0f,
                          0x1p30f,
                          0x1.fffffep29f,
                          6.2831853e9f,
                          1e22f,
                          -3e38f,
                          1.5707964f,
                          3.1415927f,
                          0x1.000002p0f,
                          0x1.fffffep-1f};

/// Special values, values spread over the interesting range, tiny ones, and any bits at all.
std::vector<uint64_t> argumentsFor(double low, double high, size_t count) {
  std::vector<uint64_t> bits;
  for (float value : specials)
    bits.push_back(bitsOf(value));
  Random random(7);
  while (bits.size() < count) {
    double unit = random.next() * 0x1p-32;
    switch (bits.size() % 4) {
    case 0:
    case 1:
      bits.push_back(bitsOf(static_cast<float>(low + (high - low) * unit)));
      break;
    case 2: // within [-1, 1], all magnitudes
      bits.push_back(bitsOf(
          static_cast<float>(std::ldexp(unit * 2 - 1, -static_cast<int>(random.next() % 30)))));
      break;
    default:
      bits.push_back(random.next());
    }
  }
  return bits;
}

class Math : public ::testing::TestWithParam<Function> {};

TEST_P(Math, IsWithinItsBound) {
  const Function &function = GetParam();
  std::vector<uint64_t> xs = argumentsFor(function.low, function.high, 4096);
  std::string body = std::string("  %z = ") + function.op + " : f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "f32", body}, xs, xs);
  ASSERT_EQ(zs.size(), xs.size());
  double worst = 0;
  float worstAt = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    float x = floatOf(xs[i]);
    double exact = function.exact(static_cast<double>(x));
    if (exact == 0 && x == 0)
      EXPECT_EQ(std::signbit(floatOf(zs[i])), std::signbit(exact)) << "at " << x;
    double error = ulpError(floatOf(zs[i]), exact);
    if (error > worst) {
      worst = error;
      worstAt = x;
    }
  }
  RecordProperty("ulp", std::to_string(worst));
  EXPECT_LE(worst, function.maxUlp) << "at " << std::hexfloat << worstAt;
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
using F = double (*)(double);

// The bounds are what was measured over these arguments, rounded up.
const Function functions[] = {
    {"exp", "math.exp %x", F(std::exp), -90, 90, 1.0},
    {"exp2", "math.exp2 %x", F(std::exp2), -130, 130, 1.0},
    {"expm1", "math.expm1 %x", F(std::expm1), -4, 4, 1.5},
    {"log", "math.log %x", F(std::log), 0, 4, 1.0},
    {"log2", "math.log2 %x", F(std::log2), 0, 4, 0.6},
    {"log10", "math.log10 %x", F(std::log10), 0, 4, 0.6},
    {"log1p", "math.log1p %x", F(std::log1p), -1, 4, 0.6},
    {"sqrt", "math.sqrt %x", F(std::sqrt), 0, 1e6, 0.501},
    {"rsqrt", "math.rsqrt %x", rsqrt, 0, 1e6, 1.0},
    {"cbrt", "math.cbrt %x", F(std::cbrt), -100, 100, 0.6},
    {"sin", "math.sin %x", F(std::sin), -20, 20, 0.6},
    {"cos", "math.cos %x", F(std::cos), -20, 20, 0.6},
    {"tan", "math.tan %x", F(std::tan), -20, 20, 1.7},
    {"asin", "math.asin %x", F(std::asin), -1, 1, 1.5},
    {"acos", "math.acos %x", F(std::acos), -1, 1, 1.3},
    {"atan", "math.atan %x", F(std::atan), -8, 8, 1.7},
    {"sinh", "math.sinh %x", F(std::sinh), -10, 10, 0.9},
    {"cosh", "math.cosh %x", F(std::cosh), -10, 10, 0.6},
    {"tanh", "math.tanh %x", F(std::tanh), -10, 10, 1.2},
    {"asinh", "math.asinh %x", F(std::asinh), -10, 10, 0.7},
    {"acosh", "math.acosh %x", F(std::acosh), 1, 10, 0.6},
    {"atanh", "math.atanh %x", F(std::atanh), -1, 1, 0.8},
    {"erf", "math.erf %x", F(std::erf), -4, 4, 1.2},
    {"erfc", "math.erfc %x", F(std::erfc), -4, 10, 1.2},
};

INSTANTIATE_TEST_SUITE_P(Functions, Math, ::testing::ValuesIn(functions),
                         [](const auto &info) { return info.param.name; });

/// Two-argument functions over pairs of special and random values.
void checkPairs(const char *op, double (*exact)(double, double), double maxUlp, bool isExact) {
  std::vector<uint64_t> xs, ys;
  for (float x : specials)
    for (float y : specials) {
      xs.push_back(bitsOf(x));
      ys.push_back(bitsOf(y));
    }
  Random random(11);
  auto around = [&](double scale) {
    return bitsOf(static_cast<float>(scale * (random.next() * 0x1p-31 - 1)));
  };
  while (xs.size() < 4096) {
    bool isPlain = xs.size() % 2;
    xs.push_back(isPlain ? around(8) : random.next());
    ys.push_back(isPlain ? (xs.size() % 4 ? bitsOf(std::rint(floatOf(around(9)))) : around(20))
                         : random.next());
  }
  std::string body = std::string("  %z = ") + op + " %x, %y : f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "f32", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    float x = floatOf(xs[i]), y = floatOf(ys[i]), got = floatOf(zs[i]);
    double want = exact(x, y);
    EXPECT_LE(ulpError(got, want), maxUlp)
        << op << " of " << std::hexfloat << x << " and " << y << ": " << got << ", not " << want;
    if (isExact && want == 0) {
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << x << " " << y;
    }
  }
}

TEST(MathOfTwo, Pow) {
  checkPairs("math.powf", [](double x, double y) { return std::pow(x, y); }, 0.6, true);
}
TEST(MathOfTwo, Atan2) {
  checkPairs("math.atan2", [](double y, double x) { return std::atan2(y, x); }, 1.6, true);
}
TEST(MathOfTwo, Remainder) {
  checkPairs("arith.remf", [](double x, double y) { return std::fmod(x, y); }, 0, true);
}

// 2^-17 of the polynomial, and what f32 adds to an exponent of up to 47. Beyond 5.5 it is small.
TEST(MathApproximate, Erfc) {
  std::vector<uint64_t> xs = argumentsFor(-4, 6, 4096);
  std::string body = "  %z = math.erfc %x fastmath<afn> : f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "f32", body}, xs, xs);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    double want = std::erfc(floatOf(xs[i])), got = floatOf(zs[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got));
      continue;
    }
    EXPECT_LE(std::fabs(got - want), want * 0x1p-16 + 0x1p-46) << floatOf(xs[i]);
  }
}

// The divisor of a sigmoid is no denormal but may be large or infinite.
TEST(MathApproximate, QuotientBySumWithPower) {
  std::vector<uint64_t> xs = argumentsFor(-10, 10, 4096), ys = argumentsFor(-20, 140, 4096);
  std::string body = "  %e = math.exp2 %y : f32\n  %one = arith.constant 1.0 : f32\n"
                     "  %s = arith.addf %e, %one : f32\n"
                     "  %z = arith.divf %x, %s fastmath<arcp> : f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx950, {"f32", "f32", "f32", body}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    double power = std::exp2(static_cast<double>(floatOf(ys[i])));
    double want = floatOf(xs[i]) / (1 + (power < 0x1p128 ? power : HUGE_VAL));
    double got = floatOf(zs[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got));
      continue;
    }
    if (got != want) {
      EXPECT_LE(std::fabs(got - want), std::fabs(want) * 0x1p-21 + 0x1p-148)
          << std::hexfloat << floatOf(xs[i]) << " / (1 + 2^" << floatOf(ys[i]) << ')';
    }
  }
}

// Halves are computed in f32 and rounded once: never more than half a unit and a little off.
TEST(MathOfHalves, ExpOfEveryHalf) {
  std::vector<uint64_t> xs(65536);
  for (size_t i = 0; i < xs.size(); ++i)
    xs[i] = i;
  std::string body = "  %w = math.exp %x : f16\n  %z = arith.extf %w : f16 to f32\n"
                     "  %dummy = arith.extf %x : f16 to f32";
  std::vector<uint64_t> zs = runElementWise(Arch::Gfx942, {"f16", "f16", "f32", body}, xs, xs);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    double exact = std::exp(decodeFloat(DType::F16, i));
    double want = decodeFloat(DType::F16, encodeFloat(DType::F16, exact));
    float got = floatOf(zs[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << i;
      continue;
    }
    // A tie that f32 rounds to the other side: at most one code off, and hardly ever.
    if (got != want) {
      EXPECT_NEAR(got, want, std::fabs(want) * 0x1p-10 + 0x1p-24) << i;
    }
  }
}

TEST(MathOfIntegers, IntegerPowers) {
  std::vector<uint64_t> xs, ys;
  Random random(3);
  for (int i = 0; i < 512; ++i) {
    xs.push_back(static_cast<uint32_t>(static_cast<int32_t>(random.next()) >> (i % 31)));
    ys.push_back(i % 5 == 0 ? static_cast<uint32_t>(-static_cast<int>(random.next() % 4))
                            : random.next() % 40);
    if (xs.back() == 0) // 0 to a negative power has no value
      ys.back() = 3;
  }
  std::vector<uint64_t> zs =
      runElementWise(Arch::Gfx950, {"i32", "i32", "i32", "  %z = math.ipowi %x, %y : i32"}, xs, ys);
  ASSERT_EQ(zs.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    auto x = static_cast<int32_t>(xs[i]), n = static_cast<int32_t>(ys[i]);
    uint32_t want = 1;
    if (n < 0)
      want = x == 1 ? 1u : x == -1 ? (n & 1 ? ~0u : 1u) : 0u;
    else
      for (int32_t j = 0; j < n; ++j)
        want *= static_cast<uint32_t>(x);
    EXPECT_EQ(static_cast<uint32_t>(zs[i]), want) << x << " ^ " << n;
  }
}

} // namespace
