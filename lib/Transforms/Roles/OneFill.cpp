//===- OneFill.cpp - tiles that the producer fills beside the loops -------===//
//
// Looks for copies that bring a tile once, in front of the loops, for warp groups only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/OneFill.h"

#include "Roles/TmaBox.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FILLONCEPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether the op is a gemm of warp groups that reads the tile and does not write it.
bool isReader(Operation *op, Value tile) {
  auto gemm = dyn_cast<tile::GemmOp>(op);
  return gemm && gemm.getWarpGroup() && rootOf(gemm.getC()) != tile &&
         (gemm.getA() == tile || gemm.getB() == tile);
}

} // namespace

SmallVector<OneFill> oneFillsOf(tile::KernelOp kernel, ArrayRef<ProducerLoop> plans,
                                const TargetInfo &target) {
  SmallVector<OneFill> fills;
  kernel.walk([&](tile::CopyOp copy) {
    std::optional<tile::TransfersAttr> transfers = copy.getTransfers();
    if (!transfers || llvm::any_of(plans, [&](const ProducerLoop &plan) {
          return llvm::is_contained(plan.copies, copy);
        }))
      return;
    TmaBox box = tmaBoxOf(copy.getSrc(), copy.getDst(), *transfers, target);
    fills.push_back({copy, copy.getDst().getDefiningOp<tile::AllocOp>(), box.tileBytes(),
                     copy->getParentOp() != kernel});
  });
  return fills;
}

namespace {

/// Whether gemms of warp groups behind the copy, and nobody else, read the tile.
bool isForGemms(tile::CopyOp copy, tile::AllocOp tile) {
  bool isRead = false;
  for (Operation *user : tile->getUsers()) {
    if (user == copy)
      continue;
    Operation *statement = copy->getBlock()->findAncestorOpInBlock(*user);
    if (!statement || !isReader(user, tile) || !copy->isBeforeInBlock(statement))
      return false;
    isRead = true;
  }
  return isRead;
}

void fillOnce(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<ProducerLoop, 1> plans = producerLoopsOf(kernel, target);
  if (plans.empty() || kernel.getLockstep())
    return;
  llvm::SmallVector<Value, 4> written = accessesOf(kernel).writes;
  ProducerSlice slice = sliceOf(kernel, written, plans);
  kernel.walk([&](tile::CopyOp copy) {
    Operation *parent = copy->getParentOp();
    // The producer comes to what is around pipelined loops.
    bool isAround = llvm::any_of(plans, [&](ProducerLoop &plan) {
      return plan.loop != parent && parent->isAncestor(plan.loop);
    });
    auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (!isAround || !tile || isChangedBy(written, rootOf(copy.getSrc())))
      return;
    llvm::Expected<TmaBox> box = planTmaBox(copy.getSrc(), copy.getDst(), target);
    if (!box)
      return llvm::consumeError(box.takeError()); // threads copy it
    if (box->tileBytes() % box->periodBytes != 0 || !isForGemms(copy, tile))
      return;
    if (llvm::Error error = slice.add(copy, copy.getSrc()))
      return llvm::consumeError(std::move(error)); // threads copy it
    copy.setTransfersAttr(box->transfers);
  });
}

struct FillOncePass : impl::FillOncePassBase<FillOncePass> {
  using FillOncePassBase::FillOncePassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      fillOnce(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
