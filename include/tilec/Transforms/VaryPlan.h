//===- VaryPlan.h - plans near another one --------------------------------===//
//
// What a search for plans tries: copies, reads, waits, barriers, priorities and the
// order of matrix instructions moved by some places. Every result is proved.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/SchedulePlan.h"

#include <random>

namespace tilec {

/// Numbers of a search. The engine's sequence is fixed by the C++ standard, and `below` draws
/// without one of the library's distributions, which are not.
class PlanRandom {
public:
  explicit PlanRandom(uint64_t seed) : engine(seed) {}
  /// From 0 to below `count`, which is positive.
  size_t below(size_t count) { return static_cast<size_t>(engine() % count); }

private:
  std::mt19937_64 engine;
};

/// The body for as few tiles as it repeats; the plan itself where it repeats nothing.
SchedulePlan shortestPeriod(const SchedulePlan &plan);

/// A legal plan that differs from `plan` in one to four changes; nothing where some tries have
/// found none. Its name is `found`.
std::optional<SchedulePlan> variedPlan(const SchedulePlan &plan, const ScheduleShape &shape,
                                       PlanRandom &random);

} // namespace tilec
