//===- ScheduleWishes.cpp - what authors ask for, target by target --------===//
//
// A script may be compiled for several targets, so a name of another one is no
// mistake: `schedule.interleave(schedule.cluster_m(...))` names one for each. Where none
// is for the target the author is told.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ScheduleWishes.h"

#include "tilec/IR/Reported.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/ScheduleNames.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHOOSESCHEDULESPASS
#include "tilec/Transforms/Passes.h.inc"

/// The first of the names that the target has; "" where it has none of them.
static StringRef chosenOf(ArrayRef<StringRef> names, Arch arch) {
  for (StringRef name : names)
    if (name != "auto" && scheduleProblem(name, arch).empty())
      return name;
  return llvm::is_contained(names, "auto") ? "auto" : "";
}

/// Leaves of the names that each loop was given the first that the target has, else `auto`, else
/// none, which is a warning.
static void chooseSchedules(tile::KernelOp kernel, const TargetInfo &target) {
  kernel.walk([&](tile::ForOp loop) {
    std::optional<StringRef> wish = loop.getStrategy();
    if (!wish)
      return;
    SmallVector<StringRef, 2> names;
    wish->split(names, ' ', -1, /*KeepEmpty=*/false);
    if (llvm::is_contained(names, "exact")) {
      loop.setExact(true);
      llvm::erase(names, "exact");
    }
    if (names.empty()) {
      loop.removeStrategyAttr();
      return;
    }
    StringRef chosen = chosenOf(names, target.arch);
    if (chosen.empty()) {
      StringRef first = schedulesOf(target.arch).empty() ? "auto" : schedulesOf(target.arch)[0];
      std::string each = llvm::formatv("; name one for each target, as in "
                                       "`schedule.{0}(schedule.{1}(...))`",
                                       first, names[0]);
      (void)Reported(loop, DiagId::ScheduleNotApplied, names[0],
                     scheduleProblem(names[0], target.arch) + each);
      chosen = "auto";
    }
    loop.setStrategy(chosen);
  });
}

void refuseSchedule(tile::ForOp loop, const Twine &why) {
  StringAttr wish = loop.getStrategyAttr();
  if (!wish)
    return;
  loop.removeStrategyAttr();
  if (wish.getValue() != "auto")
    (void)Reported(loop, DiagId::ScheduleNotApplied, wish.getValue(), why.str());
}

std::string wishOf(tile::ForOp loop, StringRef everyLoop) {
  StringAttr own = loop.getStrategyAttr();
  return (!everyLoop.empty() ? everyLoop : own ? own.getValue() : "auto").str();
}

void refuseWish(tile::ForOp loop, StringRef wish, const Twine &why) {
  loop.removeStrategyAttr();
  if (wish != "auto")
    (void)Reported(loop, DiagId::ScheduleNotApplied, wish, why.str());
}

void refuseEverywhere(tile::KernelOp kernel, StringRef strategy, const Twine &why) {
  if (!strategy.empty() && strategy != "auto")
    (void)Reported(kernel, DiagId::ScheduleNowhere, strategy, why.str());
}

namespace {
struct ChooseSchedulesPass : impl::ChooseSchedulesPassBase<ChooseSchedulesPass> {
  using ChooseSchedulesPassBase::ChooseSchedulesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      chooseSchedules(kernel, *chip);
  }
};
} // namespace

} // namespace tilec
