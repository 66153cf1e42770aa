//===- CacheModel.cpp - which accesses the L2 and Infinity Cache serve ----===//
//
// Takes the accesses of work-groups in the order in which they run, says which of them L2 and the
// Infinity Cache serve.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CacheModel.h"

#include <algorithm>

namespace tilec::sim {
namespace {

// Accesses of a work-group within which a line that was asked for is still on its way. A fill takes
// about 800 clocks; a work-group that keeps the CU busy has one access in 16 to 32 clocks.
constexpr uint64_t fillAccesses = 32;

struct Replay {
  Replay(const TimingConstants &c)
      : l2(static_cast<size_t>(c.xcds),
           LineCache(static_cast<uint64_t>(c.l2Bytes), static_cast<unsigned>(c.l2Ways),
                     static_cast<unsigned>(c.lineBytes))) {}
  std::vector<LineCache> l2;
  std::unordered_map<uint64_t, uint64_t> fetched; ///< line to the step it was first fetched in
  MemoryUses uses;
  std::unordered_map<uint64_t, std::pair<uint64_t, uint64_t>>
      atomics;                                                       ///< line to last group, groups
  std::unordered_map<uint32_t, std::vector<uint64_t>> atomicLinesOf; ///< by pc

  /// Instructions that are counted no more: their use is known from all groups together.
  std::unordered_map<uint32_t, bool> known;

  void access(const ResidentGroup &resident, size_t index, uint64_t step) {
    const RecordedGroup &group = *resident.group;
    const RecordedAccess &access = group.accesses[index];
    const Instr &instr = *group.accessInstr[index];
    if (!(instr.flags & isVmem))
      return;
    MemoryUse ignored;
    MemoryUse &use = known.count(instr.pc) ? ignored : uses[instr.pc];
    bool late = false, cold = false;
    for (uint32_t i = 0; i < access.lineCount; ++i) {
      uint64_t line = group.lines[access.firstLine + i], filledAt = 0;
      if (instr.flags & isAtomic)
        atomic(instr.pc, line, group.number);
      bool hit = l2[resident.xcd].touch(line, step, filledAt);
      ++use.lines;
      late |= !hit || step - filledAt < fillAccesses;
      if (hit)
        continue;
      ++use.l2Misses;
      auto [first, isNew] = fetched.try_emplace(line, step);
      use.infinityMisses += isNew;
      cold |= isNew || step - first->second < fillAccesses;
    }
    ++use.executions;
    use.lateExecutions += late;
    use.coldExecutions += cold;
  }

  void atomic(uint32_t pc, uint64_t line, uint64_t group) {
    auto [entry, isNew] = atomics.try_emplace(line, group + 1, 0);
    auto &[last, groups] = entry->second;
    groups += isNew || last != group + 1;
    last = group + 1;
    atomicLinesOf[pc].push_back(line);
  }

  /// Work-groups take turns in the replay, so one that comes back to a line counts again when
  /// others were there meanwhile: at most all that are resident.
  void countSharers(uint64_t resident) {
    for (const auto &[pc, lines] : atomicLinesOf) {
      MemoryUse &use = uses[pc];
      use.atomicLines = lines.size();
      for (uint64_t line : lines)
        use.atomicSharers += std::min(atomics[line].second, resident);
    }
  }
};

} // namespace

LineCache::LineCache(uint64_t bytes, unsigned ways, unsigned lineBytes)
    : ways(ways), sets(std::max<uint64_t>(1, bytes / lineBytes / ways)), entries(sets * ways) {}

bool LineCache::touch(uint64_t line, uint64_t time, uint64_t &filledAt) {
  // Neighbouring lines go to neighbouring sets; higher bits are folded in, as hashes of channels
  // do.
  uint64_t set = (line ^ line >> 11 ^ line >> 19) % sets;
  Way *first = &entries[set * ways], *oldest = first;
  ++clock;
  for (Way *way = first; way != first + ways; ++way) {
    if (way->line == line) {
      way->used = clock;
      filledAt = way->filled;
      return true;
    }
    if (way->used < oldest->used)
      oldest = way;
  }
  *oldest = {line, clock, time};
  filledAt = time;
  return false;
}

MemoryUses replayCaches(const std::vector<ResidentGroup> &resident,
                        const TimingConstants &constants) {
  Replay replay(constants);
  size_t longest = 0, sampled = 0;
  for (const ResidentGroup &r : resident) {
    longest = std::max(longest, r.group->accesses.size());
    if (r.group->full)
      sampled = std::max(sampled, r.group->accesses.size());
  }
  for (size_t step = 0; step < longest; ++step) {
    // Behind the sample only the timed groups go on, so what was seen there would look unshared.
    if (sampled && step == sampled)
      for (const auto &[pc, use] : replay.uses)
        replay.known[pc] = true;
    for (const ResidentGroup &r : resident)
      if (step < r.group->accesses.size())
        replay.access(r, step, step);
  }
  replay.countSharers(resident.size());
  return std::move(replay.uses);
}

} // namespace tilec::sim
