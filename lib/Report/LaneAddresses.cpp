//===- LaneAddresses.cpp - what the lanes of a wave address in LDS --------===//
//
// Runs WaveState over a kernel once and collects the operands of LDS accesses.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LaneAddresses.h"

#include "WaveState.h"

namespace tilec::report {

std::vector<std::optional<LaneValues>> sharedAddresses(const KernelCode &kernel) {
  // In address order, whatever the branches: what a loop changes is seen as in its first round.
  WaveState state(/*firstThread=*/0, WaveState::Exec::Ignored);
  std::vector<std::optional<LaneValues>> result;
  for (const Instruction &instr : kernel.instructions) {
    std::optional<LaneInts> address;
    if (!accessesTwoPlaces(instr))
      address = state.sharedAddress(instr);
    result.push_back(address ? std::optional(address->lanes) : std::nullopt);
    state.step(instr);
  }
  return result;
}

} // namespace tilec::report
