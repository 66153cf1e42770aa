//===- PlanTextTest.cpp - plans are printed and parsed --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Shapes.h"

#include "tilec/Transforms/Strategy.h"

#include <gtest/gtest.h>

using namespace tilec;

TEST(PlanText, StepsRoundTrip) {
  for (const char *text : {"dma A 1 +2", "read B 3 1 +0", "mma 7 3 1 +1", "wait vm(auto) lgkm(0)",
                           "wait vm(4)", "wait lgkm(15)", "barrier", "prio 3", "mark \"k 0\""}) {
    llvm::Expected<ScheduleStep> step = ScheduleStep::parse(text);
    ASSERT_TRUE(bool(step)) << llvm::toString(step.takeError());
    EXPECT_EQ(step->str(), text);
  }
}

TEST(PlanText, BadStepsAreRefusedWithTheGrammar) {
  for (const char *text : {"", "dma C 1 +2", "dma A +2", "read A 1 +0", "mma 1 2 +0", "wait",
                           "wait vm(10000)", "wait vm(-1)", "wait vm(auto", "prio -1", "barrier 1",
                           "mark \"a\"b\"", "mma 99999999999999999999 0 0 +0", "dma A 1 -2"}) {
    llvm::Expected<ScheduleStep> step = ScheduleStep::parse(text);
    ASSERT_FALSE(bool(step)) << text;
    std::string message = llvm::toString(step.takeError());
    EXPECT_NE(message.find("mark"), std::string::npos) << message;
  }
}

TEST(PlanText, EveryStrategyRoundTrips) {
  for (const Strategy &strategy : strategies())
    for (const NamedShape &shape : testShapes()) {
      if (!strategy.order || !strategy.order.fits(shape.shape).empty())
        continue;
      SchedulePlan plan = strategy.order.plan(shape.shape);
      llvm::Expected<SchedulePlan> parsed = SchedulePlan::parse(plan.str());
      ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
      EXPECT_EQ(*parsed, plan) << strategy.name.str() << ", " << shape.name;
    }
}

TEST(PlanText, TheHeaderSaysWhoWaitsForReads) {
  for (const char *header :
       {"schedule x tiles 2 stagger 1\n", "schedule x tiles 2 stagger 1 lgkm auto\n"}) {
    llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(header);
    ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
    EXPECT_EQ(plan->str(), header);
    EXPECT_EQ(plan->autoLgkm, llvm::StringRef(header).contains("auto"));
  }
  for (const char *header :
       {"schedule x tiles 2 stagger 1 lgkm", "schedule x tiles 2 stagger 1 vm auto",
        "schedule x tiles 2 stagger 1 lgkm auto 2"}) {
    llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(header);
    ASSERT_FALSE(bool(plan)) << header;
    EXPECT_NE(llvm::toString(plan.takeError()).find("`lgkm auto`"), std::string::npos);
  }
}

TEST(PlanText, ErrorsNameTheLine) {
  llvm::Expected<SchedulePlan> plan =
      SchedulePlan::parse("# mine\nschedule x tiles 2 stagger 0\n  barrier\n  bariere\n");
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(llvm::toString(plan.takeError()).rfind("line 4: `bariere` is no step", 0), 0u);
}
