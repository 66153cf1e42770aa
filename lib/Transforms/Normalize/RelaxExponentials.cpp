//===- RelaxExponentials.cpp - exponentials whose small results are nothing ===//
//
// Takes an exponential and looks at what is subtracted in its argument (a row's maximum, the
// logarithm of a row's sum) and at where its result goes.
//
//   * One of what a row's maximum was subtracted from, whose results are rounded to 16 bits or
//     summed, takes the hardware's approximation (`afn`: what is below 2^-126 of the largest counts
//     as zero), and its argument is rounded once (`contract`).
//   * So does one that is only added to a constant, as in a sigmoid; and where the accurate 2^x is
//     a sequence, the factor by which a running maximum's rise scales running sums, and what is
//     rounded to a type without such small numbers (f16).
//   * Of any other that is rounded to 16 bits the argument is rounded once, and e^x is
//     2^(x log2 e).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Fates.h"
#include "Normalize/RelaxMath.h"
#include "Normalize/RowMaxima.h"
#include "Normalize/ShortAngles.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RELAXEXPONENTIALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether all that the value does is to be added to numbers beside which 2^-126 is nothing.
bool isAddedToNumbers(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (!isa<arith::AddFOp>(use.getOwner()))
      return false;
    auto other = constantOf(use.getOwner()->getOperand(1 - use.getOperandNumber()));
    return other && std::abs(*other) >= smallestVisible;
  });
}

/// Whether `op` may take the hardware's approximation for what it is added to. That of 2^x differs
/// below 2^-126 only.
bool vanishesInSums(Operation *op, Fates &fates) {
  Value result = op->getResult(0);
  Uses uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/true);
  return isAddedToNumbers(result) &&
         (isa<math::Exp2Op>(op) || uses.areRounded(result, /*isPositive=*/true));
}

/// Whether the exponential is one of what a row's maximum was subtracted from, and is summed or
/// rounded.
bool isBelowMaximum(Operation *op, arith::SubFOp difference, tile::ElementLoop loop, Fates &fates) {
  tile::LoadOp element = elementIn(difference.getLhs()), top = elementIn(difference.getRhs());
  return element && top && holdsMaxima(top.getBuffer(), element.getBuffer(), loop) &&
         Uses(fates, /*mayBeSummed=*/true, /*mayVanish=*/true).areRounded(op->getResult(0));
}

/// Whether the exponential is by how much a running maximum was raised: at most 1.
bool isBelowRaised(arith::SubFOp difference, tile::ElementLoop loop) {
  tile::LoadOp old = elementIn(difference.getLhs()), top = elementIn(difference.getRhs());
  return old && top && llvm::equal(old.getIndices(), top.getIndices()) &&
         isRaisedFrom(top.getBuffer(), old.getBuffer(), loop);
}

/// Whether a term is the logarithm of a sum to which a reduction's result belongs.
bool isLogarithmOfSum(Value value) {
  auto isSummed = [](Value term) {
    auto load = term.getDefiningOp<tile::LoadOp>();
    return load && llvm::any_of(load.getBuffer().getUsers(), [&](Operation *user) {
             auto reduce = dyn_cast<tile::ReduceOp>(user);
             return reduce && reduce.getKind() == tile::ReduceKind::Sum &&
                    reduce.getDst() == load.getBuffer();
           });
  };
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp>(op))
    return llvm::any_of(op->getOperands(), isLogarithmOfSum);
  if (!isa_and_nonnull<math::LogOp, math::Log2Op>(op))
    return false;
  auto sum = op->getOperand(0).getDefiningOp<arith::AddFOp>();
  return sum ? llvm::any_of(sum->getOperands(), isSummed) : isSummed(op->getOperand(0));
}

/// Whether the exponential is a share of a sum, whose logarithm was subtracted: the shares of a row
/// are 1 together, so that one below 2^-126 is nothing beside the others.
bool isShareOfSum(arith::SubFOp difference) {
  auto load = difference.getRhs().getDefiningOp<tile::LoadOp>();
  if (!load || !load.getBuffer().getType().isFragment() ||
      !load.getBuffer().getDefiningOp<tile::AllocOp>())
    return false;
  bool isLogarithm = false;
  for (Operation *user : load.getBuffer().getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto fill = dyn_cast<tile::FillOp>(user);
    if (!store && !fill && !isa<tile::LoadOp>(user))
      return false;
    Value filled = fill ? fill.getValue() : store ? store.getValue() : Value();
    if (!filled || constantOf(filled)) // what it was before the first sum
      continue;
    if (fill)
      return false;
    if (!isLogarithmOfSum(store.getValue()))
      return false;
    isLogarithm = true;
  }
  return isLogarithm;
}

/// Whether a factor of at most 1 only scales running sums: those of a gemm, those that more is
/// added to, and what is rounded to 16 bits.
bool isOnlyScale(Value value, llvm::DenseSet<Value> &seen, Fates &fates) {
  auto scalesSum = [](Value product) {
    return llvm::all_of(product.getUses(), [&](OpOperand &use) {
      if (isa<arith::AddFOp>(use.getOwner()))
        return true;
      auto store = dyn_cast<tile::StoreOp>(use.getOwner());
      return store && llvm::any_of(store.getBuffer().getUsers(), [&](Operation *user) {
               auto gemm = dyn_cast<tile::GemmOp>(user);
               return gemm && gemm.getC() == store.getBuffer();
             });
    });
  };
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp>(user)) {
      Value product = user->getResult(0);
      return scalesSum(product) ||
             Uses(fates, /*mayBeSummed=*/true, /*mayVanish=*/true).areRounded(product);
    }
    if (Value chosen = chosenAs(use))
      return isOnlyScale(chosen, seen, fates);
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || store.getValue() != use.get() || !store.getBuffer().getType().isFragment() ||
        !store.getBuffer().getDefiningOp<tile::AllocOp>())
      return false;
    if (!seen.insert(store.getBuffer()).second)
      return true;
    return llvm::all_of(store.getBuffer().getUsers(), [&](Operation *other) {
      auto load = dyn_cast<tile::LoadOp>(other);
      return isa<tile::StoreOp, tile::FillOp>(other) ||
             (load && isOnlyScale(load.getResult(), seen, fates));
    });
  });
}

