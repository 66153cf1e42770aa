//===- ShareOutTiles.cpp - blocks that take tile after tile ----------------===//
//
// Kernels whose blocks all run the same rounds: one matrix product, with the plan of its strategy,
// and one overlapped loop. Which tiles a block takes is fixed beforehand, so that those that share
// operands run together; Persistent.cpp rewrites the kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Persistent.h"
#include "Roles/ScheduleWishes.h"

#include "tilec/IR/Reported.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/Strategy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SHAREOUTTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A kernel that is one product gets the plan of its strategy. False: the wish cannot be granted.
bool planProductOf(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy,
                   const SharedMemory &memory) {
  std::optional<Product> product = productOf(kernel, target, memory);
  if (!product)
    return true;
  tile::ForOp loop = product->loop.loop;
  llvm::Expected<ProductPlan> plan = planProduct(wishOf(loop, strategy), product->shape);
  if (!plan) {
    (void)Reported(loop, DiagId::PlanImpossible, llvm::toString(plan.takeError()));
    return false;
  }
  makePersistent(kernel, target, *product, *plan);
  loop.setPlanned(plan->strategy);
  return true;
}

/// A kernel that is one overlapped loop of as many rounds in each block shares out its blocks
/// beforehand. Those that need the same tiles of the loop run together.
void shareOutOverlapped(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy,
                        const SharedMemory &memory) {
  SmallVector<tile::ForOp> loops;
  kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
  if (loops.size() != 1 || loops[0]->getParentOp() != kernel || !loops[0].getServed() ||
      kernel.getRasterPanel() > 1 || !tile::constantInt(loops[0].getLower()) ||
      !tile::constantInt(loops[0].getUpper()))
    return;
  ProducerLoop plan = producerLoopOf(loops[0], target);
  if (!plan.isOverlapped() || !plan.fitInto(memory))
    return;
  std::optional<unsigned> shared;
  for (BlockArgument id : llvm::reverse(kernel.getBody().front().getArguments()))
    if (llvm::none_of(plan.copies, [&](tile::CopyOp copy) { return dependsOn(copy.getSrc(), id); }))
      shared = id.getArgNumber();
  Product product;
  product.loop = plan;
  ProductPlan sharing{"overlap", 1, 1, 1};
  if (shared && wishOf(loops[0], strategy) == "cluster_m") {
    product.dimM = int(*shared);
    sharing.clusterM = 2;
  }
  makePersistent(kernel, target, product, sharing, shared);
}

struct ShareOutTilesPass : impl::ShareOutTilesPassBase<ShareOutTilesPass> {
  using ShareOutTilesPassBase::ShareOutTilesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      // What threads do of their own stays in the order in which it is written.
      if (kernel.getLockstep() || producerLoopsOf(kernel, *chip).empty())
        continue;
      SharedMemory memory(kernel, *chip, FilledBuffers::Always);
      if (!planProductOf(kernel, *chip, strategy, memory))
        return signalPassFailure();
      shareOutOverlapped(kernel, *chip, strategy, memory);
    }
  }
};

} // namespace

} // namespace tilec
