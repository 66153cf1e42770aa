//===- Kinds.h - what the timing model asks about an instruction ----------===//
//
// Takes an instruction, gives what never changes about it for the clock, so that it is asked once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "../Instruction.h"
#include "Constants.h"
#include "tilec/Sim/Timing.h"

namespace tilec::sim {

TimedKind kindOf(const Instr &instr);

/// Issue ports of a SIMD. One instruction a slot through each, from different waves.
enum class Port : uint8_t { Vector, Scalar, Branch, Lds, Memory, ScalarMemory, Internal };

/// What never changes about an instruction, computed once.
struct TimedForm {
  TimedKind kind;
  Port port;
  unsigned vectorClk = 0; ///< of the SIMD's vector port
  unsigned matrixClk = 0; ///< of the SIMD's matrix pipe
  bool packedF32 = false; ///< never runs beside a matrix instruction
};
TimedForm formOf(const Instr &instr, const TimingConstants &constants);

} // namespace tilec::sim
