//===- SchedulePlan.h - the order of a pipelined matrix loop, as data -----===//
//
// One round of the steady loop of a wave: which copies to shared memory, reads,
// matrix instructions, waits, barriers and priorities, in which order, and for which
// K tile each of them works. Prologue, tail and the counts of waits follow from it
// (`expandSchedule`), and so does whether it is legal. No MLIR: plans are made,
// printed, parsed, checked and drawn apart from the code that applies them.
// docs/machine-code/scheduling.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// The two operands of C += A * B.
enum class MmaOperand : uint8_t { A, B };

/// What a strategy is told about the loop: the work of one wave on one K tile.
struct ScheduleShape {
  int64_t repsM = 1, repsN = 1;      ///< matrix instructions along the wave's rows and columns
  int64_t kSteps = 1;                ///< matrix instructions along K
  int64_t kStepsPerRead = 1;         ///< K steps whose operand one read fetches
  int64_t slots = 2;                 ///< K tiles that shared memory holds
  int64_t waves = 4, schedulers = 4; ///< of a block; of a unit, which share them
  int64_t wavesPerSimd = 1;
  int64_t registers = INT64_MAX;                ///< of a lane of each of these waves
  int64_t mostOpen = INT64_MAX;                 ///< copies that a wait may leave in flight
  int64_t mostOpenReads = INT64_MAX;            ///< reads that it may
  int64_t mostPriority = INT64_MAX;             ///< of a wave
  int64_t accumulatorRegs = 4;                  ///< registers of one matrix instruction's result
  std::array<int64_t, 2> fragmentRegs = {4, 4}; ///< of one read, A and B
  std::array<int64_t, 2> dmas = {1, 1};         ///< copies per K tile, A and B
  /// Repetitions of A and B whose registers are made of the reads of all of them: a matrix
  /// instruction needs the reads of its whole group.
  std::array<int64_t, 2> together = {1, 1};
  /// Copies that fill what a read fetches, of any wave: bit d for copy d of the operand. Indexed by
  /// operand, then repetition * readsAlongK() + K step.
  std::array<std::vector<uint64_t>, 2> cover;

  int64_t reps(MmaOperand operand) const { return operand == MmaOperand::A ? repsM : repsN; }
  int64_t readsAlongK() const { return kSteps / kStepsPerRead; }
  int64_t dmasPerTile() const { return dmas[0] + dmas[1]; }
  int64_t readsPerTile() const { return (repsM + repsN) * readsAlongK(); }
  int64_t mmasPerTile() const { return repsM * repsN * kSteps; }
  uint64_t covers(MmaOperand operand, int64_t rep, int64_t k) const {
    return cover[static_cast<int>(operand)][rep * readsAlongK() + k];
  }
  /// The repetitions whose reads one of them needs: [first, end).
  std::array<int64_t, 2> groupOf(MmaOperand operand, int64_t rep) const {
    int64_t size = together[static_cast<int>(operand)], first = rep / size * size;
    return {first, first + size};
  }
  /// A shape whose reads each need the copies in proportion; for tests and pictures.
  void setProportionalCover();
};

/// One step of a wave. Text forms: `dma A 1 +2`, `read B 0 1 +0`, `mma 0 1 0 +0`, `wait vm(auto)
/// lgkm(0)`, `barrier`, `prio 1`, `mark "tile 0"`.
struct ScheduleStep {
  enum Kind : uint8_t { Dma, Read, Mma, Wait, Barrier, Priority, Mark };
  static constexpr int64_t autoCount = -1, noCount = -2;

  Kind kind = Barrier;
  MmaOperand operand = MmaOperand::A;   ///< Dma, Read
  int64_t i = 0;                        ///< Dma: which; Read: repetition; Mma: row; Priority: level
  int64_t j = 0;                        ///< Mma: column
  int64_t k = 0;                        ///< Read, Mma: K step
  int64_t tile = 0;                     ///< Dma, Read, Mma: K tile, from the first of the round
  int64_t vm = noCount, lgkm = noCount; ///< Wait: a count, autoCount (vm only) or noCount
  std::string label;                    ///< Mark

