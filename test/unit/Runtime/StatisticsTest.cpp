//===- StatisticsTest.cpp - medians and where they lie --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Statistics.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tilec::rt;

namespace {

/// 31 values around 1.03, with two far away.
std::vector<double> ratios() {
  std::vector<double> values;
  for (int i = 0; i < 29; ++i)
    values.push_back(1.03 + 0.001 * ((i * 7) % 29 - 14));
  values.push_back(3);
  values.push_back(0.2);
  return values;
}

TEST(Statistics, MedianIsTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_NEAR(median(ratios()), 1.03, 1e-9) << "outliers do not count";
}

/// The clock falls by a tenth over the rounds; the second contender is 1 % faster in each of them,
/// and the third is a tenth slower.
TEST(Statistics, TimesComeFromTheRoundsRatios) {
  std::vector<std::vector<double>> samples(3);
  for (int round = 0; round < 15; ++round) {
    double unit = 100 + round * 0.7;
    samples[0].push_back(unit);
    samples[1].push_back(unit * 0.99);
    samples[2].push_back(unit * 1.1);
  }
  samples[1][3] *= 2; // somebody else's work
  std::vector<double> times = timesFromRounds(samples);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0] / times[1], 1 / 0.99, 1e-9);
  EXPECT_NEAR(times[2] / times[1], 1.1 / 0.99, 1e-9);
  EXPECT_NEAR(times[1], 104.9 * 0.99, 1);
  EXPECT_EQ(timesFromRounds({{3, 1, 2}}), std::vector<double>{2});
  EXPECT_TRUE(timesFromRounds({}).empty());
}

TEST(Statistics, IntervalHoldsTheMedianAndRepeats) {
  Interval interval = bootstrapMedian(ratios());
  EXPECT_LT(interval.low, 1.03);
  EXPECT_GT(interval.high, 1.03);
  EXPECT_GT(interval.low, 1.016) << "within the values, without the outliers";
  EXPECT_LT(interval.high, 1.044);
  Interval again = bootstrapMedian(ratios());
  EXPECT_EQ(interval.low, again.low);
  EXPECT_EQ(interval.high, again.high);
}

TEST(Statistics, IntervalNarrowsWithMoreValuesAndLessCoverage) {
  std::vector<double> few, many;
  for (int i = 0; i < 400; ++i) {
    double value = (i * 37) % 100;
    many.push_back(value);
    if (i < 25)
      few.push_back(value);
  }
  auto width = [](Interval i) { return i.high - i.low; };
  EXPECT_LT(width(bootstrapMedian(many)), width(bootstrapMedian(few)));
  EXPECT_LT(width(bootstrapMedian(few, 0, 0.5)), width(bootstrapMedian(few, 0, 0.99)));
}

TEST(Statistics, OneValueIsItsOwnInterval) {
  Interval interval = bootstrapMedian({2});
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 2);
  EXPECT_TRUE(std::isnan(bootstrapMedian({}).low));
}

/// The 95 % interval of 31 values must hold the true median about 95 times in 100.
TEST(Statistics, IntervalCoversAsOftenAsItSays) {
  int covered = 0;
  uint64_t state = 1;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 31; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      values.push_back(static_cast<double>(state >> 40) / (1 << 24)); // uniform in [0, 1)
    }
    Interval interval = bootstrapMedian(values, trial, 0.95, 400);
    covered += interval.low <= 0.5 && 0.5 <= interval.high;
  }
  EXPECT_GE(covered, 360);
  EXPECT_LE(covered, 396);
}

} // namespace
