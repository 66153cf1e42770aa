//===- Expressions.cpp - values of floats and conditions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace tilec::fuzz {
namespace {

/// The agreement rule allows 2 ulp, and 4 to 8 of the largest element of a row
/// where a function like exp is called: what expressions may add up to.
constexpr double maxUlps = 3;

/// Facts of a * b.
Facts product(const Facts &a, const Facts &b) {
  double ends[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), a.exact && b.exact,
          a.ulps + b.ulps, a.step * b.step};
}

/// Facts of a + b; ulps are infinite where terms that are not exact may cancel.
Facts sum(const Facts &a, const Facts &b) {
  Facts out{a.lo + b.lo, a.hi + b.hi, a.exact && b.exact, 0, 0};
  if (a.step != 0 && b.step != 0)
    out.step = std::min(a.step, b.step);
  double smallest = out.lo > 0 ? out.lo : out.hi < 0 ? -out.hi : 0;
  double error = a.mag() * a.ulps + b.mag() * b.ulps;
  out.ulps = error == 0 ? 0 : smallest == 0 ? HUGE_VAL : error / smallest;
  return out;
}

bool isGood(const Expr &e) { return e.facts.ulps <= maxUlps && e.facts.mag() < 1e6; }

} // namespace

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// What an iteration (i, j) over [P, Q], or (i) over a vector, may read. An
/// update of `dst` reads it at its own place only.
std::vector<Expr> Generator::leavesFor(const std::vector<int64_t> &shape, const Tile *dst) {
  std::vector<Expr> out = scalars;
  bool isFullShape = shape.size() == 2 && shape[0] == P && shape[1] == Q;
  std::string rowIndex = "i", colIndex = shape.size() == 2 ? "j" : "i";
  for (auto &tile : tiles) {
    if (!tile->isReady && tile.get() != dst)
      continue;
    auto add = [&](const std::string &index) {
      out.push_back({tile->name + "[" + index + "]", tile->type, tile->facts});
    };
    if (tile->shape == shape && shape.size() == 2) {
      if (tile.get() == dst && !dst->isReady)
        continue;
      bool isElsewhere = tile.get() != dst && rng.percent(12);
      add(!isElsewhere ? "i, j"
          : rng.percent(50)
              ? std::to_string(shape[0] - 1) + " - i, j"
              : "i, (j + " + std::to_string(rng.between(1, 5)) + ") % " + std::to_string(shape[1]));
    } else if (tile->shape == shape) {
      if (tile.get() != dst || dst->isReady)
        add("i");
    } else if (tile->shape.size() == 1 && shape.size() == 2) {
      if (tile->shape[0] == shape[0])
        add(rowIndex);
      else if (tile->shape[0] == shape[1])
        add(colIndex);
    } else if (tile->shape.size() == 2 && shape.size() == 2 && tile->shape[0] == shape[1] &&
               tile->shape[1] == shape[0] && tile.get() != dst) {
      add("j, i");
    }
  }
  double rowsHi = double(shape[0] - 1), colsHi = double(shape.back() - 1);
  out.push_back({"i", DType::I32, {0, rowsHi, true, 0, 1}});
  if (shape.size() == 2)
    out.push_back({"j", DType::I32, {0, colsHi, true, 0, 1}});
  if (isFullShape && rng.percent(50))
    globalLeaves(out);
  return out;
}

/// Elements of tensors, read where the iteration is; outside of them they are
/// zero.
void Generator::globalLeaves(std::vector<Expr> &out) {
  std::string place = "[" + rowBase + " + i, " + (colBase == "0" ? "j" : colBase + " + j") + "]";
  std::vector<Tensor *> readables = readable;
  if (readables.empty() || rng.percent(50)) {
    Tensor &t = input(rng.percent(70) ? floatType() : intType(), "(" + m + ", " + n + ")",
                      isRaggedM || isRaggedN);
    out.push_back({t.name + place, t.type, t.facts});
  } else {
    Tensor *t = rng.pick(readables);
    out.push_back({t->name + place, t->type, t->facts.withZero()});
  }
}

