//===- DefinedBytes.h - definedness of the bytes of a register ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Wave.h"

#include <array>
#include <optional>

namespace tilec::sim {

/// By byte of a dword: the lanes in which it is defined.
using BytePlanes = std::array<uint64_t, 4>;

/// The bytes of a dword of source `source` that the instruction looks at, as bits.
unsigned bytesRead(const Instr &instr, unsigned source);

/// What of the result is defined, for instructions that keep bytes apart: moves, selects, bitwise
/// operations, shifts and v_perm_b32. None for others, whose result comes from all they read. To be
/// asked before the instruction runs: its result may take the place of a source.
std::optional<BytePlanes> definedBytes(const Wave &wave, const Instr &instr,
                                       const std::array<BytePlanes, 3> &sources);

/// Whether the instruction shifts 64 bits.
bool isPairShift(const Instr &instr);

/// The same of dword `to` of the result of such a one: 64-bit shifts put four bytes that are known
/// beside some that are not.
std::optional<BytePlanes> definedOfPair(const Wave &wave, const Instr &instr, unsigned to,
                                        const BytePlanes &amount,
                                        const std::array<BytePlanes, 2> &value);

} // namespace tilec::sim
