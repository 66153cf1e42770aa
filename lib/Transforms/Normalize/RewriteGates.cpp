//===- RewriteGates.cpp - 1 + erf(x), 1 + tanh(x) -------------------------===//
//
// As in a GELU: shorter, and nearer where they are small, where they are rounded to 16 bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/RelaxMath.h"
#include "Normalize/RowMaxima.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_REWRITEGATESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// 1 + erf(x) as erfc(-x), 1 + tanh(x) as 2 / (1 + exp(-2 x)): shorter, and nearer where it is
/// small.
Value gateOf(OpBuilder &b, Operation *function) {
  Location loc = function->getLoc();
  Value x = function->getOperand(0);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  };
  auto approximate = arith::FastMathFlags::afn;
  if (isa<math::ErfOp>(function))
    return math::ErfcOp::create(b, loc, arith::NegFOp::create(b, loc, x), approximate);
  Value power = arith::MulFOp::create(b, loc, x, number(-2 * log2e));
  power = math::Exp2Op::create(b, loc, power, approximate);
  Value sum = arith::AddFOp::create(b, loc, power, number(1));
  return arith::DivFOp::create(b, loc, number(2), sum, arith::FastMathFlags::arcp);
}

/// The function that the sum adds 1 to; null where it is no gate.
Operation *functionIn(arith::AddFOp sum) {
  for (int n : {0, 1}) {
    Operation *function = sum->getOperand(n).getDefiningOp();
    if (isa_and_nonnull<math::ErfOp, math::TanhOp>(function) &&
        constantOf(sum->getOperand(1 - n)) == 1.0)
      return function;
  }
  return nullptr;
}

void rewriteGates(tile::KernelOp kernel) {
  SmallVector<arith::AddFOp> gates;
  kernel.walk([&](arith::AddFOp sum) {
    if (sum->getParentOfType<tile::ElementLoop>() && sum.getType().isF32() && functionIn(sum))
      gates.push_back(sum);
  });
  if (gates.empty())
    return;
  Fates fates(kernel);
  for (arith::AddFOp sum : gates) {
    if (!Uses(fates, /*mayBeSummed=*/false).areRounded(sum.getResult(), /*isPositive=*/true))
      continue;
    OpBuilder builder(sum);
    sum.getResult().replaceAllUsesWith(gateOf(builder, functionIn(sum)));
    sum.erase();
  }
}

struct RewriteGatesPass : impl::RewriteGatesPassBase<RewriteGatesPass> {
  using RewriteGatesPassBase::RewriteGatesPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : relaxedKernels(getOperation()))
      rewriteGates(kernel);
  }
};

} // namespace

} // namespace tilec
