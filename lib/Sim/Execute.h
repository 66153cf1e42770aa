//===- Execute.h - running waves ------------------------------------------===//
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

/// s_waitcnt: lets operations complete until at most `vm` (`lgkm`) are outstanding; < 0: as many as
/// there are. Only strict mode has outstanding operations.
void retire(Wave &wave, int vm, int lgkm);

/// Writes hardware register MODE; a mode that the simulator cannot follow is a fault.
void setMode(Wave &wave, const Instr &instr, uint32_t mode);
/// Why the simulator cannot follow `mode`; nullptr when it can.
const char *unsupportedMode(uint32_t mode);

/// Runs the work-group to its end or the next time limit. False when it has to be continued.
bool runGroup(Group &group, uint64_t maxInstructions);

} // namespace tilec::sim
