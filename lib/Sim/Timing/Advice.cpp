//===- Advice.cpp - what to do first to make a kernel faster --------------===//
//
// Takes the shares of waits and units of a timing, gives one sentence: what to do first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Constants.h"

#include "tilec/Sim/Profile.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tilec::sim {
namespace {

/// A unit that is busy for so much of the time is what limits the kernel.
constexpr double busyShare = 0.8;
/// Waits that take less of the waves' time are nothing to begin with.
constexpr double smallShare = 0.1;

struct Row {
  StallReason reason;
  const char *what, *cure;
};
/// Not the matrix unit: to wait for it is what a good loop does (its share of time is looked at).
constexpr Row rows[] = {
    {StallReason::Vmcnt, "for loads from memory",
     "load earlier (more `num_stages`, a longer loop body) or less often"},
    {StallReason::Lgkmcnt, "for shared memory or scalar loads",
     "read shared memory earlier, in wider pieces, or less often (a larger tile of a wave)"},
    {StallReason::Barrier, "for other waves at barriers",
     "give the waves equal work, or more of it between barriers"},
    {StallReason::MatrixData, "for results of matrix instructions",
     "give a wave more independent sums (a larger tile of a wave)"},
    {StallReason::VectorIssue, "for the vector unit",
     "do less element by element: cheaper functions (--math=fast), wider types, fewer casts"},
    {StallReason::OtherWave, "while another wave of their SIMD issues the same kind of instruction",
     "mix kinds of work in time, as schedules do (--schedule)"},
    {StallReason::LdsQueue, "to hand requests to shared memory",
     "access shared memory in wider pieces or less often, without bank conflicts"},
    {StallReason::MemoryQueue, "to hand requests to memory",
     "access memory in wider pieces (16 bytes a lane), or spread the accesses over the loop"},
    {StallReason::Counter, "because a wave can count no more operations in flight",
     "access memory in wider pieces: fewer operations for the same bytes"},
    {StallReason::Fetch, "for instructions",
     "keep loops short and free of branches: less unrolling, fewer `if`"},
    {StallReason::Nop, "out wait states",
     "put independent instructions between those that depend on each other"},
};

/// `gemm.py:14` of "gemm+0x10 (gemm.py:14)"; empty where no line is known.
llvm::StringRef lineOf(llvm::StringRef where) {
  size_t open = where.rfind('(');
  if (open == llvm::StringRef::npos || !where.ends_with(")"))
    return "";
  llvm::StringRef place = where.substr(open + 1).drop_back();
  return place.substr(place.rfind('/') + 1);
}

/// The line of the source with most of the stalls for a reason.
std::string worstLine(const TimingTrace &trace, StallReason reason) {
  std::map<llvm::StringRef, uint64_t> byLine;
  for (const TimedInstruction &instr : trace.instructions)
    if (llvm::StringRef line = lineOf(instr.where); !line.empty())
      byLine[line] += instr.stallByReason[static_cast<unsigned>(reason)];
  auto worst = std::max_element(byLine.begin(), byLine.end(),
                                [](auto &a, auto &b) { return a.second < b.second; });
  return worst == byLine.end() || worst->second == 0 ? "" : worst->first.str();
}

uint64_t timeOfWaves(const TimingTrace &trace) {
  uint64_t sum = 0;
  for (const WaveTimeline &wave : trace.waves)
    sum += wave.endClk - wave.startClk;
  return std::max<uint64_t>(sum, 1);
}

} // namespace

std::string adviceFor(const TimingResult &t) {
  double units = timingConstants(t.trace.arch).computeUnits;
  if (double(t.activeCus) < units / 2)
    return llvm::formatv("Only {0} of {1:f0} compute units have work: launch more blocks (smaller "
                         "tiles, or the loop over K split between blocks).",
                         t.activeCus, units);
  struct Unit {
    const char *name;
    double share;
  };
  const Unit list[] = {{"matrix unit", t.mfmaUtilisation},
                       {"vector unit", t.valuUtilisation},
                       {"shared memory", t.ldsUtilisation},
                       {"way to memory", t.memoryUtilisation}};
  const Unit &busiest = *std::max_element(std::begin(list), std::end(list),
                                          [](auto &a, auto &b) { return a.share < b.share; });
  if (busiest.share >= busyShare)
    return llvm::formatv("The {0} is busy {1:f0} % of the time: the kernel is at this limit, and "
                         "only less work for it makes it faster.",
                         busiest.name, 100 * busiest.share);
  const Row &worst = *std::max_element(std::begin(rows), std::end(rows), [&](auto &a, auto &b) {
    return t.stallByReason[static_cast<unsigned>(a.reason)] <
           t.stallByReason[static_cast<unsigned>(b.reason)];
  });
  double share =
      double(t.stallByReason[static_cast<unsigned>(worst.reason)]) / double(timeOfWaves(t.trace));
  if (share < smallShare)
    return "No wait stands out: fewer instructions, or more blocks at once on a compute unit, are "
           "what is left.";
  std::string line = worstLine(t.trace, worst.reason);
  return llvm::formatv("Waves spend {1:f0} % of their time waiting {0}{2}: {3}.", worst.what,
                       100 * share, line.empty() ? "" : ", most of it at " + line, worst.cure);
}

} // namespace tilec::sim
