//===- Recorder.cpp - what waves executed, with their addresses -----------===//
//
// Is told what waves execute, keeps what the model needs of it: instructions, addresses,
// conflicts.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Recorder.h"

#include "../CodeObjectImpl.h"
#include "../Execute.h"
#include "../LdsBanks.h"

#include <algorithm>
#include <bit>

namespace tilec::sim {
namespace {

constexpr unsigned lineShift = 7, sectorShift = 6;

/// What the operation costs in LDS data clocks; a pair costs both halves.
void ldsClocks(const Wave &wave, const MemOp &op, RecordedAccess &access) {
  const Instr &instr = *op.instr;
  Arch arch = wave.group->engine->program->arch();
  auto add = [&](const uint64_t *addr, unsigned bytes, bool write) {
    LdsCost cost = ldsCost(arch, write, bytes, op.mask, addr);
    access.ldsClk = static_cast<uint16_t>(access.ldsClk + cost.phases + cost.conflicts);
    access.ldsConflictClk = static_cast<uint16_t>(access.ldsConflictClk + cost.conflicts);
  };
  unsigned bytes = std::max(4u, instr.op->aux & 0xff);
  if (instr.flags & isLdsDma) {
    uint64_t addr[numLanes];
    for (unsigned lane = 0; lane < numLanes; ++lane)
      addr[lane] = op.ldsBase + lane * bytes;
    return add(addr, bytes, true);
  }
  bool write = instr.flags & isStore;
  if (!(instr.flags & (isLoad | isStore)) || (instr.flags & isAtomic)) {
    // Cross-lane operations and atomics: a dword a lane, no bank is known to matter.
    access.ldsClk = 2;
    return;
  }
  add(op.addr, bytes, write);
  unsigned stride = instr.op->aux >> 16; // of pairs, see Ds.cpp
  if (!stride)
    return;
  uint64_t second[numLanes];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    second[lane] = op.addr[lane] + static_cast<uint64_t>(
                                       static_cast<int64_t>(instr.offset1 - instr.offset) * stride);
  add(second, bytes, write);
}

/// How many lanes of an atomic operation take turns at one address.
uint16_t lanesOnOneAddress(const MemOp &op) {
  uint64_t addresses[numLanes];
  unsigned count = 0, longest = 0, run = 0;
  forEachActiveLane(op.mask & ~op.zeroMask,
                    [&](unsigned lane) { addresses[count++] = op.addr[lane]; });
  std::sort(addresses, addresses + count);
  for (unsigned i = 0; i < count; ++i) {
    run = i && addresses[i] == addresses[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return static_cast<uint16_t>(longest);
}

} // namespace

void RecordedGroup::instruction(const Wave &wave, const Instr &instr) {
  waves[wave.index].instrs.push_back({&instr, pending});
  pending = noAccess;
  full |= ++count >= maxInstructions;
}

void RecordedGroup::access(const Wave &wave, const MemOp &op) {
  const Instr &instr = *op.instr;
  RecordedAccess access;
  access.lanes = static_cast<uint16_t>(std::popcount(op.mask));
  access.firstLine = static_cast<uint32_t>(lines.size());
  if (instr.flags & (isLds | isLdsDma))
    ldsClocks(wave, op, access);
  if (instr.flags & isSmem) {
    lines.push_back(op.addr[0] >> lineShift);
    access.sectors = 1;
  } else if (instr.flags & isVmem) {
    unsigned bytes = std::max(1u, instr.op->aux & 0xff);
    uint64_t sectors[2 * numLanes];
    unsigned count = 0;
    forEachActiveLane(op.mask & ~op.zeroMask, [&](unsigned lane) {
      uint64_t first = op.addr[lane] >> sectorShift,
               last = (op.addr[lane] + bytes - 1) >> sectorShift;
      if (count == 0 || sectors[count - 1] != first)
        sectors[count++] = first;
      if (last != first)
        sectors[count++] = last;
    });
    std::sort(sectors, sectors + count);
    count = static_cast<unsigned>(std::unique(sectors, sectors + count) - sectors);
    access.sectors = static_cast<uint16_t>(count);
    if (instr.flags & isAtomic)
      access.sameAddress = lanesOnOneAddress(op);
    for (unsigned i = 0; i < count; ++i) {
      uint64_t line = sectors[i] >> (lineShift - sectorShift);
      if (lines.size() == access.firstLine || lines.back() != line)
        lines.push_back(line);
    }
  }
  access.lineCount = static_cast<uint32_t>(lines.size()) - access.firstLine;
  pending = static_cast<uint32_t>(accesses.size());
  accesses.push_back(access);
  accessInstr.push_back(&instr);
}

void ExecutionRecorder::want(uint64_t group, uint64_t maxInstructions) {
  groups[group] = std::make_unique<RecordedGroup>(group, maxInstructions);
}

RecordedGroup *ExecutionRecorder::start(uint64_t group, size_t numWaves) {
  std::lock_guard lock(mutex);
  auto found = groups.find(group);
  if (found == groups.end())
    return nullptr;
  found->second->waves.resize(numWaves);
  return found->second.get();
}

const RecordedGroup *ExecutionRecorder::find(uint64_t group) const {
  auto found = groups.find(group);
  return found == groups.end() ? nullptr : found->second.get();
}

} // namespace tilec::sim
