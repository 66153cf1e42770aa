//===- BlocksAtOnce.cpp - how many blocks a chip holds at once ------------===//
//
// Counts by waves, registers and shared memory, and takes the least; BlocksAtOnce.h says what for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/BlocksAtOnce.h"

#include "tilec/Base/Math.h"

#include <algorithm>

namespace tilec {

/// Of one unit, however small they are (CUDA programming guide, "technical specifications"; a
/// dispatcher of CDNA keeps no more).
static constexpr int64_t mostBlocksOfUnit = 32;

int64_t blocksAtOnce(const TargetInfo &target, const BlockNeeds &needs) {
  int64_t waves = std::max<int64_t>(1, ceilDiv(needs.threads, target.waveLanes));
  int64_t ofScheduler = target.wavesOfScheduler;
  if (needs.registersOfLane > 0) {
    int64_t ofWave = alignTo(needs.registersOfLane, target.registers.step) * target.waveLanes;
    ofScheduler = std::min(ofScheduler, target.registers.ofUnit / target.schedulers / ofWave);
  }
  int64_t ofUnit = waves >= target.schedulers ? ofScheduler / ceilDiv(waves, target.schedulers)
                                              : ofScheduler * target.schedulers / waves;
  ofUnit = std::min(ofUnit, mostBlocksOfUnit);
  if (needs.sharedBytes > 0)
    ofUnit = std::min(ofUnit,
                      target.sharedBytesOfUnit /
                          alignTo(needs.sharedBytes + target.sharedBytesKept, target.sharedStep));
  return ofUnit * target.units;
}

} // namespace tilec
