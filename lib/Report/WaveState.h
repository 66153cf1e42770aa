//===- WaveState.h - the integer registers of one wave --------------------===//
//
// Executes the integer skeleton of a kernel for one wave: what addresses, branch
// conditions and lane masks follow from the numbers of the threads alone. Loaded
// values and arguments are unknown.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "IntegerOps.h"
#include "RegisterMap.h"
#include "ValueBounds.h"

#include <map>

namespace tilec::report {

/// ds_read2_b64 and its like.
bool accessesTwoPlaces(const Instruction &instr);

class WaveState {
public:
  enum class Exec : uint8_t { Tracked, Ignored };

  /// The wave of threads firstThread .. firstThread + 63 of a one-dimensional block, at the entry
  /// of the kernel. With Exec::Ignored vector instructions write all lanes whatever exec says.
  explicit WaveState(unsigned firstThread, Exec exec = Exec::Tracked);

  /// The byte address of each lane of an LDS read or write before the instruction executes; of
  /// ds_read2 and its like, which have two, that of `which`.
  std::optional<LaneInts> sharedAddress(const Instruction &instr, unsigned which = 0) const;
  /// Where the lanes of an access begin whose addresses are not known, at least and at most.
  std::optional<Bounds> sharedStretch(const Instruction &instr, unsigned which = 0) const;
  /// m0: where LDS DMAs go.
  std::optional<LaneInts> dmaTarget() const;
  /// The instruction whose result this one's LDS address or m0 depends on and which is not
  /// followed.
  const Instruction *unknownSource(const Instruction &use) const;
  /// Whether a branch is taken; nothing when it depends on something unknown.
  std::optional<bool> isTaken(const Instruction &branch) const;
  /// Whether all lanes are known to be active.
  bool hasAllLanes() const;
  /// The lanes that are on; nothing where that is not known.
  std::optional<uint64_t> active() const { return maskIn({RegisterFile::Exec, 0}); }

  void step(const Instruction &instr);

private:
  /// A mask of lanes: its bits, or which of the unknown ones it is (0: of that nothing is known).
  struct Mask {
    std::optional<uint64_t> bits;
    uint32_t unknown = 0;
    bool operator==(const Mask &) const = default;
    bool isNamed() const { return bits || unknown; }
  };
  /// Lanes of `whole` that are not in the unknown mask `part`.
  struct Rest {
    uint32_t part = 0;
    Mask whole;
  };

  std::optional<LaneInts> registerValue(RegisterFile file, unsigned number) const;
  LaneInts freshUnknown() const;
  std::optional<LaneInts> operand(llvm::StringRef text, bool isShortImmediate = false) const;
  std::optional<uint64_t> mask(llvm::StringRef text) const;
  std::optional<uint64_t> maskIn(RegisterKey low) const;
  std::optional<uint64_t> maskResult(const Instruction &instr) const;
  std::optional<uint64_t> compareLanes(const Instruction &instr) const;
  std::optional<bool> compareScalars(const Instruction &instr) const;
  std::optional<LaneInts> select(const Instruction &instr) const;
  std::optional<LaneInts> underExec(const Instruction &instr, std::optional<LaneInts> value) const;
  void forget(const Instruction &instr);
  void compute(const Instruction &instr);
  void noteUnknown(const Instruction &instr);
  std::optional<Bounds> bounds(llvm::StringRef text) const;
  void keepOffLanes(const Instruction &instr, bool isKnown);
  void setMask(llvm::StringRef text, std::optional<uint64_t> value);
  void setScc(bool value);
  std::optional<bool> scc() const;
  Mask namedMask(llvm::StringRef text) const;
  void setNamedMask(llvm::StringRef text, const Mask &value);
  void stepSaveExec(const Instruction &instr);
  bool stepRest(const Instruction &instr);
  void stepLane(const Instruction &instr);
  void stepScratch(const Instruction &instr);

  Exec exec;
  /// What is read of an unknown scalar register stays the same number until it is written.
  mutable RegisterMap<LaneInts> known;
  mutable uint32_t unknowns = 0;
  /// What lanes that were off keep in a vector register of which the others lost theirs.
  struct OffLanes {
    LaneInts value;
    uint64_t lanes = 0;
  };
  std::map<unsigned, OffLanes> offLanes;
  /// What is known of masks whose bits are not: after `if (m)` exec is some part of what it was,
  /// and `exec ^ what it was` brings the others back.
  RegisterMap<uint32_t> unknownMasks;
  std::map<uint32_t, Mask> wholeOf; ///< of an unknown mask that was cut out of another one
  RegisterMap<Rest> rests;
  /// Scalars that are kept in lanes of vector registers (LLVM's spills): register, lane.
  std::map<std::pair<unsigned, unsigned>, LaneInts> keptInLanes;
  /// Dwords of the lanes' stack (LLVM's spills): byte offset.
  std::map<unsigned, LaneInts> keptInScratch;
  /// Of vector registers whose values are not known.
  RegisterMap<Bounds> bounded;
  /// Registers whose values are lost, for messages.
  RegisterMap<const Instruction *> unknownSince;
};

} // namespace tilec::report
