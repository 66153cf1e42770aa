//===- ArithOps.cpp - the arith dialect, conversions apart ----------------===//
//
// Floats are exact: no fast-math flag is added, so nothing is fused or reordered
// beyond what the op itself allows.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Types.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilec::lower {

namespace arith = mlir::arith;
using mlir::failed;
using mlir::LogicalResult;
using mlir::success;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static llvm::Constant *scalarConstant(const llvm::APInt &bits, llvm::Type *type,
                                      llvm::LLVMContext &context) {
  unsigned width = type->getScalarSizeInBits();
  llvm::Constant *integer = llvm::ConstantInt::get(context, bits.sextOrTrunc(width));
  return type->isIntegerTy() ? integer
                             : llvm::ConstantFP::get(context, llvm::APFloat(type->getFltSemantics(),
                                                                            bits.trunc(width)));
}

/// The constant of an attribute; null when it has another form than a number or dense numbers.
llvm::Constant *KernelLowering::constantOf(mlir::Attribute attribute, mlir::Type type) {
  llvm::Type *lowered = typeOf(type);
  llvm::Type *scalar = lowered->getScalarType();
  // f8 and f4 become their codes.
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return scalarConstant(number.getValue(), scalar, context);
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    return scalarConstant(number.getValue().bitcastToAPInt(), scalar, context);
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!dense)
    return nullptr;
  bool isFloat = mlir::isa<mlir::FloatType>(dense.getElementType());
  auto element = [&](int64_t i) {
    llvm::APInt bits = isFloat ? dense.getValues<llvm::APFloat>()[i].bitcastToAPInt()
                               : dense.getValues<llvm::APInt>()[i];
    return scalarConstant(bits, scalar, context);
  };
  auto *vector = llvm::cast<llvm::FixedVectorType>(lowered);
  if (dense.isSplat())
    return llvm::ConstantVector::getSplat(vector->getElementCount(), element(0));
  llvm::SmallVector<llvm::Constant *> elements;
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    elements.push_back(element(i));
  return llvm::ConstantVector::get(elements);
}

LogicalResult KernelLowering::lowerConstant(arith::ConstantOp op) {
  llvm::Constant *constant = constantOf(op.getValue(), op.getType());
  return constant ? done(*op, constant) : fail(*op, "is no number");
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

llvm::Value *KernelLowering::roundedDivision(mlir::Operation &op) {
  llvm::Value *x = at(op.getOperand(0)), *y = at(op.getOperand(1));
  llvm::Constant *zero = llvm::Constant::getNullValue(x->getType());
  if (mlir::isa<arith::CeilDivUIOp>(op)) {
    llvm::Value *quotient = b.CreateUDiv(x, y);
    llvm::Value *inexact = b.CreateICmpNE(b.CreateMul(quotient, y), x);
    return b.CreateAdd(quotient, b.CreateZExt(inexact, x->getType()));
  }
  bool isFloor = mlir::isa<arith::FloorDivSIOp>(op);
  // A power of two needs no division.
  auto *divisor = llvm::dyn_cast<llvm::ConstantInt>(y);
  if (isFloor && divisor && divisor->getValue().isStrictlyPositive() &&
      divisor->getValue().isPowerOf2())
    return b.CreateAShr(x, divisor->getValue().logBase2());
  llvm::Value *quotient = b.CreateSDiv(x, y);
  llvm::Value *rest = b.CreateSub(x, b.CreateMul(quotient, y));
  llvm::Value *inexact = b.CreateICmpNE(rest, zero);
  // The rest has the sign of x; division truncates towards zero.
  llvm::Value *signsDiffer = b.CreateICmpSLT(b.CreateXor(rest, y), zero);
  if (isFloor)
    return b.CreateSub(quotient, b.CreateZExt(b.CreateAnd(inexact, signsDiffer), x->getType()));
  llvm::Value *up = b.CreateAnd(inexact, b.CreateNot(signsDiffer));
  return b.CreateAdd(quotient, b.CreateZExt(up, x->getType()));
}

/// Both halves of a product, or a sum and its carry.
LogicalResult KernelLowering::lowerWideMultiply(mlir::Operation &op) {
  llvm::Value *x = at(op.getOperand(0)), *y = at(op.getOperand(1));
  llvm::Type *type = x->getType();
  if (mlir::isa<arith::AddUIExtendedOp>(op)) {
    llvm::Value *sum = b.CreateAdd(x, y);
    map(op.getResult(0), sum);
    map(op.getResult(1), b.CreateICmpULT(sum, x));
    return success();
  }
  bool isSigned = mlir::isa<arith::MulSIExtendedOp>(op);
  unsigned bits = type->getScalarSizeInBits();
  llvm::Type *wide = withShapeOf(type, b.getIntNTy(2 * bits));
  auto extend = [&](llvm::Value *v) {
    return isSigned ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide);
  };
  llvm::Value *product = b.CreateMul(extend(x), extend(y));
  map(op.getResult(0), b.CreateTrunc(product, type));
  map(op.getResult(1), b.CreateTrunc(b.CreateLShr(product, bits), type));
  return success();
}

