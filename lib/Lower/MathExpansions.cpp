//===- MathExpansions.cpp - exponentials, logarithms and their kin --------===//
//
// Takes a function and an operand, gives the polynomial or the hardware's approximation with its
// corrections; MathCoefficients.inc has the numbers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MathExpansions.h"

#include "MathCoefficients.inc"

#include <cmath>
#include <limits>

namespace tilec::lower {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double ln2 = 0.69314718055994530942, log2e = 1.44269504088896340736;
constexpr double log10Of2 = 0.30102999566398119521, log10e = 0.43429448190325182765;

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

llvm::Constant *MathExpansions::number(llvm::Value *like, double value) const {
  return llvm::ConstantFP::get(like->getType(), value);
}
llvm::Value *MathExpansions::fma(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}
llvm::Value *MathExpansions::fma(llvm::Value *x, double y, llvm::Value *z) {
  return fma(x, number(x, y), z);
}
llvm::Value *MathExpansions::mul(llvm::Value *x, double y) { return b.CreateFMul(x, number(x, y)); }
llvm::Value *MathExpansions::add(llvm::Value *x, double y) { return b.CreateFAdd(x, number(x, y)); }
llvm::Value *MathExpansions::abs(llvm::Value *x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}
llvm::Value *MathExpansions::copySign(llvm::Value *magnitude, llvm::Value *sign) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}
llvm::Value *MathExpansions::sqrt(llvm::Value *x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}
llvm::Value *MathExpansions::widen(llvm::Value *x) { return b.CreateFPExt(x, b.getDoubleTy()); }
llvm::Value *MathExpansions::narrow(llvm::Value *x) { return b.CreateFPTrunc(x, b.getFloatTy()); }
llvm::Value *MathExpansions::select(llvm::Value *condition, llvm::Value *x, llvm::Value *y) {
  return b.CreateSelect(condition, x, y);
}
llvm::Value *MathExpansions::less(llvm::Value *x, double y) {
  return b.CreateFCmpOLT(x, number(x, y));
}
llvm::Value *MathExpansions::equals(llvm::Value *x, double y) {
  return b.CreateFCmpOEQ(x, number(x, y));
}
llvm::Value *MathExpansions::isSignSet(llvm::Value *x) {
  return b.CreateICmpSLT(b.CreateBitCast(x, b.getInt32Ty()), b.getInt32(0));
}

llvm::Value *MathExpansions::clamp(llvm::Value *x, double low, double high) {
  x = select(less(x, low), number(x, low), x);
  return select(b.CreateFCmpOGT(x, number(x, high)), number(x, high), x);
}

llvm::Value *MathExpansions::polynomial(llvm::ArrayRef<double> coefficients, llvm::Value *x) {
  llvm::Value *sum = number(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, number(x, coefficient));
  return sum;
}

llvm::Value *MathExpansions::oddPolynomial(llvm::ArrayRef<double> coefficients, llvm::Value *x) {
  llvm::Value *square = b.CreateFMul(x, x);
  return fma(b.CreateFMul(x, square), polynomial(coefficients, square), x);
}

