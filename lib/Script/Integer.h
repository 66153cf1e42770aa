//===- Integer.h - Python's unbounded integers ----------------------------===//
//
// 64 bits where they suffice, an APInt of as many bits as needed beyond. A result of
// more than maxBits is no integer any more: the caller reports it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilec::script {

class Integer {
public:
  /// No kernel needs more; a script that computes 10**10**10 must end in an error.
  static constexpr unsigned maxBits = 1u << 14;

  Integer(int64_t value = 0) : wide(64, static_cast<uint64_t>(value), /*isSigned=*/true) {}
  explicit Integer(llvm::APInt value) : wide(std::move(value)) { shrink(); }
  static std::optional<Integer> parse(llvm::StringRef digits, unsigned radix);
  /// Truncates towards zero; nothing for NaN and infinities.
  static std::optional<Integer> fromDouble(double value);

  bool fits64() const { return wide.getBitWidth() == 64; }
  /// Only when fits64().
  int64_t value64() const { return wide.getSExtValue(); }
  bool fitsUnsigned64() const { return !isNegative() && wide.getActiveBits() <= 64; }
  uint64_t valueUnsigned64() const { return wide.zextOrTrunc(64).getZExtValue(); }
  bool isNegative() const { return wide.isNegative(); }
  bool isZero() const { return wide.isZero(); }
  /// Bits of the magnitude, as Python's bit_length().
  unsigned bitLength() const { return wide.abs().getActiveBits(); }
  unsigned bitCount() const { return wide.abs().popcount(); } ///< ones of the magnitude
  /// Rounded to nearest; infinity when too large.
  double toDouble() const;
  /// The exact quotient rounded to nearest, as Python's `/`; infinity when too large. `b` is not 0.
  static double trueDiv(const Integer &a, const Integer &b);
  std::string toString(unsigned radix = 10) const;

  Integer operator-() const;
  Integer operator~() const;
  /// <0, 0, >0.
  int compare(const Integer &other) const;
  /// The same, exactly, against a number that is no NaN.
  int compare(double other) const;
  bool operator==(const Integer &other) const { return compare(other) == 0; }

  // Nothing when the result is longer than maxBits; also for a division by zero or a negative
  // shift or exponent, which the caller has to rule out first.
  static std::optional<Integer> add(const Integer &a, const Integer &b);
  static std::optional<Integer> sub(const Integer &a, const Integer &b);
  static std::optional<Integer> mul(const Integer &a, const Integer &b);
  static std::optional<Integer> floorDiv(const Integer &a, const Integer &b);
  static std::optional<Integer> floorMod(const Integer &a, const Integer &b);
  static std::optional<Integer> pow(const Integer &a, const Integer &b);
  static std::optional<Integer> powMod(const Integer &a, const Integer &b, const Integer &modulus);
  static std::optional<Integer> shl(const Integer &a, const Integer &b);
  static std::optional<Integer> shr(const Integer &a, const Integer &b);
  static Integer gcd(const Integer &a, const Integer &b); ///< not negative
  static Integer isqrt(const Integer &a);                 ///< floor of the root; a >= 0
  static Integer bitAnd(const Integer &a, const Integer &b);
  static Integer bitOr(const Integer &a, const Integer &b);
  static Integer bitXor(const Integer &a, const Integer &b);

private:
  static std::optional<Integer> parseSlowly(llvm::StringRef digits, unsigned radix, bool negative);
  void shrink();
  static std::optional<Integer> checked(llvm::APInt value);

  llvm::APInt wide; ///< signed; 64 bits whenever the value fits in them
};

} // namespace tilec::script
