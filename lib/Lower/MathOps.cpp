//===- MathOps.cpp - the math dialect -------------------------------------===//
//
// f16 and bf16 are computed in f32 and rounded once; vectors element by element.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"
#include "Types.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilec::lower {

namespace math = mlir::math;
using mlir::LogicalResult;

/// The ops that LLVM's generic intrinsics do exactly on both vendors; null for any other.
static llvm::Value *exactMath(Builder &b, mlir::Operation &op, llvm::ArrayRef<llvm::Value *> args) {
  auto unary = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, args[0]); };
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
      .Case([&](math::AbsFOp) { return unary(llvm::Intrinsic::fabs); })
      .Case([&](math::AbsIOp) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, args[0], b.getFalse());
      })
      .Case([&](math::CeilOp) { return unary(llvm::Intrinsic::ceil); })
      .Case([&](math::FloorOp) { return unary(llvm::Intrinsic::floor); })
      .Case([&](math::RoundEvenOp) { return unary(llvm::Intrinsic::roundeven); })
      .Case([&](math::TruncOp) { return unary(llvm::Intrinsic::trunc); })
      .Case([&](math::SqrtOp) { return unary(llvm::Intrinsic::sqrt); })
      .Case([&](math::FmaOp) {
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {args[0]->getType()}, args);
      })
      .Case([&](math::CopySignOp) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, args[0], args[1]);
      })
      .Case([&](math::CountLeadingZerosOp) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, args[0], b.getFalse());
      })
      .Case([&](math::CountTrailingZerosOp) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, args[0], b.getFalse());
      })
      .Case([&](math::CtPopOp) { return unary(llvm::Intrinsic::ctpop); })
      .Default([](mlir::Operation *) { return nullptr; });
}

LogicalResult KernelLowering::lowerMath(mlir::Operation &op) {
  llvm::SmallVector<llvm::Value *> args;
  for (mlir::Value operand : op.getOperands())
    args.push_back(at(operand));
  if (smallFloat(wave::elementOf(op.getOperand(0).getType())))
    return fail(op, "does not compute in 8-bit or 4-bit floats; extend the operands first");
  return done(op, exactMath(b, op, args));
}

} // namespace tilec::lower
