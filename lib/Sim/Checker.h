//===- Checker.h - what hardware would punish -----------------------------===//
//
// Watches a work-group: registers used before their loads were waited for, undefined
// registers and LDS, races on LDS, missing wait states. Knows nothing of what
// instructions compute; see docs/simulator.md for the rules.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "DefinedBytes.h"
#include "Wave.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <bitset>

namespace tilec::sim {

/// One execution of an instruction that accesses LDS.
struct LdsOp {
  const Instr *instr = nullptr;
  uint32_t id = 0;
  uint32_t wave = 0;
  uint64_t issueEpoch = 0;
  uint64_t retireEpoch = ~0ull; ///< barriers passed when it was waited for; ~0: not yet
};

/// State of four bytes of LDS.
struct LdsCell {
  uint32_t write = 0; ///< LdsOp that last wrote; 0: none has
  uint32_t read = 0;  ///< LdsOp that last read
  uint32_t readEpoch = 0;
  uint16_t readWaves = 0; ///< of readEpoch
  bool atomicWrite = false;
  bool isSplit = false; ///< the dword's bytes have cells of their own
};

class GroupChecker;

/// Per wave. `before` runs ahead of an instruction, `after` behind it.
class WaveChecker {
public:
  WaveChecker(GroupChecker &group, uint32_t numUserSgprs);
  void before(Wave &wave, const Instr &instr);
  void after(Wave &wave, const Instr &instr);
  /// Id of the LDS operation that the current instruction is.
  uint32_t currentLdsOp = 0;
  /// One lane's access of `bytes` bytes at `at` of the wave's scratch. A load of what was never
  /// stored makes the register undefined: reloading a spilled register of idle lanes is no mistake.
  void scratchAccess(Wave &wave, const MemOp &op, unsigned lane, uint64_t at, unsigned bytes,
                     bool store);

private:
  // ---- outstanding memory operations (CheckWaits.cpp)
  struct Outstanding {
    const Instr *instr;
    uint32_t ldsOp;
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
  uint64_t undefinedLanes(const Wave &wave, const Instr &instr, unsigned to,
                          const Instr *&from) const;
  const Instr *origin[numRegs] = {}; ///< what computed an undefined value
  uint64_t lanesRead(const Wave &wave, const Instr &instr, unsigned source) const;
  BytePlanes planesOf(const Operand &operand, unsigned dword) const;
  /// Lanes that read an undefined byte of dword `dword` of a vector register.
  uint64_t missingLanes(const Wave &wave, const Instr &instr, unsigned source,
                        unsigned dword) const;
  std::optional<BytePlanes> resultBytes(const Wave &wave, const Instr &instr) const;
  uint64_t definedV[regSgpr0] = {}; ///< all of the register
  /// Of lanes that are not in `definedV`.
  BytePlanes definedBytesV[regSgpr0] = {};
  struct LoadedUndefined {
    const Instr *load;
    uint16_t reg;
    uint64_t lanes;
  };
  std::vector<LoadedUndefined> loadedUndefined; ///< by the current instruction
  void forgetLoadedUndefined();
  std::bitset<numSgprSlots + 1> definedS;
  uint64_t execBefore = 0;
  std::optional<BytePlanes> bytesOfResult; ///< of the instruction that runs

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

  /// A new LDS operation of `wave`.
  uint32_t addLdsOp(const Wave &wave, const Instr &instr);
  void retireLdsOp(uint32_t id);
  /// One lane's access; called before the bytes move.
  void ldsAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, unsigned bytes,
                 bool store);
  /// The class of findings that depend on timing.
  FindingClass timingClass() const;

private:
  void checkRead(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, LdsCell &cell);
  void checkWrite(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, LdsCell &cell);
  const LdsOp *find(uint32_t id) const;
  void race(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, const LdsOp &other,
            const char *what);

  Group &group;
  void ldsCellAccess(Wave &wave, const MemOp &op, unsigned lane, uint32_t offset, bool store,
                     LdsCell &cell);

  std::vector<LdsCell> cells; ///< one a dword
  /// Of dwords of which an operation has used a part: waves may share a dword, but no byte.
  llvm::DenseMap<uint32_t, std::array<LdsCell, 4>> byteCells;
  // Ring: an operation that has left it is long complete.
  static constexpr uint32_t ringLength = 1 << 16;
  std::vector<LdsOp> ops;
  uint32_t nextOp = 1;
};

} // namespace tilec::sim
