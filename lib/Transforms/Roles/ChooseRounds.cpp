//===- ChooseRounds.cpp - how a round runs beside a producer ---------------===//
//
// A loop that is one gemm into a C that nothing else touches leaves it in flight over the end of
// the round. A loop of two gemms, the second of which takes what was computed from the first, is
// overlapped where it can be cut (Overlap.cpp), unless its author wants another schedule. In others
// gemms run beside the statements that do not need them; `producer_consumer` waits for each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/OneSlot.h"
#include "Roles/ProducerLoop.h"
#include "Roles/ScheduleWishes.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHOOSEROUNDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The gemm that may stay in flight over the end of the round. Not where rounds are left out: ptxas
/// waits for it where ways meet.
tile::GemmOp onlyGemm(ProducerLoop &plan) {
  tile::GemmOp gemm;
  if (plan.round != plan.loop.bodyBlock())
    return gemm;
  for (Operation &op : *plan.loop.bodyBlock()) {
    if (isMemoryEffectFree(&op) || isOfScalars(&op) ||
        llvm::is_contained(plan.copies, dyn_cast<tile::CopyOp>(op)))
      continue;
    auto candidate = dyn_cast<tile::GemmOp>(op);
    if (gemm || !candidate)
      return {};
    gemm = candidate;
  }
  bool isPlain = gemm && gemm.getWarpGroup() && gemm.getA().getType().isShared() &&
                 gemm.getC().getDefiningOp<tile::AllocOp>();
  return isPlain ? gemm : tile::GemmOp();
}

/// Whether the loop is overlapped; says why not where its author may wonder.
bool overlaps(ProducerLoop &plan, StringRef wish) {
  auto gemms = plan.loop.bodyBlock()->getOps<tile::GemmOp>();
  if (wish == "auto" && std::distance(gemms.begin(), gemms.end()) < 2)
    return false;
  llvm::Expected<OverlapPlan> overlap = planOverlap(plan.loop, plan.copies);
  if (overlap)
    return true;
  std::string why = llvm::toString(overlap.takeError());
  if (wish == "auto")
    plan.loop.emitRemark() << "its gemms are not overlapped: " << why;
  else
    refuseWish(plan.loop, wish, why);
  return false;
}

/// The form of the loop's rounds, and whether its author has fixed its slots.
void choose(ProducerLoop &plan, tile::KernelOp kernel, StringRef wish) {
  using enum tile::RoundForm;
  const bool isPlain = wish == "producer_consumer";
  plan.served.exact = plan.loop.getExact() || wish != "auto";
  plan.served.form = onlyGemm(plan) ? InFlight : isPlain ? Plain : Beside;
  if (kernel.getLockstep()) {
    if (!isPlain)
      refuseWish(plan.loop, wish, "the kernel mentions its threads");
  } else if (plan.served.form == Beside) {
    hoistFragments(plan.loop);
    if (overlaps(plan, wish))
      plan.served.form = Overlapped;
  }
  if (!plan.isOverlapped())
    plan.loop.getDeadFromMutable().clear();
  plan.write();
}

void chooseRounds(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy) {
  constexpr StringRef noRing = "nothing runs ahead with num_stages=1";
  bool isServed = false, wasServed = false;
  for (ProducerLoop &plan : producerLoopsOf(kernel, target)) {
    wasServed = true;
    if (plan.loop.getStages() < 2 && !fillsBesideGemms(plan, kernel, target, strategy)) {
      refuseSchedule(plan.loop, noRing);
      forgetProducer(plan.loop);
      continue;
    }
    isServed = true;
    choose(plan, kernel, wishOf(plan.loop, strategy));
  }
  if (wasServed && !isServed)
    refuseEverywhere(kernel, strategy, noRing);
}

struct ChooseRoundsPass : impl::ChooseRoundsPassBase<ChooseRoundsPass> {
  using ChooseRoundsPassBase::ChooseRoundsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      chooseRounds(kernel, *chip, strategy);
  }
};

} // namespace

} // namespace tilec
