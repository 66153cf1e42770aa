//===- PlanSchedule.cpp - which strategy serves a loop --------------------===//
//
// Asks the strategies of Strategies.def in order, or the one that is named, and gives the first
// plan.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Strategies/Strategies.h"

namespace tilec {

llvm::ArrayRef<ScheduleStrategy> scheduleStrategies() {
  static const ScheduleStrategy table[] = {
#define TILEC_SCHEDULE_STRATEGY(name) schedule::name,
#include "Schedule/Strategies/Strategies.def"
#undef TILEC_SCHEDULE_STRATEGY
  };
  return table;
}

bool isScheduleStrategy(llvm::StringRef name) {
  for (const ScheduleStrategy &strategy : scheduleStrategies())
    if (strategy.name == name)
      return true;
  return false;
}

std::string scheduleStrategyNames() {
  std::string names = "auto";
  for (const ScheduleStrategy &strategy : scheduleStrategies())
    names += ", " + strategy.name.str();
  return names;
}

llvm::Expected<SchedulePlan> planSchedule(llvm::StringRef name, const ScheduleShape &shape) {
  std::string reasons;
  for (const ScheduleStrategy &strategy : scheduleStrategies()) {
    if (name != "auto" && name != strategy.name)
      continue;
    std::string reason = strategy.fits(shape);
    if (reason.empty()) {
      SchedulePlan plan = strategy.plan(shape);
      llvm::Error error = checkSchedule(plan, shape);
      if (!error)
        return plan;
      reason = llvm::toString(std::move(error));
    }
    reasons += (reasons.empty() ? "" : "; ") + strategy.name.str() + ": " + reason;
  }
  if (reasons.empty())
    return llvm::createStringError("`%s` is no schedule; known: %s", name.str().c_str(),
                                   scheduleStrategyNames().c_str());
  return llvm::createStringError("no schedule fits: " + reasons);
}

} // namespace tilec
