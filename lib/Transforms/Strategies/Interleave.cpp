//===- Interleave.cpp - memory work between matrix instructions -----------===//
//
// Every K step of a tile is a phase: its matrix instructions, and between them the
// reads of the next K step's operands into the other register set. During the last
// phase no read of this tile is left, so its slot takes the tile `slots` ahead; and
// the next tile's first operands are read. That phase is halved: the first half reads
// A, the second B, so that copies are in flight at every wait (hand-written kernels
// halve a K step in the same spirit); a third of the copies goes on into
// the next tile. Two barriers a tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"
#include "Strategies/Weave.h"

namespace tilec::strategy {

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

namespace {

/// A tile's copies in the order of their issue: A's, then B's, in three parts.
struct CopyParts {
  std::vector<ScheduleStep> nextA, nextB, later;
};

/// A third of the copies goes into each half of the last phase and into the first half of the next
/// tile's first one: spread out they meet no full queue, and the last of them has half a tile of
/// time to land. A tile of one phase has no later place.
CopyParts partsOf(const ScheduleShape &shape) {
  std::vector<ScheduleStep> all = copies(MmaOperand::A, shape.dmas[0], shape.slots);
  append(all, copies(MmaOperand::B, shape.dmas[1], shape.slots));
  size_t count = all.size(), firstA = shape.dmas[0];
  bool hasLater = shape.readsAlongK() > 1;
  // What the first half of the last phase reads is A: as many copies as A has may go there.
  size_t first = std::min(hasLater ? (count + 2) / 3 : firstA, firstA);
  size_t second = hasLater ? std::max(firstA, first + (count + 1) / 3) : count;
  auto range = [&](size_t begin, size_t end) {
    return std::vector<ScheduleStep>(all.begin() + begin, all.begin() + end);
  };
  CopyParts parts{range(0, first), range(first, second), range(second, count)};
  for (ScheduleStep &step : parts.later)
    step.tile -= 1; // counted from the tile in whose first phase it stands
  return parts;
}

} // namespace

static SchedulePlan plan(const ScheduleShape &shape) {
  SchedulePlan result;
  result.strategy = "interleave";
  std::vector<ScheduleStep> &body = result.body;
  CopyParts parts = partsOf(shape);
  int64_t phases = shape.readsAlongK(), perPhase = shape.kStepsPerRead;
  auto phaseMmas = [&](int64_t phase) {
    return mmas(0, shape.repsM, 0, shape.repsN, phase * perPhase, (phase + 1) * perPhase, 0);
  };
  for (int64_t phase = 0; phase + 1 < phases; ++phase) {
    body.push_back(ScheduleStep::mark("k " + std::to_string(phase)));
    body.push_back(ScheduleStep::wait(ScheduleStep::noCount, 0));
    std::vector<ScheduleStep> memory = reads(MmaOperand::B, 0, shape.repsN, phase + 1, 0);
    append(memory, reads(MmaOperand::A, 0, shape.repsM, phase + 1, 0));
    if (phase == 0) {
      size_t early = memory.size() * 2 / 3;
      std::vector<ScheduleStep> first =
          merge(llvm::ArrayRef(memory).take_front(early), parts.later);
      append(first, llvm::ArrayRef(memory).drop_front(early));
      memory = std::move(first);
    }
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
    std::vector<ScheduleStep> memory =
        merge(reads(operand, 0, shape.reps(operand), 0, 1), n == 0 ? parts.nextA : parts.nextB);
    weave(body, halves[n], memory, n == 0 ? 0 : halves[n].size() * 3 / 4);
  }
  result.tilesPerRound = 1;
  return result.repeated(shape.slots);
}

const Strategy interleave = {.name = "interleave",
                             .summary =
                                 "reads and copies between the matrix instructions of every wave",
                             .order = {.fits = fits, .plan = plan}};

} // namespace tilec::strategy
