//===- KeptPlanTest.cpp - the machine code has the order of the plan ------===//
//
// Random legal orders of loops of both targets, through the whole compiler: none may
// come out changed. And planted changes of the plan: each must be seen.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Loops.h"

#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "mlir/IR/Builders.h"

#include <random>

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

namespace {

bool feeds(const ScheduleStep &read, const ScheduleStep &mma) {
  return read.kind == ScheduleStep::Read && mma.kind == ScheduleStep::Mma &&
         read.tile == mma.tile && read.i == (read.operand == MmaOperand::A ? mma.i : mma.j);
}

/// Another order of the steps between waits, barriers and priorities: at random, but reads stay in
/// front of what they feed. Counts of vm waits are worked out anew.
SchedulePlan shuffled(const SchedulePlan &plan, uint32_t seed, int &moved) {
  std::mt19937 random(seed);
  SchedulePlan result = plan;
  result.body.clear();
  moved = 0;
  for (size_t begin = 0; begin < plan.body.size();) {
    if (!plan.body[begin].isWork()) {
      ScheduleStep step = plan.body[begin++];
      if (step.kind == ScheduleStep::Wait && step.vm >= 0)
        step.vm = ScheduleStep::autoCount;
      result.body.push_back(step);
      continue;
    }
    size_t end = begin;
    while (end < plan.body.size() && plan.body[end].isWork())
      ++end;
    std::vector<ScheduleStep> left(plan.body.begin() + begin, plan.body.begin() + end);
    for (size_t at = begin; !left.empty(); ++at) {
      size_t pick = random() % left.size();
      // The first one in front of the pick that feeds it goes first.
      for (size_t before = 0; before < left.size(); ++before)
        if (feeds(left[before], left[pick])) {
          pick = before;
          break;
        }
      moved += !(left[pick] == plan.body[at]);
      result.body.push_back(left[pick]);
      left.erase(left.begin() + pick);
    }
    begin = end;
  }
  return result;
}

class KeptPlan : public ::testing::TestWithParam<Case> {};

} // namespace

// Ten loops, fifty orders each.
TEST_P(KeptPlan, RandomOrdersSurvive) {
  const Case &c = GetParam();
  Session session;
  OwningOpRef<ModuleOp> wave = session.toWave(c);
  ASSERT_TRUE(wave);
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(session.planTextOf(*wave, c));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    int moved = 0;
    SchedulePlan order = shuffled(*plan, seed, moved);
    EXPECT_GE(moved, 50) << "seed " << seed;
    OwningOpRef<ModuleOp> module = wave->clone();
    codegen::Image image = session.compile(*module, c, order.str());
    auto differences = differencesFromPlan(*module, image);
    ASSERT_TRUE(bool(differences)) << llvm::toString(differences.takeError());
    EXPECT_EQ(*differences, "") << "seed " << seed;
    if (seed > 3)
      continue;
    // Another plan is not mistaken for this one.
    (*module).walk([&](wave::KernelOp kernel) {
      Builder b(module->getContext());
      int ignored = 0;
      SchedulePlan other = shuffled(*plan, seed + 1000, ignored);
      kernel->setAttr("schedules", b.getArrayAttr(b.getStringAttr(other.str())));
    });
    auto found = differencesFromPlan(*module, image);
    ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
    EXPECT_NE(found->find("planned: "), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, KeptPlan, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return std::string(info.param.name); });
