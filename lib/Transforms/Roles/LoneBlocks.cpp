//===- LoneBlocks.cpp - rings where a unit has few blocks ----------------===//
//
// `num_stages` of 0 and 1 asks for no ring: shared memory for more blocks on the multiprocessor,
// whose products stand beside this one's copies. Where no more blocks come, a round that waits for
// memory waits alone. In a grid of no more blocks than multiprocessors that holds for a product:
// 512 x 512 x 16384 in four parts, upstream's split-K, took 94 us where cuBLAS takes 24
// (docs/numbers/hopper-trials.md). Rounds of several products, one after another, wait once for
// each, and two blocks fill each other's time but in part: the states of a gated delta rule, 256
// blocks of 128 rounds, take 256 us with a ring and 517 without. Such loops get two stages, which
// are a wish as others are.
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

/// Blocks of a unit that do not fill the time of rounds with several products.
constexpr int64_t fewBlocks = 2;

/// Whether a round of the loop has several products of what it copies.
bool chainsProducts(tile::ForOp loop) {
  auto gemms = loop.bodyBlock()->getOps<tile::GemmOp>();
  return std::distance(gemms.begin(), gemms.end()) > 1 &&
         llvm::any_of(loop.bodyBlock()->getOps<tile::CopyOp>(), [](tile::CopyOp copy) {
           return copy.getSrc().getType().isGlobal() && copy.getDst().getType().isShared();
         });
}

/// Why the loop has a ring that its author has not asked for; empty: it has none.
StringRef whyRing(tile::ForOp loop, tile::KernelOp kernel, const TargetInfo &chip) {
  std::optional<int64_t> blocks = kernel.blocksOfGrid();
  std::optional<int64_t> rounds = tile::constantInt(loop.getUpper());
  if (!blocks || loop.getStages() > 1 || !rounds || *rounds < manyRounds)
    return "";
  if (hasUnitsForAll(kernel, chip) && onlyGemmOf(loop))
    return "the grid has no more blocks than the chip has units";
  if (*blocks <= fewBlocks * chip.units && chainsProducts(loop))
    return "the grid has two blocks for each of the chip's units at most";
  return "";
}

struct GiveStagesPass : impl::GiveStagesPassBase<GiveStagesPass> {
  using GiveStagesPassBase::GiveStagesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (!strategy.empty() && strategy != "auto")
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      if (kernel.getLockstep())
        continue;
      kernel.walk([&](tile::ForOp loop) {
        int64_t stages = loop.getStages();
        StringRef why = whyRing(loop, kernel, *chip);
        if (why.empty())
          return;
        loop.setStages(2);
        if (!isFreeLoop(loop))
          return loop.setStages(stages);
        loop.emitRemark() << "a ring in spite of num_stages=" << stages << ": " << why << ", and "
                          << *tile::constantInt(loop.getUpper())
                          << " rounds would wait for memory one after another";
      });
    }
  }
};

} // namespace

} // namespace tilec
