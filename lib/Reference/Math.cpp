//===- Math.cpp - math ops on lanes of scalars ----------------------------===//
//
// Functions on f32 are evaluated in double and rounded once; where the double lies so
// near to the middle of two floats that its own error could decide, long double
// decides. Functions on f64 are evaluated in long double.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Scalars.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>

using namespace mlir;

namespace tilec::reference {
namespace {

/// glibc documents at most 1-2 ulp for the functions used here; 16 leaves room.
bool isNearMidpoint(double value) {
  // The 29 bits that rounding to f32 drops (for normal results).
  uint64_t dropped = std::bit_cast<uint64_t>(value) & ((uint64_t(1) << 29) - 1);
  uint64_t middle = uint64_t(1) << 28;
  bool isTiny = std::fabs(value) < 0x1p-125; // rounds to a denormal, where more bits drop
  return isTiny || (dropped > middle - 16 && dropped < middle + 16);
}

template <typename T, auto Fn> T evaluate(T a) {
  if constexpr (std::is_same_v<T, float>) {
    double value = Fn(double(a));
    if (!isNearMidpoint(value))
      return static_cast<float>(value);
  }
  return static_cast<T>(Fn(static_cast<long double>(a)));
}
template <typename T, auto Fn> T evaluate2(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    double value = Fn(double(a), double(b));
    if (!isNearMidpoint(value))
      return static_cast<float>(value);
  }
  return static_cast<T>(Fn(static_cast<long double>(a), static_cast<long double>(b)));
}

#define UNARY_ROUNDED(Op, expression)                                                              \
  .template Case<math::Op>(                                                                        \
      [](auto) { return mapUnary<T, T, evaluate<T, [](auto x) { return expression; }>>; })
#define UNARY_EXACT(Op, expression)                                                                \
  .template Case<math::Op>([](auto) { return mapUnary<T, T, [](T x) -> T { return expression; }>; })
#define TEST(Op, expression)                                                                       \
  .template Case<math::Op>(                                                                        \
      [](auto) { return mapUnary<T, int64_t, [](T x) -> int64_t { return expression; }>; })

template <typename T> void fusedMultiplyAdd(Frame &frame, const Instr &instr) {
  const T *a = frame.at<T>(instr.a), *b = frame.at<T>(instr.b), *c = frame.at<T>(instr.c);
  T *dst = frame.at<T>(instr.dst);
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = std::fma(a[lane], b[lane], c[lane]);
}

template <typename T> void clampFloat(Frame &frame, const Instr &instr) {
  const T *a = frame.at<T>(instr.a), *b = frame.at<T>(instr.b), *c = frame.at<T>(instr.c);
  T *dst = frame.at<T>(instr.dst);
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = std::fmin(std::fmax(a[lane], b[lane]), c[lane]);
}

template <typename T> void powerOfInt(Frame &frame, const Instr &instr) {
  const T *a = frame.at<T>(instr.a);
  const int64_t *b = frame.at<int64_t>(instr.b);
  T *dst = frame.at<T>(instr.dst);
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = static_cast<T>(
        std::pow(static_cast<long double>(a[lane]), static_cast<long double>(b[lane])));
}

/// 0^0 is 1; a negative exponent truncates 1 / a^|b| towards zero.
void intPower(Frame &frame, const Instr &instr) {
  const int64_t *a = frame.at<int64_t>(instr.a), *b = frame.at<int64_t>(instr.b);
  int64_t *dst = frame.at<int64_t>(instr.dst);
  unsigned bits = instr.imm;
  for (int lane = 0; lane < frame.lanes; ++lane) {
    uint64_t base = a[lane], result = 1;
    int64_t exponent = b[lane];
    if (exponent < 0) {
      if (a[lane] == 0 && frame.isOn(lane))
        return frame.machine.fail(instr.op, "divides by zero");
      dst[lane] = a[lane] == 1 ? 1 : a[lane] == -1 ? (exponent % 2 ? -1 : 1) : 0;
      continue;
    }
    for (; exponent; exponent >>= 1, base *= base)
      if (exponent & 1)
        result *= base;
    dst[lane] = canonInt(int64_t(result), bits);
  }
}

template <auto Fn> void bitsUnary(Frame &frame, const Instr &instr) {
  const int64_t *a = frame.at<int64_t>(instr.a);
  int64_t *dst = frame.at<int64_t>(instr.dst);
  unsigned bits = instr.imm;
  for (int lane = 0; lane < frame.lanes; ++lane)
    dst[lane] = canonInt(Fn(asUnsigned(a[lane], bits), bits), bits);
}

Exec selectIntMath(Operation *op) {
  return llvm::TypeSwitch<Operation *, Exec>(op)
      .Case<math::AbsIOp>([](auto) {
        return bitsUnary<[](uint64_t v, unsigned w) {
          int64_t s = wrapInt(int64_t(v), w);
          return s < 0 ? int64_t(-uint64_t(s)) : s;
        }>;
      })
      .Case<math::CtPopOp>([](auto) {
        return bitsUnary<[](uint64_t v, unsigned) { return int64_t(std::popcount(v)); }>;
      })
      .Case<math::CountLeadingZerosOp>([](auto) {
        return bitsUnary<[](uint64_t v, unsigned w) {
          return int64_t(std::countl_zero(v)) - int64_t(64 - w);
        }>;
      })
      .Case<math::CountTrailingZerosOp>([](auto) {
        return bitsUnary<[](uint64_t v, unsigned w) {
          return std::min<int64_t>(std::countr_zero(v), w);
        }>;
      })
      .Case<math::IPowIOp>([](auto) { return intPower; })
      .Default([](Operation *) -> Exec { return nullptr; });
}

template <typename T> T roundEven(T x) {
  // Neither nearbyint's rounding mode nor roundeven (C23) is relied upon.
  T r = std::round(x);
  return std::fabs(x - std::trunc(x)) == T(0.5) ? std::copysign(T(2) * std::round(x / T(2)), x) : r;
}

template <typename T> Exec selectFloatMath(Operation *op) {
  // clang-format off
  return llvm::TypeSwitch<Operation *, Exec>(op)
      UNARY_ROUNDED(ExpOp, std::exp(x))
      UNARY_ROUNDED(Exp2Op, std::exp2(x))
      UNARY_ROUNDED(ExpM1Op, std::expm1(x))
      UNARY_ROUNDED(LogOp, std::log(x))
      UNARY_ROUNDED(Log2Op, std::log2(x))
      UNARY_ROUNDED(Log10Op, std::log10(x))
      UNARY_ROUNDED(Log1pOp, std::log1p(x))
      UNARY_ROUNDED(RsqrtOp, 1 / std::sqrt(x))
      UNARY_ROUNDED(CbrtOp, std::cbrt(x))
      UNARY_ROUNDED(SinOp, std::sin(x))
      UNARY_ROUNDED(CosOp, std::cos(x))
      UNARY_ROUNDED(TanOp, std::tan(x))
      UNARY_ROUNDED(SinhOp, std::sinh(x))
      UNARY_ROUNDED(CoshOp, std::cosh(x))
      UNARY_ROUNDED(TanhOp, std::tanh(x))
      UNARY_ROUNDED(AsinOp, std::asin(x))
      UNARY_ROUNDED(AcosOp, std::acos(x))
      UNARY_ROUNDED(AtanOp, std::atan(x))
      UNARY_ROUNDED(AsinhOp, std::asinh(x))
      UNARY_ROUNDED(AcoshOp, std::acosh(x))
      UNARY_ROUNDED(AtanhOp, std::atanh(x))
      UNARY_ROUNDED(ErfOp, std::erf(x))
      UNARY_ROUNDED(ErfcOp, std::erfc(x))
      UNARY_EXACT(SqrtOp, std::sqrt(x))
      UNARY_EXACT(AbsFOp, std::fabs(x))
      UNARY_EXACT(CeilOp, std::ceil(x))
      UNARY_EXACT(FloorOp, std::floor(x))
      UNARY_EXACT(TruncOp, std::trunc(x))
      UNARY_EXACT(RoundOp, std::round(x))
      UNARY_EXACT(RoundEvenOp, roundEven(x))
      TEST(IsNaNOp, std::isnan(x))
      TEST(IsInfOp, std::isinf(x))
      TEST(IsFiniteOp, std::isfinite(x))
      TEST(IsNormalOp, std::isnormal(x))
      .template Case<math::PowFOp>([](auto) {
        return mapBinary<T, T, evaluate2<T, [](auto x, auto y) { return std::pow(x, y); }>>;
      })
      .template Case<math::Atan2Op>([](auto) {
        return mapBinary<T, T, evaluate2<T, [](auto x, auto y) { return std::atan2(x, y); }>>;
      })
      .template Case<math::CopySignOp>([](auto) {
        return mapBinary<T, T, [](T x, T y) -> T { return std::copysign(x, y); }>;
      })
      .template Case<math::FmaOp>([](auto) { return fusedMultiplyAdd<T>; })
      .template Case<math::ClampFOp>([](auto) { return clampFloat<T>; })
      .template Case<math::FPowIOp>([](auto) { return powerOfInt<T>; })
      .Default([](Operation *) -> Exec { return nullptr; });
  // clang-format on
}

} // namespace

bool selectMath(Operation *op, Instr &instr) {
  if (op->getNumResults() != 1 || op->getNumOperands() < 1)
    return false;
  Type type = op->getOperand(0).getType();
  instr.imm = widthOf(type);
  instr.run = type.isF32()                        ? selectFloatMath<float>(op)
              : type.isF64()                      ? selectFloatMath<double>(op)
              : isa<IntegerType, IndexType>(type) ? selectIntMath(op)
                                                  : nullptr;
  return instr.run;
}

bool isTranscendental(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log10Op,
             math::Log1pOp, math::RsqrtOp, math::CbrtOp, math::SinOp, math::CosOp, math::TanOp,
             math::SinhOp, math::CoshOp, math::TanhOp, math::AsinOp, math::AcosOp, math::AtanOp,
             math::AsinhOp, math::AcoshOp, math::AtanhOp, math::ErfOp, math::ErfcOp, math::PowFOp,
             math::Atan2Op, math::FPowIOp>(op);
}

} // namespace tilec::reference
