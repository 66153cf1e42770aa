//===- Recorder.h - what waves executed, with their addresses -------------===//
//
// Filled by the functional simulator for chosen work-groups (LaunchOptions::recorder).
// Says nothing of time.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "../Wave.h"

#include <mutex>
#include <unordered_map>

namespace tilec::sim {

/// One memory instruction of one wave. Global lines are 128 bytes.
struct RecordedAccess {
  uint32_t firstLine = 0, lineCount = 0; ///< in RecordedGroup::lines, each once
  uint16_t sectors = 0;                  ///< distinct 64-byte pieces
  uint16_t lanes = 0;
  uint16_t sameAddress = 0; ///< global atomics: lanes on the address that most of them use
  uint16_t ldsClk = 0, ldsConflictClk = 0; ///< data clocks of LDS, conflicts included
};

/// One executed instruction; `access` is an index in RecordedGroup::accesses or noAccess.
struct RecordedInstr {
  const Instr *instr;
  uint32_t access;
};
inline constexpr uint32_t noAccess = ~0u;

struct RecordedWave {
  std::vector<RecordedInstr> instrs;
};

/// What the waves of one work-group executed, in the order of the functional run.
class RecordedGroup {
public:
  RecordedGroup(uint64_t number, uint64_t maxInstructions)
      : number(number), maxInstructions(maxInstructions) {}

  uint64_t number;
  std::vector<RecordedWave> waves;
  std::vector<RecordedAccess> accesses;
  std::vector<const Instr *> accessInstr; ///< parallel to `accesses`
  std::vector<uint64_t> lines;            ///< address / 128
  bool full = false;                      ///< maxInstructions reached: the group stops here

  void instruction(const Wave &wave, const Instr &instr);
  void access(const Wave &wave, const MemOp &op);

private:
  uint64_t maxInstructions; ///< of the work-group
  uint64_t count = 0;
  uint32_t pending = noAccess; ///< access of the instruction that is being executed
};

/// How much a work-group does.
struct GroupWork {
  uint64_t instructions = 0; ///< over its waves
  uint64_t matrixPasses = 0; ///< of their matrix instructions
  bool operator==(const GroupWork &) const = default;
};

/// All recorded groups of a run; groups may run on several threads.
class ExecutionRecorder {
public:
  /// `maxInstructionsOf` a work-group: how much of it is recorded before it stops.
  void want(uint64_t group, uint64_t maxInstructions);
  RecordedGroup *start(uint64_t group, size_t numWaves); ///< null: not wanted
  const RecordedGroup *find(uint64_t group) const;
  const std::map<uint64_t, std::unique_ptr<RecordedGroup>> &all() const { return groups; }

  /// Not null: nothing is recorded, work-groups execute this part of the code only, and `work` has
  /// how much all of it would be.
  const class ControlSlice *slice = nullptr;
  std::unordered_map<uint64_t, GroupWork> work; ///< by work-group

private:
  mutable std::mutex mutex;
  std::map<uint64_t, std::unique_ptr<RecordedGroup>> groups;
};

} // namespace tilec::sim