  static ScheduleStep dma(MmaOperand operand, int64_t index, int64_t tile);
  static ScheduleStep read(MmaOperand operand, int64_t rep, int64_t k, int64_t tile);
  static ScheduleStep mma(int64_t m, int64_t n, int64_t k, int64_t tile);
  static ScheduleStep wait(int64_t vm, int64_t lgkm = noCount);
  static ScheduleStep barrier();
  static ScheduleStep priority(int64_t level);
  static ScheduleStep mark(llvm::StringRef label);

  bool isWork() const { return kind == Dma || kind == Read || kind == Mma; }
  /// What it works on, without the tile: `read B 0 1`. The name that operations of the template in
  /// a `wave.pipeline` carry.
  std::string name() const;
  std::string str() const;
  static llvm::Expected<ScheduleStep> parse(llvm::StringRef text);
  bool operator==(const ScheduleStep &) const = default;
};

struct SchedulePlan {
  std::string strategy;
  int64_t tilesPerRound = 1; ///< a multiple of the slots
  /// Barriers by which the second half of the waves is behind: its waves multiply while the first
  /// half's load.
  int64_t stagger = 0;
  /// Waits for reads are left to LLVM where the body has none: what it adds is audited for cover.
  /// Otherwise the waits for reads are those of the body, no more and no stronger ones.
  bool autoLgkm = false;
  std::vector<ScheduleStep> body;

  /// A mark at the start of the plan of a loop with too few tiles for two rounds: there is none in
  /// the machine code, where the steps stand in a line.
  static constexpr llvm::StringLiteral noLoop = "no loop";
  bool hasLoop() const {
    return body.empty() || body[0].kind != ScheduleStep::Mark || body[0].label != noLoop;
  }

  /// The largest tile that a step of the body works for.
  int64_t lookahead() const;
  /// The plan for `times` as many tiles per round.
  SchedulePlan repeated(int64_t times) const;
  std::string str() const;
  static llvm::Expected<SchedulePlan> parse(llvm::StringRef text);
  bool operator==(const SchedulePlan &) const = default;
};

/// A whole loop over `tiles` K tiles: all waits have counts.
struct ExpandedSchedule {
  std::vector<ScheduleStep> prologue; ///< tiles from the first of the loop
  int64_t rounds = 0;
  std::vector<ScheduleStep> body; ///< tiles from the first of the round
  std::vector<ScheduleStep> tail; ///< tiles from the first behind the rounds
};

/// Works out prologue, rounds, tail and wait counts, and proves on the way that the order is legal:
/// every matrix instruction once per tile after its reads, and without `autoLgkm` after a wait for
/// them; every read after a wait for its copies and then a barrier; every copy after a barrier that
/// follows the last read of what it overwrites.
/// Fails with the step that breaks a rule.
llvm::Expected<ExpandedSchedule> expandSchedule(const SchedulePlan &plan,
                                                const ScheduleShape &shape, int64_t tiles);

/// The same for a number of tiles that only the run knows: `fewest` or more.
struct RuntimeSchedule {
  std::vector<ScheduleStep> prologue, body;
  int64_t fewest = 1;
  /// Behind the rounds: tails[i] where `fewest - tilesPerRound + i` tiles are left. A round has
  /// `tilesPerRound` tiles, and there are as many rounds as leave so many.
  std::vector<std::vector<ScheduleStep>> tails;
};

/// One prologue and one body for all numbers of tiles, with the strictest wait that any of them
/// needs. Fails where numbers of tiles want different steps.
llvm::Expected<RuntimeSchedule> expandForRuntime(const SchedulePlan &plan,
                                                 const ScheduleShape &shape);

/// expandSchedule for every number of tiles that makes a difference.
llvm::Error checkSchedule(const SchedulePlan &plan, const ScheduleShape &shape);

} // namespace tilec
