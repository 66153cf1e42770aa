//===- PlanLoop.cpp - which strategy serves a loop ------------------------===//
//
// Asks the strategies of Strategies.def in order, or the one that is named, and gives the first
// plan.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec {

llvm::ArrayRef<Strategy> strategies() {
  static const Strategy table[] = {
#define TILEC_STRATEGY(name) strategy::name,
#include "Strategies/Strategies.def"
#undef TILEC_STRATEGY
  };
  return table;
}

template <typename Part> static bool isNameOf(llvm::StringRef name, Part Strategy::*part) {
  return llvm::any_of(strategies(), [&](const Strategy &strategy) {
    return strategy.*part && strategy.name == name;
  });
}

bool isProductStrategy(llvm::StringRef name) { return isNameOf(name, &Strategy::roles); }
bool isScheduleStrategy(llvm::StringRef name) { return isNameOf(name, &Strategy::order); }

/// "auto, ping_pong, ...": for messages.
template <typename Part> static std::string namesOf(Part Strategy::*part) {
  std::string names = "auto";
  for (const Strategy &strategy : strategies())
    if (strategy.*part)
      names += ", " + strategy.name.str();
  return names;
}

/// The plan of the first strategy that `name` may mean and that has one; `prove` has the last word.
template <typename Shape, typename Plan>
static llvm::Expected<Plan> planBy(StrategyPart<Shape, Plan> Strategy::*part, llvm::StringRef name,
                                   const Shape &shape,
                                   llvm::function_ref<llvm::Error(const Plan &)> prove) {
  std::string reasons;
  for (const Strategy &strategy : strategies()) {
    const StrategyPart<Shape, Plan> &says = strategy.*part;
    if (!says || (name != "auto" && name != strategy.name))
      continue;
    std::string reason = says.fits(shape);
    if (reason.empty() && name == "auto" && says.suits && !says.suits(shape))
      continue;
    if (reason.empty()) {
      Plan plan = says.plan(shape);
      llvm::Error error = prove(plan);
      if (!error)
        return plan;
      reason = llvm::toString(std::move(error));
    }
    if (name != "auto")
      return llvm::createStringError("`" + name.str() + "` does not fit: " + reason);
    reasons += (reasons.empty() ? "" : "; ") + strategy.name.str() + ": " + reason;
  }
  if (reasons.empty())
    return llvm::createStringError("`%s` is no schedule; known: %s", name.str().c_str(),
                                   namesOf(part).c_str());
  return llvm::createStringError("no schedule fits: " + reasons);
}

llvm::Expected<ProductPlan> planProduct(llvm::StringRef name, const ProductShape &shape) {
  return planBy<ProductShape, ProductPlan>(
      &Strategy::roles, name, shape, [](const ProductPlan &) { return llvm::Error::success(); });
}

llvm::Expected<SchedulePlan> planSchedule(llvm::StringRef name, const ScheduleShape &shape) {
  return planBy<ScheduleShape, SchedulePlan>(
      &Strategy::order, name, shape,
      [&](const SchedulePlan &plan) { return checkSchedule(plan, shape); });
}

} // namespace tilec
