//===- RelaxQuotients.cpp - quotients are products with reciprocals -------===//
//
// A quotient that is rounded to 16 bits is a product with the reciprocal (`arcp`), of a divisor
// that is made larger where it may be a denormal number; as is that of a reduction's sum and a
// number, unless it reaches a rounding to integers or a comparison. Of a sum of powers of at most
// 1, and of a sigmoid's, the reciprocal is the hardware's, without scaling (`afn`); so is an
// inverse square root that is rounded to 16 bits, of what is no denormal number.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/Magnitudes.h"
#include "Normalize/RelaxMath.h"
#include "Normalize/RowMaxima.h"
#include "Normalize/RowSums.h"
#include "Normalize/Steps.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RELAXQUOTIENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether a quotient is c / (d + e^x), as in a sigmoid, all of whose uses may have zero for what
/// is below 2^-126: the reciprocal of a sum that large. No reciprocal is infinite.
bool isGate(arith::DivFOp quotient, Fates &fates) {
  auto sum = quotient.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum || !constantOf(quotient.getLhs()))
    return false;
  for (int n : {0, 1}) {
    std::optional<double> least = constantOf(sum->getOperand(n));
    Operation *power = sum->getOperand(1 - n).getDefiningOp();
    if (least && *least >= smallestVisible && isa_and_nonnull<math::ExpOp, math::Exp2Op>(power))
      return Uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/true)
          .areRounded(quotient.getResult());
  }
  return false;
}

/// x / y as x / (y * s) * s, where s makes a divisor large that is a denormal number: the product
/// with a reciprocal that is infinite, or that of what was taken for zero, says nothing of x / y.
void raiseDivisor(arith::DivFOp quotient) {
  constexpr double smallestNormal = 0x1p-126, raise = 0x1p32;
  OpBuilder b(quotient);
  Location loc = quotient.getLoc();
  Value divisor = quotient.getRhs(), size = math::AbsFOp::create(b, loc, divisor);
  Value isTiny = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                       numberLike(b, loc, smallestNormal));
  Value factor =
      arith::SelectOp::create(b, loc, isTiny, numberLike(b, loc, raise), numberLike(b, loc, 1));
  quotient.getRhsMutable().assign(arith::MulFOp::create(b, loc, divisor, factor));
  b.setInsertionPointAfter(quotient);
  auto result = arith::MulFOp::create(b, loc, quotient.getResult(), factor);
  quotient.getResult().replaceAllUsesExcept(result, result);
}

class Quotients {
public:
  Quotients(tile::KernelOp kernel, const TargetInfo &target)
      : target(target), fates(kernel), sums(kernel), steps(kernel) {}

  void relax(arith::DivFOp quotient);
  void relax(math::RsqrtOp root) {
    if (isRounded(root) && !mayBeDenormal(root.getOperand()))
      allow(root, arith::FastMathFlags::afn);
  }
  /// Those that need it, of all that were relaxed. Last: what follows a divisor must not meet the
  /// question.
  void raiseDivisors() { llvm::for_each(tiny, raiseDivisor); }

private:
  bool isRounded(Operation *op) {
    return Uses(fates, /*mayBeSummed=*/false).areRounded(op->getResult(0));
  }

  const TargetInfo &target;
  Fates fates;
  RowSums sums;
  Steps steps;
  SmallVector<arith::DivFOp> tiny; ///< whose divisor may be a denormal number
};

void Quotients::relax(arith::DivFOp quotient) {
  bool isConstant = constantOf(quotient.getRhs()).has_value();
  bool isMean = isConstant && sums.reach(quotient.getLhs()) && !steps.isReachedBy(quotient);
  bool isQuick = isRounded(quotient);
  if (isMean || isQuick)
    allow(quotient, arith::FastMathFlags::arcp);
  auto loop = quotient->getParentOfType<tile::ElementLoop>();
  bool isSafe = isSumOfPowers(quotient.getRhs(), loop) || isGate(quotient, fates);
  if (!target.hasAccurateExp2 && isSafe && isQuick)
    allow(quotient, arith::FastMathFlags::afn);
  if (isQuick && !isConstant && !isSafe && mayBeDenormal(quotient.getRhs()))
    tiny.push_back(quotient);
}

void relaxQuotients(tile::KernelOp kernel, const TargetInfo &target, bool isFast) {
  std::optional<Quotients> quotients;
  for (Operation *op : arithmeticOf(kernel)) {
    if (!isa<arith::DivFOp, math::RsqrtOp>(op))
      continue;
    if (!quotients)
      quotients.emplace(kernel, target);
    if (auto quotient = dyn_cast<arith::DivFOp>(op))
      quotients->relax(quotient);
    else
      quotients->relax(cast<math::RsqrtOp>(op));
  }
  if (quotients && !isFast)
    quotients->raiseDivisors();
}

struct RelaxQuotientsPass : impl::RelaxQuotientsPassBase<RelaxQuotientsPass> {
  using RelaxQuotientsPassBase::RelaxQuotientsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : relaxedKernels(getOperation()))
      relaxQuotients(kernel, *chip, getOperation().getFastMath());
  }
};

} // namespace

} // namespace tilec
