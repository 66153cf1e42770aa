//===- ConvertOperands.cpp - element types that a matrix instruction takes ---===//
//
// Takes products of types that no matrix instruction takes, gives them operands of types that one
// does: narrow floats are converted exactly to f16, other accumulators to the one that the
// instruction has.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"
#include "Layouts/WarpGroups.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CONVERTOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void convertOperands(tile::GemmOp gemm, const TargetInfo &target) {
  const DType a = tile::dtypeOf(gemm.getA()), b = tile::dtypeOf(gemm.getB()),
              c = tile::dtypeOf(gemm.getC());
  const bool tfloat32 = gemm.getTfloat32();
  if (target.findAtom(a, b, c, tfloat32))
    return;
  const DType wideC = isFloat(c) ? DType::F32 : DType::I32;
  auto isNarrow = [](DType type) { return isFp8(type) || bitsOf(type) == 4; };
  // Exactly: every fp8 and e2m1 value is an f16, every 4-bit integer an int8.
  const bool converts = isNarrow(a) && isNarrow(b) && !target.findAtom(a, b, wideC);
  const DType wide = isFloat(a) ? DType::F16 : DType::I8;
  const DType wideA = converts ? wide : a, wideB = converts ? wide : b;
  const bool isHalfSum = isFloat(c) && bitsOf(c) < 32; // rounded once, at the end
  if (!target.findAtom(wideA, wideB, wideC, tfloat32) || (c != wideC && !isHalfSum))
    return;
  if (converts) {
    gemm.emitRemark() << nameOf(target.arch) << " has no matrix instruction for " << nameOf(a)
                      << " x " << nameOf(b) << "; the operands are converted to " << nameOf(wide);
    convertOperand(gemm.getAMutable(), tile::Scope::Shared, wideA, true, false);
    convertOperand(gemm.getBMutable(), tile::Scope::Shared, wideB, true, false);
  }
  if (c != wideC)
    convertOperand(gemm.getCMutable(), tile::Scope::Fragment, wideC, !overwritesC(gemm), true);
}

struct ConvertOperandsPass : impl::ConvertOperandsPassBase<ConvertOperandsPass> {
  using ConvertOperandsPassBase::ConvertOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      const int64_t numWaves = wavesOf(kernel, *chip);
      kernel.walk([&](tile::GemmOp gemm) {
        // No instruction but those of warp groups takes a sparse A.
        if (!gemm.getPlaces() && !isWarpGroupGemm(gemm, *chip, numWaves))
          convertOperands(gemm, *chip);
      });
    }
  }
};

} // namespace

} // namespace tilec
