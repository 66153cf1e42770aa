//===- Strategy.h - ways to run a loop, by name ---------------------------===//
//
// A strategy says how a loop runs: who does which part of it (roles: a producer, teams, clusters;
// chips with tensor copies), or in which order the steps of a round stand (chips whose machine code
// keeps an order). A name may say both: `ping_pong` is waves that take turns on either kind of
// chip. No MLIR: strategies are asked with numbers. docs/contribute/adding-a-schedule.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/ProductPlan.h"
#include "tilec/Transforms/SchedulePlan.h"

namespace tilec {

/// What a strategy says to one kind of loop.
template <typename Shape, typename Plan> struct StrategyPart {
  /// Why it cannot serve a loop of this shape; "" when it can. Null: it has nothing to say.
  std::string (*fits)(const Shape &) = nullptr;
  /// Whether `auto` takes it where it fits. Null: it does.
  bool (*suits)(const Shape &) = nullptr;
  Plan (*plan)(const Shape &) = nullptr;

  explicit operator bool() const { return fits; }
  bool isForAuto(const Shape &shape) const {
    return fits(shape).empty() && (!suits || suits(shape));
  }
};

struct Strategy {
  using Roles = StrategyPart<ProductShape, ProductPlan>;
  using Order = StrategyPart<ScheduleShape, SchedulePlan>;

  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  Roles roles = {};
  Order order = {};
};

/// All of them, in the order in which `auto` asks them.
llvm::ArrayRef<Strategy> strategies();

/// Names of strategies that speak of roles; of the order of steps.
bool isProductStrategy(llvm::StringRef name);
bool isScheduleStrategy(llvm::StringRef name);

/// The plan of strategy `name`, or with "auto" of the first that fits and suits. Fails with what
/// does not fit.
llvm::Expected<ProductPlan> planProduct(llvm::StringRef name, const ProductShape &shape);
/// The same for the order of a loop; what is given is proved (checkSchedule).
llvm::Expected<SchedulePlan> planSchedule(llvm::StringRef name, const ScheduleShape &shape);

} // namespace tilec
