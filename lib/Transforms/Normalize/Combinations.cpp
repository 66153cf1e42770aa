//===- Combinations.cpp - sums, products, extremes of two values ----------===//
//
// The neutral element of each combination, and one step of it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace tilec {

Value identityOf(OpBuilder &b, Location loc, tile::ReduceKind kind, Type type, bool isUnsigned,
                 bool nanPropagate) {
  using Kind = tile::ReduceKind;
  if (auto f = dyn_cast<FloatType>(type)) {
    bool isLimit = kind == Kind::Max || kind == Kind::Min || kind == Kind::AbsMax;
    if (isLimit && !nanPropagate)
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(f, APFloat::getQNaN(f.getFloatSemantics())));
    double value = kind == Kind::Max    ? -std::numeric_limits<double>::infinity()
                   : kind == Kind::Min  ? std::numeric_limits<double>::infinity()
                   : kind == Kind::Prod ? 1.0
                                        : 0.0;
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(f, value));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  isUnsigned |= bits == 1; // true is above false
  APInt value = APInt::getZero(bits);
  if (kind == Kind::Prod)
    value = APInt(bits, 1);
  else if (kind == Kind::BitAnd)
    value = APInt::getAllOnes(bits);
  else if (kind == Kind::Max && !isUnsigned)
    value = APInt::getSignedMinValue(bits);
  else if (kind == Kind::Min)
    value = isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value identityOfElement(OpBuilder &b, Location loc, tile::ReduceKind kind, Type elementType,
                        bool isUnsigned, bool nanPropagate) {
  DType dtype = tile::dtypeOf(elementType);
  Type scalar = tile::scalarTypeOf(elementType);
  bool isLimit = kind == tile::ReduceKind::Max || kind == tile::ReduceKind::Min;
  // A float of 4 bits has no NaN.
  if (!isLimit || !isInteger(dtype) || bitsOf(dtype) >= 8)
    return identityOf(b, loc, kind, scalar, isUnsigned,
                      nanPropagate || (isFloat(dtype) && bitsOf(dtype) < 8));
  // An element of 4 bits is computed with in 8, and does not hold that type's limits.
  double value = kind == tile::ReduceKind::Max ? minValue(dtype) : maxValue(dtype);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(scalar, int64_t(value)));
}

Value combine(OpBuilder &b, Location loc, tile::ReduceKind kind, Value x, Value y, bool isUnsigned,
              bool nanPropagate) {
  using Kind = tile::ReduceKind;
  Type element = getElementTypeOrSelf(x.getType());
  bool isFloat = isa<FloatType>(element);
  isUnsigned |= element.isInteger(1); // true is above false
  if (element.isInteger(1) && (kind == Kind::Sum || kind == Kind::AbsSum))
    kind = Kind::BitOr; // a number that is not 0 is true
  if (element.isInteger(1) && kind == Kind::Prod)
    kind = Kind::BitAnd;
  switch (kind) {
  case Kind::Sum:
  case Kind::AbsSum:
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                   : arith::AddIOp::create(b, loc, x, y).getResult();
  case Kind::Prod:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                   : arith::MulIOp::create(b, loc, x, y).getResult();
  case Kind::Max:
  case Kind::AbsMax:
    if (isFloat)
      return nanPropagate ? arith::MaximumFOp::create(b, loc, x, y).getResult()
                          : arith::MaxNumFOp::create(b, loc, x, y).getResult();
    return isUnsigned ? arith::MaxUIOp::create(b, loc, x, y).getResult()
                      : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case Kind::Min:
    if (isFloat)
      return nanPropagate ? arith::MinimumFOp::create(b, loc, x, y).getResult()
                          : arith::MinNumFOp::create(b, loc, x, y).getResult();
    return isUnsigned ? arith::MinUIOp::create(b, loc, x, y).getResult()
                      : arith::MinSIOp::create(b, loc, x, y).getResult();
  case Kind::BitAnd:
    return arith::AndIOp::create(b, loc, x, y);
  case Kind::BitOr:
    return arith::OrIOp::create(b, loc, x, y);
  case Kind::BitXor:
    return arith::XOrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("unknown combination");
}

} // namespace tilec
