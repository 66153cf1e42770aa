//===- Bench.cpp - time runs on a device ----------------------------------===//
//
// Takes contenders, warms up, and lets them take turns; Bench.h has the rule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Bench.h"

#include "tilec/Runtime/Statistics.h"

#include <algorithm>

namespace tilec::rt {
namespace {

class Sampler {
public:
  Sampler(const Device &device, Stream &stream) : device(device), stream(stream) {}

  Status prepare() {
    for (Event *event : {&begin, &end}) {
      Result<Event> made = device.createEvent();
      if (!made)
        return made.error();
      *event = std::move(*made);
    }
    return success();
  }

  /// Milliseconds of one of `runs` that are queued at once: the gap between a launch and its event
  /// would otherwise count as much as a short kernel.
  Result<double> sample(const Contender &contender, size_t &nextRun, int runs) {
    if (Status s = stream.record(begin); !s)
      return s.error();
    for (int i = 0; i < runs; ++i)
      if (Status s = contender(nextRun++); !s)
        return s.error();
    for (const Status &s : {stream.record(end), stream.wait()})
      if (!s)
        return s.error();
    Result<double> ms = device.elapsedMs(begin, end);
    return ms ? Result<double>(*ms / runs) : ms;
  }

private:
  const Device &device;
  Stream &stream;
  Event begin, end;
};

/// One contender's state between its turns.
struct Lane {
  size_t nextRun = 0;
  int samples = 0; ///< wanted
  Times times;
};

/// Warms up and decides how many runs make a sample and how many samples are taken.
Status warmUp(Sampler &sampler, const Contender &contender, const BenchOptions &options,
              Lane &lane) {
  double totalMs = 0, lastMs = 0;
  for (int run = 0; run < 3 || (totalMs < options.warmUpMs && run < 1000); ++run) {
    Result<double> ms = sampler.sample(contender, lane.nextRun, 1);
    if (!ms)
      return ms.error();
    totalMs += lastMs = *ms;
  }
  lastMs = std::max(lastMs, 1e-3);
  lane.times.runsPerSample = static_cast<int>(std::clamp(options.sampleMs / lastMs, 1.0, 1000.0));
  lane.samples =
      static_cast<int>(std::clamp(options.targetMs / (lastMs * lane.times.runsPerSample),
                                  double(options.minSamples), double(options.maxSamples)));
  return success();
}

} // namespace

Result<std::vector<Times>> timeInRounds(const Device &device, Stream &stream,
                                        const std::vector<Contender> &contenders,
                                        const BenchOptions &options) {
  Sampler sampler(device, stream);
  if (Status s = sampler.prepare(); !s)
    return s.error();
  std::vector<Lane> lanes(contenders.size());
  int rounds = 0;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (Status s = warmUp(sampler, contenders[i], options, lanes[i]); !s)
      return s.error();
    rounds = std::max(rounds, lanes[i].samples);
  }
  for (int round = 0; round < rounds; ++round)
    for (size_t turn = 0; turn < lanes.size(); ++turn) {
      size_t i = (turn + round) % lanes.size();
      Lane &lane = lanes[i];
      Result<double> ms = sampler.sample(contenders[i], lane.nextRun, lane.times.runsPerSample);
      if (!ms)
        return ms.error();
      lane.times.samples.push_back(*ms);
    }
  std::vector<Times> times;
  for (Lane &lane : lanes)
    times.push_back(std::move(lane.times));
  return times;
}

Result<int> fastestOf(const Device &device, Stream &stream, int count,
                      const std::function<void(int)> &use, const Contender &contender,
                      int &usable) {
  constexpr int turns = 5;
  constexpr double sampleMs = 0.5;
  Sampler sampler(device, stream);
  if (Status s = sampler.prepare(); !s)
    return s.error();
  struct Algorithm {
    int index, runs;
    size_t nextRun;
    std::vector<double> samples;
  };
  std::vector<Algorithm> algorithms;
  Error last{"it has no algorithm for this"};
  for (int i = 0; i < count; ++i) {
    use(i);
    Algorithm algorithm{i, 1, 0, {}};
    Result<double> first = sampler.sample(contender, algorithm.nextRun, 1); // warms up
    Result<double> ms = first ? sampler.sample(contender, algorithm.nextRun, 2) : first;
    if (!ms) {
      last = ms.error();
      continue;
    }
    algorithm.runs = static_cast<int>(std::clamp(sampleMs / std::max(*ms, 1e-3), 1.0, 500.0));
    algorithms.push_back(std::move(algorithm));
  }
  usable = static_cast<int>(algorithms.size());
  if (algorithms.empty())
    return last;
  for (int turn = 0; turn < turns; ++turn)
    for (Algorithm &algorithm : algorithms) {
      use(algorithm.index);
      Result<double> ms = sampler.sample(contender, algorithm.nextRun, algorithm.runs);
      if (!ms)
        return ms.error();
      algorithm.samples.push_back(*ms);
    }
  auto best = std::min_element(algorithms.begin(), algorithms.end(), [](auto &a, auto &b) {
    return median(a.samples) < median(b.samples);
  });
  use(best->index);
  return best->index;
}

} // namespace tilec::rt
