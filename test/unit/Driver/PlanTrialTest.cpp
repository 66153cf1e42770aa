//===- PlanTrialTest.cpp - what a search does not take --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/PlanTrial.h"

#include "tilec/IR/Wave/Wave.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

/// A tensor of a row of 64 elements, the nth of which is n + 1.
rt::ArgumentSet counted() {
  rt::ArgumentSet set;
  rt::Argument argument;
  argument.param.name = "C";
  argument.param.kind = rt::ParamKind::Tensor;
  argument.param.dtype = DType::F32;
  argument.tensor = rt::HostTensor(DType::F32, {64});
  for (int64_t i = 0; i < 64; ++i)
    argument.tensor.setValue(i, double(i + 1));
  set.list.push_back(std::move(argument));
  return set;
}

/// The same but for one element.
rt::ArgumentSet counted(int64_t at, double value) {
  rt::ArgumentSet set = counted();
  set.list[0].tensor.setValue(at, value);
  return set;
}

std::string against(const CodeFacts &facts) {
  CodeFacts base;
  base.spills = 2;
  base.waitsForAll = 1;
  return facts.reasonAgainst(base);
}

} // namespace

TEST(PlanTrial, CodeThatIsWorseThanWithoutAPlanIsNotTaken) {
  EXPECT_EQ(against({}), "");
  EXPECT_EQ(against({.spills = 2, .waitsForAll = 1}), "");
  EXPECT_EQ(against({.spills = 3}), "spills 3 registers");
  EXPECT_EQ(against({.moves = 1}), "moves accumulators 1 times in a loop");
  EXPECT_EQ(against({.waitsForAll = 2}), "waits for all copies in a loop");
  EXPECT_EQ(against({.findings = 1}), "copies and reads are not proved apart");
  EXPECT_EQ(against({.unproved = 1}), "copies and reads are not proved apart");
  EXPECT_EQ(against({.lostOrder = "mma c1 stands behind mma c2"}), "mma c1 stands behind mma c2");
}

TEST(PlanTrial, APlanThatNeedsTheModelsLatenciesIsNotTaken) {
  EXPECT_EQ(reasonAgainst({{0.8, 10, 9}, {1.3, 12, 12.3}}), "");
  EXPECT_EQ(reasonAgainst({{0.8, 10, 9}, {1.3, 12, 12.5}}),
            "with latencies x 1.30: 12.50 us, the strategies 12.00 us");
}

TEST(PlanTrial, APlanThatComputesSomethingElseIsNotTaken) {
  EXPECT_EQ(differenceBetween(counted(), counted()), "");
  EXPECT_EQ(differenceBetween(counted(), counted(63, 64 * (1 + 0x1p-20))), "") << "order of sums";
  EXPECT_NE(differenceBetween(counted(), counted(63, 65)), "");
  EXPECT_NE(differenceBetween(counted(), counted(5, 0)), "")
      << "an element of one round is missing";
}

//===----------------------------------------------------------------------===//
// Planted faults
//===----------------------------------------------------------------------===//

namespace {

/// A trial of a product whose order is planned. `plant` changes what is planned, once `isPlanted`:
/// so that the program that plans are compared with is right.
class PlantedTrial {
public:
  explicit PlantedTrial(std::function<void(mlir::ModuleOp)> plant) {
    CompileOptions options;
    options.entry = "gemm(256, 128, 256)";
    options.afterStage = [this, plant](Stage stage, mlir::ModuleOp module, llvm::Module *) {
      if (stage == Stage::WaveScheduled && isPlanted())
        plant(module);
    };
    trial.emplace(TILEC_REPOSITORY "/test/lit/Driver/Inputs/plans.py", options);
    rt::Status made = trial->prepare(rt::ArgumentRequest());
    EXPECT_TRUE(bool(made)) << (made ? "" : made.error().message);
    plans.name = "planted";
    plans.target = nameOf(options.arch);
    plans.model = modelVersion();
    plans.layouts.swizzle = 1;
  }

  /// `differenceOf` compiles the program first, then the program with plans.
  std::string difference() {
    compiled = 0;
    return trial->differenceOf(plans);
  }
  /// Why the timed program is refused.
  std::string refusal() {
    compiled = 1;
    rt::Result<double> us = trial->timeOf(plans, PlanTrial::Clock::Quick);
    return us ? "" : us.error().message;
  }

private:
  bool isPlanted() { return compiled >= 0 && compiled++ == 1; }

  int compiled = -1; ///< programs since a check began; -1: none
  std::optional<PlanTrial> trial;
  PlanFile plans;
};

template <typename Op> void eraseAll(mlir::ModuleOp module) {
  module.walk([](Op op) { op.erase(); });
}

} // namespace

TEST(PlanTrial, ARightPlanIsTaken) {
  PlantedTrial trial([](mlir::ModuleOp) {});
  EXPECT_EQ(trial.difference(), "");
  EXPECT_EQ(trial.refusal(), "");
}

TEST(PlanTrial, APlanWithoutBarriersIsFoundByTheSimulatorsChecks) {
  PlantedTrial trial(eraseAll<wave::BarrierOp>);
  EXPECT_NE(trial.difference(), "");
  EXPECT_EQ(trial.refusal(), "copies and reads are not proved apart");
}

TEST(PlanTrial, APlanWithoutWaitsIsFoundByTheSimulatorsChecks) {
  PlantedTrial trial(eraseAll<wave::WaitOp>);
  EXPECT_NE(trial.difference(), "");
  EXPECT_NE(trial.refusal(), "");
}

TEST(PlanTrial, APlanThatLeavesOutAProductIsFoundByItsResults) {
  PlantedTrial trial([](mlir::ModuleOp module) {
    bool isFirst = true;
    module.walk([&](wave::MmaOp mma) {
      if (std::exchange(isFirst, false))
        mma.getResult().replaceAllUsesWith(mma.getC());
    });
  });
  EXPECT_NE(trial.difference(), "");
}
