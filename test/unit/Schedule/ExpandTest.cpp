//===- ExpandTest.cpp - prologue, tail, wait counts and the rules ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Shapes.h"

#include "tilec/Transforms/Strategy.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilec;

namespace {

SchedulePlan planOf(llvm::StringRef name, const ScheduleShape &shape) {
  llvm::Expected<SchedulePlan> plan = planSchedule(name, shape);
  EXPECT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  return *plan;
}

/// One matrix instruction, one copy and one read of each operand; by hand.
ScheduleShape tiny(int64_t slots) { return shapeOf(1, 1, 1, 1, 1, slots, 4); }

SchedulePlan parsed(llvm::StringRef text) {
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
  EXPECT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  return *plan;
}

std::string messageOf(const SchedulePlan &plan, const ScheduleShape &shape) {
  return llvm::toString(checkSchedule(plan, shape));
}

} // namespace

// Whatever the number of tiles, every step is done exactly once for every tile.
TEST(ExpandSchedule, DoesEverythingOnce) {
  for (const NamedShape &named : testShapes()) {
    SchedulePlan plan = planOf("auto", named.shape);
    for (int64_t tiles = 1; tiles < 12; ++tiles) {
      llvm::Expected<ExpandedSchedule> all = expandSchedule(plan, named.shape, tiles);
      ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
      std::map<std::pair<std::string, int64_t>, int> times;
      auto count = [&](const std::vector<ScheduleStep> &steps, int64_t firstTile) {
        for (const ScheduleStep &step : steps)
          if (step.isWork())
            ++times[{step.name(), step.tile + firstTile}];
      };
      count(all->prologue, 0);
      for (int64_t round = 0; round < all->rounds; ++round)
        count(all->body, round * plan.tilesPerRound);
      count(all->tail, all->rounds * plan.tilesPerRound);
      const ScheduleShape &shape = named.shape;
      int64_t perTile = shape.dmasPerTile() + shape.readsPerTile() + shape.mmasPerTile();
      EXPECT_EQ(int64_t(times.size()), perTile * tiles) << named.name << ", " << tiles;
      for (auto &[key, n] : times) {
        EXPECT_EQ(n, 1) << key.first;
        EXPECT_GE(key.second, 0);
        EXPECT_LT(key.second, tiles);
      }
    }
  }
}

