//===- Progress.h - whether a work-group still gets on --------------------===//
//
// A wave is a function of its registers and of the memory that it reads. A wave that
// comes back to a state it had, while nothing in memory has changed, will do so for
// ever unless another work-group changes memory. That is proof of an endless loop; no
// limit has to be waited for. States are compared with one that is taken at doubling
// intervals (Brent's cycle detection), so that running code pays next to nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Wave.h"

#include <optional>
#include <string>

namespace tilec::sim {

class ProgressWatch {
public:
  explicit ProgressWatch(const Group &group);

  /// Before a memory instruction writes these bytes.
  void willWrite(const uint8_t *host, unsigned bytes, bool global);
  /// A memory instruction reads this global address.
  void readsGlobal(const Wave &wave, const Instr &instr, uint64_t address);
  /// After a memory instruction: whether what it has written differs from what was there. Global
  /// memory is what other work-groups see.
  void settle(Group &group);
  /// After an instruction of `wave`.
  void step(const Wave &wave, const Instr &instr);
  /// After a slice of `wave`: compares it with what it was.
  void compare(const Wave &wave);

  /// Something changed, and the states that were taken mean nothing any more.
  bool changed() const { return hasChanged; }
  /// Every wave that can run has come back to its state.
  bool allRepeat(const Group &group) const;
  /// Whether one of them reads global memory, which another work-group may change.
  bool readGlobal() const { return hasReadGlobal; }

  struct Loop {
    uint32_t firstPc = ~0u, lastPc = 0; ///< of the instructions between two equal states
    const Instr *jump = nullptr;        ///< a jump back
    const Instr *read = nullptr;        ///< of global memory
    uint64_t address = 0;
  };
  const Loop &loopOf(const Wave &wave) const { return watched[wave.index]->loop; }

private:
  struct State {
    Wave registers; ///< all but the vector registers
    std::vector<uint32_t> vectors;
    bool repeats = false;
    Loop loop;
  };
  struct Write {
    const uint8_t *host;
    unsigned bytes;
    bool global;
    uint8_t old[16];
  };
  std::vector<std::optional<State>> watched; ///< by wave; nothing: it cannot run
  std::vector<Write> writes;
  bool hasChanged = false, hasReadGlobal = false;
};

/// What each wave of a work-group that does not get on is doing.
std::string describeWaves(const Group &group);
/// Reports that no wave of the work-group gets on, and why. `others`: how many more work-groups are
/// in the same state; 0 when it is this one's own doing.
void reportStuck(Group &group, uint64_t others);

} // namespace tilec::sim
