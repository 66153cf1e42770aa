//===- Interleave.cpp - memory work between matrix instructions -----------===//
//
// Every K step of a tile is a phase: its matrix instructions, and between them the
// reads of the next K step's operands into the other register set. During the last
// phase no read of this tile is left, so its slot takes the tile `slots` ahead; and
// the next tile's first operands are read. That phase is halved: what the first half
// reads and copies is one operand, the second half the other, so that half a tile's
// copies are in flight at every wait (the hand-written anchors of
// amd.md 2.1 halve a K step in the same spirit). Two barriers a tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Strategies/Strategies.h"
#include "Schedule/Strategies/Weave.h"

namespace tilec::schedule {

/// Registers for addresses and loop control beside accumulators and operands.
constexpr int64_t otherRegisters = 20;

static std::string fits(const ScheduleShape &shape) {
  if (shape.slots < 2)
    return "it needs two stages of shared memory";
  if (shape.mmasPerTile() < 8)
    return "a wave has fewer than 8 matrix instructions per K tile";
  if (registersFor(shape, 2) + otherRegisters > registerBudget(shape))
    return "two sets of operand registers do not fit";
  return "";
}

static SchedulePlan plan(const ScheduleShape &shape) {
  SchedulePlan result;
  result.strategy = "interleave";
  std::vector<ScheduleStep> &body = result.body;
  int64_t phases = shape.readsAlongK(), perPhase = shape.kStepsPerRead;
  auto phaseMmas = [&](int64_t phase) {
    return mmas(0, shape.repsM, 0, shape.repsN, phase * perPhase, (phase + 1) * perPhase, 0);
  };
  for (int64_t phase = 0; phase + 1 < phases; ++phase) {
    body.push_back(ScheduleStep::mark("k " + std::to_string(phase)));
    if (phase == 0)
      body.push_back(ScheduleStep::wait(ScheduleStep::noCount, 0));
    std::vector<ScheduleStep> memory = reads(MmaOperand::B, 0, shape.repsN, phase + 1, 0);
    append(memory, reads(MmaOperand::A, 0, shape.repsM, phase + 1, 0));
    std::vector<ScheduleStep> work = phaseMmas(phase);
    weave(body, work, memory, work.size() * 3 / 4);
  }
  // The last phase: the slot is free, the next tile has landed, one operand at a time.
  std::vector<ScheduleStep> work = phaseMmas(phases - 1);
  size_t half = work.size() / 2;
  llvm::ArrayRef<ScheduleStep> halves[] = {llvm::ArrayRef(work).take_front(half),
                                           llvm::ArrayRef(work).drop_front(half)};
  for (MmaOperand operand : {MmaOperand::A, MmaOperand::B}) {
    int n = static_cast<int>(operand);
    body.push_back(ScheduleStep::mark(n == 0 ? "next A" : "next B"));
    body.push_back(ScheduleStep::wait(ScheduleStep::autoCount, n == 0 ? 0 : ScheduleStep::noCount));
    body.push_back(ScheduleStep::barrier());
    std::vector<ScheduleStep> memory = merge(reads(operand, 0, shape.reps(operand), 0, 1),
                                             copies(operand, shape.dmas[n], shape.slots));
    weave(body, halves[n], memory, n == 0 ? 0 : halves[n].size() * 3 / 4);
  }
  result.tilesPerRound = 1;
  return result.repeated(shape.slots);
}

const ScheduleStrategy interleave = {
    "interleave", "reads and copies between the matrix instructions of every wave", fits, plan};

} // namespace tilec::schedule
