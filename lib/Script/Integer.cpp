//===- Integer.cpp - Python's unbounded integers --------------------------===//
//
// Python's int on llvm::APInt: arithmetic, text and conversions, up to a largest width that keeps
// every operation short.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Integer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

namespace tilec::script {

void Integer::shrink() {
  unsigned needed = std::max(64u, wide.getSignificantBits());
  wide = wide.sextOrTrunc(needed);
}

std::optional<Integer> Integer::checked(llvm::APInt value) {
  if (value.getSignificantBits() > maxBits)
    return std::nullopt;
  return Integer(std::move(value));
}

std::optional<Integer> Integer::parseSlowly(llvm::StringRef digits, unsigned radix, bool negative) {
  std::optional<Integer> value = Integer(0);
  for (char c : digits) {
    unsigned digit = llvm::isDigit(c)   ? c - '0'
                     : llvm::isAlpha(c) ? llvm::toLower(c) - 'a' + 10
                                        : radix;
    if (digit >= radix)
      return std::nullopt;
    value = mul(*value, Integer(radix));
    value = value ? add(*value, Integer(digit)) : std::nullopt;
    if (!value)
      return std::nullopt;
  }
  return negative ? -*value : *value;
}

std::optional<Integer> Integer::parse(llvm::StringRef digits, unsigned radix) {
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  if (digits.empty() || digits.size() > maxBits)
    return std::nullopt;
  // APInt reads these radixes only; the others come from `int(text, base)` alone.
  if (radix != 2 && radix != 8 && radix != 10 && radix != 16)
    return parseSlowly(digits, radix, negative);
  for (char c : digits)
    if (llvm::hexDigitValue(c) >= radix)
      return std::nullopt;
  unsigned bits = llvm::APInt::getSufficientBitsNeeded(digits, radix) + 1;
  llvm::APInt value(std::max(bits, 65u), digits, radix);
  if (negative)
    value.negate();
  return checked(std::move(value));
}

std::optional<Integer> Integer::fromDouble(double value) {
  if (!std::isfinite(value))
    return std::nullopt;
  int exponent;
  double fraction = std::frexp(std::trunc(value), &exponent);
  if (exponent <= 63)
    return Integer(static_cast<int64_t>(value));
  auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 53)); // exact: 53 significant bits
  return shl(Integer(mantissa), Integer(exponent - 53));
}

namespace {
/// `magnitude` * 2^-`scale`, rounded to nearest once; `sticky` says that a nonzero rest was
/// dropped.
double roundedDouble(const llvm::APInt &magnitude, int scale, bool sticky, bool negative) {
  unsigned bits = magnitude.getActiveBits();
  // 64 bits and a sticky bit at their end round like the whole: 53 of them are kept.
  unsigned drop = bits > 64 ? bits - 64 : 0;
  uint64_t top = magnitude.lshr(drop).zextOrTrunc(64).getZExtValue();
  if (sticky || (drop && magnitude.countr_zero() < drop))
    top |= 1;
  double value = std::ldexp(static_cast<double>(top), static_cast<int>(drop) - scale);
  return negative ? -value : value;
}
} // namespace

double Integer::toDouble() const {
  if (fits64())
    return static_cast<double>(value64());
  return roundedDouble(wide.sext(wide.getBitWidth() + 1).abs(), 0, false, isNegative());
}

double Integer::trueDiv(const Integer &a, const Integer &b) {
  constexpr int64_t exact = int64_t(1) << 53;
  if (a.fits64() && b.fits64() && std::abs(a.value64() / 2) < exact / 2 &&
      std::abs(b.value64() / 2) < exact / 2)
    return static_cast<double>(a.value64()) / static_cast<double>(b.value64());
  // The quotient gets at least 66 bits; the rest only decides the rounding.
  unsigned scale = 66 + b.bitLength();
  unsigned bits = a.wide.getBitWidth() + b.wide.getBitWidth() + scale + 1;
  llvm::APInt quotient, rest;
  llvm::APInt::udivrem(a.wide.sext(bits).abs().shl(scale), b.wide.sext(bits).abs(), quotient, rest);
  return roundedDouble(quotient, static_cast<int>(scale), !rest.isZero(),
                       a.isNegative() != b.isNegative());
}

int Integer::compare(double other) const {
  if (std::isinf(other))
    return other > 0 ? -1 : 1;
  int order = compare(*fromDouble(other));
  double fraction = other - std::trunc(other);
  return order ? order : fraction > 0 ? -1 : fraction < 0 ? 1 : 0;
}

std::string Integer::toString(unsigned radix) const {
  llvm::SmallString<64> text;
  wide.toString(text, radix, /*Signed=*/true, /*formatAsCLiteral=*/false, /*UpperCase=*/false);
  return std::string(text);
}

Integer Integer::operator-() const { return Integer(-wide.sext(wide.getBitWidth() + 1)); }
Integer Integer::operator~() const { return Integer(~wide); }

int Integer::compare(const Integer &other) const {
  unsigned bits = std::max(wide.getBitWidth(), other.wide.getBitWidth());
  llvm::APInt a = wide.sext(bits), b = other.wide.sext(bits);
  return a.slt(b) ? -1 : a.sgt(b) ? 1 : 0;
}

