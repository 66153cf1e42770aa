//===- MathOps.cpp - the math dialect -------------------------------------===//
//
// What LLVM does exactly on both vendors stays an intrinsic on whole vectors. The
// rest goes element by element through MathExpansions in f32; f16 and bf16 are
// widened and rounded once. `fastmath<afn>` asks for the hardware's approximation.
// f64, and with `tile.library_math` f32, are functions of the vendor's library.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"
#include "MathExpansions.h"
#include "Types.h"

#include "tilec/CodeGen/DeviceLibrary.h"
#include "tilec/IR/Reported.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilec::lower {

namespace math = mlir::math;
using mlir::LogicalResult;
using mlir::success;

/// Whether |x| compares as `predicate` with infinity; NaN does not.
static llvm::Value *compareWithInfinity(Builder &b, llvm::CmpInst::Predicate predicate,
                                        llvm::Value *x) {
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  return b.CreateFCmp(predicate, magnitude, llvm::ConstantFP::getInfinity(x->getType()));
}

/// The ops that LLVM's generic instructions do exactly on both vendors; null for any other.
static llvm::Value *exactMath(Builder &b, mlir::Operation &op, llvm::ArrayRef<llvm::Value *> args) {
  using P = llvm::CmpInst;
  auto unary = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, args[0]); };
  auto binary = [&](llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y) {
    return b.CreateBinaryIntrinsic(id, x, y);
  };
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
      .Case([&](math::AbsFOp) { return unary(llvm::Intrinsic::fabs); })
      .Case([&](math::AbsIOp) { return binary(llvm::Intrinsic::abs, args[0], b.getFalse()); })
      .Case([&](math::CeilOp) { return unary(llvm::Intrinsic::ceil); })
      .Case([&](math::FloorOp) { return unary(llvm::Intrinsic::floor); })
      .Case([&](math::RoundOp) { return unary(llvm::Intrinsic::round); })
      .Case([&](math::RoundEvenOp) { return unary(llvm::Intrinsic::roundeven); })
      .Case([&](math::TruncOp) { return unary(llvm::Intrinsic::trunc); })
      .Case([&](math::SqrtOp) { return unary(llvm::Intrinsic::sqrt); })
      .Case([&](math::FmaOp) {
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {args[0]->getType()}, args);
      })
      .Case([&](math::ClampFOp) {
        return binary(llvm::Intrinsic::maxnum, binary(llvm::Intrinsic::minnum, args[0], args[2]),
                      args[1]);
      })
      .Case([&](math::CopySignOp) { return binary(llvm::Intrinsic::copysign, args[0], args[1]); })
      .Case([&](math::CountLeadingZerosOp) {
        return binary(llvm::Intrinsic::ctlz, args[0], b.getFalse());
      })
      .Case([&](math::CountTrailingZerosOp) {
        return binary(llvm::Intrinsic::cttz, args[0], b.getFalse());
      })
      .Case([&](math::CtPopOp) { return unary(llvm::Intrinsic::ctpop); })
      .Case([&](math::IsNaNOp) { return b.CreateFCmpUNO(args[0], args[0]); })
      .Case([&](math::IsInfOp) { return compareWithInfinity(b, P::FCMP_OEQ, args[0]); })
      .Case([&](math::IsFiniteOp) { return compareWithInfinity(b, P::FCMP_OLT, args[0]); })
      .Case([&](math::IsNormalOp) {
        llvm::Type *type = args[0]->getType();
        llvm::Constant *smallest = llvm::ConstantFP::get(
            type, llvm::APFloat::getSmallestNormalized(type->getScalarType()->getFltSemantics()));
        llvm::Value *large = b.CreateFCmpOGE(unary(llvm::Intrinsic::fabs), smallest);
        return b.CreateAnd(large, compareWithInfinity(b, P::FCMP_OLT, args[0]));
      })
      .Default([](mlir::Operation *) { return nullptr; });
}

