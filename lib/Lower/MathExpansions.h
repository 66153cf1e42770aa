//===- MathExpansions.h - transcendental functions without libraries ------===//
//
// f32 functions as sequences of exact operations (fma, conversions, integer bits),
// so that one numerical test covers both vendors. Errors are below 2 ulp, most below
// 1: docs/machine-code/lowering.md has the measured table. Rare functions compute in f64, whose
// rate on these GPUs is half that of f32 or better.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Emitter.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilec::lower {

/// Emits the expansions; every argument and result is a scalar f32 unless said otherwise.
class MathExpansions {
public:
  explicit MathExpansions(Emitter &emitter) : e(emitter), b(emitter.b) {}

  llvm::Value *exp(llvm::Value *x);
  llvm::Value *expm1(llvm::Value *x);
  /// Natural logarithm times `scale`: ln, log2, log10 by 1, log2(e), log10(e).
  enum class LogBase { E, Two, Ten };
  llvm::Value *log(llvm::Value *x, LogBase base);
  llvm::Value *log1p(llvm::Value *x);
  llvm::Value *pow(llvm::Value *x, llvm::Value *y);
  /// x to an integer power; `n` is any integer.
  llvm::Value *powInt(llvm::Value *x, llvm::Value *n);
  llvm::Value *cbrt(llvm::Value *x);
  llvm::Value *rsqrt(llvm::Value *x);

  llvm::Value *sinh(llvm::Value *x);
  llvm::Value *cosh(llvm::Value *x);
  llvm::Value *tanh(llvm::Value *x);
  /// To 2^-20 of the result, of f32.
  llvm::Value *approxTanh(llvm::Value *x);
  llvm::Value *asinh(llvm::Value *x);
  llvm::Value *acosh(llvm::Value *x);
  llvm::Value *atanh(llvm::Value *x);
  llvm::Value *erf(llvm::Value *x);
  llvm::Value *erfc(llvm::Value *x);
  /// erfc to 2^-17 of itself, to 2^-46 where it is smaller than that.
  llvm::Value *approxErfc(llvm::Value *x);

  // MathTrig.cpp
  llvm::Value *sin(llvm::Value *x);
  llvm::Value *cos(llvm::Value *x);
  llvm::Value *tan(llvm::Value *x);
  llvm::Value *asin(llvm::Value *x);
  llvm::Value *acos(llvm::Value *x);
  llvm::Value *atan(llvm::Value *x);
  llvm::Value *atan2(llvm::Value *y, llvm::Value *x);

  /// C's fmod, exactly, for f32.
  llvm::Value *fmod(llvm::Value *x, llvm::Value *y);
  /// Integer power modulo 2^bits; 0 for |x| > 1 and a negative power.
  llvm::Value *intPow(llvm::Value *x, llvm::Value *n);

private:
  struct Angle {
    llvm::Value *quadrant; ///< i32; its low two bits count
    llvm::Value *rest;     ///< f64 in [-pi/4, pi/4]
  };
  struct SinCos {
    llvm::Value *sine, *cosine; ///< f64
  };

  // Values like `like`, f32 or f64.
  llvm::Constant *number(llvm::Value *like, double value) const;
  llvm::Value *fma(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  llvm::Value *fma(llvm::Value *x, double y, llvm::Value *z);
  llvm::Value *mul(llvm::Value *x, double y);
  llvm::Value *add(llvm::Value *x, double y);
  llvm::Value *abs(llvm::Value *x);
  llvm::Value *copySign(llvm::Value *magnitude, llvm::Value *sign);
  llvm::Value *sqrt(llvm::Value *x);
  llvm::Value *polynomial(llvm::ArrayRef<double> coefficients, llvm::Value *x);
  /// x + x^3 * polynomial(x^2).
  llvm::Value *oddPolynomial(llvm::ArrayRef<double> coefficients, llvm::Value *x);
  llvm::Value *widen(llvm::Value *x);  ///< f32 to f64
  llvm::Value *narrow(llvm::Value *x); ///< f64 to f32
  /// x limited to [low, high]; NaN stays.
  llvm::Value *clamp(llvm::Value *x, double low, double high);
  llvm::Value *select(llvm::Value *condition, llvm::Value *x, llvm::Value *y);
  llvm::Value *less(llvm::Value *x, double y);   ///< ordered
  llvm::Value *equals(llvm::Value *x, double y); ///< ordered
  llvm::Value *isSignSet(llvm::Value *x);        ///< f32

  /// x to the nearest integer, as a float and as i32; |x| below 2^21 (f32) or 2^30 (f64).
  std::pair<llvm::Value *, llvm::Value *> nearest(llvm::Value *x);
  /// e^r - 1 for |r| <= ln2 / 2.
  llvm::Value *expm1Reduced(llvm::Value *r);
  llvm::Value *exactExp(llvm::Value *x); ///< by no approximation of the hardware's
  std::pair<llvm::Value *, llvm::Value *> reduceExp(llvm::Value *x);
  llvm::Value *exp2Wide(llvm::Value *x); ///< f64, clamped so that f32 over- and underflows
  llvm::Value *logWide(llvm::Value *x, double scale, double scaleOfTwo); ///< f64, positive, finite
  llvm::Value *logNarrow(llvm::Value *x);                                ///< f32
  llvm::Value *logOfPositive(llvm::Value *x, double scale, double scaleOfTwo);
  llvm::Value *powWide(llvm::Value *x, llvm::Value *y, llvm::Value *isOdd, llvm::Value *isInteger);
  llvm::Value *erfSmall(llvm::Value *x);
  llvm::Value *pickOdd(llvm::Value *isSmall, llvm::Value *smallValue, llvm::Value *largeMagnitude,
                       llvm::Value *x);

  Angle reduceAngle(llvm::Value *x);
  Angle reduceHugeAngle(llvm::Value *x);
  SinCos sinCosOf(llvm::Value *rest);
  llvm::Value *fromQuadrant(llvm::Value *quadrant, SinCos values);
  llvm::Value *atanReduced(llvm::Value *t);

  Emitter &e;
  Builder &b;
};

} // namespace tilec::lower
