//===- Single.cpp - one thing after the other -----------------------------===//
//
// For small tiles: wait for the tile, start the copies of the one that is
// `slots - 1` ahead, read a K step, multiply. Several blocks on a compute unit fill
// the gaps. With two slots A and B are awaited apart, so that no wait is for all
// copies: B's are in flight at A's wait, and those of the next A at B's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"
#include "Strategies/Weave.h"

namespace tilec::strategy {

static std::string fits(const ScheduleShape &shape) {
  return shape.slots < 2 ? "it needs two stages of shared memory" : "";
}

static SchedulePlan plan(const ScheduleShape &shape) {
  SchedulePlan result;
  result.strategy = "single";
  result.autoLgkm = true; // a K step's first matrix instructions need not wait for its last reads
  std::vector<ScheduleStep> &body = result.body;
  body.push_back(ScheduleStep::mark("tile"));
  int64_t perPhase = shape.kStepsPerRead;
  auto await = [&](int64_t openReads) {
    body.push_back(ScheduleStep::wait(ScheduleStep::autoCount, openReads));
    body.push_back(ScheduleStep::barrier());
  };
  auto startCopies = [&](MmaOperand operand) {
    append(body, copies(operand, shape.dmas[static_cast<int>(operand)], shape.slots - 1));
  };
  bool isApart = shape.slots == 2;
  await(0);
  startCopies(MmaOperand::A);
  if (!isApart)
    startCopies(MmaOperand::B);
  for (int64_t phase = 0; phase < shape.readsAlongK(); ++phase) {
    append(body, reads(MmaOperand::A, 0, shape.repsM, phase, 0));
    if (isApart && phase == 0) {
      await(ScheduleStep::noCount); // what B's slot held was multiplied before A's barrier
      startCopies(MmaOperand::B);
    }
    append(body, reads(MmaOperand::B, 0, shape.repsN, phase, 0));
    append(body, mmas(0, shape.repsM, 0, shape.repsN, phase * perPhase, (phase + 1) * perPhase, 0));
  }
  result.tilesPerRound = 1;
  return result.repeated(shape.slots);
}

const Strategy single = {.name = "single",
                         .summary = "copies, reads and matrix instructions in turn",
                         .order = {.fits = fits, .plan = plan}};

} // namespace tilec::strategy
