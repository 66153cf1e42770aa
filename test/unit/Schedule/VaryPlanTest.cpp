//===- VaryPlanTest.cpp - what a search for plans tries is legal ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Shapes.h"

#include "tilec/Transforms/BodyOrder.h"
#include "tilec/Transforms/LoopGraphs.h"
#include "tilec/Transforms/Strategy.h"
#include "tilec/Transforms/VaryPlan.h"

#include <gtest/gtest.h>

using namespace tilec;

TEST(VaryPlan, ThePeriodIsWhatAPlanRepeats) {
  for (const NamedShape &shape : testShapes()) {
    SchedulePlan plan = llvm::cantFail(planSchedule("auto", shape.shape));
    SchedulePlan part = shortestPeriod(plan);
    EXPECT_EQ(part.tilesPerRound, 1) << shape.name;
    EXPECT_EQ(part.repeated(plan.tilesPerRound), plan) << shape.name;
  }
  SchedulePlan uneven = llvm::cantFail(SchedulePlan::parse(
      "schedule x tiles 2 stagger 0\nmma 0 0 0 +0\nbarrier\nbarrier\nmma 0 0 0 +1\n"));
  EXPECT_EQ(shortestPeriod(uneven), uneven);
}

TEST(VaryPlan, EveryVariationIsLegalAndOther) {
  for (const NamedShape &shape : testShapes()) {
    PlanRandom random(7);
    SchedulePlan plan = llvm::cantFail(planSchedule("auto", shape.shape));
    unsigned found = 0;
    for (int n = 0; n < 6; ++n)
      if (std::optional<SchedulePlan> other = variedPlan(plan, shape.shape, random)) {
        ++found;
        EXPECT_FALSE(other->body == plan.body && other->stagger == plan.stagger) << shape.name;
        EXPECT_FALSE(bool(checkSchedule(*other, shape.shape))) << shape.name;
        EXPECT_EQ(llvm::cantFail(SchedulePlan::parse(other->str())), *other) << shape.name;
        plan = *other;
      }
    EXPECT_GE(found, 4U) << shape.name;
  }
}

// The two halves of the waves may be some barriers apart.
TEST(VaryPlan, PhasesAreVaried) {
  unsigned shifted = 0;
  for (const NamedShape &shape : testShapes()) {
    llvm::Expected<SchedulePlan> plan = planSchedule("ping_pong", shape.shape);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    PlanRandom random(3);
    for (int n = 0; n < 16; ++n)
      if (std::optional<SchedulePlan> other = variedPlan(*plan, shape.shape, random))
        shifted += other->stagger != plan->stagger;
  }
  EXPECT_GT(shifted, 0U);
}

TEST(VaryPlan, TheSameSeedGivesTheSamePlans) {
  ScheduleShape shape = testShapes().front().shape;
  SchedulePlan plan = llvm::cantFail(planSchedule("auto", shape));
  auto of = [&](uint64_t seed) {
    PlanRandom random(seed);
    std::string text;
    for (int n = 0; n < 4; ++n)
      if (std::optional<SchedulePlan> other = variedPlan(plan, shape, random))
        text += other->str();
    return text;
  };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
}

// The number of rounds is no part of a loop's graph; what the proof looks at is.
TEST(LoopGraphs, EveryFieldOfAShapeCounts) {
  ScheduleShape shape = testShapes().front().shape;
  uint64_t hash = graphHashOf(shape);
  auto with = [&](auto change) {
    ScheduleShape other = shape;
    change(other);
    return graphHashOf(other);
  };
  EXPECT_EQ(with([](ScheduleShape &) {}), hash);
  EXPECT_NE(with([](ScheduleShape &s) { s.slots = 3; }), hash);
  EXPECT_NE(with([](ScheduleShape &s) { s.dmas[1] += 1; }), hash);
  EXPECT_NE(with([](ScheduleShape &s) { s.cover[0][1] ^= 2; }), hash);
  EXPECT_NE(with([](ScheduleShape &s) { s.wavesPerSimd += 1; }), hash);
}

TEST(BodyOrder, TextIsARunALine) {
  BodyOrder order;
  order.steps = {{"prio", 1},   {"prio", 2},   {"shared_read", 0}, {"shared_read", 1},
                 {"mma c0", 0}, {"mma c0", 1}, {"mma c1", 2},      {"exp2", 5}};
  llvm::StringRef text = "order kept\n  prio 1\n  prio 2\n  shared_read 0..1\n  mma c0 0..1\n"
                         "  mma c1 2\n  exp2 5\n";
  EXPECT_EQ(order.str(), text);
  EXPECT_EQ(llvm::cantFail(BodyOrder::parse(text)), order);
  order.keepsOrder = false;
  EXPECT_EQ(llvm::cantFail(BodyOrder::parse(order.str())), order);
}

TEST(BodyOrder, WhatIsNoOrderIsRefusedWithItsLine) {
  for (const char *text : {"order kept\n\nmma", "order kept\n\nmma 3..1", "order kept\n\nprio 4",
                           "order kept\n\nprio 1..2", "order kept\n\nmma 99999999",
                           "order kept\n\nmma -1", "\n\norder"}) {
    llvm::Expected<BodyOrder> order = BodyOrder::parse(text);
    ASSERT_FALSE(bool(order)) << text;
    EXPECT_EQ(llvm::toString(order.takeError()).find("line 3: "), 0U) << text;
  }
  EXPECT_FALSE(bool(llvm::expectedToOptional(BodyOrder::parse(""))));
}
