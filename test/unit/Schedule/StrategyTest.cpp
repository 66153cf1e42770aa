//===- StrategyTest.cpp - what strategies promise -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Shapes.h"

#include "tilec/Transforms/Strategy.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilec;

namespace {

int64_t smallestVm(const std::vector<ScheduleStep> &steps) {
  int64_t smallest = 64;
  for (const ScheduleStep &step : steps)
    if (step.kind == ScheduleStep::Wait && step.vm >= 0)
      smallest = std::min(smallest, step.vm);
  return smallest;
}

} // namespace

TEST(Strategies, AreLegalWhereTheyFit) {
  int plans = 0;
  for (const Strategy &strategy : strategies())
    for (const NamedShape &named : testShapes()) {
      if (!strategy.order || !strategy.order.fits(named.shape).empty())
        continue;
      ++plans;
      llvm::Error error = checkSchedule(strategy.order.plan(named.shape), named.shape);
      EXPECT_FALSE(bool(error)) << strategy.name.str() << ", " << named.name << ": "
                                << llvm::toString(std::move(error));
    }
  EXPECT_GE(plans, 16);
}

// A quarter of a K tile's copies stays in flight at every wait of the loop (issue 5, 6).
TEST(Strategies, InterleaveKeepsCopiesInFlight) {
  for (const NamedShape &named : testShapes()) {
    llvm::Expected<SchedulePlan> plan = planSchedule("interleave", named.shape);
    ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
    llvm::Expected<ExpandedSchedule> all = expandSchedule(*plan, named.shape, 64);
    ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
    EXPECT_GE(smallestVm(all->body), named.shape.dmasPerTile() / 4) << named.name;
  }
}

// Two slots hold no copy beside the tile at hand and the next one: A and B are awaited in turn.
TEST(Strategies, SingleKeepsCopiesInFlight) {
  for (const NamedShape &named : testShapes()) {
    ScheduleShape shape = named.shape;
    shape.slots = 2;
    llvm::Expected<SchedulePlan> plan = planSchedule("single", shape);
    ASSERT_TRUE(bool(plan)) << named.name << ": " << llvm::toString(plan.takeError());
    llvm::Expected<ExpandedSchedule> all = expandSchedule(*plan, shape, 8);
    ASSERT_TRUE(bool(all)) << named.name << ": " << llvm::toString(all.takeError());
    EXPECT_GE(smallestVm(all->body), 1) << named.name;
  }
}

TEST(Strategies, NamesThatAreNoneAreRefused) {
  llvm::Expected<SchedulePlan> plan = planSchedule("pingpong", testShapes()[0].shape);
  ASSERT_FALSE(bool(plan));
  EXPECT_NE(llvm::toString(plan.takeError()).find("`pingpong` is no schedule; known: auto, "),
            std::string::npos);
}