// A copy two tiles ahead, waited for one barrier before its read: of the copies issued since, none
// belongs to the tile that is read next but one.
TEST(ExpandSchedule, CountsWaits) {
  SchedulePlan plan = parsed(R"(schedule hand tiles 3 stagger 0 lgkm auto
  wait vm(auto) lgkm(0)
  barrier
  dma A 0 +2
  dma B 0 +2
  read A 0 0 +0
  read B 0 0 +0
  mma 0 0 0 +0
  wait vm(auto) lgkm(0)
  barrier
  dma A 0 +3
  dma B 0 +3
  read A 0 0 +1
  read B 0 0 +1
  mma 0 0 0 +1
  wait vm(auto) lgkm(0)
  barrier
  dma A 0 +4
  dma B 0 +4
  read A 0 0 +2
  read B 0 0 +2
  mma 0 0 0 +2
)");
  llvm::Expected<ExpandedSchedule> all = expandSchedule(plan, tiny(3), 11);
  ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
  EXPECT_EQ(all->rounds, 3);
  EXPECT_EQ(all->prologue.size(), 4u); // two tiles, nothing to wait for
  std::vector<int64_t> inBody, inTail;
  for (const ScheduleStep &step : all->body)
    if (step.kind == ScheduleStep::Wait)
      inBody.push_back(step.vm);
  for (const ScheduleStep &step : all->tail)
    if (step.kind == ScheduleStep::Wait)
      inTail.push_back(step.vm);
  EXPECT_EQ(inBody, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(inTail, (std::vector<int64_t>{2, 0})); // the last tile's copies have none behind them
}

// More copies in flight than vmcnt counts: 63 would be the encoding of no wait at all.
TEST(ExpandSchedule, WaitsForManyCopiesAreWaits) {
  ScheduleShape shape = shapeOf(2, 2, 2, 40, 40, 3, 4);
  llvm::Expected<ExpandedSchedule> all = expandSchedule(planOf("single", shape), shape, 12);
  ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
  int waits = 0;
  for (const ScheduleStep &step : all->body)
    if (step.kind == ScheduleStep::Wait && step.vm >= 0) {
      EXPECT_EQ(step.vm, 62);
      ++waits;
    }
  EXPECT_EQ(waits, 3);
}

// Limits of counters and priorities are the target's, not the text's.
TEST(ExpandSchedule, RefusesWhatTheTargetDoesNotCount) {
  ScheduleShape shape = tiny(2);
  shape.mostOpenReads = 14;
  shape.mostPriority = 3;
  SchedulePlan plan = planOf("single", shape);
  for (auto [step, why] : {std::pair{ScheduleStep::wait(63), "leaves more in flight"},
                           std::pair{ScheduleStep::wait(ScheduleStep::noCount, 15), "leaves more"},
                           std::pair{ScheduleStep::priority(4), "highest priority, 3"}}) {
    SchedulePlan changed = plan;
    changed.body.push_back(step);
    EXPECT_NE(messageOf(changed, shape).find(why), std::string::npos) << step.str();
  }
}

TEST(ExpandSchedule, SaysWhatIsMissing) {
  SchedulePlan plan = planOf("single", tiny(2));
  SchedulePlan without = plan;
  llvm::erase_if(without.body,
                 [](const ScheduleStep &s) { return s.name() == "read A 0 0" && s.tile == 1; });
  EXPECT_EQ(messageOf(without, tiny(2)), "schedule `single`: has 9 of 10 steps of a round");
  SchedulePlan odd = plan;
  odd.tilesPerRound = 3;
  EXPECT_EQ(messageOf(odd, tiny(2)),
            "schedule `single`: a round has 3 K tiles, which is no multiple of the 2 slots");
}

// Each rule, broken by one change to a legal plan.
TEST(ExpandSchedule, RefusesIllegalOrders) {
  ScheduleShape shape = tiny(2);
  SchedulePlan plan = planOf("single", shape);
  ASSERT_EQ(messageOf(plan, shape), "");
  auto at = [&](const char *name, int64_t tile) {
    for (size_t n = 0; n < plan.body.size(); ++n)
      if (plan.body[n].name() == name && plan.body[n].tile == tile)
        return n;
    ADD_FAILURE() << name;
    return size_t(0);
  };
  SchedulePlan early = plan; // before its operand is read
  std::swap(early.body[at("read B 0 0", 0)], early.body[at("mma 0 0 0", 0)]);
  EXPECT_NE(messageOf(early, shape).find("comes before `read B 0 0`"), std::string::npos);
  SchedulePlan unguarded = plan; // no barrier between landing and reading
  llvm::erase_if(unguarded.body,
                 [](const ScheduleStep &s) { return s.kind == ScheduleStep::Barrier; });
  EXPECT_NE(messageOf(unguarded, shape).find("has no `wait vm` and barrier"), std::string::npos);
  SchedulePlan overwriting = plan; // a copy in front of the barrier that frees its slot
  std::swap(overwriting.body[at("dma A 0", 1)], overwriting.body[at("barrier", 0)]);
  EXPECT_NE(messageOf(overwriting, shape).find("without a barrier behind its arrival"),
            std::string::npos)
      << messageOf(overwriting, shape);
  SchedulePlan weak = plan;
  for (ScheduleStep &step : weak.body)
    if (step.kind == ScheduleStep::Wait)
      step.vm = 1;
  EXPECT_NE(messageOf(weak, shape).find("is too weak: vm(0) is needed"), std::string::npos);
}

// Unless LLVM places the waits for reads, every matrix instruction follows one of the plan's.
TEST(ExpandSchedule, ReadsAreWaitedForUnlessAuto) {
  ScheduleShape shape = tiny(2);
  SchedulePlan plan = planOf("single", shape);
  ASSERT_TRUE(plan.autoLgkm);
  plan.autoLgkm = false;
  EXPECT_NE(messageOf(plan, shape).find("follows `read A 0 0` without a `wait lgkm` for it"),
            std::string::npos)
      << messageOf(plan, shape);
  // A wait that leaves one read open covers all but the last.
  for (int64_t left : {1, 0}) {
    SchedulePlan waiting = plan;
    for (size_t at = 0; at < waiting.body.size(); ++at)
      if (waiting.body[at].kind == ScheduleStep::Mma)
        waiting.body.insert(waiting.body.begin() + at++,
                            ScheduleStep::wait(ScheduleStep::noCount, left));
    EXPECT_EQ(messageOf(waiting, shape) == "", left == 0) << messageOf(waiting, shape);
  }
  for (const NamedShape &named : testShapes())
    EXPECT_FALSE(planOf("interleave", named.shape).autoLgkm);
}

// Waves that are a barrier behind need one barrier more everywhere.
TEST(ExpandSchedule, StaggerNeedsOneMoreBarrier) {
  ScheduleShape shape = tiny(2);
  SchedulePlan plan = planOf("single", shape);
  plan.stagger = 1;
  EXPECT_NE(messageOf(plan, shape), "");
}

// A matrix instruction whose operand is made of several reads needs all of them.
TEST(ExpandSchedule, NeedsAllReadsThatStandTogether) {
  ScheduleShape shape = shapeOf(2, 1, 1, 1, 1, 2, 4);
  SchedulePlan plan = parsed("schedule mine tiles 2 stagger 0\n"
                             "wait vm(auto)\nbarrier\n"
                             "read A 0 0 +0\nread B 0 0 +0\nwait lgkm(0)\nmma 0 0 0 +0\n"
                             "read A 1 0 +0\nwait lgkm(0)\nmma 1 0 0 +0\nbarrier\n"
                             "dma A 0 +2\ndma B 0 +2\nwait vm(auto)\nbarrier\n"
                             "read A 0 0 +1\nread B 0 0 +1\nwait lgkm(0)\nmma 0 0 0 +1\n"
                             "read A 1 0 +1\nwait lgkm(0)\nmma 1 0 0 +1\nbarrier\n"
                             "dma A 0 +3\ndma B 0 +3\n");
  EXPECT_EQ(messageOf(plan, shape), "");
  EXPECT_NE(messageOf(plan, together(shape, 2, 1)).find("comes before `read A 1 0`"),
            std::string::npos)
      << messageOf(plan, together(shape, 2, 1));
}

// One prologue, one body and a tail for each remainder do what the straight line of every number of
// tiles does, with waits that are no weaker.
TEST(ExpandSchedule, ANumberOfTheRunHasTheStepsOfEveryNumber) {
  auto isCovered = [](const std::vector<ScheduleStep> &steps, std::vector<ScheduleStep> wanted) {
    if (steps.size() != wanted.size())
      return false;
    for (auto [step, other] : llvm::zip(steps, wanted)) {
      bool isWeaker = other.vm >= 0 && (step.vm < 0 || step.vm > other.vm);
      other.vm = step.vm;
      if (isWeaker || !(step == other))
        return false;
    }
    return true;
  };
  for (const NamedShape &named : testShapes())
    for (const Strategy &strategy : strategies()) {
      if (!strategy.order || !strategy.order.fits(named.shape).empty())
        continue;
      SchedulePlan plan = strategy.order.plan(named.shape);
      llvm::Expected<RuntimeSchedule> any = expandForRuntime(plan, named.shape);
      ASSERT_TRUE(bool(any)) << named.name << ": " << llvm::toString(any.takeError());
      ASSERT_EQ(int64_t(any->tails.size()), plan.tilesPerRound);
      for (int64_t tiles = any->fewest; tiles < any->fewest + 3 * plan.tilesPerRound; ++tiles) {
        ExpandedSchedule one = llvm::cantFail(expandSchedule(plan, named.shape, tiles));
        int64_t beyond = tiles - any->fewest;
        EXPECT_EQ(one.rounds, beyond / plan.tilesPerRound + 1);
        EXPECT_TRUE(isCovered(any->prologue, one.prologue)) << named.name << ", " << tiles;
        EXPECT_TRUE(isCovered(any->body, one.body)) << named.name << ", " << tiles;
        EXPECT_TRUE(isCovered(any->tails[beyond % plan.tilesPerRound], one.tail))
            << named.name << ", " << tiles;
      }
      EXPECT_EQ(llvm::cantFail(expandSchedule(plan, named.shape, any->fewest - 1)).rounds, 0);
    }
}