/// A value for a store into `type`.
Expr Generator::value(DType type, const std::vector<Expr> &leaves, int levels) {
  if (type == DType::Bool)
    return condition(leaves, levels);
  if (type == DType::F64)
    return doubleExpr(leaves, levels);
  if (!isFloat(type)) {
    if (rng.percent(15)) {
      Expr f = bounded(exactFloat(leaves, 1), isUnsigned(type) ? 100 : 100);
      if (isUnsigned(type))
        f = {"T.abs(" + f.text + ")", f.type, {0, f.facts.mag(), true, 0, f.facts.step}};
      return cast(f, type);
    }
    Expr e = intExpr(type, leaves, levels);
    if (levels >= 3)
      e = {"(" + e.text + " ^ " + intCall(type, leaves, 1).text + " ^ " +
               bitwise(type, leaves, 1).text + " ^ " + intCall(type, leaves, 1).text + ")",
           type,
           {minValue(type), maxValue(type), true, 0, 1}};
    return e;
  }
  Expr e = floatExpr(leaves, levels);
  // Statements of their own right call a few functions more.
  for (int i = 0; levels >= 3 && i < 3; ++i)
    e = joined(e, floatTerm(leaves));
  e = bounded(e, safeMagnitude(type));
  if (type == DType::E8M0) // only positive powers of two
    return {"T.exp2(T.cast(" + intLeaf(DType::I32, leaves).text + " % 4, \"float32\"))",
            DType::F32,
            {1, 8, true, 0, 1}};
  return e;
}

Facts Generator::stored(const Facts &facts, DType type) {
  Facts out = facts;
  if (isFloat(type) && type != DType::F32 && type != DType::F64) {
    // A device may round to the other neighbour, far more than f32's ulps.
    if (!facts.exact)
      out.ulps = HUGE_VAL;
    // Half of the largest step between two neighbours, which is above 4 for 4 bits.
    double slack = type == DType::E2M1   ? std::max(0.25, facts.mag() * 0.25)
                   : type == DType::E8M0 ? facts.mag()
                                         : facts.mag() * 0.13;
    out.lo -= slack;
    out.hi += slack;
    if (type != DType::F16 || facts.mag() > 1000)
      out.step = facts.step >= 1 && facts.mag() <= 16 ? facts.step : 0;
  }
  if (isInteger(type) && facts.mag() > maxValue(type))
    out = {minValue(type), maxValue(type), true, 0, 1};
  if (isUnsigned(type) && facts.lo < 0)
    out = {0, maxValue(type), true, 0, 1};
  return out;
}

Expr Generator::toF32(const Expr &e) {
  if (e.type == DType::F32)
    return e;
  if (!isFloat(e.type) && e.facts.mag() > 1 << 20)
    return {"T.cast(" + e.text + " % 64, \"float32\")", DType::F32, {0, 63, true, 0, 1}};
  Facts facts = e.facts;
  switch (rng.below(5)) {
  case 0:
    return {"T.float32(" + e.text + ")", DType::F32, facts};
  case 1:
    return {"T.Cast(\"float32\", " + e.text + ")", DType::F32, facts};
  case 2:
    if (e.text.back() == ']')
      return {e.text + ".astype(\"float32\")", DType::F32, facts};
    [[fallthrough]];
  default:
    return {"T.cast(" + e.text + ", \"float32\")", DType::F32, facts};
  }
}

Expr Generator::floatLeaf(const std::vector<Expr> &leaves) {
  if (!leaves.empty() && rng.percent(88))
    for (int tries = 0; tries < 6; ++tries) {
      const Expr &e = rng.pick(leaves);
      if (e.facts.ulps > maxUlps || e.facts.mag() > 1e5 || (!isFloat(e.type) && rng.percent(50)))
        continue;
      return toF32(e);
    }
  double v = double(rng.between(-12, 12)) / 8;
  return {"T.float32(" + number(v) + ")", DType::F32, {v, v, true, 0, 0.125}};
}

