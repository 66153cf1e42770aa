//===- Checker.h - what hardware would punish -----------------------------===//
//
// Watches a work-group: registers used before their loads were waited for, undefined
// registers and LDS, races on LDS, missing wait states. Knows nothing of what
// instructions compute; see docs/simulators/simulator.md for the rules.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "DefinedBits.h"
#include "Wave.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <bitset>
#include <deque>

namespace tilec::sim {

/// One execution of an instruction that accesses LDS or global memory.
struct AccessRecord {
  const Instr *instr = nullptr;
  uint32_t wave = 0;
  uint64_t issueEpoch = 0;
  uint64_t retireEpoch = ~0ull; ///< barriers passed when it was waited for; ~0: not yet
};

/// The accesses that later ones may race with, by number, 1 first.
class AccessRecords {
public:
  uint32_t add(const AccessRecord &record);
  /// None: it has been dropped.
  AccessRecord *find(uint32_t id) { return isKept(id) ? &ring[id & mask] : nullptr; }
  const AccessRecord *find(uint32_t id) const { return isKept(id) ? &ring[id & mask] : nullptr; }
  bool isKept(uint32_t id) const { return id && id - first < next - first; }
  /// Drops the oldest while `isDone` holds of them.
  template <class IsDone> void drop(IsDone isDone) {
    while (first != next && isDone(ring[first & mask]))
      ++first;
  }

private:
  std::vector<AccessRecord> ring = std::vector<AccessRecord>(1 << 10);
  uint32_t mask = (1 << 10) - 1, first = 1, next = 1;
};

/// Which waves have accessed some bytes since the last barrier, in one way (reads, or atomics).
struct SharedAccess {
  uint32_t last = 0; ///< AccessRecord
  uint32_t epoch = 0;
  uint16_t waves = 0; ///< of that epoch
  uint32_t open = 0;  ///< an AccessRecord before `last`, of another wave that had not waited for it
  void note(uint32_t id, uint64_t now, uint32_t wave, const AccessRecords &records) {
    if (last && last != id)
      keepOpen(wave, records);
    if (epoch != static_cast<uint32_t>(now))
      waves = 0;
    epoch = static_cast<uint32_t>(now);
    waves |= static_cast<uint16_t>(1u << wave % 16);
    last = id;
  }
  /// Others than `wave` in the epoch `now`.
  uint16_t others(uint64_t now, uint32_t wave) const {
    return epoch == static_cast<uint32_t>(now) ? waves & static_cast<uint16_t>(~(1u << wave % 16))
                                               : 0;
  }

private:
  void keepOpen(uint32_t wave, const AccessRecords &records) {
    auto notWaitedFor = [&](uint32_t id) {
      const AccessRecord *record = records.find(id);
      return record && record->wave != wave && record->retireEpoch == ~0ull;
    };
    if (notWaitedFor(last) && !notWaitedFor(open))
      open = last;
  }
};

/// State of four bytes of LDS, or of one. As small as it can be: most of the time that the checks
/// take goes into fetching these.
struct LdsCell {
  uint32_t write = 0; ///< AccessRecord that last wrote; 0: none has
  uint32_t value = 0; ///< that a plain store has written
  SharedAccess reads;
  bool isSplit = false; ///< the dword's bytes have cells of their own
};

class GroupChecker;

/// Per wave. `before` runs ahead of an instruction, `after` behind it.
class WaveChecker {
public:
  WaveChecker(GroupChecker &group, uint32_t numUserSgprs);
  void before(Wave &wave, const Instr &instr);
  void after(Wave &wave, const Instr &instr);
  /// AccessRecord of the current instruction.
  uint32_t currentAccess = 0;
  /// One lane's access of `bytes` bytes at `at` of the wave's scratch. A load of what was never
  /// stored makes the register undefined: reloading a spilled register of idle lanes is no mistake.
  void scratchAccess(Wave &wave, const MemOp &op, unsigned lane, uint64_t at, unsigned bytes,
                     bool store);
  /// The current instruction loads these bits, which nothing has written, into the register.
  void loadsUndefined(const Instr &load, unsigned reg, unsigned lane, uint32_t bits) {
    loadedUndefined.push_back({&load, static_cast<uint16_t>(reg), 1ull << lane, bits});
  }

private:
  // ---- outstanding memory operations (CheckWaits.cpp)
  struct Outstanding {
    const Instr *instr;
    uint32_t access;
    bool writesRegisters;
  };
  void checkOutstanding(Wave &wave, const Instr &instr);
  void noteIssue(Wave &wave, const Instr &instr);
  void noteWait(Wave &wave, const Instr &instr);
  void retireOldest(Wave &wave, std::deque<Outstanding> &queue);
  const Instr *findLoadOf(uint16_t reg) const;
  std::deque<Outstanding> vm, lds, smem;
  uint8_t pending[numRegs] = {}; ///< outstanding loads into a register
  uint32_t numPending = 0;

