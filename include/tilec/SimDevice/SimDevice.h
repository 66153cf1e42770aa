//===- SimDevice.h - the simulator as a device of the runtime -------------===//
//
// Everything that launches on a GPU launches on the simulator through this backend.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Device.h"
#include "tilec/Sim/Simulator.h"
#include "tilec/Sim/Timing.h"

#include <functional>

namespace tilec {

struct SimDeviceOptions {
  sim::LaunchOptions launch;
  uint64_t memoryLimitBytes = uint64_t(64) << 30;
  /// Called after each launch, also of one that has findings.
  std::function<void(const std::string &kernel, const sim::RunResult &result)> onRun;
  /// Called with the model's answer in place of a run: only the work-groups that the model wants
  /// are executed, so tensors hold partial results afterwards.
  std::function<void(const std::string &kernel, const sim::TimingResult &result)> onTimed;
  sim::TimingOptions timing; ///< with `onTimed`
};

/// A simulated GPU of `arch` (gfx942 or gfx950). Launches run at once on the calling thread and its
/// helpers; findings of class Error are reported by the next `wait`, as faults of a GPU are. It has
/// no clock: timing runs on it is an error.
rt::Result<rt::Device> openSim(Arch arch, SimDeviceOptions options = {});

} // namespace tilec
