//===- ShortAngles.cpp - functions of what index arithmetic bounds --------===//
//
// The angle is x = n pi/2 + r. pi/2 has three parts of 24 bits here: x - n * (the first) is exact
// for |n| < 2^20, since both terms are near each other and multiples of 2^-23. Polynomials of r
// give sine and cosine, of which n picks one and its sign. Sines and cosines of one angle share all
// but the end: LLVM finds what is computed twice, as there is no branch between.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ShortAngles.h"

#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace tilec {
namespace {

/// What a value lies between, but for roundings.
struct Bounds {
  double low, high;
  bool isFinite() const { return std::isfinite(low) && std::isfinite(high); }
};

std::optional<Bounds> boundsOf(Value value);

std::optional<Bounds> boundsOfInteger(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      break;
    value = op->getOperand(0);
  }
  std::optional<IndexRange> range = rangeOf(value);
  if (!range)
    return std::nullopt;
  return Bounds{double(range->low), double(range->high)};
}

/// The extremes of an operation on the ends of two intervals, which those inside do not pass.
Bounds atEnds(Bounds x, Bounds y, llvm::function_ref<double(double, double)> f) {
  double ends[] = {f(x.low, y.low), f(x.low, y.high), f(x.high, y.low), f(x.high, y.high)};
  return {*llvm::min_element(ends), *llvm::max_element(ends)};
}

std::optional<Bounds> boundsOfBinary(Operation *op) {
  std::optional<Bounds> x = boundsOf(op->getOperand(0)), y = boundsOf(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddFOp>(op))
    return Bounds{x->low + y->low, x->high + y->high};
  if (isa<arith::SubFOp>(op))
    return Bounds{x->low - y->high, x->high - y->low};
  if (isa<arith::MulFOp>(op))
    return atEnds(*x, *y, [](double a, double b) { return a * b; });
  if (isa<arith::DivFOp>(op) && (y->low > 0 || y->high < 0))
    return atEnds(*x, *y, [](double a, double b) { return a / b; });
  if (isa<math::PowFOp>(op) && x->low > 0)
    return atEnds(*x, *y, [](double a, double b) { return std::pow(a, b); });
  return std::nullopt;
}

std::optional<Bounds> boundsOf(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return Bounds{number.getValueAsDouble(), number.getValueAsDouble()};
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::SIToFPOp>(op))
    return boundsOfInteger(op->getOperand(0));
  std::optional<Bounds> bounds;
  if (op->getNumOperands() == 2 && op->getNumResults() == 1)
    bounds = boundsOfBinary(op);
  else if (isa<arith::NegFOp, math::ExpOp, math::Exp2Op>(op))
    if (std::optional<Bounds> x = boundsOf(op->getOperand(0))) {
      bounds = isa<arith::NegFOp>(op) ? Bounds{-x->high, -x->low}
               : isa<math::ExpOp>(op) ? Bounds{std::exp(x->low), std::exp(x->high)}
                                      : Bounds{std::exp2(x->low), std::exp2(x->high)};
    }
  return bounds && bounds->isFinite() ? bounds : std::nullopt;
}

/// Arithmetic on f32, written as formulas.
class Formula {
public:
  explicit Formula(Operation *op) : b(op), loc(op->getLoc()) {}

  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value integer(uint32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value polynomial(llvm::ArrayRef<double> coefficients, Value x) {
    Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }
  /// The sine of x, or of x + pi/2.
  Value sine(Value x, bool isCosine);

private:
  OpBuilder b;
  Location loc;
};

// By tools/dev/minimax.py's `remez`, degree 2, for squares up to 0.68 (0.82 is pi/4 and what n was
// rounded wrongly): (sin r - r) / r^3, relative error 2^-27.5, (cos r - 1 + r^2/2) / r^4, 2^-32.6.
constexpr double sineCoefficients[] = {-0.1666665098189475, 0.008331931045402504,
                                       -0.00019484419162591585};
constexpr double cosineCoefficients[] = {0.041666640171408864, -0.0013887041884044337,
                                         2.4401565764843194e-05};
constexpr double halfPi = 1.57079632679489661923, halfPiRest = 6.123233995736766e-17;
/// Angles up to here are short.
constexpr double longest = 1 << 18;

Value Formula::sine(Value x, bool isCosine) {
  // Added to this, a number is rounded to an integer, which the low bits then hold.
  Value magic = number(0x1.8p23);
  Value shifted = fma(x, number(1 / halfPi), magic);
  Value quadrant = arith::BitcastOp::create(b, loc, b.getI32Type(), shifted);
  Value n = arith::SubFOp::create(b, loc, shifted, magic);
  double first = static_cast<float>(halfPi), second = static_cast<float>(halfPi - first);
  double third = halfPi - first - second + halfPiRest;
  Value r = fma(n, number(-first), x);
  r = fma(n, number(-second), r);
  r = fma(n, number(-third), r);
  Value square = mul(r, r);
  Value sine = fma(mul(r, square), polynomial(sineCoefficients, square), r);
  Value cosine = fma(mul(square, square), polynomial(cosineCoefficients, square),
                     fma(square, number(-0.5), number(1)));
  // Odd quadrants have the other one, and half of the quadrants the other sign.
  Value isOdd = arith::TruncIOp::create(b, loc, b.getI1Type(), quadrant);
  Value value = isCosine ? arith::SelectOp::create(b, loc, isOdd, sine, cosine)
                         : arith::SelectOp::create(b, loc, isOdd, cosine, sine);
  if (isCosine)
    quadrant = arith::AddIOp::create(b, loc, quadrant, integer(1));
  Value sign = arith::ShLIOp::create(b, loc, quadrant, integer(30));
  sign = arith::AndIOp::create(b, loc, sign, integer(0x80000000));
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  bits = arith::XOrIOp::create(b, loc, bits, sign);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

} // namespace

bool hasShortAngle(Operation *op) {
  if (!isa<math::SinOp, math::CosOp>(op) || !op->getResult(0).getType().isF32())
    return false;
  std::optional<Bounds> bounds = boundsOf(op->getOperand(0));
  return bounds && std::max(std::abs(bounds->low), std::abs(bounds->high)) <= longest;
}

bool hasNormalPower(math::Exp2Op op) {
  constexpr double least = -125; // with room for a rounding
  std::optional<Bounds> bounds = boundsOf(op.getOperand());
  return op.getType().isF32() && bounds && bounds->low >= least;
}

void shortenAngle(Operation *op) {
  Value value = Formula(op).sine(op->getOperand(0), isa<math::CosOp>(op));
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

} // namespace tilec
