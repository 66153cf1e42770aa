//===- Launch.h - run a compiled kernel on a device -----------------------===//
//
// Takes a manifest, the binary it belongs to and the arguments on the host; gives
// the written tensors back into the arguments. Also times runs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Check.h"
#include "tilec/Runtime/Device.h"

#include <functional>
#include <memory>

namespace tilec::rt {

/// Another implementation of the same computation, such as a vendor's library.
struct Rival {
  std::string name;
  std::string version; ///< of the library, where it tells
  /// Queues one run on tensors given by name, on the stream whose driver handle is `stream`.
  std::function<Status(const std::map<std::string, DeviceAddress> &tensors, uint64_t stream)> run;
  /// The tensor that both compute: what the rival leaves in it is compared with ours. Empty: none.
  std::string result;
  /// How far apart they may be, in parts of the root mean square of a row, beside two units of
  /// rounding: they add in different orders.
  double tolerance = 0;
  /// A library with several algorithms: `choose(i)` makes `run` use the i-th of `algorithms`. All
  /// are timed first; the fastest is the rival. One that fails is left out.
  int algorithms = 1;
  std::function<void(int)> choose;
};

/// How runs are timed: warm-up, then samples between events, each run on other buffers than the one
/// before so that no input is still in the cache.
struct BenchOptions {
  bool enabled = false;
  double warmUpMs = 50;      ///< runs until this much device time has passed, at least 3 of them
  double sampleMs = 2;       ///< a sample is the mean of runs that take about this long together
  double targetMs = 500;     ///< samples are taken for about this long ...
  int minSamples = 31;       ///< ... but not fewer
  int maxSamples = 1000;     ///< ... and not more than these
  std::vector<Rival> rivals; ///< timed in turns with the kernel: a sample of each is a round
};

/// How often as fast as a rival the kernel is: medians of the rounds' ratios.
struct RivalTiming {
  std::string name, version;
  int algorithm = 0, algorithms = 1; ///< the fastest, of so many that ran
  double medianMs = 0;
  double ratio = 0;                     ///< above 1: the kernel is faster
  double low = 0, high = 0;             ///< 95 % bootstrap interval of `ratio`
  std::optional<CheckReport> agreement; ///< of the rival's result with ours
};

/// One line: `cublas  median 7.18 us, ours is 1.030 times as fast [1.021, 1.037] (31 rounds)` and
/// whether the results agree.
std::string describe(const RivalTiming &rival, int rounds);

struct Timing {
  int samples = 0, runsPerSample = 0;
  int bufferSets = 0; ///< copies of the arguments that the runs rotate through
  double medianMs = 0, minMs = 0, maxMs = 0; ///< of one run
  std::vector<RivalTiming> rivals;
};

/// Launches all of a manifest once and copies what it wrote back into `arguments`. With
/// `bench.enabled` it then times further runs; their results are not copied back. Writes past the
/// end of a tensor are reported where the device does not check them itself. A rival whose result
/// differs is no failure here: its `agreement` says so.
///
/// Fails with the driver's message, or the manifest's field that cannot be honoured.
Result<Timing> launchProgram(const Device &device, const Manifest &manifest,
                             std::span<const uint8_t> image, ArgumentSet &arguments,
                             const BenchOptions &bench = {});

/// One of several programs that compute the same from the same arguments.
struct Alternative {
  const Manifest *manifest;
  std::span<const uint8_t> image;
};

/// Runs and times alternatives, one after another, on arguments that are uploaded once. All have
/// the parameters of the first one.
class Trials {
public:
  /// `arguments` has to live as long as this, and is not changed.
  Trials(Device device, ArgumentSet &arguments);
  ~Trials();

  /// Runs the program once on the arguments as they were and copies what it wrote into `results`,
  /// a copy of the arguments. Fails as launchProgram does.
  Status run(const Alternative &program, ArgumentSet &results);

  /// Times programs in turns, `rounds` samples of each, so that a clock that changes meets all
  /// alike: microseconds of a run, by program and round. Each program runs for `warmUpMs` before;
  /// no launch begins before the one before it has ended.
  Result<std::vector<std::vector<double>>> timeInTurns(const std::vector<Alternative> &programs,
                                                       int rounds, double warmUpMs);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The parameter buffer of one launch. `addresses` holds tensors and workspaces by name. Exposed
/// for tests and for devices that launch by themselves.
Result<ParamBuffer> packParams(const Device &device, const Launch &launch,
                               const ArgumentSet &arguments,
                               const std::map<std::string, DeviceAddress> &addresses);

/// What the driver is asked to encode for a parameter of kind tensor map, on a tensor at `address`.
Result<TensorMapRequest> tensorMapOf(const Param &param, const ArgumentSet &arguments,
                                     DeviceAddress address);

/// Evaluates the grid of a launch of the manifest; fails on negative extents.
Result<LaunchShape> shapeOf(const Manifest &manifest, const Launch &launch, const DimValues &dims);

} // namespace tilec::rt
