//===- DefinedBits.h - definedness of the bits of a register --------------===//
//
// Takes an instruction and which bits of its sources are defined, gives which bits of its result
// are.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Wave.h"

#include <array>
#include <optional>

namespace tilec::sim {

/// By lane: the bits of a dword that are defined.
using BitRow = std::array<uint32_t, numLanes>;

/// The bits of a dword of source `source` that the instruction looks at.
uint32_t bitsRead(const Instr &instr, unsigned source);

/// What of the result is defined, for instructions that keep bits apart: moves, selects, bitwise
/// operations, shifts and v_perm_b32. None for others, whose result comes from all they read. To be
/// asked before the instruction runs: its result may take the place of a source.
std::optional<BitRow> definedBits(const Wave &wave, const Instr &instr,
                                  const std::array<BitRow, 3> &sources);

/// Whether the instruction shifts 64 bits.
bool isPairShift(const Instr &instr);

/// The same of dword `to` of the result of such a one: 64-bit shifts put four bytes that are known
/// beside some that are not.
BitRow definedOfPair(const Wave &wave, const Instr &instr, unsigned to, const BitRow &amount,
                     const std::array<BitRow, 2> &value);

} // namespace tilec::sim
