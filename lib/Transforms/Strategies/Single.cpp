//===- Single.cpp - one thing after the other -----------------------------===//
//
// For small tiles: wait for the tile, start the copies of the one that is
// `slots - 1` ahead, read a K step, multiply. Several blocks on a compute unit fill
// the gaps.
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
  body.push_back(ScheduleStep::wait(ScheduleStep::autoCount, 0));
  body.push_back(ScheduleStep::barrier());
  append(body, copies(MmaOperand::A, shape.dmas[0], shape.slots - 1));
  append(body, copies(MmaOperand::B, shape.dmas[1], shape.slots - 1));
  int64_t perPhase = shape.kStepsPerRead;
  for (int64_t phase = 0; phase < shape.readsAlongK(); ++phase) {
    append(body, reads(MmaOperand::A, 0, shape.repsM, phase, 0));
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
