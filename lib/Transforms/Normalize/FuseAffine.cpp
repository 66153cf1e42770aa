//===- FuseAffine.cpp - a * b + c of what hangs on a sum of a row ---------===//
//
// As in a normalisation: what the rounding of the product changes is no more than what the last bit
// of the sum changes, which hangs on the order of its terms.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/RelaxMath.h"
#include "Normalize/RowSums.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FUSEAFFINEPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Where a sum of these terms is rounded to 16 bits, the product is not rounded in front of it.
void fuseAffine(Operation *sum, ArrayRef<arith::MulFOp> products, Fates &fates) {
  if (!Uses(fates, /*mayBeSummed=*/false).areRounded(sum->getResult(0)))
    return;
  for (arith::MulFOp product : products)
    allow(product, arith::FastMathFlags::contract);
  allow(sum, arith::FastMathFlags::contract);
}

void fuseAffine(tile::KernelOp kernel) {
  RowSums sums(kernel);
  std::optional<Fates> fates;
  for (Operation *op : arithmeticOf(kernel)) {
    auto difference = dyn_cast<arith::SubFOp>(op);
    if (!isa<arith::AddFOp>(op) &&
        (!difference || mustVanish(difference, op->getParentOfType<tile::ElementLoop>())))
      continue;
    SmallVector<arith::MulFOp, 2> products;
    for (Value term : op->getOperands())
      if (auto product = term.getDefiningOp<arith::MulFOp>(); product && sums.reach(product))
        products.push_back(product);
    if (products.empty())
      continue;
    if (!fates)
      fates.emplace(kernel);
    fuseAffine(op, products, *fates);
  }
}

struct FuseAffinePass : impl::FuseAffinePassBase<FuseAffinePass> {
  using FuseAffinePassBase::FuseAffinePassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : relaxedKernels(getOperation()))
      fuseAffine(kernel);
  }
};

} // namespace

} // namespace tilec
