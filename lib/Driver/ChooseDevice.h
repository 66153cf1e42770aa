//===- ChooseDevice.h - which target and device where none is given -------===//
//
// Takes target and device as they were given, either, both or none, gives both and why, or why
// they do not go together.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Runtime/Result.h"

#include <functional>
#include <string>

namespace tilec {

struct DeviceChoice {
  Arch arch = Arch::Gfx950;
  std::string device; ///< `sim`, `ptx`, `cpu`, `cuda` or `hip`
  std::string why;    ///< a sentence; empty where both were given
};

/// Says which GPU a driver finds (`sm_90`), or why there is none.
using FindGpu = std::function<rt::Result<std::string>(const std::string &device)>;
/// Asks the drivers of this machine.
rt::Result<std::string> findGpu(const std::string &device);

/// Target and device go together: what is given decides what is not. A GPU of this machine that
/// runs the target comes first, then the simulator of its vendor. Fails for unknown targets, and
/// for pairs that do not go together.
rt::Result<DeviceChoice> chooseDevice(const std::string &target, const std::string &device,
                                      const FindGpu &find = findGpu);

} // namespace tilec
