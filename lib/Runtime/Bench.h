//===- Bench.h - time runs on a device ------------------------------------===//
//
// Takes functions that queue a run, gives samples of their times on a device, in turns.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Launch.h"

#include <functional>

namespace tilec::rt {

/// Queues one run; runs are counted from 0 so that they can rotate through buffers.
using Contender = std::function<Status(size_t run)>;

/// The times of one contender, in milliseconds of a run, a sample a round.
struct Times {
  int runsPerSample = 0;
  std::vector<double> samples;
};

/// Times all contenders on `stream` in rounds: a sample of each, another one first in every round.
/// A change of the clock or of another user's load meets all of them alike, so that the ratio of
/// two samples of a round tells more than the ratio of two medians.
Result<std::vector<Times>> timeInRounds(const Device &device, Stream &stream,
                                        const std::vector<Contender> &contenders,
                                        const BenchOptions &options);

/// The fastest of `count` algorithms, by a few short samples of each in turns; `use(i)` switches to
/// the i-th. Those that fail are left out; how many were left is in `usable`. Fails with the last
/// one's message when none runs.
Result<int> fastestOf(const Device &device, Stream &stream, int count,
                      const std::function<void(int)> &use, const Contender &contender, int &usable);

} // namespace tilec::rt
