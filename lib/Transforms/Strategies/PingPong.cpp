//===- PingPong.cpp - half the waves load while the other half multiply ---===//
//
// After HipKittens' 8-wave GEMM: C is taken in four quadrants, and each
// quadrant is a phase of reads and copies, a barrier, matrix instructions at high
// priority, a barrier. The second half of the waves, which shares the SIMDs with the
// first, is one barrier behind: while one multiplies, the other loads. Every read is
// waited for two barriers ahead, because the other half may be one behind; the
// published loop lacks one of these waits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"
#include "Strategies/Weave.h"

namespace tilec::strategy {

static std::string fits(const ScheduleShape &shape) {
  if (shape.slots < 2)
    return "it needs two stages of shared memory";
  if (shape.waves != 2 * shape.schedulers)
    return "it needs " + std::to_string(2 * shape.schedulers) + " waves, the block has " +
           std::to_string(shape.waves);
  if (shape.repsM % 2 != 0 || shape.repsN % 2 != 0)
    return "a wave's tile cannot be halved both ways";
  if (shape.repsM / 2 % shape.together[0] != 0 || shape.repsN / 2 % shape.together[1] != 0)
    return "half of a wave's tile is read together with the other half";
  if (shape.dmas[0] % 2 != 0 || shape.dmas[1] % 2 != 0)
    return "an operand's copies cannot be halved";
  return "";
}

namespace {

/// Half `h` of an operand.
struct Half {
  MmaOperand operand;
  int64_t h;
};

std::vector<ScheduleStep> readHalf(const ScheduleShape &shape, Half half, int64_t tile) {
  int64_t reps = shape.reps(half.operand) / 2;
  std::vector<ScheduleStep> steps;
  for (int64_t k = 0; k < shape.readsAlongK(); ++k)
    append(steps, reads(half.operand, half.h * reps, (half.h + 1) * reps, k, tile));
  return steps;
}

std::vector<ScheduleStep> copyHalf(const ScheduleShape &shape, Half half, int64_t tile) {
  int64_t count = shape.dmas[static_cast<int>(half.operand)] / 2;
  std::vector<ScheduleStep> steps;
  for (int64_t d = half.h * count; d < (half.h + 1) * count; ++d)
    steps.push_back(ScheduleStep::dma(half.operand, d, tile));
  return steps;
}

std::vector<ScheduleStep> quadrant(const ScheduleShape &shape, int64_t m, int64_t n) {
  int64_t repsM = shape.repsM / 2, repsN = shape.repsN / 2;
  return mmas(m * repsM, (m + 1) * repsM, n * repsN, (n + 1) * repsN, 0, shape.kSteps, 0);
}

/// Whether some copy fills what both halves of the operand read: rows of K, which every repetition
/// needs.
bool sharesCopies(const ScheduleShape &shape, MmaOperand operand) {
  uint64_t halves[2] = {0, 0};
  int64_t reps = shape.reps(operand);
  for (int64_t rep = 0; rep < reps; ++rep)
    for (int64_t k = 0; k < shape.readsAlongK(); ++k)
      halves[rep >= reps / 2] |=
          shape.cover[static_cast<int>(operand)][rep * shape.readsAlongK() + k];
  return (halves[0] & halves[1]) != 0;
}

} // namespace

static SchedulePlan plan(const ScheduleShape &shape) {
  SchedulePlan result;
  result.strategy = "ping_pong";
  result.stagger = 1;
  std::vector<ScheduleStep> &body = result.body;
  Half a0{MmaOperand::A, 0}, a1{MmaOperand::A, 1}, b0{MmaOperand::B, 0}, b1{MmaOperand::B, 1};
  int64_t ahead = shape.slots;
  // What a phase reads of this tile, copies for a later one, and multiplies.
  struct Phase {
    std::vector<Half> reads;
    Half copied;
    int64_t copiedTile;
    int64_t m, n;
  };
  // A half is copied again two phases after its last read: then both halves of the waves have it.
  const Phase early[] = {{{b0, a0}, a1, ahead - 1, 0, 0},
                         {{b1}, b1, ahead - 1, 0, 1},
                         {{a1}, b0, ahead, 1, 0},
                         {{}, a0, ahead, 1, 1}};
  // Where halves share copies: two phases after the last read of the whole operand.
  const Phase late[] = {{{b0, a0}, b1, ahead - 1, 0, 0},
                        {{b1}, a0, ahead - 1, 0, 1},
                        {{a1}, a1, ahead - 1, 1, 0},
                        {{}, b0, ahead, 1, 1}};
  bool isLate = sharesCopies(shape, MmaOperand::A) || sharesCopies(shape, MmaOperand::B);
  for (const Phase &phase : isLate ? late : early) {
    body.push_back(ScheduleStep::mark("C" + std::to_string(phase.m) + std::to_string(phase.n)));
    for (Half half : phase.reads)
      append(body, readHalf(shape, half, 0));
    append(body, copyHalf(shape, phase.copied, phase.copiedTile));
    // For what the next phase but one, or sooner, reads.
    body.push_back(ScheduleStep::wait(ScheduleStep::autoCount));
    body.push_back(ScheduleStep::barrier());
    body.push_back(ScheduleStep::wait(ScheduleStep::noCount, 0));
    body.push_back(ScheduleStep::priority(1));
    append(body, quadrant(shape, phase.m, phase.n));
    body.push_back(ScheduleStep::priority(0));
    body.push_back(ScheduleStep::barrier());
  }
  result.tilesPerRound = 1;
  return result.repeated(shape.slots);
}

const Strategy ping_pong = {.name = "ping_pong",
                            .summary = "two waves a scheduler, or two teams: one loads or stores "
                                       "while the other multiplies",
                            .roles = {teamsFit, teamsSuit, planTeams},
                            .order = {.fits = fits, .plan = plan}};

} // namespace tilec::strategy
