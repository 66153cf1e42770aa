//===- Launch.h - run a compiled kernel on a device -----------------------===//
//
// Takes a manifest, the binary it belongs to and the arguments on the host; gives
// the written tensors back into the arguments. Also times runs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Device.h"

#include <functional>

namespace tilec::rt {

/// Another implementation of the same computation, such as a vendor's library: queues one run on
/// tensors given by name, on the stream whose driver handle is `stream`.
using Rival =
    std::function<Status(const std::map<std::string, DeviceAddress> &tensors, uint64_t stream)>;

/// How runs are timed: warm-up, then samples between events, each run on other buffers than the one
/// before so that no input is still in the cache.
struct BenchOptions {
  bool enabled = false;
  double warmUpMs = 50;  ///< runs until this much device time has passed, at least 3 of them
  double sampleMs = 2;   ///< a sample is the mean of runs that take about this long together
  double targetMs = 500; ///< samples are taken for about this long ...
  int minSamples = 10;   ///< ... but not fewer
  int maxSamples = 1000; ///< ... and not more than these
  Rival rival;           ///< timed in turns with the kernel when there is one
};

struct Timing {
  int samples = 0, runsPerSample = 0;
  int bufferSets = 0; ///< copies of the arguments that the runs rotate through
  double medianMs = 0, minMs = 0, maxMs = 0; ///< of one run
  double rivalMedianMs = 0;                  ///< 0 without a rival
};

/// Launches all of a manifest once and copies what it wrote back into `arguments`. With
/// `bench.enabled` it then times further runs; their results are not copied back. Writes past the
/// end of a tensor are reported where the device does not check them itself.
///
/// Fails with the driver's message, or the manifest's field that cannot be honoured.
Result<Timing> launchProgram(const Device &device, const Manifest &manifest,
                             std::span<const uint8_t> image, ArgumentSet &arguments,
                             const BenchOptions &bench = {});

/// The parameter buffer of one launch. `addresses` holds tensors and workspaces by name. Exposed
/// for tests and for devices that launch by themselves.
Result<ParamBuffer> packParams(const Device &device, const Launch &launch,
                               const ArgumentSet &arguments,
                               const std::map<std::string, DeviceAddress> &addresses);

/// Evaluates the grid; fails on negative extents.
Result<LaunchShape> shapeOf(const Launch &launch, const DimValues &dims);

} // namespace tilec::rt
