//===- LoneBlocks.cpp - rings for blocks that have a unit to themselves ----===//
//
// `num_stages` of 0 and 1 asks for no ring: shared memory for a second block on the multiprocessor,
// whose products stand beside this one's copies. In a grid of no more blocks than multiprocessors
// no second block comes, and a product that waits for memory in each of many rounds waits alone:
// 512 x 512 x 16384 in four parts, upstream's split-K, took 94 us where cuBLAS takes 24
// (docs/numbers/hopper-trials.md). Such loops get two stages, which are a wish as others are.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/PlainProduct.h"
#include "Roles/RingSlots.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_GIVESTAGESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Rounds from which on waiting for each is most of what a block does.
constexpr int64_t manyRounds = 64;

struct GiveStagesPass : impl::GiveStagesPassBase<GiveStagesPass> {
  using GiveStagesPassBase::GiveStagesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (!choosesRounds(*chip, strategy))
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      if (kernel.getLockstep() || !hasUnitsForAll(kernel, *chip))
        continue;
      kernel.walk([&](tile::ForOp loop) {
        std::optional<int64_t> rounds = tile::constantInt(loop.getUpper());
        if (loop.getStages() > 1 || !rounds || *rounds < manyRounds || !onlyGemmOf(loop))
          return;
        int64_t stages = loop.getStages();
        loop.setStages(2);
        if (!isFreeProductLoop(loop))
          return loop.setStages(stages);
        loop.emitRemark() << "a ring in spite of num_stages=" << stages
                          << ": the grid has no more blocks than the chip has units, and "
                          << *rounds << " rounds would wait for memory one after another";
      });
    }
  }
};

} // namespace

} // namespace tilec