std::optional<Integer> Integer::add(const Integer &a, const Integer &b) {
  unsigned bits = std::max(a.wide.getBitWidth(), b.wide.getBitWidth()) + 1;
  return checked(a.wide.sext(bits) + b.wide.sext(bits));
}

std::optional<Integer> Integer::sub(const Integer &a, const Integer &b) {
  unsigned bits = std::max(a.wide.getBitWidth(), b.wide.getBitWidth()) + 1;
  return checked(a.wide.sext(bits) - b.wide.sext(bits));
}

std::optional<Integer> Integer::mul(const Integer &a, const Integer &b) {
  unsigned bits = a.wide.getBitWidth() + b.wide.getBitWidth();
  return checked(a.wide.sext(bits) * b.wide.sext(bits));
}

std::optional<Integer> Integer::floorDiv(const Integer &a, const Integer &b) {
  if (b.isZero())
    return std::nullopt;
  unsigned bits = std::max(a.wide.getBitWidth(), b.wide.getBitWidth()) + 1;
  llvm::APInt quotient, remainder;
  llvm::APInt::sdivrem(a.wide.sext(bits), b.wide.sext(bits), quotient, remainder);
  if (!remainder.isZero() && remainder.isNegative() != b.isNegative())
    quotient -= 1;
  return checked(std::move(quotient));
}

std::optional<Integer> Integer::floorMod(const Integer &a, const Integer &b) {
  if (b.isZero())
    return std::nullopt;
  unsigned bits = std::max(a.wide.getBitWidth(), b.wide.getBitWidth()) + 1;
  llvm::APInt divisor = b.wide.sext(bits);
  llvm::APInt remainder = a.wide.sext(bits).srem(divisor);
  if (!remainder.isZero() && remainder.isNegative() != b.isNegative())
    remainder += divisor;
  return checked(std::move(remainder));
}

std::optional<Integer> Integer::pow(const Integer &a, const Integer &b) {
  if (b.isNegative() || !b.fits64())
    return std::nullopt;
  uint64_t exponent = b.value64();
  if (a.bitLength() <= 1) { // -1, 0, 1: any exponent is fine
    if (exponent == 0 || a == Integer(1))
      return Integer(1);
    return a.isZero() ? Integer(0) : Integer(exponent % 2 ? -1 : 1);
  }
  if (exponent > maxBits)
    return std::nullopt;
  Integer result(1), base = a;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) {
      auto next = mul(result, base);
      if (!next)
        return std::nullopt;
      result = *next;
    }
    if (exponent > 1) {
      auto square = mul(base, base);
      if (!square)
        return std::nullopt;
      base = *square;
    }
  }
  return result;
}

std::optional<Integer> Integer::powMod(const Integer &a, const Integer &b, const Integer &modulus) {
  if (b.isNegative() || modulus.isZero())
    return std::nullopt;
  std::optional<Integer> result = floorMod(Integer(1), modulus), base = floorMod(a, modulus);
  for (unsigned i = 0; i < b.bitLength(); ++i) {
    if (b.wide[i])
      result = floorMod(*mul(*result, *base), modulus);
    base = floorMod(*mul(*base, *base), modulus);
  }
  return result;
}

Integer Integer::gcd(const Integer &a, const Integer &b) {
  unsigned bits = std::max(a.wide.getBitWidth(), b.wide.getBitWidth()) + 1;
  return Integer(
      llvm::APIntOps::GreatestCommonDivisor(a.wide.sext(bits).abs(), b.wide.sext(bits).abs()));
}

Integer Integer::isqrt(const Integer &a) {
  // Newton's iteration from above: each step stays above the root until it reaches it.
  if (a.isZero())
    return a;
  Integer x = *shl(Integer(1), Integer((a.bitLength() + 1) / 2));
  for (;;) {
    Integer next = *shr(*add(x, *floorDiv(a, x)), Integer(1));
    if (next.compare(x) >= 0)
      return x;
    x = next;
  }
}

std::optional<Integer> Integer::shl(const Integer &a, const Integer &b) {
  if (b.isNegative())
    return std::nullopt;
  if (a.isZero())
    return a;
  if (!b.fits64() || b.value64() > maxBits)
    return std::nullopt;
  unsigned amount = b.value64();
  return checked(a.wide.sext(a.wide.getBitWidth() + amount).shl(amount));
}

std::optional<Integer> Integer::shr(const Integer &a, const Integer &b) {
  if (b.isNegative())
    return std::nullopt;
  unsigned bits = a.wide.getBitWidth();
  unsigned amount = b.fits64() && b.value64() < bits ? b.value64() : bits - 1;
  return Integer(a.wide.ashr(amount));
}

namespace {
template <typename Op> Integer bitwise(const llvm::APInt &a, const llvm::APInt &b, Op op) {
  unsigned bits = std::max(a.getBitWidth(), b.getBitWidth());
  return Integer(op(a.sext(bits), b.sext(bits)));
}
} // namespace

Integer Integer::bitAnd(const Integer &a, const Integer &b) {
  return bitwise(a.wide, b.wide, [](auto x, auto y) { return x & y; });
}
Integer Integer::bitOr(const Integer &a, const Integer &b) {
  return bitwise(a.wide, b.wide, [](auto x, auto y) { return x | y; });
}
Integer Integer::bitXor(const Integer &a, const Integer &b) {
  return bitwise(a.wide, b.wide, [](auto x, auto y) { return x ^ y; });
}

} // namespace tilec::script
