//===- WaveTrace.h - what a wave does to LDS, and when --------------------===//
//
// Takes a kernel and how unknown branches go, gives the LDS accesses of all waves with their waits
// and barriers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

#include <map>

namespace tilec::report {

/// Bytes of LDS as sorted intervals [first, second) that do not touch.
using ByteSet = std::vector<std::pair<uint32_t, uint32_t>>;

/// An LDS DMA or read of one wave. Times are counted in barriers (between waves) and in
/// instructions (within one).
struct SharedUse {
  static constexpr uint32_t never = ~uint32_t(0);

  uint32_t instr = 0; ///< index in the kernel
  uint32_t bytes = 0; ///< index into WaveTraces::byteSets
  bool isDma = false;
  uint32_t issueEpoch = 0, doneEpoch = never; ///< barriers passed at issue, and at its wait
  uint32_t issueStep = 0, doneStep = never;   ///< instructions executed
};

/// How branches on unknown values go, the same way for all waves.
struct BranchPolicy {
  unsigned rounds = 1;       ///< of a loop
  bool takesForward = false; ///< a branch ahead that leaves no loop
};

struct WaveTraces {
  std::vector<std::vector<SharedUse>> waves;
  std::vector<ByteSet> byteSets;
  bool usedPolicy = false;
  std::string problem; ///< why the traces are of no use; empty when they are complete
};

WaveTraces traceWaves(const KernelCode &kernel, const BranchPolicy &policy);

} // namespace tilec::report