/// Adding 1.5 * 2^(mantissa bits) rounds to an integer, which then sits in the low bits. A
/// conversion of NaN to an integer would be undefined in LLVM IR; this is merely any integer.
std::pair<llvm::Value *, llvm::Value *> MathExpansions::nearest(llvm::Value *x) {
  bool isDouble = x->getType()->isDoubleTy();
  double magic = isDouble ? 0x1.8p52 : 0x1.8p23;
  llvm::Value *shifted = add(x, magic);
  llvm::Value *bits;
  if (isDouble)
    bits = b.CreateTrunc(b.CreateBitCast(shifted, b.getInt64Ty()), b.getInt32Ty());
  else
    bits = b.CreateSub(b.CreateBitCast(shifted, b.getInt32Ty()),
                       b.getInt32(llvm::bit_cast<uint32_t>(static_cast<float>(magic))));
  return {b.CreateFSub(shifted, number(x, magic)), bits};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

llvm::Value *MathExpansions::expm1Reduced(llvm::Value *r) {
  return fma(b.CreateFMul(r, r), polynomial(expCoefficients, r), r);
}

/// x = n * ln2 + r: r and n.
std::pair<llvm::Value *, llvm::Value *> MathExpansions::reduceExp(llvm::Value *x) {
  // ln2 in two parts, the first with 8 zero bits at the end so that n * part is exact.
  constexpr double high = 0x1.62e4p-1, low = ln2 - high;
  auto [n, nInt] = nearest(mul(x, log2e));
  llvm::Value *r = fma(n, -high, x);
  return {fma(n, -low, r), nInt};
}

llvm::Value *MathExpansions::exp(llvm::Value *x) {
  llvm::Value *power = e.exp(x);
  return power ? power : exactExp(x);
}

llvm::Value *MathExpansions::exactExp(llvm::Value *x) {
  // Beyond these, the result is 0 or infinity already.
  auto [r, n] = reduceExp(clamp(x, -104.0, 89.0));
  return e.ldexp(add(expm1Reduced(r), 1.0), n);
}

llvm::Value *MathExpansions::expm1(llvm::Value *x) {
  // 2^n * (e^r - 1) + (2^n - 1) at half scale, since 2^128 is no f32.
  auto [r, n] = reduceExp(clamp(x, -30.0, 89.0));
  llvm::Value *half = e.ldexp(number(x, 0.5), n);
  llvm::Value *sum = fma(expm1Reduced(r), half, add(half, -0.5));
  llvm::Value *result = mul(sum, 2.0);
  return select(equals(x, 0.0), x, result); // keeps -0
}

/// 2^x in f64. The limits are far outside f32, so that the narrowed result is right.
llvm::Value *MathExpansions::exp2Wide(llvm::Value *x) {
  x = clamp(x, -400.0, 400.0);
  auto [n, nInt] = nearest(x);
  llvm::Value *r = b.CreateFSub(x, n);
  llvm::Value *fraction = fma(r, polynomial(exp2Coefficients, r), number(x, 1.0));
  llvm::Value *high = b.CreateShl(b.CreateAdd(nInt, b.getInt32(1023)), 20);
  llvm::Value *words =
      llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(2), b.getInt32(0));
  words = b.CreateInsertElement(words, high, uint64_t(1));
  return b.CreateFMul(fraction, b.CreateBitCast(words, b.getDoubleTy()));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// scale * ln(x) for a positive, finite, normal f64; scaleOfTwo is scale * ln2.
llvm::Value *MathExpansions::logWide(llvm::Value *x, double scale, double scaleOfTwo) {
  auto *pair = llvm::FixedVectorType::get(b.getInt32Ty(), 2);
  llvm::Value *words = b.CreateBitCast(x, pair);
  llvm::Value *high = b.CreateExtractElement(words, uint64_t(1));
  // x = 2^n * m with m in [2/3, 4/3).
  llvm::Value *n = b.CreateAShr(b.CreateSub(high, b.getInt32(0x3fe55555)), 20);
  high = b.CreateSub(high, b.CreateShl(n, 20));
  llvm::Value *m =
      b.CreateBitCast(b.CreateInsertElement(words, high, uint64_t(1)), b.getDoubleTy());
  llvm::Value *f = add(m, -1.0);
  llvm::Value *lnOfM = fma(b.CreateFMul(f, f), polynomial(logCoefficients, f), f);
  if (scale != 1.0)
    lnOfM = mul(lnOfM, scale);
  return fma(b.CreateSIToFP(n, b.getDoubleTy()), scaleOfTwo, lnOfM);
}

/// ln(x) in f32, within one unit of its last place: x = 2^n * m as above, so that n * ln2 and ln(m)
/// never cancel by more than a bit. Conversions from and to f64 would take as long as all of this.
llvm::Value *MathExpansions::logNarrow(llvm::Value *x) {
  llvm::Value *isSmall = less(x, 0x1p-126); // a denormal
  llvm::Value *bits = b.CreateBitCast(select(isSmall, mul(x, 0x1p23), x), b.getInt32Ty());
  llvm::Value *power = b.CreateAnd(b.CreateSub(bits, b.getInt32(0x3f2aaaab)), // 2^23 n
                                   b.getInt32(0xff800000));
  llvm::Value *f = add(b.CreateBitCast(b.CreateSub(bits, power), x->getType()), -1.0);
  llvm::Value *n = fma(b.CreateSIToFP(power, x->getType()), 0x1p-23,
                       select(isSmall, number(x, -23.0), number(x, 0.0)));
  llvm::Value *lnOfM = fma(b.CreateFMul(f, f), polynomial(shortLogCoefficients, f), f);
  llvm::Value *result = fma(n, ln2, lnOfM);
  // As integers, all that has no logarithm, and infinity, is at or above infinity.
  llvm::Value *isSpecial = b.CreateICmpUGE(b.CreateBitCast(x, b.getInt32Ty()), // x, not 2^23 x
                                           b.getInt32(0x7f800000));
  result = select(isSpecial, fma(x, infinity, number(x, infinity)), result);
  return select(equals(x, 0.0), number(x, -infinity), result);
}

/// The f32 logarithm of an f64, with its special values.
llvm::Value *MathExpansions::logOfPositive(llvm::Value *x, double scale, double scaleOfTwo) {
  llvm::Value *result = narrow(logWide(x, scale, scaleOfTwo));
  result = select(equals(x, 0.0), number(result, -infinity), result);
  result = select(equals(x, infinity), number(result, infinity), result);
  return select(b.CreateFCmpOGE(x, number(x, 0.0)), result, number(result, nan));
}

llvm::Value *MathExpansions::log(llvm::Value *x, LogBase base) {
  switch (base) {
  case LogBase::E:
    return logNarrow(x);
  case LogBase::Two:
    return logOfPositive(widen(x), log2e, 1.0);
  case LogBase::Ten:
    return logOfPositive(widen(x), log10e, log10Of2);
  }
  llvm_unreachable("a base without a case");
}

llvm::Value *MathExpansions::log1p(llvm::Value *x) {
  llvm::Value *wide = widen(x);
  llvm::Value *result = logOfPositive(add(wide, 1.0), 1.0, ln2);
  // 1 + x loses digits of a small x: x - x^2 / 2 + x^3 / 3.
  llvm::Value *series = fma(b.CreateFMul(x, x), fma(x, 1.0 / 3, number(x, -0.5)), x);
  return select(less(abs(x), 0x1p-9), series, result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// |x|^y in f64 with the sign and the special cases of C's pow; y is f64.
llvm::Value *MathExpansions::powWide(llvm::Value *x, llvm::Value *y, llvm::Value *isOdd,
                                     llvm::Value *isInteger) {
  llvm::Value *magnitude = abs(x), *wide = widen(magnitude);
  llvm::Value *logarithm = logWide(wide, log2e, 1.0);
  logarithm = select(equals(magnitude, 0.0), number(wide, -infinity), logarithm);
  logarithm = select(equals(magnitude, infinity), number(wide, infinity), logarithm);
  llvm::Value *result = narrow(exp2Wide(b.CreateFMul(y, logarithm)));
  // (+-1)^(+-inf) is 1, not 0 * inf.
  llvm::Value *isUnit = b.CreateAnd(equals(magnitude, 1.0), equals(abs(y), infinity));
  result = select(isUnit, number(x, 1.0), result);
  llvm::Value *isNan = b.CreateOr(b.CreateFCmpUNO(x, x), b.CreateFCmpUNO(y, y));
  // A negative finite base has no power that is no integer.
  llvm::Value *negative = b.CreateAnd(less(x, 0.0), b.CreateFCmpONE(x, number(x, -infinity)));
  isNan = b.CreateOr(isNan, b.CreateAnd(negative, b.CreateNot(isInteger)));
  result = select(b.CreateAnd(isSignSet(x), isOdd), b.CreateFNeg(result), result);
  result = select(isNan, number(x, nan), result);
  llvm::Value *isOne = b.CreateOr(equals(x, 1.0), equals(y, 0.0));
  return select(isOne, number(x, 1.0), result);
}

llvm::Value *MathExpansions::pow(llvm::Value *x, llvm::Value *y) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantFP>(y)) {
    // These are exact or rounded once anyway.
    if (constant->isExactlyValue(1.0))
      return x;
    if (constant->isExactlyValue(2.0))
      return b.CreateFMul(x, x);
    if (constant->isExactlyValue(-1.0))
      return b.CreateFDiv(number(x, 1.0), x);
  }
  auto truncated = [&](llvm::Value *v) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, v);
  };
  llvm::Value *half = mul(y, 0.5);
  llvm::Value *isInteger = b.CreateFCmpOEQ(truncated(y), y);
  llvm::Value *isOdd = b.CreateAnd(isInteger, b.CreateFCmpONE(truncated(half), half));
  return powWide(x, widen(y), isOdd, isInteger);
}

