//===- DivisorTest.cpp - quotients by a shared divisor, all that could fail ---===//
//
// The arithmetic of ShareDivisors.cpp, for all mantissas of divisors. Let b and a be integers of 24
// bits, r = 1 / b rounded and q0 = a r rounded: q0 is off by at most half a place of its own and a
// times half a place of r, and the correction leaves that times 1 - b r, at most b times half a
// place of r. That is less than what a / b is away from the middle m of two numbers, a multiple c
// of 2^-24 / b or 2^-25 / b, unless |c| is at most 2 where a >= b, and 5 where a < b (there the
// residual may be rounded, too). All such a are computed here: those with 2^k a - m b = c for an
// odd m.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace {

constexpr uint64_t lowest = 1 << 23, behind = 1 << 24; ///< integers of 24 bits

float quotient(float x, float s, float r) {
  float first = x * r;
  float residual = std::fma(first, s, -x);
  return std::fma(residual, -r, first);
}

/// The inverse of an odd number modulo 2^32.
uint32_t inverse(uint32_t odd) {
  uint32_t result = odd; // of 3 bits
  for (int bits = 3; bits < 32; bits *= 2)
    result *= 2 - odd * result;
  return result;
}

/// Calls `see` with each a of 24 bits for which 2^k a - m b = c with an odd m of 25 bits.
template <typename See> void nearMiddles(uint64_t b, int64_t c, unsigned k, See see) {
  unsigned zeros = std::countr_zero(b);
  if (c % (int64_t(1) << zeros) != 0)
    return;
  uint64_t period = uint64_t(1) << (k - zeros);
  uint64_t least = (static_cast<uint32_t>(-(c >> zeros)) * inverse(b >> zeros)) & (period - 1);
  if (least % 2 == 0)
    return;
  for (uint64_t m = behind + ((least - behind) & (period - 1)); m < 2 * behind; m += period) {
    uint64_t a = (m * b + c) >> k;
    if (a >= lowest && a < behind && (k == 24) == (a >= b))
      see(a);
  }
}

TEST(SharedDivisor, NoQuotientNearAMiddleIsWrong) {
  uint64_t seen = 0, wrong = 0;
  for (uint64_t b = lowest; b < behind; ++b) {
    float s = static_cast<float>(b), r = 1 / s;
    auto see = [&](uint64_t a) {
      float x = static_cast<float>(a);
      ++seen;
      wrong += quotient(x, s, r) != x / s;
    };
    for (int64_t c = -5; c <= 5; ++c) {
      if (c == 0)
        continue; // a middle itself has 25 bits, and so has its product with b
      if (std::abs(c) <= 2)
        nearMiddles(b, c, 24, see);
      nearMiddles(b, c, 25, see);
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(seen, 10000000u);
}

} // namespace