/// What `fastmath<afn>` makes of an op on f32; null where there is no approximation.
static llvm::Value *approximateMath(Emitter &e, mlir::Operation &op,
                                    llvm::ArrayRef<llvm::Value *> args) {
  constexpr double log2e = 1.44269504088896340736, ln2 = 0.69314718055994530942;
  constexpr double log10Of2 = 0.30102999566398119521;
  auto times = [&](llvm::Value *x, double y) {
    return e.b.CreateFMul(x, llvm::ConstantFP::get(x->getType(), y));
  };
  // LLVM has one instruction for these where they may be approximate, behind a reduction by 2 pi.
  auto circular = [&](llvm::Intrinsic::ID id) -> llvm::Value * {
    llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
    llvm::FastMathFlags flags;
    flags.setApproxFunc();
    e.b.setFastMathFlags(flags);
    return e.b.CreateUnaryIntrinsic(id, args[0]);
  };
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
      .Case([&](math::ExpOp) { return e.approxExp2(times(args[0], log2e)); })
      .Case([&](math::Exp2Op) { return e.approxExp2(args[0]); })
      .Case([&](math::LogOp) { return times(e.approxLog2(args[0]), ln2); })
      .Case([&](math::Log2Op) { return e.approxLog2(args[0]); })
      .Case([&](math::Log10Op) { return times(e.approxLog2(args[0]), log10Of2); })
      .Case([&](math::RsqrtOp) { return e.approxRsqrt(args[0]); })
      .Case([&](math::SinOp) { return circular(llvm::Intrinsic::sin); })
      .Case([&](math::CosOp) { return circular(llvm::Intrinsic::cos); })
      .Case([&](math::TanhOp) { return MathExpansions(e).approxTanh(args[0]); })
      .Case([&](math::ErfcOp) { return MathExpansions(e).approxErfc(args[0]); })
      .Default([](mlir::Operation *) { return nullptr; });
}

/// An op on scalar f32 by expansion; null for any other op.
static llvm::Value *expandMath(Emitter &e, mlir::Operation &op,
                               llvm::ArrayRef<llvm::Value *> args) {
  MathExpansions expand(e);
  using Log = MathExpansions::LogBase;
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
      .Case([&](math::ExpOp) { return expand.exp(args[0]); })
      .Case([&](math::Exp2Op) { return e.exp2(args[0]); })
      .Case([&](math::ExpM1Op) { return expand.expm1(args[0]); })
      .Case([&](math::LogOp) { return expand.log(args[0], Log::E); })
      .Case([&](math::Log2Op) { return expand.log(args[0], Log::Two); })
      .Case([&](math::Log10Op) { return expand.log(args[0], Log::Ten); })
      .Case([&](math::Log1pOp) { return expand.log1p(args[0]); })
      .Case([&](math::PowFOp) { return expand.pow(args[0], args[1]); })
      .Case([&](math::FPowIOp) { return expand.powInt(args[0], args[1]); })
      .Case([&](math::CbrtOp) { return expand.cbrt(args[0]); })
      .Case([&](math::RsqrtOp) { return expand.rsqrt(args[0]); })
      .Case([&](math::SinOp) { return expand.sin(args[0]); })
      .Case([&](math::CosOp) { return expand.cos(args[0]); })
      .Case([&](math::TanOp) { return expand.tan(args[0]); })
      .Case([&](math::AsinOp) { return expand.asin(args[0]); })
      .Case([&](math::AcosOp) { return expand.acos(args[0]); })
      .Case([&](math::AtanOp) { return expand.atan(args[0]); })
      .Case([&](math::Atan2Op) { return expand.atan2(args[0], args[1]); })
      .Case([&](math::SinhOp) { return expand.sinh(args[0]); })
      .Case([&](math::CoshOp) { return expand.cosh(args[0]); })
      .Case([&](math::TanhOp) { return expand.tanh(args[0]); })
      .Case([&](math::AsinhOp) { return expand.asinh(args[0]); })
      .Case([&](math::AcoshOp) { return expand.acosh(args[0]); })
      .Case([&](math::AtanhOp) { return expand.atanh(args[0]); })
      .Case([&](math::ErfOp) { return expand.erf(args[0]); })
      .Case([&](math::ErfcOp) { return expand.erfc(args[0]); })
      .Case([&](math::IPowIOp) { return expand.intPow(args[0], args[1]); })
      .Case([&](mlir::arith::RemFOp) { return expand.fmod(args[0], args[1]); })
      .Default([](mlir::Operation *) { return nullptr; });
}

/// What a vendor's library calls the function of an op; empty where it has none.
static llvm::StringRef libraryName(mlir::Operation &op) {
  return llvm::TypeSwitch<mlir::Operation *, llvm::StringRef>(&op)
      .Case([](math::PowFOp) { return "pow"; })
      .Case([](math::FPowIOp) { return "powi"; })
      .Case([](mlir::arith::RemFOp) { return "fmod"; })
      .Case<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log10Op,
            math::Log1pOp, math::CbrtOp, math::RsqrtOp, math::SinOp, math::CosOp, math::TanOp,
            math::AsinOp, math::AcosOp, math::AtanOp, math::Atan2Op, math::SinhOp, math::CoshOp,
            math::TanhOp, math::AsinhOp, math::AcoshOp, math::AtanhOp, math::ErfOp, math::ErfcOp>(
          [](auto found) { return found->getName().stripDialect(); })
      .Default([](mlir::Operation *) { return ""; });
}

