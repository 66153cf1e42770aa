//===- ChooseRounds.cpp - how a round runs beside a producer ---------------===//
//
// A loop that is one gemm into a C that nothing else touches leaves it in flight over the end of
// the round. A loop of two gemms, the second of which takes what was computed from the first, is
// overlapped where it can be cut (CutRound.cpp), unless its author wants another schedule. In
// others gemms run beside the statements that do not need them; `producer_consumer` waits for each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/CutRound.h"
#include "Roles/OneSlot.h"
#include "Roles/ProducerLoop.h"
#include "Roles/RingSlots.h"
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

/// Fragments that a round has for itself stand in front of the loop: one starts undefined, and its
/// registers are the same in every round.
void hoistFragments(tile::ForOp loop) {
  for (auto alloc : llvm::make_early_inc_range(loop.bodyBlock()->getOps<tile::AllocOp>()))
    if (alloc.getResult().getType().isFragment())
      alloc->moveBefore(loop);
}

/// Says why the loop's gemms are not overlapped where its author may wonder.
void explain(ProducerLoop &plan, StringRef wish, StringRef why) {
  auto gemms = plan.loop.bodyBlock()->getOps<tile::GemmOp>();
  if (wish != "auto")
    refuseWish(plan.loop, wish, why);
  else if (std::distance(gemms.begin(), gemms.end()) >= 2)
    plan.loop.emitRemark() << "its gemms are not overlapped: " << why;
}

/// The form of the loop's rounds, and whether its author has fixed its slots. False where no
/// producer serves it: it asks for one stage, and no slot is filled beside a gemm, or a second
/// block fills that time.
bool choose(ProducerLoop &plan, tile::KernelOp kernel, const TargetInfo &target, StringRef wish) {
  using enum tile::RoundForm;
  const bool isPlain = wish == "producer_consumer", isLockstep = kernel.getLockstep();
  std::vector<tile::RoundPart> parts;
  std::string why = "the kernel mentions its threads";
  if (!isPlain && !isLockstep) {
    llvm::Expected<std::vector<tile::RoundPart>> cut = cutRound(plan.loop, plan.copies);
    if (cut)
      parts = std::move(*cut);
    else
      why = llvm::toString(cut.takeError());
  }
  const bool overlaps = !parts.empty();
  if (plan.loop.getStages() < 2 &&
      !(overlaps && fillsBesideGemms(plan) && !hasNeighbour(kernel, target)))
    return false;
  plan.served.exact = plan.loop.getExact() || wish != "auto";
  plan.served.form = onlyGemm(plan) ? InFlight : isPlain ? Plain : overlaps ? Overlapped : Beside;
  plan.served.parts = std::move(parts);
  if (isLockstep && !isPlain)
    refuseWish(plan.loop, wish, why);
  else if (plan.served.form == Beside)
    explain(plan, wish, why);
  if (!isLockstep && (plan.served.form == Beside || overlaps))
    hoistFragments(plan.loop);
  plan.write();
  return true;
}

void chooseRounds(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy) {
  constexpr StringRef noRing = "nothing runs ahead with num_stages=1";
  bool isServed = false, wasServed = false;
  for (ProducerLoop &plan : producerLoopsOf(kernel, target)) {
    wasServed = true;
    if (choose(plan, kernel, target, wishOf(plan.loop, strategy))) {
      isServed = true;
      continue;
    }
    refuseSchedule(plan.loop, noRing);
    forgetProducer(plan.loop);
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
