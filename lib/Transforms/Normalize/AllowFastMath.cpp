//===- AllowFastMath.cpp - what `--math=fast` allows ----------------------===//
//
// Flags on all arithmetic on f32, whoever sees its last bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ALLOWFASTMATHPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void allowFastMath(tile::KernelOp kernel) {
  using Flags = arith::FastMathFlags;
  kernel.walk([](Operation *op) {
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isF32())
      return;
    if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp,
            math::SinOp, math::CosOp, math::TanhOp, math::ErfcOp>(op))
      allow(op, Flags::afn);
    else if (isa<arith::DivFOp>(op))
      allow(op, Flags::arcp);
    else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
      allow(op, Flags::contract);
  });
}

struct AllowFastMathPass : impl::AllowFastMathPassBase<AllowFastMathPass> {
  using AllowFastMathPassBase::AllowFastMathPassBase;

  void runOnOperation() override {
    if (getOperation().getFastMath())
      for (tile::KernelOp kernel : relaxedKernels(getOperation()))
        allowFastMath(kernel);
  }
};

} // namespace

} // namespace tilec
