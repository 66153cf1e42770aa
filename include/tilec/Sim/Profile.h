//===- Profile.h - a timing as a page and as trace events -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Timing.h"

namespace tilec::sim {

struct ProfileOptions {
  /// Timelines are kept for whole work-groups until they hold this many instructions; the first one
  /// is always there. A page grows by about 12 bytes for each.
  uint64_t maxEvents = 400'000;
};

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
