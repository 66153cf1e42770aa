//===- Execute.h - running waves ------------------------------------------===//
//
// Takes a wave, runs it to its next barrier or its end, and completes memory operations where a
// wait or the mode says so.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Wave.h"

namespace tilec::sim {

/// What s_getpc gives for the start of the code: away from all data.
inline constexpr uint64_t codeBase = 0x0800'0000'0000ull;

/// vmcnt has 6 bits: a wave cannot issue beyond them before its oldest access has completed
/// (amd.md 1.8, measured on CDNA3); LLVM relies on it.
constexpr unsigned mostVmemInFlight = 63;
/// That a full lgkmcnt holds the wave is nowhere published, so strict mode delays further; but code
/// that never waits must not fill the host's memory.
constexpr unsigned mostLgkmInFlight = 1024;

/// s_waitcnt: lets operations complete until at most `vm` (`lgkm`) are outstanding; < 0: as many as
/// there are. Only strict mode has outstanding operations.
void retire(Wave &wave, int vm, int lgkm);

/// Writes hardware register MODE; a mode that the simulator cannot follow is a fault.
void setMode(Wave &wave, const Instr &instr, uint32_t mode);
/// Why the simulator cannot follow `mode`; nullptr when it can.
const char *unsupportedMode(uint32_t mode);

/// Instructions of a work-group after which it is watched for the first time (Progress.h).
inline constexpr uint64_t firstWatchInstructions = 1 << 15;

enum class Turn {
  Ended,    ///< all waves, or a fatal finding
  TimeIsUp, ///< it has to be continued
  Waits,    ///< it cannot go on before another work-group changes global memory
};
/// Runs the work-group to its end or the next time limit.
Turn runGroup(Group &group, uint64_t maxInstructions);

} // namespace tilec::sim
