//===- ComputeUnit.h - one CU, clock by clock -----------------------------===//
//
// Replays recorded waves on four SIMDs. Every `slotClk` clocks each SIMD issues at most
// one instruction through each of its ports, from different waves: highest s_setprio
// first, then the oldest. A wave issues in order, one instruction a slot.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "MemoryPath.h"

#include <array>

namespace tilec::sim {

inline constexpr unsigned numSimds = 4;

/// What one run of the CU gave.
struct CuResult {
  uint64_t clk = 0;                      ///< from the first wave's start to the last byte stored
  std::vector<uint64_t> groupEndClk;     ///< in the order of the given groups
  uint64_t matrixClk = 0, vectorClk = 0; ///< busy, summed over SIMDs
  uint64_t ldsClk = 0, ldsConflictClk = 0, memoryClk = 0;
  uint64_t l2Bytes = 0; ///< between the CU and the L2
  double l2Lines = 0, l2Misses = 0, infinityMisses = 0;
};

class ComputeUnit {
public:
  /// `places`: work-groups resident at once. Groups run in the given order, a new one when a place
  /// is free. Events and sums go to `trace`.
  ComputeUnit(const TimingConstants &constants, const MemoryShare &share, const MemoryUses &uses,
              TimingTrace &trace, bool keepEvents);
  CuResult run(const std::vector<const RecordedGroup *> &groups, unsigned places);

  ~ComputeUnit();

private:
  struct RunningGroup;
  struct RunningWave;
  struct Form : TimedForm {
    uint32_t index = 0; ///< in trace.instructions
  };
  struct Blocked {
    uint64_t clk;
    StallReason reason;
  };
  struct Simd {
    std::vector<RunningWave *> waves; ///< oldest first
    struct PortState {
      uint64_t free = 0;
      const RunningWave *last = nullptr;
    } ports[7];
    uint64_t matrixEnd = 0;  ///< the last matrix instruction leaves its pipe
    uint64_t matrixFree = 0; ///< the next may enter
    const RunningWave *lastMatrixWave = nullptr;
  };

  const Form &formFor(const Instr &instr);
  void startGroup(const RecordedGroup &group, size_t order, uint64_t clk);
  void retireGroup(const RunningGroup &group, uint64_t now);
  void step(Simd &simd, uint64_t now);

  Blocked earliest(RunningWave &wave, uint64_t now);
  Blocked waitcntOpens(const RunningWave &wave, uint64_t now) const;
  Blocked portOpens(const RunningWave &wave, uint64_t now) const;
  uint64_t operandsAt(RunningWave &wave, const Instr &instr) const;
  void fetchNext(RunningWave &wave);

  void issue(RunningWave &wave, uint64_t now);
  uint64_t issueVector(RunningWave &wave, uint64_t now);
  uint64_t issueMemory(RunningWave &wave, uint64_t now);
  uint64_t issueScalarLoad(RunningWave &wave, const uint64_t *lines, uint64_t now);
  void delayNext(RunningWave &wave, uint64_t now);
  void retire(RunningWave &wave, uint64_t now, uint64_t end);
  void openBarrierIfAll(RunningGroup &group, uint64_t now);

  const TimingConstants &c;
  TimingTrace &trace;
  bool keepEvents;
  LdsPath lds;
  VectorMemoryPath memory;
  std::array<Simd, numSimds> simds;
  std::vector<std::unique_ptr<RunningGroup>> running;
  std::unordered_map<const Instr *, Form> forms;
  std::unordered_map<uint64_t, bool> scalarLines; ///< that the scalar cache holds
  unsigned nextSimd = 0;                          ///< of the next work-group's first wave
  uint64_t wakeClk = ~0ull;                       ///< when something may happen next
  CuResult result;
};

} // namespace tilec::sim
