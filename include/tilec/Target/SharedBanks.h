//===- SharedBanks.h - LDS accesses of a wave and the banks ---------------===//
//
// The rule and its tables were measured on MI300X and MI350X by the projects named
// beside each table; the rule reproduces all counters that they publish.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include <array>
#include <cstdint>

namespace tilec {

/// Of the waves whose banks are known.
constexpr unsigned bankedLanes = 64;
/// A 32-bit value of each lane of a wave.
using LaneValues = std::array<uint32_t, bankedLanes>;

struct SharedAccess {
  bool isRead = true;
  unsigned bytesPerLane = 4; ///< 4, 8, 12 or 16; smaller accesses count as 4
};

/// Extra cycles of one LDS instruction: the lanes are served in phases; in each, a bank gives one
/// dword a cycle, and lanes that want the same dword share it.
unsigned bankConflicts(Arch arch, SharedAccess access, const LaneValues &byteAddresses);

} // namespace tilec