static llvm::CmpInst::Predicate predicateOf(arith::CmpIPredicate predicate) {
  using P = llvm::CmpInst;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return P::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return P::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return P::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return P::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return P::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return P::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return P::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return P::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return P::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return P::ICMP_UGE;
  }
  llvm_unreachable("a predicate without a case");
}

static llvm::CmpInst::Predicate predicateOf(arith::CmpFPredicate predicate) {
  using P = llvm::CmpInst;
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return P::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return P::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return P::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return P::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return P::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return P::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return P::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return P::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return P::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return P::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return P::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return P::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return P::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return P::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return P::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return P::FCMP_TRUE;
  }
  llvm_unreachable("a predicate without a case");
}

/// Only what the op itself says; see Lower.h.
llvm::FastMathFlags KernelLowering::fastMathOf(mlir::Operation &op) {
  llvm::FastMathFlags flags;
  auto withFlags = mlir::dyn_cast<arith::ArithFastMathInterface>(op);
  if (!withFlags)
    return flags;
  arith::FastMathFlags given = withFlags.getFastMathFlagsAttr().getValue();
  flags.setAllowReassoc(bitEnumContainsAll(given, arith::FastMathFlags::reassoc));
  flags.setNoNaNs(bitEnumContainsAll(given, arith::FastMathFlags::nnan));
  flags.setNoInfs(bitEnumContainsAll(given, arith::FastMathFlags::ninf));
  flags.setNoSignedZeros(bitEnumContainsAll(given, arith::FastMathFlags::nsz));
  flags.setAllowReciprocal(bitEnumContainsAll(given, arith::FastMathFlags::arcp));
  flags.setAllowContract(bitEnumContainsAll(given, arith::FastMathFlags::contract));
  flags.setApproxFunc(bitEnumContainsAll(given, arith::FastMathFlags::afn));
  return flags;
}

/// Whether a shift amount is below the width, null when that is certain. By the width and more, all
/// bits are shifted out (docs/simulators/reference-device.md); LLVM leaves it undefined.
static llvm::Value *shiftInside(Builder &b, llvm::Value *amount) {
  unsigned bits = amount->getType()->getScalarSizeInBits();
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(amount)) {
    llvm::Constant *value =
        constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
    auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
    if (number && number->getValue().ult(bits))
      return nullptr;
  }
  return b.CreateICmpULT(amount, llvm::ConstantInt::get(amount->getType(), bits));
}
static llvm::Value *amountIn(Builder &b, llvm::Value *inside, llvm::Value *amount) {
  return inside ? b.CreateSelect(inside, amount, llvm::Constant::getNullValue(amount->getType()))
                : amount;
}
static llvm::Value *zeroUnless(Builder &b, llvm::Value *inside, llvm::Value *value) {
  return inside ? b.CreateSelect(inside, value, llvm::Constant::getNullValue(value->getType()))
                : value;
}

/// A divisor c + exp(x), as in a sigmoid, with c far above the denormals, as (c, exp(x)); else
/// nulls.
static std::pair<mlir::FloatAttr, mlir::Value> numberPlusPower(mlir::Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  for (int n : {0, 1}) {
    mlir::FloatAttr number;
    mlir::Value power = sum ? sum->getOperand(n) : mlir::Value();
    if (power &&
        mlir::isa_and_nonnull<mlir::math::ExpOp, mlir::math::Exp2Op>(power.getDefiningOp()) &&
        mlir::matchPattern(sum->getOperand(1 - n), mlir::m_Constant(&number)) &&
        number.getValueAsDouble() >= 0x1p-100)
      return {number, power};
  }
  return {};
}

/// x / y to 2 ulp.
llvm::Value *KernelLowering::quickQuotient(arith::DivFOp op) {
  llvm::Value *x = at(op.getLhs()), *y = at(op.getRhs());
  if (auto *constant = llvm::dyn_cast<llvm::ConstantFP>(y)) {
    double inverse = 1 / constant->getValue().convertToDouble();
    bool isNormal = std::abs(inverse) >= 0x1p-126 && std::abs(inverse) < 0x1p127;
    return isNormal ? b.CreateFMul(x, llvm::ConstantFP::get(y->getType(), inverse))
                    : b.CreateFDiv(x, y);
  }
  auto [number, power] = numberPlusPower(op.getRhs());
  if (!number)
    return b.CreateFMul(x, fastMathOf(*op).approxFunc() ? e.approxRcp(y) : e.reciprocal(y));
  // Of a quarter of each: the reciprocal of a large divisor would be a denormal. A product with a
  // power of two is exact, so that this is the quarter of the sum.
  llvm::Constant *quarter = llvm::ConstantFP::get(x->getType(), 0.25);
  llvm::Value *divisor = b.CreateIntrinsic(
      llvm::Intrinsic::fma, {x->getType()},
      {at(power), quarter, llvm::ConstantFP::get(x->getType(), 0.25 * number.getValueAsDouble())});
  return b.CreateFMul(b.CreateFMul(x, quarter), e.approxRcp(divisor));
}

