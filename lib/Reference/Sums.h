//===- Sums.h - sums that are exact enough to be the reference ------------===//
//
// Sums of float64 have no wider type to be done in: the part that each addition loses is
// kept beside them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tilec::reference {

/// A sum of doubles with twice their precision (Knuth's two-sum).
class WideSum {
public:
  explicit WideSum(double first = 0) : high(first) {}
  void add(double x) {
    double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  void addProduct(double a, double b) {
    double product = a * b;
    add(product);
    if (std::isfinite(product))
      low += std::fma(a, b, -product);
  }
  double value() const { return std::isfinite(high) ? high + low : high; }

private:
  double high, low = 0;
};

/// A neighbour of `value` in `dtype` (float32 or float64), above or below it by the number of the
/// element: what another order of additions may give.
template <typename T> T neighbour(T value, DType dtype, uint64_t number) {
  if (!std::isfinite(value))
    return value;
  bool up = (number * 0x9E3779B97F4A7C15u) >> 63;
  if (dtype == DType::F64)
    return static_cast<T>(std::nextafter(double(value), up ? HUGE_VAL : -HUGE_VAL));
  float rounded = static_cast<float>(value);
  return static_cast<T>(std::nextafter(rounded, up ? HUGE_VALF : -HUGE_VALF));
}

/// The exponent of the lowest bit of a float that is set; large for 0.
inline int lowestBit(float value) {
  if (value == 0 || !std::isfinite(value))
    return 1 << 20;
  uint32_t magnitude = std::bit_cast<uint32_t>(value) & 0x7fffffff;
  uint32_t exponent = magnitude >> 23, digits = magnitude & 0x7fffff;
  return exponent ? int(exponent) - 150 + __builtin_ctz(digits | 0x800000)
                  : -149 + __builtin_ctz(digits);
}

/// 2^exponent, infinite beyond 2^1023. Sums of outputs ask often: no call of the library.
inline double powerOfTwo(int exponent) {
  if (exponent > 1023)
    return HUGE_VAL;
  return exponent < -1022 ? std::ldexp(1.0, exponent)
                          : std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
}

/// The terms of a sum, as far as they tell what another order of additions may lose.
class SumTerms {
public:
  void add(double term) {
    squares += term * term;
    magnitude += std::fabs(term);
    lowest = std::min(lowest, lowestBit(static_cast<float>(term)));
    ++count;
  }
  bool isEmpty() const { return count == 0; }
  double spread(int digits = 24) const;
  /// The same of one sum of a scan, whose neighbours along the row are of other magnitudes: the
  /// last bit of a float32 of the size of all terms together.
  double spreadInScan() const {
    bool isExact = magnitude <= powerOfTwo(24 + lowest) || !std::isfinite(magnitude);
    return isExact ? 0 : 0x1p-23 * magnitude;
  }

private:
  double squares = 0, magnitude = 0;
  int lowest = lowestBit(0), count = 0;
};

/// How far another order of additions of floats of `digits` bits may come out elsewhere: the last
/// bit of one of the size of partial sums, which is that of the root of the sum of the squares of
/// the terms. 0 where no order rounds: all terms are multiples of 2^`lowest`, and no partial sum
/// (at most the root of their number times that of their squares) needs more bits.
inline double spreadOfSum(double squares, double count, int lowest, int digits = 24) {
  if (!(squares > 0) || !std::isfinite(squares))
    return 0;
  double largest = std::sqrt(count * squares);
  return largest <= powerOfTwo(digits + lowest) ? 0 : std::sqrt(squares) * powerOfTwo(1 - digits);
}

inline double SumTerms::spread(int digits) const {
  return spreadOfSum(squares, count, lowest, digits);
}

/// Bits of a float that atomics add in.
inline int significantBits(DType dtype) {
  return dtype == DType::F16 ? 11 : dtype == DType::BF16 ? 8 : 24;
}

/// `sum` moved by that, above or below by the number of the element.
template <typename T> T spread(T sum, double by, uint64_t number) {
  bool up = (number * 0x9E3779B97F4A7C15u) >> 63;
  return static_cast<T>(up ? sum + by : sum - by);
}

} // namespace tilec::reference
