//===- Math.h - integer helpers -------------------------------------------===//
//
// Takes integers of 64 bits, gives quotients, multiples and logarithms of them: what C++ has only
// for one sign, or not at all.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilec {

/// a / b rounded up; b > 0, a >= 0.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// `a` rounded up to a multiple of b.
constexpr int64_t alignTo(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }
/// Python's // and %: the quotient is rounded towards minus infinity.
constexpr int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
constexpr int64_t floorMod(int64_t a, int64_t b) { return a - floorDiv(a, b) * b; }
constexpr bool isPowerOf2(int64_t a) { return a > 0 && (a & (a - 1)) == 0; }
/// floor(log2(a)); a > 0.
constexpr unsigned log2Floor(uint64_t a) {
  unsigned n = 0;
  while (a >>= 1)
    ++n;
  return n;
}

} // namespace tilec