/// An expression all of whose bits are the same everywhere.
Expr Generator::exactFloat(const std::vector<Expr> &leaves, int levels) {
  std::vector<Expr> exact;
  for (const Expr &e : leaves)
    if (e.facts.exact)
      exact.push_back(e);
  Expr e = floatLeaf(exact);
  if (levels > 0 && rng.percent(60)) {
    Expr other = floatLeaf(exact);
    const char *op = rng.pick({"+", "-", "*"});
    Facts f = *op == '*' ? product(e.facts, other.facts)
              : *op == '+'
                  ? sum(e.facts, other.facts)
                  : sum(e.facts, {-other.facts.hi, -other.facts.lo, true, 0, other.facts.step});
    e = {"(" + e.text + " " + op + " " + other.text + ")", DType::F32, f};
  }
  return e;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Expr Generator::floatExpr(const std::vector<Expr> &leaves, int levels) {
  if (levels <= 0)
    return floatLeaf(leaves);
  Expr e;
  int64_t roll = spread("float", 100);
  if (roll < 24)
    e = arithmetic(leaves, levels);
  else if (roll < 40)
    e = choice(leaves, levels);
  else if (roll < 70)
    e = mathCall(leaves, levels);
  else if (roll < 80)
    e = mathOfTwo(leaves, levels);
  else if (roll < 88)
    e = rounding(leaves, levels);
  else if (roll < 94)
    e = bitTrick(leaves, levels);
  else
    e = limits(leaves, levels);
  // What would be badly conditioned gives way to something plain.
  return isGood(e) ? e : floatLeaf(leaves);
}

Expr Generator::floatTerm(const std::vector<Expr> &leaves) {
  int64_t roll = spread("term", 10);
  Expr e = roll < 6 ? mathCall(leaves, 1) : roll < 8 ? mathOfTwo(leaves, 1) : rounding(leaves, 1);
  return isGood(e) ? e : floatLeaf(leaves);
}

/// a + b, or the larger one where a sum would be badly conditioned.
Expr Generator::joined(const Expr &a, const Expr &b) {
  Expr e{"(" + a.text + " + " + b.text + ")", DType::F32, sum(a.facts, b.facts)};
  if (isGood(e))
    return e;
  return {"T.max(" + a.text + ", " + b.text + ")", DType::F32, a.facts.hull(b.facts)};
}

Expr Generator::arithmetic(const std::vector<Expr> &leaves, int levels) {
  Expr a = floatExpr(leaves, levels - 1), b = floatExpr(leaves, levels - 1);
  // Terms that may cancel, and values that grow: neither a sum nor a product.
  if (!isGood({"", DType::F32, sum(a.facts, b.facts)}) ||
      !isGood({"", DType::F32, product(a.facts, b.facts)}))
    return {"T.max(" + a.text + ", " + b.text + ")", DType::F32, a.facts.hull(b.facts)};
  Facts minusB{-b.facts.hi, -b.facts.lo, b.facts.exact, b.facts.ulps, b.facts.step};
  auto make = [&](const std::string &text, const Facts &f) { return Expr{text, DType::F32, f}; };
  switch (spread("arithmetic", 10)) {
  case 0:
  case 1:
    return make("(" + a.text + " + " + b.text + ")", sum(a.facts, b.facts));
  case 2:
    return make("(" + a.text + " - " + b.text + ")", sum(a.facts, minusB));
  case 3:
  case 4:
    return make("(" + a.text + " * " + b.text + ")", product(a.facts, b.facts));
  case 5: {
    b = fit(b, 0.5, 4);
    Facts f = product(a.facts, {1 / b.facts.hi, 1 / b.facts.lo, b.facts.exact, b.facts.ulps, 0});
    f.step = 0;
    return make(rng.percent(30) ? "(" + a.text + " / " + b.text + ")"
                                : "T." + spreadName("division", {"ieee_fdiv", "div"}) + "(" +
                                      a.text + ", " + b.text + ")",
                f);
  }
  case 6:
    return make("T.ieee_add(" + a.text + ", " + b.text + ")", sum(a.facts, b.facts));
  case 7:
    return make("T.ieee_sub(" + a.text + ", " + b.text + ")", sum(a.facts, minusB));
  case 8:
    return make("T.ieee_mul(" + a.text + ", " + b.text + ")", product(a.facts, b.facts));
  default: {
    // A fused multiply-add rounds once: products lose their step.
    Expr c = floatLeaf(leaves);
    Facts f = sum(product(a.facts, b.facts), c.facts);
    return make("T." + rng.pick({std::string("fma"), std::string("ieee_fmaf")}) + "(" + a.text +
                    ", " + b.text + ", " + c.text + ")",
                f);
  }
  }
}

Expr Generator::choice(const std::vector<Expr> &leaves, int levels) {
  Expr a = floatExpr(leaves, levels - 1), b = floatExpr(leaves, levels - 1);
  Facts f = a.facts.hull(b.facts);
  auto make = [&](const std::string &text) { return Expr{text, DType::F32, f}; };
  switch (spread("choice", 8)) {
  case 0:
    return make("T." + spreadName("max", {"max", "maximum"}) + "(" + a.text + ", " + b.text + ")");
  case 1:
    return make("T." + spreadName("min", {"min", "minimum"}) + "(" + a.text + ", " + b.text + ")");
  case 2: {
    double lo = double(rng.between(-8, -1)) / 4, hi = double(rng.between(1, 8)) / 4;
    return {"T.clamp(" + a.text + ", " + number(lo) + ", " + number(hi) + ")",
            DType::F32,
            {lo, hi, a.facts.exact, a.facts.ulps, 0}};
  }
  case 3:
    return {"T." + spreadName("abs", {"abs", "fabs"}) + "(" + a.text + ")",
            DType::F32,
            {0, a.facts.mag(), a.facts.exact, a.facts.ulps, a.facts.step}};
  case 4:
    return make("T.Select(" + condition(leaves, 2).text + ", " + a.text + ", " + b.text + ")");
  case 5:
    return make("(" + a.text + " if " + condition(leaves, 2).text + " else " + b.text + ")");
  default:
    return make("T.if_then_else(" + condition(leaves, 2).text + ", " + a.text + ", " + b.text +
                ")");
  }
}

/// f64 has arithmetic, but no functions.
Expr Generator::doubleExpr(const std::vector<Expr> &leaves, int levels) {
  auto leaf = [&] {
    Expr e = floatLeaf(leaves);
    for (const Expr &l : leaves)
      if (l.type == DType::F64 && l.facts.ulps == 0 && rng.percent(60))
        return l;
    return Expr{"T.cast(" + e.text + ", \"float64\")", DType::F64, e.facts};
  };
  Expr a = leaf();
  for (int i = 0; i < levels; ++i) {
    Expr b = leaf();
    Facts f = rng.percent(50) ? sum(a.facts, b.facts) : product(a.facts, b.facts);
    bool isSum = f.lo == a.facts.lo + b.facts.lo && f.hi == a.facts.hi + b.facts.hi;
    if (f.ulps > maxUlps || f.mag() > 1e6)
      continue;
    a = {"(" + a.text + (isSum ? " + " : " * ") + b.text + ")", DType::F64, f};
    if (!isSum)
      a.facts = product(a.facts, {1, 1, true, 0, 0});
  }
  return a;
}

/// `e` in [lo, hi]: clamped, or moved there when that costs no accuracy.
Expr Generator::fit(Expr e, double lo, double hi) {
  if (e.facts.lo >= lo && e.facts.hi <= hi)
    return e;
  double width = e.facts.hi - e.facts.lo;
  bool overlaps = e.facts.hi > lo && e.facts.lo < hi;
  if (e.facts.exact && width > 0 && width < 1e4 && (!overlaps || rng.percent(50))) {
    // Powers of two keep the product exact, so that only the sum rounds.
    double scale = std::exp2(std::floor(std::log2((hi - lo) * 0.8 / width)));
    double shift = (lo + hi) / 2 - scale * (e.facts.lo + e.facts.hi) / 2;
    std::string text = "(" + e.text + " * " + number(scale) + " + " + number(shift) + ")";
    return {text, DType::F32, {lo, hi, true, 0, 0}};
  }
  Facts f = e.facts;
  f.lo = std::clamp(f.lo, lo, hi);
  f.hi = std::clamp(f.hi, lo, hi);
  f.step = 0;
  return {"T.clamp(" + e.text + ", " + number(lo) + ", " + number(hi) + ")", DType::F32, f};
}

Expr Generator::bounded(Expr e, double mag) {
  if (e.facts.mag() <= mag)
    return e;
  return {"T.min(T.max(" + e.text + ", " + number(-mag) + "), " + number(mag) + ")",
          e.type,
          {std::max(e.facts.lo, -mag), std::min(e.facts.hi, mag), e.facts.exact, e.facts.ulps, 0}};
}

Expr Generator::limits(const std::vector<Expr> &leaves, int levels) {
  Expr a = floatExpr(leaves, levels - 1);
  switch (spread("limits", 3)) {
  case 0:
    return {"T.min(" + a.text + ", T.infinity(\"float32\"))", DType::F32, a.facts};
  case 1:
    return {"T.max(" + a.text + ", T.min_value(\"float32\"))", DType::F32, a.facts};
  default:
    return {"T.min(" + a.text + ", T.max_value(\"float32\"))", DType::F32, a.facts};
  }
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Only of values that have the same bits everywhere.
Expr Generator::condition(const std::vector<Expr> &leaves, int levels) {
  auto make = [](const std::string &text) { return Expr{text, DType::Bool, {0, 1, true, 0, 1}}; };
  if (levels > 1 && rng.percent(70)) {
    Expr a = condition(leaves, levels - 1), b = condition(leaves, levels - 1);
    switch (spread("logic", 5)) {
    case 0:
      return make("T.And(" + a.text + ", " + b.text + ")");
    case 1:
      return make("T.Or(" + a.text + ", " + b.text + ")");
    case 2:
      return make("T.Not(" + a.text + ")");
    case 3:
      return make("(" + a.text + " and " + b.text + ")");
    default:
      return make("(" + a.text + " or " + b.text + ")");
    }
  }
  for (const Expr &e : leaves)
    if (e.type == DType::Bool && rng.percent(30))
      return e;
  std::string compare = rng.pick({" < ", " <= ", " > ", " >= ", " == ", " != "});
  switch (spread("condition", 5)) {
  case 0:
  case 1: {
    Expr a = exactFloat(leaves, 1), b = exactFloat(leaves, 0);
    return make("(" + a.text + compare + b.text + ")");
  }
  case 2: {
    std::string test = spreadName("test", {"isnan", "isinf", "isfinite"});
    return make("T." + test + "(" + exactFloat(leaves, 1).text + ")");
  }
  case 3: {
    Expr a = exactFloat(leaves, 0);
    return make("(" + number(-0.5) + " < " + a.text + " < " + number(0.75) + ")");
  }
  default: {
    Expr a = intExpr(DType::I32, leaves, 1);
    return make("(" + a.text + " % " + std::to_string(rng.between(2, 7)) + compare +
                std::to_string(rng.between(0, 3)) + ")");
  }
  }
}

} // namespace tilec::fuzz
