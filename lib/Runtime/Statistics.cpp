//===- Statistics.cpp - what repeated timings say -------------------------===//
//
// Medians, times from turns, and the bootstrap with a generator of its own, so that reports can be
// repeated.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilec::rt {
namespace {

/// SplitMix64 (Steele, Lea and Flood, 2014): the standard library's distributions are not the same
/// everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Below `count`, which is small: the bias of the remainder does not matter.
  size_t below(size_t count) { return next() % count; }

private:
  uint64_t state;
};

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return std::numeric_limits<double>::quiet_NaN();
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1)
    return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> timesFromRounds(const std::vector<std::vector<double>> &samples) {
  std::vector<double> times;
  for (const std::vector<double> &rounds : samples)
    times.push_back(median(rounds));
  if (times.empty())
    return times;
  size_t fastest = std::min_element(times.begin(), times.end()) - times.begin();
  double unit = times[fastest];
  for (size_t i = 0; i < samples.size(); ++i) {
    std::vector<double> ratios;
    for (size_t round = 0; round < samples[i].size(); ++round)
      ratios.push_back(samples[i][round] / samples[fastest][round]);
    times[i] = unit * median(ratios);
  }
  return times;
}

Interval bootstrapMedian(const std::vector<double> &values, uint64_t seed, double coverage,
                         int resamples) {
  if (values.empty())
    return {median({}), median({})};
  Random random(seed);
  std::vector<double> medians, sample(values.size());
  for (int i = 0; i < resamples; ++i) {
    for (double &value : sample)
      value = values[random.below(values.size())];
    medians.push_back(median(sample));
  }
  std::sort(medians.begin(), medians.end());
  auto at = [&](double part) {
    return medians[static_cast<size_t>(std::lround(part * (medians.size() - 1)))];
  };
  return {at((1 - coverage) / 2), at((1 + coverage) / 2)};
}

} // namespace tilec::rt
