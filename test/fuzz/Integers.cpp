//===- Integers.cpp - integer values: exact everywhere --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>

namespace tilec::fuzz {
namespace {

Facts anyOf(DType type) { return {minValue(type), maxValue(type), true, 0, 1}; }

/// `value`, or the largest that `type` holds: an expression with a wider literal
/// is an int32.
int64_t literal(DType type, int64_t value) {
  return bitsOf(type) <= 4 ? std::min(value, int64_t(maxValue(type))) : value;
}

} // namespace

Expr Generator::cast(const Expr &e, DType type) {
  if (e.type == type)
    return e;
  Facts f = e.facts;
  if (!isFloat(type)) {
    f.step = 1;
    if (f.lo < minValue(type) || f.hi > maxValue(type))
      f = anyOf(type);
  }
  std::string name = "\"" + std::string(nameOf(type)) + "\"";
  return {rng.percent(50) ? "T.cast(" + e.text + ", " + name + ")"
                          : "T.Cast(" + name + ", " + e.text + ")",
          type, f};
}

Expr Generator::intLeaf(DType type, const std::vector<Expr> &leaves) {
  for (int tries = 0; tries < 5 && !leaves.empty(); ++tries) {
    const Expr &e = rng.pick(leaves);
    if (isFloat(e.type) || !e.facts.exact)
      continue;
    return cast(e, type);
  }
  int64_t v = rng.between(std::max<int64_t>(-9, int64_t(minValue(type))), literal(type, 13));
  return {"T." + std::string(nameOf(type)) + "(" + std::to_string(v) + ")",
          type,
          {double(v), double(v), true, 0, 1}};
}

/// An expression of `type`; sums and products wrap.
Expr Generator::intExpr(DType type, const std::vector<Expr> &leaves, int levels) {
  if (levels <= 0)
    return intLeaf(type, leaves);
  int64_t roll = spread("integer", 100);
  if (roll < 35)
    return bitwise(type, leaves, levels);
  if (roll < 70)
    return intCall(type, leaves, levels);
  Expr a = intExpr(type, leaves, levels - 1), b = intExpr(type, leaves, levels - 1);
  auto make = [&](const std::string &text) { return Expr{text, type, anyOf(type)}; };
  switch (rng.below(7)) {
  case 0:
    return make("(" + a.text + " + " + b.text + ")");
  case 1:
    return make("(" + a.text + " - " + b.text + ")");
  case 2:
    return make("(" + a.text + " * " + b.text + ")");
  case 3:
    return {"(" + a.text + " // " + std::to_string(rng.between(1, literal(type, 9))) + ")", type,
            a.facts.withZero()};
  case 4: {
    int64_t d = rng.between(2, literal(type, 11));
    return {"(" + a.text + " % " + std::to_string(d) + ")", type, {0, double(d - 1), true, 0, 1}};
  }
  case 5:
    return {"T.if_then_else(" + condition(leaves, 1).text + ", " + a.text + ", " + b.text + ")",
            type, a.facts.hull(b.facts)};
  default:
    return {"T.Select(" + condition(leaves, 1).text + ", " + a.text + ", " + b.text + ")", type,
            a.facts.hull(b.facts)};
  }
}

Expr Generator::bitwise(DType type, const std::vector<Expr> &leaves, int levels) {
  Expr a = intExpr(type, leaves, levels - 1), b = intLeaf(type, leaves);
  std::string shift = std::to_string(rng.between(0, std::min<int64_t>(bitsOf(type) - 1, 9)));
  std::string pair = "(" + a.text + ", " + b.text + ")";
  std::string text;
  switch (spread("bitwise", 10)) {
  case 0:
    text = "(" + a.text + rng.pick({std::string(" & "), std::string(" | "), std::string(" ^ ")}) +
           b.text + ")";
    break;
  case 1:
    text = "T.bitwise_and" + pair;
    break;
  case 2:
    text = "T.bitwise_or" + pair;
    break;
  case 3:
    text = "T.bitwise_xor" + pair;
    break;
  case 4:
    text = "T.bitwise_not(" + a.text + ")";
    break;
  case 5:
    text = "T.shift_left(" + a.text + ", " + shift + ")";
    break;
  case 6:
    text = "T.shift_right(" + a.text + ", " + shift + ")";
    break;
  case 7:
    text = "(" + a.text + rng.pick({std::string(" << "), std::string(" >> ")}) + shift + ")";
    break;
  default:
    text = "T." + spreadName("bits", {"popcount", "clz"}) + "(" + a.text + ")";
    break;
  }
  return {text, type, anyOf(type)};
}

Expr Generator::intCall(DType type, const std::vector<Expr> &leaves, int levels) {
  Expr a = intExpr(type, leaves, levels - 1), b = intLeaf(type, leaves);
  std::string d = std::to_string(rng.between(2, literal(type, 9)));
  std::string fifty = std::to_string(literal(type, 50));
  auto make = [&](const std::string &text) { return Expr{text, type, anyOf(type)}; };
  switch (spread("integer call", 14)) {
  case 0:
  case 12:
    return {"T." + spreadName("div", {"floordiv", "indexdiv"}) + "(" + a.text + ", " + d + ")",
            type, a.facts.withZero()};
  case 1:
  case 13:
    return {"T." + spreadName("mod", {"floormod", "indexmod"}) + "(" + a.text + ", " + d + ")",
            type,
            {0, 8, true, 0, 1}};
  case 2:
    return {"T.truncdiv(" + a.text + ", " + d + ")", type, a.facts.withZero()};
  case 3:
    return {"T.truncmod(" + a.text + ", " + d + ")",
            type,
            {isUnsigned(type) ? 0.0 : -8.0, 8, true, 0, 1}};
  case 4:
    return make("T.ceildiv(" + a.text + " % " + fifty + ", " + d + ")");
  case 5:
    return make("T.align_up(" + a.text + " % " + fifty + ", " + d + ")");
  case 6:
    return {"T.max(" + a.text + ", " + b.text + ")", type, a.facts.hull(b.facts)};
  case 7:
    return {"T.min(" + a.text + ", " + b.text + ")", type, a.facts.hull(b.facts)};
  case 8:
    return make("T.pow_of_int(" + a.text + ", " + std::to_string(rng.between(1, 3)) + ")");
  case 9:
    return make("T.abs(" + a.text + " % " + std::to_string(literal(type, 77)) + ")");
  case 10:
    return {"T.min(" + a.text + ", T.max_value(\"" + std::string(nameOf(type)) + "\"))", type,
            a.facts};
  default: {
    int64_t top = literal(type, 21);
    return {"T.clamp(" + a.text + ", 0, " + std::to_string(top) + ")",
            type,
            {0, double(top), true, 0, 1}};
  }
  }
}

} // namespace tilec::fuzz
