//===- BankConflicts.h - LDS accesses of a wave and the banks -------------===//
//
// The rule and its tables were measured on MI300X and MI350X by the projects named
// beside each table; the rule reproduces all counters that they publish.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

#include <array>

namespace tilec::report {

constexpr unsigned waveLanes = 64;
/// A 32-bit value of each lane of a wave.
using LaneValues = std::array<uint32_t, waveLanes>;

struct SharedAccess {
  bool isRead = true;
  unsigned bytesPerLane = 4; ///< 4, 8, 12 or 16; smaller accesses count as 4
};

/// Extra cycles of one LDS instruction: the lanes are served in phases; in each, a bank gives one
/// dword a cycle, and lanes that want the same dword share it.
unsigned bankConflicts(Arch arch, SharedAccess access, const LaneValues &byteAddresses);

/// The LDS accesses of a loop: those whose lane addresses follow from the lane's number by integer
/// arithmetic with constants, and the conflicts of these.
struct LoopConflicts {
  unsigned accesses = 0; ///< ds_read*, ds_write*
  unsigned known = 0;    ///< of these, addresses known up to one offset for the whole wave
  unsigned conflicts = 0;
};

/// One entry for each loop of the kernel. Addresses are those of the first round, for the wave of
/// lanes 0 to 63 of a one-dimensional block; an offset that all lanes share changes nothing.
std::vector<LoopConflicts> loopConflicts(Arch arch, const KernelCode &kernel);

} // namespace tilec::report
