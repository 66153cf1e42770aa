//===- LdsBanks.h - what an LDS access costs in data cycles ---------------===//
//
// Lanes are served in phases; within one, each bank gives one dword a cycle to however
// many lanes want it. conflicts = sum over phases of (most distinct dwords of one bank
// - 1); data cycles = phases + conflicts. Sources: HipKittens' phase and bank
// measurements on MI355X, SHARK's counters on MI300X, AMD's rocRoller LDS model.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include <cstdint>

namespace tilec::sim {

struct LdsCost {
  unsigned phases = 0, conflicts = 0;
};

/// `bytes` a lane: 4, 8, 12 or 16 (less counts as 4). `addr` are byte addresses of all 64 lanes,
/// `mask` the lanes that take part.
LdsCost ldsCost(Arch arch, bool write, unsigned bytes, uint64_t mask, const uint64_t *addr);

} // namespace tilec::sim
