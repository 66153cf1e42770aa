//===- Statistics.h - what repeated timings say ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace tilec::rt {

/// The middle value, or the mean of the two middle ones; NaN of nothing.
double median(std::vector<double> values);

struct Interval {
  double low, high;
};

/// Where the median lies, by the percentile bootstrap: the middle `coverage` of the medians of
/// `resamples` samples drawn from `values` with replacement. The same values and seed give the same
/// interval on every machine.
Interval bootstrapMedian(const std::vector<double> &values, uint64_t seed = 0,
                         double coverage = 0.95, int resamples = 2000);

} // namespace tilec::rt
