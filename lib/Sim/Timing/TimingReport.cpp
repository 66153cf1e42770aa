//===- TimingReport.cpp - a timing as a table and as JSON -----------------===//
//
// Takes a timing, writes it for people and for programs; nothing is computed here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Timing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tilec::sim {
namespace {

constexpr const char *kindNames[numTimedKinds] = {
    "salu",    "valu",   "trans", "mfma",   "lds-read", "lds-write", "load", "store",
    "lds-dma", "atomic", "smem",  "branch", "barrier",  "wait",      "nop",  "other"};
constexpr const char *reasonNames[numStallReasons] = {
    "none",        "vmcnt",        "lgkmcnt",    "barrier",   "matrix-pipe",
    "matrix-data", "vector-issue", "other-wave", "lds-queue", "memory-queue",
    "counter",     "fetch",        "nop"};

unsigned mainReason(const TimedInstruction &instr) {
  return static_cast<unsigned>(
      std::max_element(std::begin(instr.stallByReason), std::end(instr.stallByReason)) -
      std::begin(instr.stallByReason));
}

double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

uint64_t waveClk(const TimingTrace &trace) {
  uint64_t sum = 0;
  for (const WaveTimeline &wave : trace.waves)
    sum += wave.endClk - wave.startClk;
  return sum;
}

/// The instructions with the longest stalls, in address order.
std::vector<const TimedInstruction *> worst(const TimingTrace &trace, size_t atMost) {
  std::vector<const TimedInstruction *> list;
  for (const TimedInstruction &instr : trace.instructions)
    if (instr.stallClk)
      list.push_back(&instr);
  std::sort(list.begin(), list.end(), [](auto *a, auto *b) {
    return a->stallClk != b->stallClk ? a->stallClk > b->stallClk : a->address < b->address;
  });
  list.resize(std::min(list.size(), atMost));
  std::sort(list.begin(), list.end(), [](auto *a, auto *b) { return a->address < b->address; });
  return list;
}

} // namespace

llvm::StringRef nameOf(TimedKind kind) { return kindNames[static_cast<unsigned>(kind)]; }
llvm::StringRef nameOf(StallReason reason) { return reasonNames[static_cast<unsigned>(reason)]; }

void TimingResult::print(llvm::raw_ostream &os) const {
  os << trace.kernel << " on " << std::string(nameOf(trace.arch)) << ", modelled: "
     << llvm::format("%.0f clk, %.2f us at %.2f GHz", kernelClk, kernelMicroseconds(), clockGhz)
     << '\n';
  os << "  work-groups: " << groupsPerCu << " at once on a CU, " << activeCus << " CUs with work, "
     << groupsOnCu << (equalWork ? " on the busiest, " : " on the one that ends last, ")
     << groupsTimed << " replayed in " << cuClk << " clk\n";
  if (!workAssumed.empty())
    os << "  work-groups are taken as equal: " << workAssumed << '\n';
  os << llvm::format("  busy: MFMA %.1f %%, vector %.1f %%, LDS %.1f %% (%llu clk bank conflicts), "
                     "vector memory %.1f %%\n",
                     100 * mfmaUtilisation, 100 * valuUtilisation, 100 * ldsUtilisation,
                     static_cast<unsigned long long>(ldsConflictClk), 100 * memoryUtilisation);
  os << llvm::format("  L2 hits %.1f %%, Infinity Cache hits %.1f %% of the rest\n",
                     100 * l2HitRate, 100 * infinityCacheHitRate);
  uint64_t all = waveClk(trace);
  os << "  stalls, of the waves' time:";
  for (unsigned i = 1; i < numStallReasons; ++i)
    if (stallByReason[i])
      os << ' ' << reasonNames[i] << llvm::format(" %.1f %%", percent(stallByReason[i], all));
  os << "\n\n  stall clk   % of time     times  clk each  reason        instruction\n";
  for (const TimedInstruction *instr : worst(trace, 40))
    os << llvm::format(
              "%11llu %11.2f %9llu %9.1f", static_cast<unsigned long long>(instr->stallClk),
              percent(instr->stallClk, all), static_cast<unsigned long long>(instr->executions),
              static_cast<double>(instr->stallClk) / static_cast<double>(instr->executions))
       << "  " << llvm::left_justify(reasonNames[mainReason(*instr)], 13) << ' ' << instr->where
       << ": " << instr->text << '\n';
}

void TimingResult::writeJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, 1);
  auto stalls = [&](const uint64_t (&byReason)[numStallReasons]) {
    json.attributeObject("stall_by_reason", [&] {
      for (unsigned i = 1; i < numStallReasons; ++i)
        if (byReason[i])
          json.attribute(reasonNames[i], byReason[i]);
    });
  };
  json.object([&] {
    json.attribute("kernel", trace.kernel);
    json.attribute("target", std::string(nameOf(trace.arch)));
    json.attribute("kernel_clk", kernelClk);
    json.attribute("kernel_us", kernelMicroseconds());
    json.attribute("clock_ghz", clockGhz);
    json.attribute("groups_per_cu", groupsPerCu);
    json.attribute("active_cus", activeCus);
    json.attribute("groups_on_cu", groupsOnCu);
    json.attribute("groups_replayed", groupsTimed);
    json.attribute("cu_clk", cuClk);
    json.attribute("equal_work", equalWork);
    if (!workAssumed.empty())
      json.attribute("work_assumed", workAssumed);
    json.attribute("mfma_utilisation", mfmaUtilisation);
    json.attribute("valu_utilisation", valuUtilisation);
    json.attribute("lds_utilisation", ldsUtilisation);
    json.attribute("memory_utilisation", memoryUtilisation);
    json.attribute("lds_conflict_clk", ldsConflictClk);
    json.attribute("l2_hit_rate", l2HitRate);
    json.attribute("infinity_cache_hit_rate", infinityCacheHitRate);
    json.attribute("wave_clk", waveClk(trace));
    stalls(stallByReason);
    json.attributeArray("instructions", [&] {
      for (const TimedInstruction &instr : trace.instructions)
        json.object([&] {
          json.attribute("address", instr.address);
          json.attribute("where", instr.where);
          json.attribute("text", instr.text);
          json.attribute("kind", nameOf(instr.kind));
          json.attribute("executions", instr.executions);
          json.attribute("first_issue_clk", instr.firstIssueClk);
          json.attribute("last_issue_clk", instr.lastIssueClk);
          json.attribute("stall_clk", instr.stallClk);
          stalls(instr.stallByReason);
          json.attribute("lds_data_clk", instr.ldsDataClk);
          json.attribute("lds_conflict_clk", instr.ldsConflictClk);
          json.attribute("memory_bytes", instr.memoryBytes);
        });
    });
  });
  os << '\n';
}

} // namespace tilec::sim
