//===- RelaxMath.cpp - arithmetic whose last bits are rounded away --------===//
//
// One rule a case: gates, angles, sums, quotients; those of exponentials are in
// RelaxExponentials.cpp. Where a value goes is asked of Fates.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"

#include "Normalize/ExactProducts.h"
#include "Normalize/Magnitudes.h"
#include "Normalize/RelaxExponentials.h"
#include "Normalize/RowMaxima.h"
#include "Normalize/ShortAngles.h"
#include "Normalize/Steps.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RELAXMATHPASS
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

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Whether the value is computed from an element of one of `fragments`.
bool dependsOn(Value value, const llvm::DenseSet<Value> &fragments) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op))
    return fragments.contains(load.getBuffer());
  return op && op->getParentOfType<tile::ElementLoop>() &&
         llvm::any_of(op->getOperands(), [&](Value v) { return dependsOn(v, fragments); });
}

/// The fragments whose elements hang on sums by reductions, whose last bit hangs on the order.
llvm::DenseSet<Value> fragmentsOfSums(tile::KernelOp kernel) {
  llvm::DenseSet<Value> found;
  kernel.walk([&](tile::ReduceOp reduce) {
    if (reduce.getKind() == tile::ReduceKind::Sum)
      found.insert(reduce.getDst());
  });
  for (size_t before = 0; before != found.size();) {
    before = found.size();
    kernel.walk([&](tile::StoreOp store) {
      if (dependsOn(store.getValue(), found))
        found.insert(store.getBuffer());
    });
  }
  return found;
}

/// a * b + c, where the product hangs on a sum: what its rounding changes is no more than what the
/// last bit of the sum changes.
void relaxAffine(Operation *sum, const llvm::DenseSet<Value> &sums, Fates &fates) {
  if (!Uses(fates, /*mayBeSummed=*/false).areRounded(sum->getResult(0)))
    return;
  for (Value term : sum->getOperands())
    if (auto product = term.getDefiningOp<arith::MulFOp>(); product && dependsOn(term, sums)) {
      allow(product, arith::FastMathFlags::contract);
      allow(sum, arith::FastMathFlags::contract);
    }
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

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

void rewriteGates(tile::KernelOp kernel, Fates &fates) {
  SmallVector<arith::AddFOp> gates;
  kernel.walk([&](arith::AddFOp sum) {
    if (sum->getParentOfType<tile::ElementLoop>() && sum.getType().isF32())
      gates.push_back(sum);
  });
  for (arith::AddFOp sum : gates)
    for (int n : {0, 1}) {
      Operation *function = sum->getOperand(n).getDefiningOp();
      std::optional<double> other = constantOf(sum->getOperand(1 - n));
      if (!isa_and_nonnull<math::ErfOp, math::TanhOp>(function) || other != 1.0 ||
          !Uses(fates, /*mayBeSummed=*/false).areRounded(sum.getResult(), /*isPositive=*/true))
        continue;
      OpBuilder builder(sum);
      sum.getResult().replaceAllUsesWith(gateOf(builder, function));
      sum.erase();
      break;
    }
}

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
void shortenAngles(tile::KernelOp kernel, const TargetInfo &target, Fates &fates) {
  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ElementLoop>() && hasShortAngle(op) &&
        Uses::besideOthers(fates).areRounded(op->getResult(0)))
      found.push_back(op);
  });
  for (Operation *op : found)
    if (target.hasSineOfTurns)
      approximateSine(op);
    else
      shortenAngle(op);
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

/// What `--math=fast` allows.
void relaxAll(tile::KernelOp kernel) {
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

} // namespace

void allow(Operation *op, arith::FastMathFlags more) {
  auto withFlags = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = withFlags.getFastMathFlagsAttr().getValue() | more;
  op->setAttr(withFlags.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

void relaxMath(tile::KernelOp kernel, const TargetInfo &target) {
  auto program = kernel->getParentOfType<tile::ProgramOp>();
  if (program.getLibraryMath())
    return;
  Fates fates(kernel);
  rewriteGates(kernel, fates);
  bool isFast = program.getFastMath();
  if (!isFast)
    shortenAngles(kernel, target, fates);
  llvm::DenseSet<Value> sums = fragmentsOfSums(kernel);
  relaxSquares(kernel);
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ElementLoop>() && op->getNumResults() == 1 &&
        op->getResult(0).getType().isF32())
      ops.push_back(op);
  });
  Steps steps(kernel);
  SmallVector<arith::DivFOp> raised;
  for (Operation *op : ops) {
    auto loop = op->getParentOfType<tile::ElementLoop>();
    Value result = op->getResult(0);
    auto isRounded = [&] { return Uses(fates, /*mayBeSummed=*/false).areRounded(result); };
    if (isa<math::Exp2Op, math::ExpOp>(op))
      relaxExponential(op, loop, target, fates);
    else if (auto difference = dyn_cast<arith::SubFOp>(op);
             isa<arith::AddFOp>(op) || (difference && !mustVanish(difference, loop)))
      relaxAffine(op, sums, fates);
    else if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      bool isConstant = constantOf(quotient.getRhs()).has_value();
      bool isMean = isConstant && dependsOn(quotient.getLhs(), sums) && !steps.isReachedBy(result);
      bool isQuick = isRounded();
      if (isMean || isQuick)
        allow(op, arith::FastMathFlags::arcp);
      bool isSafe = isSumOfPowers(quotient.getRhs(), loop) || isGate(quotient, fates);
      if (!target.hasAccurateExp2 && isSafe && isQuick)
        allow(op, arith::FastMathFlags::afn);
      if (isQuick && !isConstant && !isSafe && mayBeDenormal(quotient.getRhs()))
        raised.push_back(quotient);
    } else if (isa<math::RsqrtOp>(op) && isRounded() && !mayBeDenormal(op->getOperand(0)))
      allow(op, arith::FastMathFlags::afn);
    else if (isa<math::LogOp, math::Log2Op>(op) && areExponents(result, fates))
      allow(op, arith::FastMathFlags::afn);
  }
  // Last: what follows a divisor above must not meet the question.
  if (!isFast)
    llvm::for_each(raised, raiseDivisor);
  fuseExactProducts(kernel);
  if (isFast)
    relaxAll(kernel);
}

namespace {
struct RelaxMathPass : impl::RelaxMathPassBase<RelaxMathPass> {
  using RelaxMathPassBase::RelaxMathPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      relaxMath(kernel, *chip);
  }
};
} // namespace

} // namespace tilec