  // ---- undefined registers (CheckUndefined.cpp)
  void checkUndefined(Wave &wave, const Instr &instr);
  void reportUndefined(Wave &wave, const Instr &instr, uint16_t reg, int lane);
  void define(Wave &wave, const Instr &instr);
  void setBits(uint16_t reg, uint64_t lanes, const BitRow *bits);
  uint64_t undefinedLanes(const Wave &wave, const Instr &instr, unsigned to,
                          const Instr *&from) const;
  const Instr *origin[numRegs] = {}; ///< what computed an undefined value
  uint64_t lanesRead(const Wave &wave, const Instr &instr, unsigned source) const;
  BitRow bitsOf(const Operand &operand, unsigned dword) const;
  /// Lanes that read an undefined bit of dword `dword` of a vector register.
  uint64_t missingLanes(const Wave &wave, const Instr &instr, unsigned source,
                        unsigned dword) const;
  std::optional<BitRow> resultBits(const Wave &wave, const Instr &instr, unsigned to) const;
  uint64_t definedV[regSgpr0] = {}; ///< all of the register
  /// Of lanes that are not in `definedV`; null: no bit.
  std::unique_ptr<BitRow> definedBitsV[regSgpr0];
  struct LoadedUndefined {
    const Instr *load;
    uint16_t reg;
    uint64_t lanes;
    uint32_t bits;
  };
  std::vector<LoadedUndefined> loadedUndefined; ///< by the current instruction
  void forgetLoadedUndefined();
  std::bitset<numSgprSlots + 1> definedS;
  uint64_t execBefore = 0;
  std::optional<BitRow> bitsOfResult[2]; ///< of the instruction that runs, by dword

  // ---- wait states (CheckHazards.cpp)
  void checkHazards(Wave &wave, const Instr &instr);
  struct Recent {
    const Instr *instr = nullptr;
    uint64_t position = 0;
  };
  void require(Wave &wave, const Instr &instr, const Recent &producer, unsigned states,
               const char *rule, bool lint = false);
  void checkAfterValu(Wave &wave, const Instr &instr, const Recent &producer);
  void checkAfterMfma(Wave &wave, const Instr &instr, const Recent &producer);
  static constexpr unsigned historyLength = 32;
  Recent history[historyLength];
  unsigned nextHistory = 0;
  uint64_t position = 0; ///< in issue slots of four clocks
  uint64_t matrixPipeFree = 0;

  GroupChecker &group;
};

class GroupChecker {
public:
  GroupChecker(Group &group, uint32_t numUserSgprs);
  std::vector<WaveChecker> waves;

  /// A new access of `wave`.
  uint32_t addAccess(const Wave &wave, const Instr &instr);
  void retireAccess(uint32_t id);
  /// None: it has been waited for before the last barrier.
  const AccessRecord *find(uint32_t id) const { return records.find(id); }
  const AccessRecords &accesses() const { return records; }
  /// Not waited for before the last barrier.
  bool isInFlight(const AccessRecord &record) const;
  /// All waves have passed a barrier, or have ended.
  void barrierOpened();
  /// One lane's access; called before the bytes move. `data`: what a plain store is about to write.
  void ldsAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, unsigned bytes,
                 bool store, const void *data);
  /// The class of findings that depend on timing.
  FindingClass timingClass() const;
  FindingClass emptyWaitClass() const;

private:
  /// A dword of LDS or a part of it.
  struct LdsBytes {
    uint32_t first;
    std::optional<uint32_t> stored; ///< by a plain store
  };
  /// Whether it is whole dwords that no check has anything to say of, and has been noted.
  bool noteHarmless(Wave &wave, const MemOp &op, uint32_t offset, unsigned bytes, bool store,
                    const void *data);
  void ldsPartAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, unsigned bytes,
                     bool store, const void *data);
  void ldsCellAccess(Wave &wave, const MemOp &op, unsigned lane, LdsBytes bytes, bool store,
                     LdsCell &cell);
  void checkRead(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, LdsCell &cell);
  bool isUnwritten(uint32_t offset, const LdsCell &cell) const {
    return cell.write == 0 && (atomics.empty() || atomics[offset].last == 0);
  }
  /// The bits of a dword of which some bytes are written that are not, and that the register which
  /// a read at `offset` loads them into takes over.
  uint32_t followedBits(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, unsigned bytes,
                        uint32_t dword);
  SharedAccess &atomicsOf(uint32_t byte);
  void checkWrite(Wave &wave, const MemOp &op, unsigned lane, LdsBytes bytes, LdsCell &cell);
  void checkAgainst(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset,
                    const SharedAccess &others, const char *what);

  Group &group;
  std::vector<LdsCell> cells;        ///< one a dword
  std::vector<SharedAccess> atomics; ///< of each byte; empty until there is one
  /// Of dwords of which an operation has used a part: waves may share a dword, but no byte.
  llvm::DenseMap<uint32_t, std::array<LdsCell, 4>> byteCells;
  AccessRecords records;
};

} // namespace tilec::sim
