//===- TakeTurns.cpp - warp groups that multiply in turn -------------------===//
//
// Of an overlapped loop one warp group multiplies while the others compute what lies between its
// gemms. What a served loop cannot have of the schedule that its author names is said here, where
// all of its form is known.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ProducerLoop.h"
#include "Roles/ScheduleWishes.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/ProductPlan.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_TAKETURNSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What an overlapped loop cannot do of a strategy, as a reason; "" where it has all of it.
std::string missingInOverlap(StringRef wish, tile::ForOp loop, int64_t groups, int64_t groupLanes) {
  auto around = dyn_cast<tile::ForOp>(loop->getParentOp());
  uint64_t cluster = around ? around.getPersistent().value_or(1) : 1;
  if (wish == "ping_pong" && groups < 2)
    return "one warp group has nobody to take turns with; use threads=" +
           std::to_string(2 * groupLanes) + " or more";
  if (wish == "ping_pong" && writesInRounds(loop))
    return "warp groups meet in each round, which writes a shared tile or a tensor; what it "
           "computes has to stay in fragments";
  if (wish == "ping_pong_cluster_m" || wish == "ping_pong_cluster_n")
    return "the two gemms of a loop take turns (`ping_pong`) or share their copies (`cluster_m`), "
           "not both";
  if (wish == "cluster_n")
    return "the two gemms of a loop share their copies in clusters by `cluster_m` only";
  if (wish == "cluster_m" && cluster == 1)
    return "blocks share their copies where the kernel is one loop of as many rounds in each block "
           "and a dimension of the grid does not say what is copied";
  return "";
}

/// Warp groups of an overlapped loop take turns unless all blocks run the same rounds: they drift
/// apart alone (docs/machine-code/hopper.md). What a loop cannot have of its author's wish is said.
void takeTurns(ProducerLoop &plan, StringRef strategy, tile::KernelOp kernel,
               const TargetInfo &target) {
  const std::string wish = wishOf(plan.loop, strategy);
  if (!plan.isOverlapped()) {
    if (plan.gemmInFlight() && !plan.loop.getPlanned() && !kernel.getLockstep() &&
        wish != "producer_consumer")
      refuseWish(plan.loop, wish,
                 wish == overlapScheduleName
                     ? "it has one gemm"
                     : "it is not the one loop of a kernel that is a matrix product");
    return;
  }
  const int64_t groups = int64_t(kernel.getThreads()) / target.groupLanes();
  auto around = dyn_cast<tile::ForOp>(plan.loop->getParentOp());
  bool isSharedOut = around && around.getPersistent();
  plan.served.takesTurns = groups > 1 && !writesInRounds(plan.loop) &&
                           (wish == "ping_pong" || (wish == "auto" && !isSharedOut));
  plan.write();
  if (std::string missing = missingInOverlap(wish, plan.loop, groups, target.groupLanes());
      !missing.empty())
    refuseWish(plan.loop, wish, missing);
}

struct TakeTurnsPass : impl::TakeTurnsPassBase<TakeTurnsPass> {
  using TakeTurnsPassBase::TakeTurnsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      for (ProducerLoop &plan : producerLoopsOf(kernel, *chip))
        takeTurns(plan, strategy, kernel, *chip);
  }
};

} // namespace

} // namespace tilec
