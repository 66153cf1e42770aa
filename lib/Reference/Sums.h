//===- Sums.h - sums that are exact enough to be the reference ------------===//
//
// Sums of float64 have no wider type to be done in: the part that each addition loses is
// kept beside them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"

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

} // namespace tilec::reference
