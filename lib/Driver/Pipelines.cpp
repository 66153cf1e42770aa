//===- Pipelines.cpp - which passes make which stage ----------------------===//
//
// The one place that says which passes run in which order; Pipelines.h has what it gives.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include "tilec/Target/Target.h"

namespace tilec {

std::string pipelineOf(Stage stage, Arch arch, llvm::StringRef schedule, bool checkBounds,
                       llvm::StringRef layouts) {
  const std::string chip = ("{target=" + llvm::StringRef(nameOf(arch)) + "}").str();
  std::string target = chip;
  auto chipWith = [&](const std::string &options) {
    return options.empty() ? chip : chip.substr(0, chip.size() - 1) + " " + options + "}";
  };
  std::string wish = schedule.empty() ? "" : ("strategy=" + schedule).str();
  switch (stage) {
  case Stage::TileLaidOut:
    // Errors are found in the program as it was written; layouts are asked for by ops in their one
    // form.
    // Threads are kept apart while branches still say which of them go where.
    return "builtin.module(tile.program(tile-expand-im2col" + chip +
           ",tile-check,tile-expand-threads,tile-separate-threads,tile-part-waves" + chip +
           ",tile-normalize,tile-give-stages" + chipWith(wish) + ",tile-set-k-tiles" +
           chipWith(wish) + ",tile-choose-threads" + chip + ",tile-split-products" +
           chipWith(wish) + ",tile-peel-edges" + chip + ",tile-infer-layouts" +
           chipWith(layouts.str()) + "))";
  case Stage::TilePipelined:
    // Matrix loops whose order is planned get their plan when they are machine operations
    // (WaveScheduled).
    if (!schedule.empty() && !targetInfo(arch).keepsOrder)
      target.insert(target.size() - 1, (" strategy=" + schedule).str());
    // Barriers come last: they separate what the pipeliner has left in order.
    return "builtin.module(tile.program(tile-expand-pipelines" + target + ",canonicalize,cse," +
           (targetInfo(arch).accumulatesColumns ? "" : "tile-stage-stores" + chip + ",") +
           "tile-place-shared" + chip + ",tile-place-barriers))";
  case Stage::Wave:
    if (checkBounds)
      target.insert(target.size() - 1, " check-bounds=true");
    return "builtin.module(tile-to-wave" + target + ",canonicalize{region-simplify=disabled},cse)";
  case Stage::WaveScheduled:
    if (targetInfo(arch).asyncCopies.completion == Completion::Groups)
      return "builtin.module(wave.kernel(wave-carry-rounds" + target +
             "),canonicalize{region-simplify=disabled},cse)";
    if (!schedule.empty())
      target.insert(target.size() - 1, (" strategy=" + schedule).str());
    return "builtin.module(wave.kernel(wave-schedule" + target + ",wave-reads-first" + chip +
           ",wave-leave-atomics" + chip + "),canonicalize{region-simplify=disabled},cse)";
  default:
    return "";
  }
}

} // namespace tilec
