//===- ControlSlice.h - which instructions decide where waves go ----------===//
//
// How much a work-group does is known without doing it: only what branches depend on has
// to be executed. The rest of the code is counted and skipped, so that the whole grid
// can be walked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "../Instruction.h"

#include <string>
#include <vector>

namespace tilec::sim {

class Program;

class ControlSlice {
public:
  /// Of the code that is reached from `entryPc`.
  ControlSlice(const Program &program, uint32_t entryPc);

  /// Empty when waves that skip what can be skipped go where they would go. Otherwise why not: an
  /// instruction that branches depend on needs what was skipped, or order among waves.
  const std::string &whyNot() const { return reason; }
  /// Instructions from one on that have no part in where waves go, up to the next that has.
  struct Run {
    uint32_t count = 0, next = 0;
    uint32_t matrixPasses = 0;
  };
  /// count = 0: the instruction at `pc` has a part in it.
  Run skippedFrom(uint32_t pc) const { return pc < runs.size() ? runs[pc] : Run(); }

private:
  std::vector<Run> runs; ///< by pc
  std::string reason;
};

} // namespace tilec::sim
