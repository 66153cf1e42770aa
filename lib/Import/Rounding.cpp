//===- Rounding.cpp - one rounding of wide numbers ------------------------===//
//
// Narrow floats are rounded from f32. What f32 does not hold comes there with its last bit set
// where anything was cut off ("round to odd": Boldo and Melquiond, Emulation of FMA and correctly
// rounded sums, 2008), so that the second rounding sees on which side of a tie it was.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {

Value Importer::oddFloat32(Value v, Location loc) {
  using P = arith::CmpFPredicate;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value nearest = arith::TruncFOp::create(b, loc, f32, v);
  Value back = arith::ExtFOp::create(b, loc, v.getType(), nearest);
  auto asBit = [&](P predicate, Value x, Value y) -> Value {
    return arith::ExtUIOp::create(b, loc, i32,
                                  arith::CmpFOp::create(b, loc, predicate, x, y).getResult());
  };
  Value isAway = asBit(P::OGT, math::AbsFOp::create(b, loc, back), math::AbsFOp::create(b, loc, v));
  Value isInexact = asBit(P::ONE, back, v);
  Value bits = arith::BitcastOp::create(b, loc, i32, nearest);
  bits = arith::SubIOp::create(b, loc, bits, isAway);
  bits = arith::OrIOp::create(b, loc, bits, isInexact);
  return arith::BitcastOp::create(b, loc, f32, bits);
}

Value Importer::gathered(Value v, bool isUnsigned, Location loc) {
  Type type = v.getType();
  auto number = [&](int64_t value) { return constant(value, type, loc); };
  auto sum = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, loc, x, y); };
  // From 2^(cut + 9) on the last of bfloat16's 8 bits is 2^(cut + 2): 2^cut is less than half of
  // it. And below 2^(cut + 24) f32 holds the multiples of 2^cut.
  for (int64_t cut : {10, 25, 40}) {
    if (cut + 9 >= type.getIntOrFloatBitWidth())
      break;
    int64_t large = int64_t(1) << (cut + 9), low = (int64_t(1) << cut) - 1;
    // The sum has the bit 2^cut where one of the low bits is set.
    Value rest = sum(arith::AndIOp::create(b, loc, v, number(low)), number(low));
    Value odd = arith::AndIOp::create(b, loc, arith::OrIOp::create(b, loc, v, rest).getResult(),
                                      number(~low));
    Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                          isUnsigned ? v : sum(v, number(large)),
                                          number(isUnsigned ? large : 2 * large));
    v = arith::SelectOp::create(b, loc, isLarge, odd, v);
  }
  return v;
}

bool Importer::fitsFloat32(const Expr *e) const {
  constexpr int64_t mostExact = int64_t(1) << 24;
  std::optional<ExprRange> range = isInteger(e->type) ? rangeOf(e) : std::nullopt;
  return range && range->low >= -mostExact && range->high <= mostExact;
}

} // namespace tilec
