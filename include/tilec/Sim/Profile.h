//===- Profile.h - a timing as a page and as trace events -----------------===//
//
// Takes what the timing model found out about a kernel, writes an HTML page or trace events, and a
// sentence on what to do first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Timing.h"

#include <map>

namespace tilec::sim {

struct ProfileOptions {
  /// Timelines are kept for whole work-groups until they hold this many instructions; the first one
  /// is always there. A page grows by about 12 bytes for each.
  uint64_t maxEvents = 400'000;
  /// Texts of source files by the names that the code's line tables have: shown beside the
  /// assembly.
  std::map<std::string, std::string> sources;
  /// What limits how many work-groups a compute unit holds, as a sentence; empty: not said.
  std::string occupancy;
};

/// What to do first to make the kernel faster, in a sentence: the longest wait or the busiest unit,
/// with the line of the source where most of it is.
std::string adviceFor(const TimingResult &timing);

/// One HTML page that needs nothing beside it: the timeline of the waves of each work-group,
/// utilisation, and the assembly with the clocks and stalls of every line. Without
/// TimingOptions::keepEvents there is no timeline and no time by line, only stalls.
void writeProfile(const TimingResult &timing, llvm::raw_ostream &os,
                  const ProfileOptions &options = {});

/// Trace events as Chrome and Perfetto read them (Trace Event Format: a JSON object with
/// `traceEvents`). A process is a work-group and a thread a wave; times are in microseconds of the
/// modelled clock. Stalls are slices of their own, memory operations in flight are asynchronous
/// ones.
void writeTrace(const TimingResult &timing, llvm::raw_ostream &os);

} // namespace tilec::sim
