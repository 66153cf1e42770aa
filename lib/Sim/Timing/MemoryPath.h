//===- MemoryPath.h - LDS and vector memory of one CU ---------------------===//
//
// Queues with a rate and a latency each. Requests come in the order of issue; what a
// request costs beyond the L1 comes from the cache model. All times are clocks.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "CacheModel.h"
#include "Kinds.h"

#include <deque>
#include <map>

namespace tilec::sim {

/// Bytes a clock that one CU gets beyond its L2, with `activeCus` sharing.
struct MemoryShare {
  double infinityBytesPerClk = 0, hbmBytesPerClk = 0;
  double infinityExtraClk = 0, hbmExtraClk = 0; ///< latency beyond the L2's
  double hbmFraction = 1;        ///< of lines that no XCD holds: what the Infinity Cache misses
  double atomicDwordsPerClk = 0; ///< of the L2's adders
  unsigned places = 1;           ///< work-groups at once on this CU
};

class LdsPath {
public:
  explicit LdsPath(const TimingConstants &c) : c(c) {}
  /// When the SIMD pair's queue has room for a request at `clk` or later.
  uint64_t acceptsAt(unsigned simd, uint64_t clk) const;
  /// Returns when the operation is complete.
  uint64_t issue(unsigned simd, uint64_t clk, TimedKind kind, unsigned bytesPerLane,
                 const RecordedAccess &access);
  /// LDS DMA: the write of what arrives at `clk`, later than requests that are issued until then.
  uint64_t writeFromMemory(uint64_t clk, unsigned dataClk);
  uint64_t busyClk = 0, conflictClk = 0;

private:
  void takeArrivals(uint64_t clk);
  const TimingConstants &c;
  uint64_t dataFree = 0;
  std::multimap<uint64_t, unsigned> arrivals; ///< of LDS DMA: when, data clocks
  uint64_t pathFree[4] = {};
  std::deque<uint64_t> starts[2]; ///< of the youngest requests of each SIMD pair
};

class VectorMemoryPath {
public:
  VectorMemoryPath(const TimingConstants &c, const MemoryShare &share, const MemoryUses &uses);
  uint64_t acceptsAt(uint64_t clk) const;
  uint64_t issue(uint64_t clk, const Instr &instr, const RecordedAccess &access,
                 const uint64_t *lines);
  /// When everything that was asked for so far has moved.
  uint64_t drainedAt() const { return lastDone; }
  uint64_t busyClk = 0;
  uint64_t bytes = 0; ///< between L1 and L2
  double l2Lines = 0, l2Misses = 0, infinityMisses = 0;

private:
  bool missesL1(const RecordedAccess &access, const uint64_t *lines, bool load);
  double roomAt(double start, unsigned moved);
  double fetch(double from, double served, const Instr &instr, uint32_t lines);
  double atomic(double served, const Instr &instr, const RecordedAccess &access, uint64_t line);
  double reserve(double &server, double from, double bytes, double rate);

  const TimingConstants &c;
  MemoryShare share;
  const MemoryUses &uses;
  LineCache l1;
  double addressFree = 0, l2Free = 0, infinityFree = 0, hbmFree = 0, addersFree = 0;
  std::unordered_map<uint64_t, double> addressTurns;  ///< of atomics: when a line's are through
  std::deque<std::pair<uint64_t, unsigned>> inFlight; ///< completion, bytes; by issue
  uint64_t inFlightBytes = 0, lastDone = 0;
  struct Debt {
    double late = 0, cold = 0; ///< fractions carried from execution to execution
  };
  std::unordered_map<uint32_t, Debt> debts;
};

} // namespace tilec::sim
