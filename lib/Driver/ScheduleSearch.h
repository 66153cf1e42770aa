//===- ScheduleSearch.h - plans of loops by trial --------------------------===//
//
// `tilec-run --schedule=search`. docs/machine-code/scheduling.md has what users see.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"
#include "tilec/Driver/PlanFile.h"
#include "tilec/Runtime/Arguments.h"

#include <functional>

namespace tilec {

struct ScheduleSearchRequest {
  std::string file;
  CompileOptions compile; ///< without a schedule
  rt::ArgumentRequest arguments;
  std::string name; ///< of the plans
  uint64_t seed = 1;
  /// So many plans are tried: what 30 s are enough for on two idle cores of 2026-11-26, of
  /// attention (docs/machine-code/scheduling.md).
  unsigned evaluations = 55;
  double seconds = 600; ///< nothing is begun after so many
  unsigned atOnce = 0;  ///< candidates in work at a time; 0: one a core
  std::function<void(const std::string &)> progress;
};

/// One plan that was tried, or a strategy.
struct ScheduleTrial {
  std::string what;   ///< `auto`, `interleave`, `varied 17`
  double us = 0;      ///< 0: not accepted
  std::string reason; ///< why not
};

struct ScheduleFound {
  PlanFile plans;
  std::vector<ScheduleTrial> trials; ///< in the order in which they were made
  double before = 0, after = 0;      ///< microseconds of the strategies' best, and of the plans
  /// Whether the clock has taken part: time was up before all evaluations were made, or one took so
  /// long that it was ended. Then another run may find another plan.
  bool isTimeUp = false;
  unsigned ended = 0; ///< evaluations that took too long
};

/// Plans for the loops of the program that take no longer, by the timing model, than those of the
/// strategies: each is compiled and refused if it spills, moves accumulators, waits for more, has
/// lost its order, or if its copies and reads cannot be proved apart where they could before. The
/// same seed and number of evaluations give the same plans on any machine, whatever `atOnce` is and
/// what else runs there, unless `isTimeUp`.
rt::Result<ScheduleFound> searchSchedules(const ScheduleSearchRequest &request);

} // namespace tilec
