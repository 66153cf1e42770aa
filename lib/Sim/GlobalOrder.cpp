//===- GlobalOrder.cpp - who uses which bytes of global memory ------------===//
//
// Takes accesses of work-groups to global memory, reports those whose order decides the result.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "GlobalOrder.h"

#include "MemOps.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include <sys/mman.h>

namespace tilec::sim {

std::string describe(const Wave &wave, const Instr &instr);

/// A dword of an access, or a part of it.
struct GlobalOrder::Part {
  int lane;
  uint64_t address;
  bool isWrite, isAtomic;
  std::optional<uint32_t> stored; ///< by a plain store
};

namespace {

/// Cells that have one lock, that of the first: taking one takes as long as the rest of the look.
constexpr uint64_t dwordsOfLock = 4;

/// Work-groups of several host threads may use a cell at once.
class CellLock {
public:
  CellLock(const GlobalCells &cells, uint64_t dword)
      : lock(cells.dwords[dword / dwordsOfLock * dwordsOfLock].lock) {
    while (lock.exchange(1, std::memory_order_acquire))
      std::this_thread::yield();
  }
  ~CellLock() { lock.store(0, std::memory_order_release); }
  CellLock(const CellLock &) = delete;
  CellLock &operator=(const CellLock &) = delete;

private:
  std::atomic_ref<uint8_t> lock;
};

/// Whether a read of the whole dword has nothing to say and changes nothing: nobody has written it,
/// and it is known that several work-groups read it. Asked without the lock: a write that comes at
/// the same time sees these readers.
bool isReadByAll(GlobalCell &cell, uint16_t meetings) {
  constexpr auto relaxed = std::memory_order_relaxed;
  return std::atomic_ref(cell.reader).load(relaxed) == GlobalOrder::several &&
         std::atomic_ref(cell.readMeetings).load(relaxed) == meetings &&
         !std::atomic_ref(cell.writer).load(relaxed) &&
         !std::atomic_ref(cell.isSplit).load(relaxed);
}

uint16_t meetingsOf(const Wave &wave) { return static_cast<uint16_t>(wave.group->gridMeetings); }

uint32_t idOf(const Wave &wave) { return static_cast<uint32_t>(wave.group->number) + 1; }

} // namespace

GlobalOrder::~GlobalOrder() {
  for (auto &[base, region] : regions)
    if (region.start)
      munmap(region.start, region.size);
}

/// A barrier of the grid has one fence before the arrival and one behind the meeting. More are the
/// kernel's own: what they order is not known here.
void GlobalOrder::fence(Group &group) {
  if (barrier != 0 && ++group.gridFences <= 2 * group.gridMeetings + 1)
    return;
  hasFences.store(true, std::memory_order_relaxed);
}

GlobalCells GlobalOrder::cellsOf(const Allocation &allocation) {
  std::lock_guard guard(mutex);
  auto [it, isNew] = regions.try_emplace(allocation.base);
  Region &region = it->second;
  if (isNew) {
    // Pages that nobody touches cost nothing.
    size_t dwords = (allocation.sizeBytes + 3) / 4;
    region.size = 5 * dwords * sizeof(GlobalCell);
    void *start = region.size ? mmap(nullptr, region.size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                              : MAP_FAILED;
    if (start != MAP_FAILED) {
      region.start = start;
      region.cells.base = allocation.base;
      region.cells.dwords = static_cast<GlobalCell *>(start);
      region.cells.bytes = region.cells.dwords + dwords;
    }
  }
  return region.cells;
}

void GlobalOrder::race(Wave &wave, const MemOp &op, const Part &part, uint32_t otherGroup,
                       const AccessRecord *other, const char *what) {
  const Allocation *allocation = wave.group->engine->memory->find(part.address);
  std::string who, why;
  if (otherGroup == idOf(wave)) {
    who = other ? "wave " + std::to_string(other->wave) + ", " + describe(wave, *other->instr)
                : std::string("another wave");
    why = ", without a barrier between that the other wave reached with it done (s_waitcnt vmcnt)";
  } else {
    who = otherGroup == several ? "other work-groups"
                                : "work-group number " + std::to_string(otherGroup - 1);
    why = "; work-groups of a launch are in no order";
  }
  report(wave, *op.instr, CheckKind::GlobalRace, wave.group->checker->timingClass(), false,
         part.lane,
         "byte 0x" + llvm::Twine::utohexstr(part.address) + ", " +
             llvm::Twine(part.address - allocation->base) + " of `" + allocation->name +
             "`: " + what + " " + who + why);
}

void GlobalOrder::read(Wave &wave, const MemOp &op, const Part &part, GlobalCell &cell) {
  uint32_t self = idOf(wave);
  if (cell.writer && !(cell.isAtomic && hasSwaps)) {
    const char *what = cell.isAtomic ? "read of what is changed by" : "read of what is written by";
    if (cell.writer != self) {
      if (!ordersGroups() && cell.writeMeetings == meetingsOf(wave))
        race(wave, op, part, cell.writer, nullptr, what);
    } else if (const AccessRecord *other = wave.group->checker->find(cell.write);
               other && other->wave != wave.index && wave.group->checker->isInFlight(*other)) {
      race(wave, op, part, self, other, what);
    }
  }
  bool isOther = cell.reader != 0 && cell.reader != self;
  if (isOther && cell.readMeetings == meetingsOf(wave)) {
    cell.reader = several;
    return;
  }
  if (isOther) // what they did is over
    cell.reads = SharedAccess();
  cell.readMeetings = meetingsOf(wave);
  cell.reader = self;
  const GroupChecker &checker = *wave.group->checker;
  cell.reads.note(op.checkId, wave.group->barrierEpoch, wave.index, checker.accesses());
}

void GlobalOrder::write(Wave &wave, const MemOp &op, const Part &part, GlobalCell &cell) {
  uint32_t self = idOf(wave);
  const GroupChecker &checker = *wave.group->checker;
  // Whichever of equal values comes last, the bytes are the same.
  bool isSame = part.stored && !cell.isAtomic && cell.value == *part.stored;
  bool needsOrder = cell.writer && !isSame && !(part.isAtomic && cell.isAtomic);
  if (needsOrder && cell.writer != self) {
    if (!ordersGroups() && cell.writeMeetings == meetingsOf(wave))
      race(wave, op, part, cell.writer, nullptr, "overwrites what is written by");
  } else if (needsOrder) {
    const AccessRecord *other = checker.find(cell.write);
    if (other && other->wave != wave.index && checker.isInFlight(*other))
      race(wave, op, part, self, other, "overwrites what is written by");
  }
  if (cell.reader && !(part.isAtomic && hasSwaps)) {
    const char *what = part.isAtomic ? "changes what is read by" : "overwrites what is read by";
    if (cell.reader != self) {
      if (!ordersGroups() && cell.readMeetings == meetingsOf(wave))
        race(wave, op, part, cell.reader, nullptr, what);
    } else {
      const AccessRecord *last = checker.find(cell.reads.last);
      bool isOther = last && last->wave != wave.index && checker.isInFlight(*last);
      if (isOther || cell.reads.others(wave.group->barrierEpoch, wave.index))
        race(wave, op, part, self, isOther ? last : nullptr, what);
    }
  }
  bool isOthers = part.isAtomic && cell.isAtomic && cell.writer && cell.writer != self &&
                  cell.writeMeetings == meetingsOf(wave);
  cell.writer = isOthers ? several : self;
  cell.writeMeetings = meetingsOf(wave);
  cell.write = op.checkId;
  cell.isAtomic = part.isAtomic;
  cell.value = part.stored.value_or(0);
}

void GlobalOrder::accessCell(Wave &wave, const MemOp &op, const Part &part, GlobalCell &cell) {
  if (part.isWrite)
    write(wave, op, part, cell);
  else if (!part.isAtomic)
    read(wave, op, part, cell);
}

void GlobalOrder::access(Wave &wave, const MemOp &op, int lane, const GlobalCells &cells,
                         uint64_t address, unsigned bytes, bool isWrite, const void *data) {
  if (barrier != 0 && address == barrier) {
    wave.group->gridMeetings += isWrite;
    return;
  }
  if (isGuess(wave, op))
    return;
  uint32_t all = mayLeaveBytes(op, lane) ? (1u << bytes) - 1 : 0;
  uint32_t changed = all ? bytesChanged(op, static_cast<unsigned>(lane), bytes) : 0;
  if (changed == all)
    return accessPart(wave, op, lane, cells, address, bytes, isWrite, data);
  for (unsigned i = 0; i < bytes; ++i)
    if (changed >> i & 1)
      accessPart(wave, op, lane, cells, address + i, 1, isWrite, nullptr);
}

void GlobalOrder::accessPart(Wave &wave, const MemOp &op, int lane, const GlobalCells &cells,
                             uint64_t address, unsigned bytes, bool isWrite, const void *data) {
  const Instr &instr = *op.instr;
  // Loads and stores of device scope are those of atomics.
  bool isAtomicAccess = (instr.flags & isAtomic) || instr.isDeviceScope;
  const auto *from = static_cast<const uint8_t *>(data);
  uint64_t offset = address - cells.base, end = offset + bytes;
  std::optional<CellLock> lock;
  uint64_t locked = 0;
  for (uint64_t dword = offset / 4; dword <= (end - 1) / 4; ++dword) {
    GlobalCell &cell = cells.dwords[dword];
    if (!isWrite && isReadByAll(cell, meetingsOf(wave)))
      continue;
    uint64_t first = std::max(offset, dword * 4), last = std::min(end, dword * 4 + 4);
    if (!lock || dword / dwordsOfLock != locked) {
      locked = dword / dwordsOfLock;
      lock.emplace(cells, dword);
    }
    auto part = [&](uint64_t at, uint64_t count) {
      Part part{lane, cells.base + at, isWrite, isAtomicAccess, std::nullopt};
      if (from && !isAtomicAccess)
        std::memcpy(&part.stored.emplace(0), from + (at - offset), count);
      return part;
    };
    GlobalCell *bytesOf = cells.bytes + dword * 4;
    if (last - first < 4 && !cell.isSplit) {
      for (uint32_t i = 0; i < 4; ++i) {
        bytesOf[i] = cell;
        bytesOf[i].value = cell.value >> 8 * i & 0xff;
      }
      cell.isSplit = true;
    }
    if (!cell.isSplit) {
      accessCell(wave, op, part(first, 4), cell);
      continue;
    }
    for (uint64_t byte = first; byte < last; ++byte)
      accessCell(wave, op, part(byte, 1), bytesOf[byte % 4]);
  }
}

} // namespace tilec::sim
