//===- Residency.cpp - how many blocks a compute unit holds at once -------===//
//
// Takes registers and shared memory of a kernel, gives waves and blocks a unit, and which of them
// is the limit.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/Residency.h"

#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"

#include <algorithm>

namespace tilec {

Residency residencyOf(Arch arch, const ResidencyNeeds &needs) {
  const TargetInfo &target = targetInfo(arch);
  unsigned maxWaves = target.wavesOfScheduler, schedulers = target.schedulers;
  unsigned named = needs.agprs ? unsigned(alignTo(needs.vgprs, 4)) + needs.agprs : needs.vgprs;
  unsigned registers = alignTo(std::max(named, 1u), target.registers.step);
  unsigned byRegisters = unsigned(target.registers.ofLane) / registers;
  Residency result;
  result.limit = byRegisters < maxWaves ? "registers" : "waves";
  result.wavesPerSimd = std::min(byRegisters, maxWaves);
  if (needs.threads == 0)
    return result;
  unsigned waves = ceilDiv(needs.threads, target.waveLanes);
  // A block's waves go to the SIMDs in turn; blocks of fewer than four share them.
  result.blocks = waves >= schedulers ? result.wavesPerSimd / unsigned(ceilDiv(waves, schedulers))
                                      : result.wavesPerSimd * schedulers / waves;
  if (needs.sharedBytes != 0) {
    unsigned byShared =
        unsigned(target.sharedBytes) / unsigned(alignTo(needs.sharedBytes, target.sharedStep));
    if (byShared < result.blocks) {
      result.blocks = byShared;
      result.limit = "shared memory";
    }
  }
  result.blocks = std::max(result.blocks, 1u);
  result.wavesPerSimd = ceilDiv(result.blocks * waves, schedulers);
  return result;
}

std::string describe(const Residency &residency) {
  auto counted = [](unsigned count, const char *thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
  };
  std::string text = counted(residency.wavesPerSimd, "wave") + " a SIMD";
  if (residency.blocks)
    text += ", " + counted(residency.blocks, "block") + " a compute unit";
  return text + " (limit: " + residency.limit.str() + ")";
}

} // namespace tilec
