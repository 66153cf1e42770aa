//===- Math.cpp - functions of floats, each where it is well conditioned --===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <cmath>

namespace tilec::fuzz {
namespace {

/// A function with the arguments that it gets. `condition` is the largest |x
/// f'(x) / f(x)| there: how much an error of the argument grows. `ulps` is its
/// own error, the reference's half an ulp included (docs/machine-code/lowering.md has the
/// table).
struct FunctionRow {
  const char *name;
  double lo, hi, resultLo, resultHi, condition, ulps;
};
constexpr FunctionRow functions[] = {
    {"exp", -2, 2, 0.135, 7.39, 2, 1.5},       {"exp2", -3, 3, 0.125, 8, 2.1, 1.3},
    {"exp10", -1, 1, 0.1, 10, 2.4, 1.6},       {"log", 1.5, 8, 0.4, 2.08, 2.5, 1},
    {"log2", 1.5, 8, 0.58, 3, 2.5, 1},         {"log10", 1.5, 8, 0.17, 0.91, 2.5, 1},
    {"log1p", 0.5, 4, 0.4, 1.61, 1, 1},        {"sqrt", 0.25, 9, 0.5, 3, 0.5, 0.5},
    {"rsqrt", 0.25, 4, 0.5, 2, 0.5, 1.4},      {"ieee_frsqrt", 0.25, 4, 0.5, 2, 0.5, 1.4},
    {"ieee_fsqrt", 0.25, 9, 0.5, 3, 0.5, 0.5}, {"sin", 0.25, 1.25, 0.24, 0.95, 1, 1},
    {"cos", -1, 1, 0.54, 1, 1.6, 1},           {"tan", 0.2, 1.2, 0.2, 2.6, 3.6, 2.1},
    {"sinh", 0.25, 2, 0.25, 3.7, 2.1, 1.2},    {"cosh", -2, 2, 1, 3.8, 2, 1},
    {"tanh", -2, 2, -0.97, 0.97, 1, 1.3},      {"asin", 0.1, 0.8, 0.1, 0.93, 1.5, 1.9},
    {"acos", -0.8, 0.7, 0.79, 2.5, 1.3, 1.5},  {"atan", 0.25, 3, 0.24, 1.25, 1, 2.1},
    {"asinh", 0.25, 3, 0.24, 1.82, 1, 1.1},    {"acosh", 1.5, 6, 0.96, 2.48, 1.4, 1},
    {"atanh", 0.1, 0.7, 0.1, 0.87, 1.6, 1.2},  {"erf", 0.25, 2, 0.27, 1, 1, 1.5},
    {"sigmoid", -4, 4, 0.017, 0.983, 4, 2},    {"fast_rcp", 0.5, 4, 0.25, 2, 1, 0},
    {"ieee_frcp", 0.5, 4, 0.25, 2, 1, 0},
};

/// Division and square root are rounded correctly everywhere.
bool isExactFunction(const FunctionRow &f) {
  std::string name = f.name;
  return f.ulps == 0 || name == "sqrt" || name == "ieee_fsqrt";
}

} // namespace

Expr Generator::mathCall(const std::vector<Expr> &leaves, int levels) {
  const FunctionRow &f = functions[spread("function", std::size(functions))];
  Expr x = fit(floatExpr(leaves, levels - 1), f.lo, f.hi);
  Facts facts{f.resultLo, f.resultHi, x.facts.exact && isExactFunction(f), 0, 0};
  if (!facts.exact)
    facts.ulps = x.facts.ulps * f.condition + f.ulps;
  std::string name = f.name;
  static const std::set<std::string> fast = {"exp",   "exp10", "log", "log2",
                                             "log10", "sin",   "cos", "tan"};
  if (fast.count(name) && rng.percent(45))
    name = "__" + name;
  return {"T." + name + "(" + x.text + ")", DType::F32, facts};
}

Expr Generator::mathOfTwo(const std::vector<Expr> &leaves, int levels) {
  Expr x = floatExpr(leaves, levels - 1);
  auto make = [](const std::string &text, Facts facts) { return Expr{text, DType::F32, facts}; };
  switch (spread("function of two", 7)) {
  case 0: {
    x = fit(x, 0.5, 2);
    Expr y = fit(exactFloat(leaves, 0), -2, 2);
    return make("T.pow(" + x.text + ", " + y.text + ")", {0.25, 4, false, 2 * x.facts.ulps + 1, 0});
  }
  case 1: {
    x = fit(x, 0.3, 2);
    Expr y = fit(exactFloat(leaves, 0), 0.3, 2);
    return make("T.atan2(" + x.text + ", " + y.text + ")",
                {0.14, 1.43, false, x.facts.ulps + 2.1, 0});
  }
  case 2: {
    Expr y = fit(exactFloat(leaves, 0), 0.3, 2);
    return make("T.hypot(" + x.text + ", " + y.text + ")",
                {0.3, x.facts.mag() + 2, false, x.facts.ulps + 1.5, 0});
  }
  case 6: {
    Expr a = fit(exactFloat(leaves, 1), 0.5, 4);
    return make("T.nextafter(" + a.text + ", " + number(double(rng.between(0, 5))) + ")",
                {0.4, 4.1, true, 0, 0});
  }
  case 3: {
    Expr a = exactFloat(leaves, 1);
    return make("T.fmod(" + a.text + ", " + number(double(rng.between(3, 9)) / 4) + ")",
                {-2.25, 2.25, true, 0, 0});
  }
  case 4: {
    // Devices may differ in the sign of a zero, but not in that of a sum.
    Expr sign = exactFloat(leaves, 0);
    double mag = x.facts.mag();
    return make("T.copysign(" + x.text + ", " + sign.text + " + 0.25)",
                {-mag, mag, x.facts.exact, x.facts.ulps, x.facts.step});
  }
  default: {
    int64_t n = rng.between(-2, 2);
    double scale = std::exp2(double(n));
    return make("T.ldexp(" + x.text + ", " + number(double(n)) + ")",
                {x.facts.lo * scale, x.facts.hi * scale, x.facts.exact, x.facts.ulps, 0});
  }
  }
}

/// Steps: only of exact values, a device may fall on the other side otherwise.
Expr Generator::rounding(const std::vector<Expr> &leaves, int levels) {
  Expr x = exactFloat(leaves, levels);
  std::string scaled = "(" + x.text + " * " + number(double(rng.between(2, 9))) + ")";
  double mag = x.facts.mag() * 9 + 1;
  std::string name = spreadName(
      "rounding", {"floor", "ceil", "trunc", "round", "round_away", "nearbyint", "round"});
  std::string tail;
  if (name == "round" && rng.percent(40))
    tail = ", rounding_mode=" +
           rng.pick({std::string("\"ties-to-even\""), std::string("\"ties-away-from-zero\"")});
  return {"T." + name + "(" + scaled + tail + ")", DType::F32, {-mag, mag, true, 0, 1}};
}

/// Bits of floats as integers and back.
Expr Generator::bitTrick(const std::vector<Expr> &leaves, int levels) {
  Expr x = floatExpr(leaves, levels - 1);
  if (rng.percent(50))
    return {"T.reinterpret(T.reinterpret(" + x.text + ", \"int32\") & 2147483647, \"float32\")",
            DType::F32,
            {0, x.facts.mag(), x.facts.exact, x.facts.ulps, x.facts.step}};
  return {"T.reinterpret(T.reinterpret(" + x.text + ", \"uint32\"), \"float32\")", DType::F32,
          x.facts};
}

} // namespace tilec::fuzz
