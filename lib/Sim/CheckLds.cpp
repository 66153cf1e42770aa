//===- CheckLds.cpp - races and undefined bytes in LDS --------------------===//
//
// Waves of a work-group are ordered by s_barrier only. Another wave may use what a wave
// wrote once the writer has waited for its operation and both have passed a barrier
// after that wait; it may overwrite what a wave has read behind a barrier. Atomics are
// in no order among themselves, and need none; a compare-and-swap uses the bytes that it
// changes, an or, xor or and those that its operand may change. Accesses are looked at when they
// are issued, in strict mode, too.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include "CodeObjectImpl.h"
#include "MemOps.h"

#include <cstring>

namespace tilec::sim {

std::string describe(const Wave &wave, const Instr &instr);

namespace {

/// Kept however long a wave does not wait for them.
constexpr size_t mostRecords = 1 << 20;

} // namespace

GroupChecker::GroupChecker(Group &group, uint32_t numUserSgprs)
    : group(group), cells((group.lds.size() + 3) / 4) {
  waves.reserve(group.waves.size());
  for (size_t i = 0; i < group.waves.size(); ++i)
    waves.emplace_back(*this, numUserSgprs);
}

WaveChecker::WaveChecker(GroupChecker &group, uint32_t numUserSgprs) : group(group) {
  definedV[0] = ~0ull;
  for (uint32_t i = 0; i < numUserSgprs && i < numSgprSlots; ++i)
    definedS[i] = true;
  // The hardware sets these up; trap registers are never empty.
  for (unsigned i :
       {unsigned(sgprExec), sgprExec + 1u, unsigned(sgprFlatScratch), sgprFlatScratch + 1u})
    definedS[i] = true;
  for (unsigned i = sgprTtmp0; i < sgprM0; ++i)
    definedS[i] = true;
}

FindingClass GroupChecker::timingClass() const {
  return group.engine->options->timingHazardsAreLints ? FindingClass::Lint : FindingClass::Error;
}

FindingClass GroupChecker::emptyWaitClass() const {
  return group.engine->program->object().isOwn() ? FindingClass::Error : FindingClass::Lint;
}

uint32_t AccessRecords::add(const AccessRecord &record) {
  uint32_t count = next - first;
  if (count == mostRecords) {
    ++first;
  } else if (count == ring.size()) {
    std::vector<AccessRecord> larger(2 * ring.size());
    uint32_t largerMask = 2 * mask + 1;
    for (uint32_t id = first; id != next; ++id)
      larger[id & largerMask] = ring[id & mask];
    ring = std::move(larger);
    mask = largerMask;
  }
  ring[next & mask] = record;
  return next++;
}

uint32_t GroupChecker::addAccess(const Wave &wave, const Instr &instr) {
  return records.add({&instr, wave.index, group.barrierEpoch, ~0ull});
}

void GroupChecker::retireAccess(uint32_t id) {
  if (AccessRecord *record = records.find(id))
    record->retireEpoch = group.barrierEpoch;
}

void GroupChecker::barrierOpened() {
  // What was waited for before the barrier is in order with all that follows.
  records.drop([&](const AccessRecord &record) { return record.retireEpoch < group.barrierEpoch; });
}

bool GroupChecker::isInFlight(const AccessRecord &record) const {
  return record.retireEpoch == ~0ull || record.retireEpoch == group.barrierEpoch;
}

static void reportRace(Wave &wave, const Instr &instr, FindingClass cls, unsigned lane,
                       uint32_t offset, const Instr *other, uint32_t otherWave, const char *what) {
  report(wave, instr, CheckKind::LdsRace, cls, false, static_cast<int>(lane),
         "LDS byte " + llvm::Twine(offset) + ": " + what + " wave " + llvm::Twine(otherWave) +
             (other ? ", " + describe(wave, *other) + "," : std::string()) +
             " without a barrier between");
}

/// A race with what other waves have done with `others` since the last barrier, or had not waited
/// for at it.
void GroupChecker::checkAgainst(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                                const SharedAccess &others, const char *what) {
  uint16_t waves = others.others(group.barrierEpoch, wave.index);
  for (uint32_t id : {others.last, others.open}) {
    const AccessRecord *record = find(id);
    if (!record || record->wave == wave.index || !isInFlight(*record))
      continue;
    reportRace(wave, *op.instr, timingClass(), lane, offset, record->instr, record->wave, what);
    return;
  }
  if (waves)
    reportRace(wave, *op.instr, timingClass(), lane, offset, nullptr,
               static_cast<uint32_t>(__builtin_ctz(waves)), what);
}

void GroupChecker::checkRead(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                             LdsCell &cell) {
  if (isUnwritten(offset, cell)) {
    report(wave, *op.instr, CheckKind::Uninitialized, FindingClass::Error, false,
           static_cast<int>(lane),
           "LDS byte " + llvm::Twine(offset) + " is read and nothing has written it");
    return;
  }
  const AccessRecord *writer = find(cell.write);
  if (!writer)
    return;
  bool waited = writer->retireEpoch != ~0ull;
  bool dma = writer->instr->flags & isLdsDma;
  if (writer->wave == wave.index) {
    if (dma && !waited)
      report(wave, *op.instr, CheckKind::LdsDmaNotWaited, timingClass(), false,
             static_cast<int>(lane),
             "LDS byte " + llvm::Twine(offset) + " is filled by " + describe(wave, *writer->instr) +
                 ", which this wave has not waited for (s_waitcnt vmcnt)");
  } else if (writer->issueEpoch == group.barrierEpoch) {
    reportRace(wave, *op.instr, timingClass(), lane, offset, writer->instr, writer->wave,
               "read of what was written by");
  } else if (isInFlight(*writer)) {
    report(wave, *op.instr, dma ? CheckKind::LdsDmaNotWaited : CheckKind::LdsRace, timingClass(),
           false, static_cast<int>(lane),
           "LDS byte " + llvm::Twine(offset) + " is written by wave " + llvm::Twine(writer->wave) +
               ", " + describe(wave, *writer->instr) +
               ", and that wave had not waited for it (s_waitcnt " + (dma ? "vmcnt" : "lgkmcnt") +
               ") before the last barrier");
  }
}

void GroupChecker::checkWrite(Wave &wave, const MemOp &op, unsigned lane, LdsBytes bytes,
                              LdsCell &cell) {
  const AccessRecord *writer = find(cell.write);
  if (!writer)
    return;
  constexpr uint32_t notPlain = isLdsDma | isAtomic | isFlat;
  bool isDma = writer->instr->flags & isLdsDma;
  if (writer->wave != wave.index) {
    // Several waves may store one value: whichever comes last, the bytes are the same (the language
    // says so of all that its threads store).
    bool isSame = bytes.stored == cell.value && !(writer->instr->flags & notPlain);
    if (isInFlight(*writer) && !isSame)
      reportRace(wave, *op.instr, timingClass(), lane, bytes.first, writer->instr, writer->wave,
                 "overwrites what was written by");
  } else if (isDma && writer->retireEpoch == ~0ull && !(op.instr->flags & isVmem)) {
    report(
        wave, *op.instr, CheckKind::LdsDmaNotWaited, timingClass(), false, static_cast<int>(lane),
        "LDS byte " + llvm::Twine(bytes.first) + " is filled by " + describe(wave, *writer->instr) +
            ", which this wave has not waited for (s_waitcnt vmcnt)");
  }
}

/// What atomics have done with a byte, or with the dword that begins there.
SharedAccess &GroupChecker::atomicsOf(uint32_t byte) {
  if (atomics.empty())
    atomics.resize(4 * cells.size());
  return atomics[byte];
}

bool GroupChecker::noteHarmless(Wave &wave, const MemOp &op, uint32_t offset, unsigned bytes,
                                bool store, const void *data) {
  if (offset % 4 || bytes % 4 || !atomics.empty() || (op.instr->flags & isAtomic))
    return false;
  uint64_t now = group.barrierEpoch;
  // Waited for: before the last barrier, or by the wave that accesses the bytes now.
  auto isOver = [&](uint32_t id) {
    const AccessRecord *record = records.find(id);
    return !record || !isInFlight(*record) ||
           (record->wave == wave.index && record->retireEpoch != ~0ull);
  };
  LdsCell *begin = &cells[offset / 4], *end = begin + bytes / 4;
  for (LdsCell *cell = begin; cell != end; ++cell) {
    bool isRead = store && (cell->reads.others(now, wave.index) || !isOver(cell->reads.last) ||
                            !isOver(cell->reads.open));
    bool isUnknown = !store && !cell->write;
    if (cell->isSplit || isRead || isUnknown || !isOver(cell->write))
      return false;
  }
  for (LdsCell *cell = begin; cell != end; ++cell)
    if (store)
      cell->write = op.checkId;
    else
      cell->reads.note(op.checkId, now, wave.index, records);
  for (LdsCell *cell = begin; store && cell != end; ++cell) {
    cell->value = 0;
    if (data)
      std::memcpy(&cell->value, static_cast<const uint8_t *>(data) + 4 * (cell - begin), 4);
  }
  return true;
}

void GroupChecker::ldsAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                             unsigned bytes, bool store, const void *data) {
  bool isPair = (op.instr->flags & isLds) && op.instr->op->aux >> 16;
  bool isSecond = isPair && offset != static_cast<uint32_t>(op.addr[lane]);
  if (!op.checkId || isGuess(wave, op, isSecond) ||
      noteHarmless(wave, op, offset, bytes, store, data))
    return;
  uint32_t all = mayLeaveBytes(op, static_cast<int>(lane)) ? (1u << bytes) - 1 : 0;
  uint32_t changed = all ? bytesChanged(op, lane, bytes) : 0;
  if (changed == all)
    return ldsPartAccess(wave, op, lane, offset, bytes, store, data);
  for (uint32_t i = 0; i < bytes; ++i)
    if (changed >> i & 1)
      ldsPartAccess(wave, op, lane, offset + i, 1, store, nullptr);
}