llvm::Value *MathExpansions::powInt(llvm::Value *x, llvm::Value *n) {
  llvm::Value *isOdd = b.CreateTrunc(n, b.getInt1Ty());
  return powWide(x, b.CreateSIToFP(n, b.getDoubleTy()), isOdd, b.getTrue());
}

llvm::Value *MathExpansions::cbrt(llvm::Value *x) {
  llvm::Value *magnitude = abs(x);
  llvm::Value *root = narrow(exp2Wide(mul(logWide(widen(magnitude), log2e, 1.0), 1.0 / 3)));
  // 0, infinity and NaN are their own roots.
  llvm::Value *isOwn = b.CreateOr(equals(x, 0.0), b.CreateFCmpUEQ(magnitude, number(x, infinity)));
  return select(isOwn, x, copySign(root, x));
}

llvm::Value *MathExpansions::rsqrt(llvm::Value *x) {
  // The hardware takes denormals for zero.
  llvm::Value *isTiny = less(abs(x), 0x1p-100);
  llvm::Value *scaled = select(isTiny, mul(x, 0x1p40), x);
  llvm::Value *root = e.approxRsqrt(scaled);
  // One step of Newton's method, except where it would make NaN of infinity.
  llvm::Value *error = fma(b.CreateFNeg(b.CreateFMul(scaled, root)), root, number(x, 1.0));
  llvm::Value *better = fma(mul(error, 0.5), root, root);
  llvm::Value *isRegular = b.CreateAnd(b.CreateFCmpOGT(scaled, number(x, 0.0)),
                                       b.CreateFCmpOLT(scaled, number(x, infinity)));
  root = select(isRegular, better, root);
  return select(isTiny, mul(root, 0x1p20), root);
}

