//===- KeepLoopLayouts.cpp - loops whose layout may lose what decides it ---===//
//
// What is constant is folded later on, and an access that decides a loop's layout may go with it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_KEEPLOOPLAYOUTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A loop keeps the layout that another access than its own store decides, where its other
/// fragments need it.
void keepLoopLayouts(tile::KernelOp kernel, const TargetInfo &target) {
  kernel.walk([&](tile::ElementLoop loop) {
    Operation *decider = layoutDecider(loop);
    bool stays = decider && isa<tile::StoreOp>(decider) && decider->getParentOp() == loop;
    if (!decider || stays || loop->getParentOfType<tile::ElementLoop>())
      return;
    Value decides = elementAccess(decider)->buffer;
    SmallVector<Value> others =
        fragmentsElsewhere(loop, defaultLoopLayout(loop, target, wavesOf(loop, target)));
    if (llvm::any_of(others, [&](Value buffer) { return buffer != decides; }))
      loop.setLayoutAttr(
          tile::FragmentLayoutAttr::get(loop.getContext(), *layoutFromFragments(loop)));
  });
}

struct KeepLoopLayoutsPass : impl::KeepLoopLayoutsPassBase<KeepLoopLayoutsPass> {
  using KeepLoopLayoutsPassBase::KeepLoopLayoutsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      keepLoopLayouts(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
