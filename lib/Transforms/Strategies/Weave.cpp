//===- Weave.cpp - helpers that strategies share --------------------------===//
//
// Puts steps between others at even distances; Weave.h has the functions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Weave.h"

#include <algorithm>

namespace tilec::strategy {

std::vector<ScheduleStep> mmas(int64_t firstM, int64_t endM, int64_t firstN, int64_t endN,
                               int64_t firstK, int64_t endK, int64_t tile) {
  std::vector<ScheduleStep> steps;
  for (int64_t k = firstK; k < endK; ++k)
    for (int64_t m = firstM; m < endM; ++m)
      for (int64_t n = firstN; n < endN; ++n)
        steps.push_back(ScheduleStep::mma(m, n, k, tile));
  return steps;
}

std::vector<ScheduleStep> reads(MmaOperand operand, int64_t firstRep, int64_t endRep, int64_t k,
                                int64_t tile) {
  std::vector<ScheduleStep> steps;
  for (int64_t rep = firstRep; rep < endRep; ++rep)
    steps.push_back(ScheduleStep::read(operand, rep, k, tile));
  return steps;
}

std::vector<ScheduleStep> copies(MmaOperand operand, int64_t count, int64_t tile) {
  std::vector<ScheduleStep> steps;
  for (int64_t d = 0; d < count; ++d)
    steps.push_back(ScheduleStep::dma(operand, d, tile));
  return steps;
}

void weave(std::vector<ScheduleStep> &out, llvm::ArrayRef<ScheduleStep> work,
           llvm::ArrayRef<ScheduleStep> memory, size_t span) {
  if (span == 0 || span > work.size())
    span = work.size();
  size_t next = 0;
  for (size_t n = 0; n < work.size(); ++n) {
    out.push_back(work[n]);
    // After n + 1 of `span` steps, as much of the memory work has been started.
    size_t due = n + 1 >= span ? memory.size() : ((n + 1) * memory.size() + span - 1) / span;
    while (next < due)
      out.push_back(memory[next++]);
  }
  append(out, memory.drop_front(next));
}

std::vector<ScheduleStep> merge(llvm::ArrayRef<ScheduleStep> first,
                                llvm::ArrayRef<ScheduleStep> second) {
  std::vector<ScheduleStep> out;
  size_t a = 0, b = 0;
  while (a < first.size() || b < second.size()) {
    // The one that is further behind its share; the first one on a tie.
    bool takeFirst =
        b >= second.size() || (a < first.size() && a * second.size() <= b * first.size());
    out.push_back(takeFirst ? first[a++] : second[b++]);
  }
  return out;
}

void append(std::vector<ScheduleStep> &out, llvm::ArrayRef<ScheduleStep> steps) {
  out.insert(out.end(), steps.begin(), steps.end());
}

int64_t registersFor(const ScheduleShape &shape, int64_t sets) {
  return shape.repsM * shape.repsN * shape.accumulatorRegs +
         sets * (shape.repsM * shape.fragmentRegs[0] + shape.repsN * shape.fragmentRegs[1]);
}

int64_t registerBudget(const ScheduleShape &shape) { return shape.registers; }

} // namespace tilec::strategy