/// Whether zero is as good as anything below 2^-126: rounded to a type whose smallest number is far
/// larger.
bool vanishesWhenRounded(Value value) {
  auto isCoarse = [](DType dtype) { return bitsOf(dtype) <= 16 && dtype != DType::BF16; };
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto round = dyn_cast<tile::RoundOp>(user))
      return isCoarse(tile::dtypeOf(round.getDtype()));
    if (isa<arith::MulFOp>(user)) {
      constexpr double large = 0x1p60;
      auto factor = constantOf(user->getOperand(1 - use.getOperandNumber()));
      return factor && std::abs(*factor) <= large && vanishesWhenRounded(user->getResult(0));
    }
    if (isa<arith::NegFOp>(user))
      return vanishesWhenRounded(user->getResult(0));
    if (Value chosen = chosenAs(use))
      return vanishesWhenRounded(chosen);
    auto store = dyn_cast<tile::StoreOp>(user);
    return store && store.getValue() == use.get() && isCoarse(tile::dtypeOf(store.getBuffer()));
  });
}

/// Whether a finite number is written in the program that would, scaled, be rounded by more than an
/// exponent: x * s and m * s of one such mask are equal when both are rounded, and far apart when
/// one of them is not.
bool hasHugeConstant(tile::KernelOp kernel) {
  constexpr double huge = 1 << 30;
  auto result = kernel->getParentOp()->walk([](arith::ConstantOp constant) {
    auto value = dyn_cast<FloatAttr>(constant.getValue());
    bool isHuge =
        value && value.getValue().isFinite() && std::abs(value.getValueAsDouble()) >= huge;
    return isHuge ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// x * (s log2 e) - y * (s log2 e) for the argument x * s - y * s of an e^x: one fma where the
/// second product is a row's.
Value inPowersOfTwo(OpBuilder &b, arith::SubFOp difference) {
  Location loc = difference.getLoc();
  auto scaled = [&](Value term) -> Value {
    auto [argument, factor] = scaledArgument(term);
    return arith::MulFOp::create(b, loc, argument, numberLike(b, loc, factor * log2e),
                                 arith::FastMathFlags::contract);
  };
  Value left = scaled(difference.getLhs()), right = scaled(difference.getRhs());
  return arith::SubFOp::create(b, loc, left, right, arith::FastMathFlags::contract);
}

/// e^x as 2^(x log2 e). `isOneFma`: whose argument is a difference of which each term may be
/// scaled.
math::Exp2Op asPowerOfTwo(math::ExpOp op, bool isOneFma) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
  Value power;
  if (isOneFma && difference) {
    power = inPowersOfTwo(b, difference);
  } else {
    auto [argument, factor] = scaledArgument(op.getOperand());
    power = arith::MulFOp::create(b, loc, argument, numberLike(b, loc, factor * log2e));
  }
  auto result = math::Exp2Op::create(b, loc, power, op.getFastmath());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return result;
}

/// Allows what an exponential of the loop may have.
void relaxExponential(Operation *op, tile::ElementLoop loop, const TargetInfo &target,
                      Fates &fates) {
  using Flags = arith::FastMathFlags;
  // Both give the same 2^x where it is no denormal number.
  auto power = dyn_cast<math::Exp2Op>(op);
  if (vanishesInSums(op, fates) || (power && hasNormalPower(power)))
    return allow(op, Flags::afn);
  // Where the accurate 2^x is an instruction nothing is gained by the other one.
  bool isDear = !target.hasAccurateExp2;
  Value result = op->getResult(0);
  arith::SubFOp difference = differenceIn(op);
  llvm::DenseSet<Value> seen;
  bool isBelow = difference &&
                 (isBelowMaximum(op, difference, loop, fates) ||
                  (isDear && isBelowRaised(difference, loop) && isOnlyScale(result, seen, fates)));
  if (!isBelow && !Uses(fates, /*mayBeSummed=*/false).areRounded(result))
    return;
  bool isShare = isDear && difference && isShareOfSum(difference) &&
                 Uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/true).areRounded(result);
  bool mayFuse = difference && !hasHugeConstant(op->getParentOfType<tile::KernelOp>()) &&
                 !mustVanish(difference, loop);
  if (mayFuse) {
    allow(difference, Flags::contract);
    for (Value term : difference->getOperands())
      if (auto product = term.getDefiningOp<arith::MulFOp>())
        allow(product, Flags::contract);
  }
  if (auto natural = dyn_cast<math::ExpOp>(op); natural && (isDear || !isBelow)) {
    // An argument is below 2^7, or the result is zero or infinite: 2^-17 of it at most get lost.
    op = asPowerOfTwo(natural, isBelow && mayFuse);
  }
  if (isBelow || isShare || (isDear && vanishesWhenRounded(op->getResult(0))))
    allow(op, Flags::afn);
}

struct RelaxExponentialsPass : impl::RelaxExponentialsPassBase<RelaxExponentialsPass> {
  using RelaxExponentialsPassBase::RelaxExponentialsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    forArithmetic<math::ExpOp, math::Exp2Op>(getOperation(), [&](Operation *op, Fates &fates) {
      relaxExponential(op, op->getParentOfType<tile::ElementLoop>(), *chip, fates);
    });
  }
};

} // namespace

} // namespace tilec