/// A call of the vendor's library; what it calls gets its body from codegen::linkDeviceLibrary.
static llvm::Value *callLibrary(Emitter &e, llvm::StringRef function,
                                llvm::ArrayRef<llvm::Value *> args) {
  llvm::Type *type = args[0]->getType();
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *arg : args)
    types.push_back(arg->getType());
  std::string name =
      codegen::libraryFunctionName(vendorOf(e.target.arch), function, type->isDoubleTy());
  return e.b.CreateCall(
      e.module.getOrInsertFunction(name, llvm::FunctionType::get(type, types, false)), args);
}

/// Applies `compute` to each element of the operands, floats as f32, and rounds its results to
/// `type`.
llvm::Value *KernelLowering::elementWise(
    mlir::Operation &op, llvm::Type *type,
    llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> compute) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  llvm::Value *result = vector ? llvm::PoisonValue::get(vector) : nullptr;
  for (unsigned i = 0, count = vector ? vector->getNumElements() : 1; i < count; ++i) {
    llvm::SmallVector<llvm::Value *> args;
    for (mlir::Value operand : op.getOperands()) {
      llvm::Value *value = at(operand);
      if (vector)
        value = b.CreateExtractElement(value, i);
      bool isNarrow = value->getType()->isHalfTy() || value->getType()->isBFloatTy();
      args.push_back(isNarrow ? b.CreateFPExt(value, b.getFloatTy()) : value);
    }
    llvm::Value *value = compute(args);
    if (!value)
      return nullptr;
    if (value->getType() != type->getScalarType())
      value = b.CreateFPTrunc(value, type->getScalarType());
    result = vector ? b.CreateInsertElement(result, value, i) : value;
  }
  return result;
}

/// By the vendor's library.
LogicalResult KernelLowering::lowerByLibrary(mlir::Operation &op) {
  Vendor vendor = vendorOf(e.target.arch);
  if (!codegen::findDeviceLibrary(vendor)) {
    bool isDouble = wave::elementOf(op.getOperand(0).getType()).isF64();
    codegen::LibraryAdvice advice = codegen::deviceLibraryAdvice(vendor);
    (void)Reported(&op, DiagId::DeviceLibraryMissing, libraryName(op),
                   isDouble ? "float64" : "float32", advice.name, advice.advice);
    return mlir::failure();
  }
  auto call = [&](llvm::StringRef function, mlir::Value result) {
    return elementWise(op, typeOf(result.getType()), [&](llvm::ArrayRef<llvm::Value *> x) {
      return callLibrary(e, function, x);
    });
  };
  if (auto both = mlir::dyn_cast<math::SincosOp>(op)) {
    map(both.getSin(), call("sin", both.getSin()));
    map(both.getCos(), call("cos", both.getCos()));
    return success();
  }
  return done(op, call(libraryName(op), op.getResult(0)));
}

LogicalResult KernelLowering::lowerMath(mlir::Operation &op) {
  mlir::Type element = wave::elementOf(op.getOperand(0).getType());
  if (smallFloat(element))
    return fail(op, "does not compute in 8-bit or 4-bit floats; extend the operands first");
  llvm::SmallVector<llvm::Value *> args;
  for (mlir::Value operand : op.getOperands())
    args.push_back(at(operand));
  if (llvm::Value *value = exactMath(b, op, args))
    return done(op, value);
  bool isFloat = mlir::isa<mlir::FloatType>(element);
  bool isInLibrary = mlir::isa<math::SincosOp>(op) || !libraryName(op).empty();
  if (isFloat && isInLibrary && (element.isF64() || usesLibrary))
    return lowerByLibrary(op);
  llvm::Type *type = typeOf(op.getResult(0).getType());
  if (auto both = mlir::dyn_cast<math::SincosOp>(op)) {
    MathExpansions expand(e);
    map(both.getSin(), elementWise(op, type, [&](auto x) { return expand.sin(x[0]); }));
    map(both.getCos(), elementWise(op, type, [&](auto x) { return expand.cos(x[0]); }));
    return success();
  }
  bool isApproximate = fastMathOf(op).approxFunc();
  if (isApproximate && mlir::isa<math::SinOp, math::CosOp>(op) && element.isF32())
    if (llvm::Value *value = e.approxSine(args[0], mlir::isa<math::CosOp>(op)))
      return done(op, value);
  return done(op, elementWise(op, type, [&](llvm::ArrayRef<llvm::Value *> x) {
                llvm::Value *value = isApproximate ? approximateMath(e, op, x) : nullptr;
                return value ? value : expandMath(e, op, x);
              }));
}

} // namespace tilec::lower
