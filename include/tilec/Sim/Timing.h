//===- Timing.h - how long a kernel takes on a CDNA compute unit ----------===//
//
// The functional simulator records what the waves of the work-groups that share a
// compute unit (CU) execute, with their real addresses; a model of one CU replays that
// record clock by clock. docs/simulators/simulator.md has the model, its constants with their
// sources, and predicted against measured times.
//
//   TimingOptions options;
//   auto timing = timeKernel(object, "gemm", grid, block, kernarg, memory, launch, options);
//   if (!timing) ...                       // Expected
//   timing->print(llvm::outs());           // text table
//   timing->writeJson(os);                 // the same as JSON
//   timing->trace ...                      // every instruction of every wave on the CU
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Simulator.h"

namespace tilec::sim {

/// What an instruction occupies; colours of a timeline.
enum class TimedKind : uint8_t {
  Salu,
  Valu,
  Trans, ///< v_exp, v_rcp, ... and 32-bit multiplies: a quarter of the rate
  Mfma,
  LdsRead,
  LdsWrite,
  VmemLoad,
  VmemStore,
  LdsDma, ///< buffer_load ... lds, global_load_lds
  Atomic,
  Smem,
  Branch,
  Barrier,
  Wait, ///< s_waitcnt
  Nop,  ///< s_nop, s_sleep
  Other,
};
inline constexpr unsigned numTimedKinds = 16;
llvm::StringRef nameOf(TimedKind kind);

/// Why a wave could not issue its next instruction earlier.
enum class StallReason : uint8_t {
  None,
  Vmcnt,       ///< s_waitcnt for vector memory
  Lgkmcnt,     ///< s_waitcnt for LDS or scalar memory
  Barrier,     ///< other waves have not arrived
  MatrixPipe,  ///< the SIMD's matrix pipe is busy
  MatrixData,  ///< the result of a matrix instruction is not there yet
  VectorIssue, ///< the SIMD's vector issue port is busy (other wave, slow instruction)
  OtherWave,   ///< another wave of the SIMD issued an instruction of this kind
  LdsQueue,    ///< the LDS takes no more requests
  MemoryQueue, ///< the vector memory path takes no more requests
  Counter,     ///< as many operations in flight as vmcnt or lgkmcnt can count
  Fetch,       ///< first instruction, or behind a taken branch
  Nop,         ///< s_nop or s_sleep of the instruction before
};
inline constexpr unsigned numStallReasons = 13;
llvm::StringRef nameOf(StallReason reason);

/// One instruction of the code, as often as waves execute it.
struct TimedInstruction {
  uint64_t address = 0; ///< bytes from the start of the section
  std::string where;    ///< kernel + offset, source line when known
  std::string text;
  TimedKind kind = TimedKind::Other;

  uint64_t executions = 0; ///< on the modelled CU, over all waves
  uint64_t stallClk = 0;   ///< sum over waves: could have issued, did not
  uint64_t stallByReason[numStallReasons] = {};
  uint64_t ldsDataClk = 0, ldsConflictClk = 0;  ///< clocks of LDS data, of these by bank conflicts
  uint64_t firstIssueClk = 0, lastIssueClk = 0; ///< by any wave
  uint64_t memoryBytes = 0;                     ///< moved between the CU and the L2
};

/// One execution of an instruction by one wave. Clocks count from the start of the first
/// work-group.
struct TimingEvent {
  uint32_t instruction = 0; ///< index in TimingTrace::instructions
  StallReason reason = StallReason::None;
  uint64_t readyClk = 0; ///< the wave had nothing before it to issue
  uint64_t issueClk = 0; ///< issueClk - readyClk is the stall, for `reason`
  uint64_t endClk = 0;   ///< its result is there; memory: data returned; barrier: opened
  uint64_t stallClk() const { return issueClk - readyClk; }
};

struct WaveTimeline {
  uint64_t group = 0; ///< linear work-group index in the grid
  uint32_t wave = 0;  ///< in its work-group
  uint32_t simd = 0;  ///< 0 to 3
  uint64_t startClk = 0, endClk = 0;
  std::vector<TimingEvent> events; ///< in program order, ascending issueClk
};

/// What all waves of one CU did.
struct TimingTrace {
  Arch arch = Arch::Gfx942;
  std::string kernel;
  std::vector<TimedInstruction> instructions; ///< by address
  std::vector<WaveTimeline> waves;            ///< by work-group, then wave
};

struct TimingOptions {
  /// Work-groups to replay one after another on each of the CU's places; the rest of the CU's is
  /// extrapolated from them.
  uint32_t roundsPerCu = 2;
  /// Instructions of a wave that the cache model sees of every other resident work-group.
  uint32_t cacheSampleInstructions = 2000;
  /// Whether the caches hold what an earlier run of the same kernel left (benchmarks repeat).
  bool warm = true;
  /// Keep every event in the trace (memory: 32 bytes an instruction a wave). Without it the trace
  /// has only the sums.
  bool keepEvents = true;
  /// Clock in GHz that turns clocks into microseconds and nanoseconds of memory into clocks; 0: the
  /// target's sustained clock (lib/Sim/Timing/Constants.def).
  double clockGhz = 0;
  /// All latencies of memory and shared memory times this: what a kernel makes of a chip that is
  /// not quite the model's.
  double latencyScale = 1;
};

/// The machine's answer, whole grid included.
struct TimingResult {
  TimingTrace trace;

  double clockGhz = 0;
  uint32_t groupsPerCu = 0; ///< resident at once, by registers, LDS and waves
  uint32_t activeCus = 0;   ///< that get work
  uint64_t groupsOnCu = 0;  ///< that the replayed CU runs in all
  uint64_t groupsTimed = 0; ///< of these replayed
  uint64_t cuClk = 0;       ///< clocks of the replayed ones
  bool equalWork = true; ///< all work-groups do the same; otherwise the CU that ends last is shown
  std::string workAssumed; ///< why work-groups were taken as equal without knowing; mostly empty
  double kernelClk = 0;    ///< the whole grid, launch included
  double kernelMicroseconds() const { return kernelClk / clockGhz / 1000; }

  /// Fractions of cuClk, averaged over the SIMDs where there are four.
  double mfmaUtilisation = 0, valuUtilisation = 0, ldsUtilisation = 0, memoryUtilisation = 0;
  uint64_t ldsConflictClk = 0;
  double l2HitRate = 0, infinityCacheHitRate = 0; ///< of lines asked for at that level
  uint64_t stallByReason[numStallReasons] = {};   ///< clocks, summed over waves

  void print(llvm::raw_ostream &os) const;
  void writeJson(llvm::raw_ostream &os) const;
};

/// Times `kernelName`; arguments as for `run`, options.recorder and options.onlyGroups apart. Only
/// the work-groups that the model needs are executed, without checks, so `memory` holds partial
/// results afterwards. Fails when the launch is wrong, when a recorded work-group does not end
/// without a fault, and when the prediction exceeds what the chip can do at most (an internal error
/// of the model: lib/Sim/Timing/Peaks.h).
llvm::Expected<TimingResult> timeKernel(const CodeObject &object, llvm::StringRef kernelName,
                                        Dim3 gridBlocks, Dim3 blockThreads,
                                        llvm::ArrayRef<uint8_t> kernarg, Memory &memory,
                                        const LaunchOptions &launch, const TimingOptions &options);

} // namespace tilec::sim
