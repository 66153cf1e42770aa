//===- CheckLds.cpp - races and undefined bytes in LDS --------------------===//
//
// Waves of a work-group are ordered by s_barrier only. Another wave may use what a wave
// wrote once the writer has waited for its operation and both have passed a barrier
// after that wait. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Checker.h"

namespace tilec::sim {

std::string describe(const Wave &wave, const Instr &instr);

GroupChecker::GroupChecker(Group &group, uint32_t numUserSgprs)
    : group(group), cells((group.lds.size() + 3) / 4), ops(ringLength) {
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

uint32_t GroupChecker::addLdsOp(const Wave &wave, const Instr &instr) {
  uint32_t id = nextOp++;
  ops[id % ringLength] = {&instr, id, wave.index, group.barrierEpoch, ~0ull};
  return id;
}
void GroupChecker::retireLdsOp(uint32_t id) {
  LdsOp &op = ops[id % ringLength];
  if (op.id == id)
    op.retireEpoch = group.barrierEpoch;
}
const LdsOp *GroupChecker::find(uint32_t id) const {
  const LdsOp &op = ops[id % ringLength];
  return op.id == id ? &op : nullptr;
}

void GroupChecker::race(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                        const LdsOp &other, const char *what) {
  report(wave, *op.instr, CheckKind::LdsRace, timingClass(), false, static_cast<int>(lane),
         "LDS byte " + llvm::Twine(offset) + ": " + what + " wave " + llvm::Twine(other.wave) +
             ", " + describe(wave, *other.instr) + ", without a barrier between");
}

void GroupChecker::checkRead(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                             LdsCell &cell) {
  if (cell.write == 0) {
    report(wave, *op.instr, CheckKind::Uninitialized, FindingClass::Error, false,
           static_cast<int>(lane),
           "LDS byte " + llvm::Twine(offset) + " is read and nothing has written it");
  } else if (const LdsOp *writer = find(cell.write)) {
    bool waited = writer->retireEpoch != ~0ull;
    bool dma = writer->instr->flags & isLdsDma;
    if (writer->wave == wave.index) {
      if (dma && !waited)
        report(wave, *op.instr, CheckKind::LdsDmaNotWaited, timingClass(), false,
               static_cast<int>(lane),
               "LDS byte " + llvm::Twine(offset) + " is filled by " +
                   describe(wave, *writer->instr) +
                   ", which this wave has not waited for (s_waitcnt vmcnt)");
    } else if (writer->issueEpoch == group.barrierEpoch) {
      if (!((op.instr->flags & isAtomic) && cell.atomicWrite))
        race(wave, op, lane, offset, *writer, "read of what was written by");
    } else if (!waited || writer->retireEpoch == group.barrierEpoch) {
      report(wave, *op.instr, dma ? CheckKind::LdsDmaNotWaited : CheckKind::LdsRace, timingClass(),
             false, static_cast<int>(lane),
             "LDS byte " + llvm::Twine(offset) + " is written by wave " +
                 llvm::Twine(writer->wave) + ", " + describe(wave, *writer->instr) +
                 ", and that wave had not waited for it (s_waitcnt " + (dma ? "vmcnt" : "lgkmcnt") +
                 ") before the last barrier");
    }
  }
  auto epoch = static_cast<uint32_t>(group.barrierEpoch);
  if (cell.readEpoch != epoch || cell.read == 0) {
    cell.readEpoch = epoch;
    cell.readWaves = 0;
  }
  cell.readWaves |= static_cast<uint16_t>(1u << wave.index % 16);
  if (cell.read == 0 || !find(cell.read) || find(cell.read)->wave != wave.index)
    cell.read = op.checkId;
  else
    cell.read = op.checkId;
}

void GroupChecker::checkWrite(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                              LdsCell &cell) {
  bool atomic = op.instr->flags & isAtomic;
  const LdsOp *writer = cell.write ? find(cell.write) : nullptr;
  bool sameEpoch = writer && writer->wave != wave.index && writer->issueEpoch == group.barrierEpoch;
  if (sameEpoch && !(atomic && cell.atomicWrite))
    race(wave, op, lane, offset, *writer, "overwrites what was written by");
  auto others = static_cast<uint16_t>(cell.readWaves & ~(1u << wave.index % 16));
  if (!atomic && others && cell.readEpoch == static_cast<uint32_t>(group.barrierEpoch))
    if (const LdsOp *reader = find(cell.read); reader && reader->wave != wave.index)
      race(wave, op, lane, offset, *reader, "overwrites what is read by");
  cell.write = op.checkId;
  cell.atomicWrite = atomic;
}

void GroupChecker::ldsAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                             unsigned bytes, bool store) {
  if (!op.checkId)
    return;
  uint32_t end = offset + bytes;
  for (uint32_t dword = offset / 4; dword <= (end - 1) / 4; ++dword) {
    LdsCell &cell = cells[dword];
    uint32_t first = std::max(offset, dword * 4), last = std::min(end, dword * 4 + 4);
    if (last - first < 4 && !cell.isSplit) {
      byteCells[dword].fill(cell);
      cell.isSplit = true;
    }
    if (!cell.isSplit) {
      ldsCellAccess(wave, op, lane, first, store, cell);
      continue;
    }
    for (uint32_t byte = first; byte < last; ++byte)
      ldsCellAccess(wave, op, lane, byte, store, byteCells[dword][byte % 4]);
  }
}

void GroupChecker::ldsCellAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                                 bool store, LdsCell &cell) {
  if (!store || (op.instr->flags & isAtomic))
    checkRead(wave, op, lane, offset, cell);
  if (store)
    checkWrite(wave, op, lane, offset, cell);
}

} // namespace tilec::sim
