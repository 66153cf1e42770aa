//===- ClearProducts.cpp - products that begin without their fill ----------===//
//
// A fill with zeros of the C of a gemm of warp groups becomes its `clear`: the instruction takes no
// old value, and no register has to be set.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Roles/Masks.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CLEARPRODUCTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Zeros in front of a product of warp groups, which can begin without them.
void clearInstead(tile::FillOp fill) {
  tile::GemmOp gemm = isZero(fill.getValue()) ? gemmAfter(fill, fill.getDst()) : tile::GemmOp();
  if (!gemm || !gemm.getWarpGroup())
    return;
  OpBuilder b(gemm);
  gemm.getClearMutable().assign(arith::ConstantIntOp::create(b, gemm.getLoc(), b.getI1Type(), 1));
  fill.erase();
}

struct ClearProductsPass : impl::ClearProductsPassBase<ClearProductsPass> {
  using ClearProductsPassBase::ClearProductsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      if (!whyNoProducer(kernel, *chip).empty() || kernel.getLockstep())
        continue;
      SmallVector<tile::FillOp> fills;
      kernel.walk([&](tile::FillOp fill) { fills.push_back(fill); });
      llvm::for_each(fills, clearInstead);
    }
  }
};

} // namespace

} // namespace tilec
