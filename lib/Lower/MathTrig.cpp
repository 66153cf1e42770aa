//===- MathTrig.cpp - circular functions and their inverses ---------------===//
//
// The angle is reduced in f64 by pi/2 in two parts up to 2^30, and beyond that by
// integer multiplication with the bits of 2/pi that matter (Payne and Hanek).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MathExpansions.h"

#include "MathCoefficients.inc"

#include <limits>

namespace tilec::lower {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846, twoOverPi = 0.63661977236758134308;
// pi/2 = high + low to 106 bits.
constexpr double halfPiHigh = 0x1.921fb54442d18p0, halfPiLow = 0x1.1a62633145c07p-54;
// pi/2 = float + rest.
constexpr double halfPiFloat = 0x1.921fb6p0, halfPiRest = halfPiHigh - halfPiFloat;

/// The first 224 bits of 2/pi after the binary point.
constexpr uint32_t twoOverPiBits[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                      0xdb629599, 0x3c439041, 0xfe5163ab};

/// For 2^30 <= x < 2^128: x = M * 2^s with a 24-bit M, and x * 2/pi modulo 4 needs the bits of 2/pi
/// from weight 2^(1-s) on; 96 of them leave 70 behind the product's binary point.
MathExpansions::Angle MathExpansions::reduceHugeAngle(llvm::Value *x) {
  llvm::Value *bits = b.CreateBitCast(x, b.getInt32Ty());
  llvm::Value *exponent = b.CreateLShr(bits, 23);
  llvm::Value *mantissa = b.CreateOr(b.CreateAnd(bits, b.getInt32(0x7fffff)), b.getInt32(0x800000));
  // 2/pi * 2^(s-2), as a fraction: drop s - 2 leading bits; s = exponent - 150.
  llvm::Value *drop = b.CreateSub(exponent, b.getInt32(152));
  llvm::Value *word = b.CreateLShr(drop, 5), *shift = b.CreateAnd(drop, b.getInt32(31));
  llvm::Value *words[4];
  for (unsigned i = 0; i < 4; ++i) {
    words[i] = b.getInt32(twoOverPiBits[i + 3]);
    for (unsigned j = 3; j-- > 0;)
      words[i] =
          select(b.CreateICmpEQ(word, b.getInt32(j)), b.getInt32(twoOverPiBits[i + j]), words[i]);
  }
  llvm::Value *window[3];
  for (unsigned i = 0; i < 3; ++i)
    window[i] =
        b.CreateIntrinsic(llvm::Intrinsic::fshl, {b.getInt32Ty()}, {words[i], words[i + 1], shift});
  // The upper 64 bits of (M * window) modulo 2^96.
  auto wide = [&](llvm::Value *v) { return b.CreateZExt(v, b.getInt64Ty()); };
  llvm::Value *m = wide(mantissa);
  llvm::Value *low = b.CreateLShr(b.CreateMul(m, wide(window[2])), 32);
  llvm::Value *middle = b.CreateAdd(b.CreateMul(m, wide(window[1])), low);
  llvm::Value *product = b.CreateAdd(b.CreateShl(b.CreateMul(m, wide(window[0])), 32), middle);
  // Two bits of quadrant, then the fraction; taken as signed it lies around the nearest quadrant.
  llvm::Value *quadrant = b.CreateTrunc(b.CreateLShr(product, 62), b.getInt32Ty());
  llvm::Value *fraction = b.CreateShl(product, 2);
  quadrant = b.CreateAdd(quadrant, b.CreateTrunc(b.CreateLShr(fraction, 63), b.getInt32Ty()));
  llvm::Value *rest = mul(b.CreateSIToFP(fraction, b.getDoubleTy()), halfPiHigh * 0x1p-64);
  return {quadrant, rest};
}

MathExpansions::Angle MathExpansions::reduceAngle(llvm::Value *x) {
  llvm::Value *wide = widen(x);
  auto [n, quadrant] = nearest(mul(wide, twoOverPi));
  llvm::Value *rest = fma(n, -halfPiLow, fma(n, -halfPiHigh, wide));

  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::LLVMContext &context = function->getContext();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *huge = llvm::BasicBlock::Create(context, "huge.angle", function);
  auto *join = llvm::BasicBlock::Create(context, "angle", function);
  llvm::Value *magnitude = abs(x);
  llvm::Value *isHuge = b.CreateAnd(b.CreateFCmpOGE(magnitude, number(x, 0x1p30)),
                                    b.CreateFCmpOLT(magnitude, number(x, infinity)));
  b.CreateCondBr(isHuge, huge, join);
  b.SetInsertPoint(huge);
  Angle other = reduceHugeAngle(magnitude);
  llvm::Value *isNegative = isSignSet(x);
  other.quadrant = select(isNegative, b.CreateNeg(other.quadrant), other.quadrant);
  other.rest = select(isNegative, b.CreateFNeg(other.rest), other.rest);
  llvm::BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(join);

  b.SetInsertPoint(join);
  llvm::PHINode *quadrants = b.CreatePHI(b.getInt32Ty(), 2);
  quadrants->addIncoming(quadrant, before);
  quadrants->addIncoming(other.quadrant, end);
  llvm::PHINode *rests = b.CreatePHI(b.getDoubleTy(), 2);
  rests->addIncoming(rest, before);
  rests->addIncoming(other.rest, end);
  return {quadrants, rests};
}

MathExpansions::SinCos MathExpansions::sinCosOf(llvm::Value *rest) {
  llvm::Value *square = b.CreateFMul(rest, rest);
  llvm::Value *cosine = fma(square, -0.5, number(rest, 1.0));
  cosine = fma(b.CreateFMul(square, square), polynomial(cosCoefficients, square), cosine);
  return {oddPolynomial(sinCoefficients, rest), cosine};
}

/// sin of quadrant * pi/2 + rest.
llvm::Value *MathExpansions::fromQuadrant(llvm::Value *quadrant, SinCos values) {
  llvm::Value *isOdd = b.CreateTrunc(quadrant, b.getInt1Ty());
  llvm::Value *value = narrow(select(isOdd, values.cosine, values.sine));
  llvm::Value *isNegative = b.CreateTrunc(b.CreateLShr(quadrant, 1), b.getInt1Ty());
  return select(isNegative, b.CreateFNeg(value), value);
}

llvm::Value *MathExpansions::sin(llvm::Value *x) {
  Angle angle = reduceAngle(x);
  llvm::Value *sine = fromQuadrant(angle.quadrant, sinCosOf(angle.rest));
  return select(equals(x, 0.0), x, sine); // keeps -0
}

llvm::Value *MathExpansions::cos(llvm::Value *x) {
  Angle angle = reduceAngle(x);
  return fromQuadrant(b.CreateAdd(angle.quadrant, b.getInt32(1)), sinCosOf(angle.rest));
}

llvm::Value *MathExpansions::tan(llvm::Value *x) {
  Angle angle = reduceAngle(x);
  SinCos values = sinCosOf(angle.rest);
  llvm::Value *isOdd = b.CreateTrunc(angle.quadrant, b.getInt1Ty());
  llvm::Value *numerator = narrow(select(isOdd, b.CreateFNeg(values.cosine), values.sine));
  llvm::Value *denominator = narrow(select(isOdd, values.sine, values.cosine));
  return select(equals(x, 0.0), x, b.CreateFDiv(numerator, denominator));
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

llvm::Value *MathExpansions::asin(llvm::Value *x) {
  // Beyond 1/2: pi/2 - 2 asin(sqrt((1 - x) / 2)).
  llvm::Value *magnitude = abs(x);
  llvm::Value *isSmall = b.CreateFCmpOLE(magnitude, number(x, 0.5));
  llvm::Value *z = fma(magnitude, -0.5, number(x, 0.5));
  llvm::Value *root = sqrt(z), *argument = select(isSmall, magnitude, root);
  llvm::Value *square = b.CreateFMul(argument, argument);
  llvm::Value *tail =
      b.CreateFMul(b.CreateFMul(argument, square), polynomial(asinCoefficients, square));
  llvm::Value *small = b.CreateFAdd(argument, tail);
  // pi/2 - 2 root cancels: what rounding took from the root and from pi/2 goes with the tail.
  llvm::Value *rootError = fma(b.CreateFNeg(root), root, z);
  rootError = b.CreateFMul(mul(rootError, 0.5), e.approxRcp(root));
  rootError = select(equals(root, 0.0), root, rootError);
  llvm::Value *rest = fma(b.CreateFAdd(tail, rootError), -2.0, number(x, halfPiRest));
  llvm::Value *large = b.CreateFAdd(fma(root, -2.0, number(x, halfPiFloat)), rest);
  return copySign(select(isSmall, small, large), x);
}

llvm::Value *MathExpansions::acos(llvm::Value *x) {
  llvm::Value *magnitude = abs(x);
  llvm::Value *isSmall = b.CreateFCmpOLE(magnitude, number(x, 0.5));
  llvm::Value *root = sqrt(fma(magnitude, -0.5, number(x, 0.5)));
  llvm::Value *part = oddPolynomial(asinCoefficients, select(isSmall, x, root));
  // pi/2 and pi are not f32: their low parts go with the smaller term.
  llvm::Value *middle = b.CreateFSub(number(x, halfPiFloat), add(part, -halfPiRest));
  llvm::Value *twice = mul(part, 2.0);
  llvm::Value *left = b.CreateFSub(number(x, 2 * halfPiFloat), add(twice, -2 * halfPiRest));
  return select(isSmall, middle, select(less(x, 0.0), left, twice));
}

/// atan of t in [0, 1].
llvm::Value *MathExpansions::atanReduced(llvm::Value *t) {
  return oddPolynomial(atanCoefficients, t);
}

llvm::Value *MathExpansions::atan(llvm::Value *x) {
  llvm::Value *magnitude = abs(x);
  llvm::Value *isLarge = b.CreateFCmpOGT(magnitude, number(x, 1.0));
  llvm::Value *inverse = b.CreateFDiv(number(x, 1.0), magnitude);
  llvm::Value *angle = atanReduced(select(isLarge, inverse, magnitude));
  angle = select(isLarge, b.CreateFSub(number(x, halfPiHigh), angle), angle);
  return copySign(angle, x);
}

llvm::Value *MathExpansions::atan2(llvm::Value *y, llvm::Value *x) {
  llvm::Value *ay = abs(y), *ax = abs(x);
  llvm::Value *isSteep = b.CreateFCmpOGT(ay, ax);
  llvm::Value *ratio = b.CreateFDiv(select(isSteep, ax, ay), select(isSteep, ay, ax));
  // 0/0 counts as 0, inf/inf as 1.
  llvm::Value *isEqual = b.CreateFCmpOEQ(ay, ax);
  llvm::Value *ofEqual = select(equals(ax, 0.0), number(x, 0.0), number(x, 1.0));
  llvm::Value *angle = widen(atanReduced(select(isEqual, ofEqual, ratio)));
  angle = select(isSteep, b.CreateFSub(number(angle, halfPiHigh), angle), angle);
  angle = select(isSignSet(x), b.CreateFSub(number(angle, pi), angle), angle);
  return copySign(narrow(angle), y);
}

} // namespace tilec::lower
