//===- CacheModel.h - which accesses the L2 and Infinity Cache serve ------===//
//
// Replays the real addresses of the work-groups that are resident together, access by
// access in turn, through one L2 an XCD. A line that another work-group asked for a
// moment ago is still on its way: it costs no traffic beyond the L2 but the latency of
// the fill.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Constants.h"
#include "Recorder.h"

#include <unordered_map>

namespace tilec::sim {

/// How one instruction's lines fared, summed over all resident work-groups.
struct MemoryUse {
  uint64_t executions = 0;
  uint64_t lines = 0;
  uint64_t l2Misses = 0;       ///< lines fetched into an L2
  uint64_t infinityMisses = 0; ///< of these, lines that no other XCD fetches at that time
  uint64_t lateExecutions = 0; ///< with a line that was missing or on its way
  uint64_t coldExecutions = 0; ///< of these, with one that no XCD had fetched before
  /// Of atomics: lines that they change, and work-groups that change these lines as well, itself
  /// included, summed over the lines.
  uint64_t atomicLines = 0, atomicSharers = 0;
};

/// A set-associative cache of line numbers, least recently used first out.
class LineCache {
public:
  LineCache(uint64_t bytes, unsigned ways, unsigned lineBytes);
  /// True when it was there; it is there afterwards. `time` is what `timeOf` then gives for a line
  /// that was missing.
  bool touch(uint64_t line, uint64_t time, uint64_t &filledAt);

private:
  struct Way {
    uint64_t line = ~0ull, used = 0, filled = 0;
  };
  unsigned ways;
  uint64_t sets, clock = 0;
  std::vector<Way> entries;
};

/// Where a resident work-group runs.
struct ResidentGroup {
  const RecordedGroup *group;
  unsigned xcd;
};

/// By program counter.
using MemoryUses = std::unordered_map<uint32_t, MemoryUse>;
MemoryUses replayCaches(const std::vector<ResidentGroup> &resident,
                        const TimingConstants &constants);

} // namespace tilec::sim
