//===- Statistics.h - what repeated timings say ---------------------------===//
//
// Takes times of repeated runs, gives medians, times of contenders that took turns, and the
// interval in which a median lies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace tilec::rt {

/// The middle value, or the mean of the two middle ones; NaN of nothing.
double median(std::vector<double> values);

/// One time for each of several contenders that took turns: `samples[i][round]`. What changes from
/// round to round (a clock that falls as the device gets warm) meets all of a round, so a time is
/// the fastest contender's median times the median of the rounds' ratios to it. All have the same
/// number of rounds, at least one.
std::vector<double> timesFromRounds(const std::vector<std::vector<double>> &samples);

struct Interval {
  double low, high;
};

/// Where the median lies, by the percentile bootstrap: the middle `coverage` of the medians of
/// `resamples` samples drawn from `values` with replacement. The same values and seed give the same
/// interval on every machine.
Interval bootstrapMedian(const std::vector<double> &values, uint64_t seed = 0,
                         double coverage = 0.95, int resamples = 2000);

} // namespace tilec::rt
