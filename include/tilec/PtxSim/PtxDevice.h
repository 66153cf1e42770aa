//===- PtxDevice.h - the PTX simulator as a device of the runtime ---------===//
//
// Everything that launches on an NVIDIA GPU launches here, from PTX.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/PtxSim/PtxSim.h"
#include "tilec/Runtime/Device.h"

namespace tilec {

struct PtxDeviceOptions {
  ptx::LaunchOptions launch;
  uint64_t memoryLimitBytes = uint64_t(64) << 30;
  std::function<void(const std::string &kernel, const ptx::RunResult &result)> onRun;
};

/// A simulated NVIDIA GPU, whose modules are PTX. Launches run at once; what a kernel did wrong is
/// reported by the next `wait`. It has no clock.
rt::Result<rt::Device> openPtx(const std::string &arch, PtxDeviceOptions options = {});

} // namespace tilec
