//===- FitSlots.cpp - as many slots as shared memory holds -----------------===//
//
// `num_stages` is where a ring begins; slots are taken away until shared memory holds all that the
// kernel needs. A loop of which it holds no ring has no producer, and neither have those that fill
// buffers with it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/RingSlots.h"
#include "Roles/ScheduleWishes.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FITSLOTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void fitSlots(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy) {
  SmallVector<ProducerLoop, 1> served = producerLoopsOf(kernel, target), kept;
  if (served.empty())
    return;
  SharedMemory memory = memoryWith(kernel, {}, target);
  StringRef why;
  for (ProducerLoop &plan : served) {
    auto same = llvm::find_if(kept, [&](ProducerLoop &other) { return other.sharesRings(plan); });
    if (same != kept.end()) {
      plan.served.slots = same->served.slots;
    } else if (!plan.fitInto(memory)) {
      StringRef full = plan.loop.getStages() < 2 ? "shared memory holds no barriers for it"
                                                 : "shared memory holds no two slots";
      why = why.empty() ? full : why;
      plan.loop.emitRemark() << noProducer << full;
      refuseSchedule(plan.loop, full);
      forgetProducer(plan.loop);
      continue;
    } else {
      plan.takeFrom(memory);
    }
    kept.push_back(plan);
  }
  keepWholeRings(kept);
  for (ProducerLoop &plan : kept) {
    plan.loop.removeStrategyAttr(); // granted, or said why not
    plan.write();
  }
  if (kept.empty())
    refuseEverywhere(kernel, strategy, why.empty() ? "another loop uses its buffers" : why);
}

struct FitSlotsPass : impl::FitSlotsPassBase<FitSlotsPass> {
  using FitSlotsPassBase::FitSlotsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      fitSlots(kernel, *chip, strategy);
  }
};

} // namespace

} // namespace tilec
