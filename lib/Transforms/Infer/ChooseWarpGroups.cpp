//===- ChooseWarpGroups.cpp - products that warp groups multiply ---------===//
//
// Asks of each product whether whole warp groups can multiply it (Layouts/WarpGroups.h), and says
// why not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/WarpGroups.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHOOSEWARPGROUPSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void chooseWarpGroups(tile::KernelOp kernel, const TargetInfo &target) {
  const int64_t numWaves = wavesOf(kernel, target);
  kernel.walk([&](tile::GemmOp gemm) {
    llvm::Error error = checkWarpGroupGemm(gemm, target, numWaves);
    gemm.setWarpGroup(!error);
    if (!error)
      return;
    std::string why = llvm::toString(std::move(error));
    if (!target.groups.empty())
      gemm.emitRemark() << "no warp groups multiply here: " << why;
  });
}

struct ChooseWarpGroupsPass : impl::ChooseWarpGroupsPassBase<ChooseWarpGroupsPass> {
  using ChooseWarpGroupsPassBase::ChooseWarpGroupsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      chooseWarpGroups(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
