//===- Bench.cpp - time runs on a device ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Bench.h"

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
  Timing timing;
  std::vector<double> times;
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
  lane.timing.runsPerSample = static_cast<int>(std::clamp(options.sampleMs / lastMs, 1.0, 1000.0));
  lane.timing.samples =
      static_cast<int>(std::clamp(options.targetMs / (lastMs * lane.timing.runsPerSample),
                                  double(options.minSamples), double(options.maxSamples)));
  return success();
}

void summarize(Lane &lane) {
  std::sort(lane.times.begin(), lane.times.end());
  lane.timing.samples = static_cast<int>(lane.times.size());
  lane.timing.medianMs = lane.times[lane.times.size() / 2];
  lane.timing.minMs = lane.times.front();
  lane.timing.maxMs = lane.times.back();
}

} // namespace

Result<std::vector<Timing>> timeContenders(const Device &device, Stream &stream,
                                           const std::vector<Contender> &contenders,
                                           const BenchOptions &options) {
  Sampler sampler(device, stream);
  if (Status s = sampler.prepare(); !s)
    return s.error();
  std::vector<Lane> lanes(contenders.size());
  int samples = 0;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (Status s = warmUp(sampler, contenders[i], options, lanes[i]); !s)
      return s.error();
    samples = std::max(samples, lanes[i].timing.samples);
  }
  for (int turn = 0; turn < samples; ++turn)
    for (size_t i = 0; i < lanes.size(); ++i) {
      Lane &lane = lanes[i];
      Result<double> ms = sampler.sample(contenders[i], lane.nextRun, lane.timing.runsPerSample);
      if (!ms)
        return ms.error();
      lane.times.push_back(*ms);
    }
  std::vector<Timing> timings;
  for (Lane &lane : lanes) {
    summarize(lane);
    timings.push_back(lane.timing);
  }
  return timings;
}

} // namespace tilec::rt
