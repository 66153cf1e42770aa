//===- ShortenAngles.cpp - sines of angles with a known bound -------------===//
//
// Those from which values come that are rounded to 16 bits are computed in f32, or by the chip's
// instruction.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/RelaxMath.h"
#include "Normalize/ShortAngles.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SHORTENANGLESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Lets an instruction for sines compute the value. What rounding a product of it before a sum
/// changes is less than its own error.
void approximateSine(Operation *sine) {
  allow(sine, arith::FastMathFlags::afn);
  for (Operation *user : sine->getUsers()) {
    auto product = dyn_cast<arith::MulFOp>(user);
    if (!product)
      continue;
    for (Operation *sum : product->getUsers())
      if (isa<arith::AddFOp, arith::SubFOp>(sum)) {
        allow(product, arith::FastMathFlags::contract);
        allow(sum, arith::FastMathFlags::contract);
      }
  }
}

/// Sines and cosines that others are added to before 16 bits are left: their error, of an f32's
/// last bits or, by an instruction, 2^-20, is below what the agreement rule gives every row of a
/// kernel with such functions: 2^-19 of its largest element.
void shortenAngles(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ElementLoop>() && hasShortAngle(op))
      found.push_back(op);
  });
  if (found.empty())
    return;
  Fates fates(kernel);
  llvm::erase_if(found, [&](Operation *op) {
    return !Uses::besideOthers(fates).areRounded(op->getResult(0));
  });
  for (Operation *op : found)
    if (target.hasSineOfTurns)
      approximateSine(op);
    else
      shortenAngle(op);
}

struct ShortenAnglesPass : impl::ShortenAnglesPassBase<ShortenAnglesPass> {
  using ShortenAnglesPassBase::ShortenAnglesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    // What is faster still comes last.
    if (getOperation().getFastMath())
      return;
    for (tile::KernelOp kernel : relaxedKernels(getOperation()))
      shortenAngles(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