/// The ops that are one LLVM instruction or intrinsic of their operands; null for any other.
llvm::Value *KernelLowering::binary(mlir::Operation &op) {
  llvm::Value *x = at(op.getOperand(0));
  llvm::Value *y = op.getNumOperands() > 1 ? at(op.getOperand(1)) : nullptr;
  if (auto fold = folds.find(&op); fold != folds.end())
    std::tie(x, y) = fold->second;
  auto intrinsic = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, x, y); };
  auto overflow = mlir::dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  bool noUnsignedWrap = overflow && overflow.hasNoUnsignedWrap();
  bool noSignedWrap = overflow && overflow.hasNoSignedWrap();
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
      .Case([&](arith::AddIOp) { return b.CreateAdd(x, y, "", noUnsignedWrap, noSignedWrap); })
      .Case([&](arith::SubIOp) { return b.CreateSub(x, y, "", noUnsignedWrap, noSignedWrap); })
      .Case([&](arith::MulIOp) { return b.CreateMul(x, y, "", noUnsignedWrap, noSignedWrap); })
      .Case([&](arith::DivSIOp) { return b.CreateSDiv(x, y); })
      .Case([&](arith::DivUIOp) { return b.CreateUDiv(x, y); })
      .Case([&](arith::RemSIOp) { return b.CreateSRem(x, y); })
      .Case([&](arith::RemUIOp) { return b.CreateURem(x, y); })
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return roundedDivision(op); })
      .Case([&](arith::ShLIOp) {
        llvm::Value *inside = shiftInside(b, y);
        return zeroUnless(b, inside,
                          b.CreateShl(x, amountIn(b, inside, y), "", noUnsignedWrap, noSignedWrap));
      })
      .Case([&](arith::ShRSIOp) {
        // Beyond the width only copies of the sign are left.
        llvm::Value *last =
            llvm::ConstantInt::get(y->getType(), y->getType()->getScalarSizeInBits() - 1);
        return b.CreateAShr(
            x, shiftInside(b, y) ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, y, last) : y);
      })
      .Case([&](arith::ShRUIOp) {
        llvm::Value *inside = shiftInside(b, y);
        return zeroUnless(b, inside, b.CreateLShr(x, amountIn(b, inside, y)));
      })
      .Case([&](arith::AndIOp) { return b.CreateAnd(x, y); })
      .Case([&](arith::OrIOp) { return b.CreateOr(x, y); })
      .Case([&](arith::XOrIOp) { return b.CreateXor(x, y); })
      .Case([&](arith::MinSIOp) { return intrinsic(llvm::Intrinsic::smin); })
      .Case([&](arith::MaxSIOp) { return intrinsic(llvm::Intrinsic::smax); })
      .Case([&](arith::MinUIOp) { return intrinsic(llvm::Intrinsic::umin); })
      .Case([&](arith::MaxUIOp) { return intrinsic(llvm::Intrinsic::umax); })
      .Case([&](arith::CmpIOp cmp) { return b.CreateICmp(predicateOf(cmp.getPredicate()), x, y); })
      .Case([&](arith::CmpFOp cmp) { return b.CreateFCmp(predicateOf(cmp.getPredicate()), x, y); })
      .Case([&](arith::AddFOp) { return b.CreateFAdd(x, y); })
      .Case([&](arith::SubFOp) { return b.CreateFSub(x, y); })
      .Case([&](arith::MulFOp) { return b.CreateFMul(x, y); })
      .Case([&](arith::DivFOp) {
        if (!fastMathOf(op).allowReciprocal() || !x->getType()->isFloatTy())
          return b.CreateFDiv(x, y);
        return quickQuotient(mlir::cast<arith::DivFOp>(op));
      })
      .Case([&](arith::NegFOp) { return b.CreateFNeg(x); })
      .Case([&](arith::MaximumFOp) { return intrinsic(llvm::Intrinsic::maximum); })
      .Case([&](arith::MinimumFOp) { return intrinsic(llvm::Intrinsic::minimum); })
      .Case([&](arith::MaxNumFOp) { return intrinsic(llvm::Intrinsic::maxnum); })
      .Case([&](arith::MinNumFOp) { return intrinsic(llvm::Intrinsic::minnum); })
      .Default([](mlir::Operation *) { return nullptr; });
}

LogicalResult KernelLowering::lowerArith(mlir::Operation &op) {
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(constant);
  if (auto select = mlir::dyn_cast<arith::SelectOp>(op))
    return done(op, b.CreateSelect(at(select.getCondition()), at(select.getTrueValue()),
                                   at(select.getFalseValue())));
  if (mlir::isa<arith::AddUIExtendedOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    return lowerWideMultiply(op);
  if (mlir::isa<mlir::CastOpInterface>(op))
    return lowerCast(op);
  mlir::Type element = wave::elementOf(op.getOperand(0).getType());
  if (smallFloat(element))
    return fail(op, "does not compute in 8-bit or 4-bit floats; extend the operands first");
  if (mlir::isa<arith::RemFOp>(op))
    return lowerMath(op);
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.setFastMathFlags(fastMathOf(op));
  return done(op, binary(op));
}

} // namespace tilec::lower