llvm::Value *MathExpansions::intPow(llvm::Value *x, llvm::Value *n) {
  llvm::Type *type = x->getType();
  unsigned bits = type->getIntegerBitWidth();
  llvm::Value *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  // Squaring, once for each bit of the power: few enough to be straight code for 8 and 16 bits, and
  // no worse than a loop, which would not end the same way in all lanes.
  llvm::Value *result = one, *power = x;
  for (unsigned bit = 0; bit < bits; ++bit) {
    llvm::Value *isSet = b.CreateTrunc(b.CreateLShr(n, bit), b.getInt1Ty());
    result = select(isSet, b.CreateMul(result, power), result);
    power = b.CreateMul(power, power);
  }
  // x^-n is 1 or -1 for a unit and truncates to 0 for the rest.
  llvm::Value *isOdd = b.CreateTrunc(n, b.getInt1Ty());
  llvm::Value *minusOne = llvm::ConstantInt::getAllOnesValue(type);
  llvm::Value *inverse = select(b.CreateICmpEQ(x, one), one, zero);
  inverse = select(b.CreateICmpEQ(x, minusOne), select(isOdd, minusOne, one), inverse);
  return select(b.CreateICmpSLT(n, zero), inverse, result);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// An odd function from its value near 0 and its magnitude elsewhere. The series of -0 is 0.
llvm::Value *MathExpansions::pickOdd(llvm::Value *isSmall, llvm::Value *smallValue,
                                     llvm::Value *largeMagnitude, llvm::Value *x) {
  return copySign(select(isSmall, smallValue, largeMagnitude), x);
}

llvm::Value *MathExpansions::sinh(llvm::Value *x) {
  llvm::Value *magnitude = abs(x), *exponent = mul(widen(magnitude), log2e);
  llvm::Value *difference = b.CreateFSub(exp2Wide(exponent), exp2Wide(b.CreateFNeg(exponent)));
  return pickOdd(less(magnitude, 1.0), oddPolynomial(sinhCoefficients, x),
                 narrow(mul(difference, 0.5)), x);
}

llvm::Value *MathExpansions::cosh(llvm::Value *x) {
  llvm::Value *exponent = mul(widen(abs(x)), log2e);
  llvm::Value *sum = b.CreateFAdd(exp2Wide(exponent), exp2Wide(b.CreateFNeg(exponent)));
  return narrow(mul(sum, 0.5));
}

llvm::Value *MathExpansions::tanh(llvm::Value *x) {
  // 1 - 2 / (e^2x + 1); from 10 on it is 1.
  llvm::Value *magnitude = abs(x);
  llvm::Value *power = exactExp(mul(clamp(magnitude, 0.0, 10.0), 2.0));
  llvm::Value *large = fma(e.approxRcp(add(power, 1.0)), -2.0, number(x, 1.0));
  return pickOdd(less(magnitude, 0.625), oddPolynomial(tanhCoefficients, x), large, x);
}

llvm::Value *MathExpansions::approxTanh(llvm::Value *x) {
  // The power of an infinity, or what overflows, gives 1 as well.
  llvm::Value *magnitude = abs(x);
  llvm::Value *power = e.approxExp2(mul(magnitude, 2 * log2e));
  llvm::Value *large = fma(e.approxRcp(add(power, 1.0)), -2.0, number(x, 1.0));
  return pickOdd(less(magnitude, 0.25), oddPolynomial(shortTanhCoefficients, x), large, x);
}

llvm::Value *MathExpansions::asinh(llvm::Value *x) {
  llvm::Value *magnitude = abs(x), *wide = widen(magnitude);
  llvm::Value *root = sqrt(fma(wide, wide, number(wide, 1.0)));
  llvm::Value *large = logOfPositive(b.CreateFAdd(wide, root), 1.0, ln2);
  llvm::Value *series = fma(b.CreateFMul(x, b.CreateFMul(x, x)), -1.0 / 6, x);
  return pickOdd(less(magnitude, 0x1p-6), series, large, x);
}

llvm::Value *MathExpansions::acosh(llvm::Value *x) {
  llvm::Value *wide = widen(x);
  llvm::Value *root = sqrt(b.CreateFMul(add(wide, -1.0), add(wide, 1.0)));
  llvm::Value *result = logOfPositive(b.CreateFAdd(wide, root), 1.0, ln2);
  return select(less(x, 1.0), number(x, nan), result);
}

llvm::Value *MathExpansions::atanh(llvm::Value *x) {
  llvm::Value *magnitude = abs(x), *wide = widen(magnitude);
  llvm::Value *ratio = b.CreateFDiv(add(wide, 1.0), b.CreateFSub(number(wide, 1.0), wide));
  llvm::Value *large = logOfPositive(ratio, 0.5, 0.5 * ln2);
  llvm::Value *series = fma(b.CreateFMul(x, b.CreateFMul(x, x)), 1.0 / 3, x);
  return pickOdd(less(magnitude, 0x1p-6), series, large, x);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

llvm::Value *MathExpansions::erfSmall(llvm::Value *x) {
  return fma(x, polynomial(erfCoefficients, b.CreateFMul(x, x)), x);
}

llvm::Value *MathExpansions::erf(llvm::Value *x) {
  // The tail is 0.16 at most, and so counts what its power is off. Beyond 4, where the polynomial
  // was fitted, it falls on: erf(4) rounds to 1.
  llvm::Value *magnitude = abs(x);
  llvm::Value *tail = e.approxExp2(polynomial(erfTailCoefficients, magnitude));
  llvm::Value *large = b.CreateFSub(number(x, 1.0), tail);
  return pickOdd(less(magnitude, 1.0), erfSmall(x), large, x);
}

llvm::Value *MathExpansions::erfc(llvm::Value *x) {
  llvm::Value *nearZero = b.CreateFSub(number(x, 1.0), erf(x));
  // e^(-x^2) times a polynomial in 2 / (2 + x), in f64.
  llvm::Value *wide = clamp(widen(x), 0.5, 20.0);
  llvm::Value *t = b.CreateFDiv(number(wide, 2.0), add(wide, 2.0));
  llvm::Value *power = exp2Wide(mul(b.CreateFMul(wide, wide), -log2e));
  llvm::Value *tail = narrow(b.CreateFMul(power, polynomial(erfcCoefficients, t)));
  return select(less(x, 0.5), nearZero, tail);
}

llvm::Value *MathExpansions::approxErfc(llvm::Value *x) {
  // From where on the power is zero, which a large factor must not make something of. (Far beyond
  // it the polynomial grows again.)
  llvm::Value *magnitude = clamp(abs(x), 0.0, 13.0);
  llvm::Value *tail =
      e.approxExp2(b.CreateFMul(magnitude, polynomial(erfcPowerCoefficients, magnitude)));
  return select(less(x, 0.0), b.CreateFSub(number(x, 2.0), tail), tail);
}

//===----------------------------------------------------------------------===//
// Remainder
//===----------------------------------------------------------------------===//

/// In f64: as long as the quotient has at most 28 bits, remainder = r - q * m is exact. A larger
/// quotient is first taken against m * 2^k.
llvm::Value *MathExpansions::fmod(llvm::Value *x, llvm::Value *y) {
  llvm::Value *divisor = widen(abs(y)), *start = widen(abs(x));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::LLVMContext &context = function->getContext();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "fmod", function);
  auto *exit = llvm::BasicBlock::Create(context, "fmod.end", function);
  // Infinite or NaN operands and a zero divisor give no rounds, and NaN below.
  llvm::Value *isFinite = b.CreateAnd(b.CreateFCmpOLT(start, number(start, infinity)),
                                      b.CreateFCmpOGT(divisor, number(start, 0.0)));
  b.CreateCondBr(b.CreateAnd(isFinite, b.CreateFCmpOGE(start, divisor)), loop, exit);

  b.SetInsertPoint(loop);
  llvm::PHINode *rest = b.CreatePHI(b.getDoubleTy(), 2);
  rest->addIncoming(start, before);
  llvm::Value *quotient = b.CreateFDiv(rest, divisor);
  // The quotient's exponent beyond 28 bits becomes a factor of the divisor.
  llvm::Value *highWord =
      b.CreateTrunc(b.CreateLShr(b.CreateBitCast(quotient, b.getInt64Ty()), 52), b.getInt32Ty());
  llvm::Value *shift = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, b.CreateSub(highWord, b.getInt32(1023 + 27)), b.getInt32(0));
  auto power = [&](llvm::Value *exponent) {
    llvm::Value *bits = b.CreateZExt(b.CreateAdd(exponent, b.getInt32(1023)), b.getInt64Ty());
    return b.CreateBitCast(b.CreateShl(bits, 52), b.getDoubleTy());
  };
  llvm::Value *scaledDivisor = b.CreateFMul(divisor, power(shift));
  llvm::Value *scaledQuotient = b.CreateUnaryIntrinsic(
      llvm::Intrinsic::trunc, b.CreateFMul(quotient, power(b.CreateNeg(shift))));
  llvm::Value *next = fma(b.CreateFNeg(scaledQuotient), scaledDivisor, rest);
  // The rounded quotient may be one too large.
  next = select(less(next, 0.0), b.CreateFAdd(next, scaledDivisor), next);
  rest->addIncoming(next, loop);
  b.CreateCondBr(b.CreateFCmpOGE(next, divisor), loop, exit);

  b.SetInsertPoint(exit);
  llvm::PHINode *result = b.CreatePHI(b.getDoubleTy(), 2);
  result->addIncoming(start, before);
  result->addIncoming(next, loop);
  llvm::Value *value = copySign(narrow(result), x);
  llvm::Value *isDefined = b.CreateAnd(isFinite, b.CreateFCmpORD(y, y));
  return select(isDefined, value, number(x, nan));
}

} // namespace tilec::lower