uint32_t GroupChecker::followedBits(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                                    unsigned bytes, uint32_t dword) {
  // LLVM joins reads of bytes, and takes a whole dword where those end.
  const Instr &instr = *op.instr;
  llvm::StringRef name = instr.op->name;
  bool isPair = name.starts_with("ds_read2");
  if (!(isPair || name.starts_with("ds_read_b")) || name.contains("_tr_") || offset % 4 ||
      bytes % 4 || (isPair && instr.offset == instr.offset1))
    return 0;
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 4; ++i)
    if (isUnwritten(4 * dword + i, byteCells[dword][i]))
      bits |= 0xffu << 8 * i;
  if (bits == ~0u || bits == 0)
    return 0;
  bool isSecond = isPair && offset != static_cast<uint32_t>(op.addr[lane]);
  unsigned reg = instr.dst[0].reg + dword - offset / 4 + (isSecond ? bytes / 4 : 0);
  wave.checker->loadsUndefined(instr, reg, lane, bits);
  return bits;
}

void GroupChecker::ldsPartAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                                 unsigned bytes, bool store, const void *data) {
  uint32_t end = offset + bytes;
  const auto *from = static_cast<const uint8_t *>(data);
  auto part = [&](uint32_t first, uint32_t count) {
    LdsBytes part{first, std::nullopt};
    if (from)
      std::memcpy(&part.stored.emplace(0), from + (first - offset), count);
    return part;
  };
  for (uint32_t dword = offset / 4; dword <= (end - 1) / 4; ++dword) {
    LdsCell &cell = cells[dword];
    uint32_t first = std::max(offset, dword * 4), last = std::min(end, dword * 4 + 4);
    if (last - first < 4 && !cell.isSplit) {
      std::array<LdsCell, 4> &bytesOf = byteCells[dword];
      bytesOf.fill(cell);
      for (uint32_t i = 0; i < 4; ++i)
        bytesOf[i].value = cell.value >> 8 * i & 0xff;
      for (uint32_t i = 1; i < 4 && !atomics.empty(); ++i)
        atomics[4 * dword + i] = atomics[4 * dword];
      cell.isSplit = true;
    }
    if (!cell.isSplit) {
      ldsCellAccess(wave, op, lane, part(first, last - first), store, cell);
      continue;
    }
    uint32_t followed = store ? 0 : followedBits(wave, op, lane, offset, bytes, dword);
    for (uint32_t byte = first; byte < last; ++byte)
      if (followed >> 8 * (byte % 4) & 1)
        byteCells[dword][byte % 4].reads.note(op.checkId, group.barrierEpoch, wave.index, records);
      else
        ldsCellAccess(wave, op, lane, part(byte, 1), store, byteCells[dword][byte % 4]);
  }
}

void GroupChecker::ldsCellAccess(Wave &wave, const MemOp &op, unsigned lane, LdsBytes bytes,
                                 bool store, LdsCell &cell) {
  bool atomic = op.instr->flags & isAtomic;
  uint64_t now = group.barrierEpoch;
  if (!store || atomic)
    checkRead(wave, op, lane, bytes.first, cell);
  if (!store) {
    if (!atomics.empty())
      checkAgainst(wave, op, lane, bytes.first, atomics[bytes.first], "read of what is changed by");
    cell.reads.note(op.checkId, now, wave.index, records);
    return;
  }
  if (!atomic)
    checkWrite(wave, op, lane, bytes, cell);
  checkAgainst(wave, op, lane, bytes.first, cell.reads,
               atomic ? "changes what is read by" : "overwrites what is read by");
  if (atomic) {
    atomicsOf(bytes.first).note(op.checkId, now, wave.index, records);
    return;
  }
  if (!atomics.empty())
    checkAgainst(wave, op, lane, bytes.first, atomics[bytes.first],
                 "overwrites what is changed by");
  cell.write = op.checkId;
  cell.value = bytes.stored.value_or(0);
}

} // namespace tilec::sim
