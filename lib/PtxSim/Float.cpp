//===- Float.cpp - floating-point arithmetic ------------------------------===//
//
// Rounding is to nearest even. The approximate functions are computed to the last bit
// here, hardware's are within a few units: the agreement rule has room for both.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Lanes.h"

#include "tilec/Base/DType.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilec::ptx {

float floatOfHalf(uint16_t bits) {
  static const std::vector<float> table = [] {
    std::vector<float> all(1 << 16);
    for (unsigned i = 0; i < all.size(); ++i)
      all[i] = float(tilec::decodeFloat(DType::F16, i));
    return all;
  }();
  return table[bits];
}
uint16_t halfOfFloat(double value) { return uint16_t(tilec::encodeFloat(DType::F16, value)); }
uint16_t brainOfFloat(double value) { return uint16_t(tilec::encodeFloat(DType::BF16, value)); }

namespace {

double real(float v) { return v; }
double real(double v) { return v; }
double real(Half v) { return v.value; }
double real(Brain v) { return v.value; }

template <typename T> T clamped(T value, bool saturates) {
  if (!saturates)
    return value;
  double v = real(value);
  return std::isnan(v) || v < 0 ? T{0} : v > 1 ? T{1} : value;
}

float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.f, v) : v; }
template <typename T> T flushed(T v) { return v; }

/// Calls `run(T(), pairs)` for the C++ type of a float.
template <typename F> Step forFloat(Ty type, F run) {
  switch (type) {
  case Ty::F64:
    return run(double(), false);
  case Ty::F16:
    return run(Half(), false);
  case Ty::F16x2:
    return run(Half(), true);
  case Ty::BF16:
    return run(Brain(), false);
  case Ty::BF16x2:
    return run(Brain(), true);
  case Ty::F32x2: // sm_100, PTX 8.6: add, sub, mul, fma
    return run(float(), true);
  default:
    return run(float(), false);
  }
}

template <typename T> T make(double value) {
  if constexpr (std::is_same_v<T, float>)
    return float(value);
  else if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return T{value};
}

/// A function of `Count` floats; `f` takes and gives values of the type.
template <unsigned Count, typename F>
Step compute(Warp &warp, const Instruction &instr, uint32_t lanes, F f) {
  return forFloat(instr.type, [&](auto zero, bool pairs) {
    using T = decltype(zero);
    auto one = [&](auto... values) -> T {
      T result = instr.flushes ? flushed(f(flushed(values)...)) : f(values...);
      return clamped(result, instr.saturates);
    };
    if (pairs)
      return mapPairs<T>(warp, instr, lanes, one, std::make_index_sequence<Count>());
    return map<Count, T>(warp, instr, lanes, one);
  });
}

// f32 is rounded once: the double holds every product exactly, and a sum or a quotient of floats is
// rounded rightly through it (53 >= 2 * 24 + 2).
#define TILEC_FLOAT2(Name, Expr)                                                                   \
  Step Name(Warp &warp, const Instruction &instr, uint32_t lanes) {                                \
    return compute<2>(warp, instr, lanes, [](auto x, auto y) {                                     \
      double a = real(x), b = real(y);                                                             \
      return make<decltype(x)>(Expr);                                                              \
    });                                                                                            \
  }
#define TILEC_FLOAT1(Name, Expr)                                                                   \
  Step Name(Warp &warp, const Instruction &instr, uint32_t lanes) {                                \
    return compute<1>(warp, instr, lanes, [](auto x) {                                             \
      double a = real(x);                                                                          \
      return make<decltype(x)>(Expr);                                                              \
    });                                                                                            \
  }

enum Mixed : uint8_t { Added, Subtracted, Fused };

TILEC_FLOAT2(add, a + b)
TILEC_FLOAT2(sub, a - b)
TILEC_FLOAT2(mul, a *b)
TILEC_FLOAT2(divide, a / b)
TILEC_FLOAT1(absolute, std::fabs(a))
TILEC_FLOAT1(negate, -a)
TILEC_FLOAT1(root, std::sqrt(a))
TILEC_FLOAT1(reciprocalRoot, 1 / std::sqrt(a))
TILEC_FLOAT1(reciprocal, 1 / a)
TILEC_FLOAT1(power2, std::exp2(a))
TILEC_FLOAT1(logarithm2, std::log2(a))
TILEC_FLOAT1(sine, std::sin(a))
TILEC_FLOAT1(cosine, std::cos(a))
TILEC_FLOAT1(tangentH, std::tanh(a))

/// The first operand gives the sign. Of the byte with the sign only that operand must have a value:
/// ptxas' input gives an undefined magnitude where nothing but the sign is used.
template <typename Bits> Step copySignOf(Warp &warp, const Instruction &instr, uint32_t lanes) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  constexpr uint8_t all = uint8_t((1u << sizeof(Bits)) - 1), top = 1u << (sizeof(Bits) - 1);
  Value from = warp.in(instr.args[1]), to = warp.in(instr.args[2]);
  uint64_t results[warpLanes];
  uint8_t known[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    results[lane] = (Bits(to[lane]) & ~sign) | (Bits(from[lane]) & sign);
    known[lane] = uint8_t((from.bytes[lane] & top) | (to.bytes[lane] & ~top) | ~all);
  }
  warp.outBytes(instr.args[0], lanes, results, known);
  return Step::Next;
}
Step copySign(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return instr.type == Ty::F64 ? copySignOf<uint64_t>(warp, instr, lanes)
                               : copySignOf<uint32_t>(warp, instr, lanes);
}

Step fusedMultiplyAdd(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return compute<3>(warp, instr, lanes, [](auto x, auto y, auto z) {
    using T = decltype(x);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      return std::fma(x, y, z);
    else
      return make<T>(real(x) * real(y) + real(z));
  });
}

/// fma, add and mul of f32 and f64 that do not round to nearest; the instruction's mode2 says how.
template <unsigned Count> Step directed(Warp &warp, const Instruction &instr, uint32_t lanes) {
  auto rounding = static_cast<RoundingMode>(instr.mode2);
  bool isProduct = instr.mode;
  return compute<Count>(warp, instr, lanes, [&](auto x, auto y, auto... rest) {
    using T = decltype(x);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      APFloat result(x);
      if constexpr (sizeof...(rest) == 1)
        (result.fusedMultiplyAdd(APFloat(y), APFloat(rest...), rounding));
      else if (isProduct)
        result.multiply(APFloat(y), rounding);
      else
        result.add(APFloat(y), rounding);
      if constexpr (std::is_same_v<T, float>)
        return result.convertToFloat();
      else
        return result.convertToDouble();
    } else {
      return x; // decodeFloat lets no other type here
    }
  });
}

Handler directedHandler(const Statement &s, Instruction &i) {
  i.mode2 = uint8_t(s.has("rz")   ? RoundingMode::TowardZero
                    : s.has("rm") ? RoundingMode::TowardNegative
                                  : RoundingMode::TowardPositive);
  i.mode = s.opcode == "mul";
  if (i.type != Ty::F32 && i.type != Ty::F64)
    return nullptr;
  if (s.opcode == "fma")
    return directed<3>;
  return s.opcode == "mul" || s.opcode == "add" ? Handler(directed<2>) : nullptr;
}

/// Of numbers; a NaN loses unless mode 1 says that it wins. -0 is less than +0.
template <bool IsMin> Step extreme(Warp &warp, const Instruction &instr, uint32_t lanes) {
  bool nanWins = instr.mode;
  return compute<2>(warp, instr, lanes, [&](auto x, auto y) {
    double a = real(x), b = real(y);
    if (std::isnan(a) || std::isnan(b)) {
      bool both = std::isnan(a) && std::isnan(b);
      return make<decltype(x)>(nanWins || both ? std::nan("") : std::isnan(a) ? b : a);
    }
    bool takesA = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return takesA == IsMin ? x : y;
  });
}

enum Property : uint8_t { NotANumber, Finite, Infinite, Number };

/// Bit 0-2: less, equal, greater; bit 3: unordered.
enum Relation : uint8_t { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

Step compare(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forFloat(instr.type, [&](auto zero, bool) {
    using T = decltype(zero);
    return map<2, T>(warp, instr, lanes, [&](T x, T y) -> bool {
      if (instr.flushes)
        x = flushed(x), y = flushed(y);
      double a = real(x), b = real(y);
      uint8_t relation = a < b ? Less : a > b ? Greater : a == b ? Equal : Unordered;
      return (instr.mode & relation) != 0;
    });
  });
}

Step test(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forFloat(instr.type, [&](auto zero, bool) {
    using T = decltype(zero);
    return map<1, T>(warp, instr, lanes, [&](T x) -> bool {
      switch (instr.mode) {
      case Finite:
        return std::isfinite(real(x));
      case Infinite:
        return std::isinf(real(x));
      case Number:
        return !std::isnan(real(x));
      default:
        return std::isnan(real(x));
      }
    });
  });
}

/// add, sub and fma.f32.{f16, bf16} (PTX ISA 8.6): the last operand and the result are f32, the
/// others of the narrow type; rounded once.
Step mixed(Warp &warp, const Instruction &instr, uint32_t lanes) {
  return forFloat(instr.type, [&](auto zero, bool) {
    using T = decltype(zero);
    size_t count = instr.args.size() - 1;
    SmallVector<Value, 3> values;
    uint32_t defined = ~0u;
    for (size_t i = 0; i < count; ++i) {
      values.push_back(warp.in(instr.args[1 + i]));
      defined &= values.back().defined;
    }
    uint64_t results[warpLanes];
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      float a = float(real(unpack<T>(values[0].lanes[lane])));
      float last = unpack<float>(values[count - 1].lanes[lane]);
      float result = instr.mode == Fused
                         ? std::fma(a, float(real(unpack<T>(values[1].lanes[lane]))), last)
                     : instr.mode == Subtracted ? a - last
                                                : a + last;
      results[lane] = pack(clamped(result, instr.saturates));
    }
    warp.out(instr.args[0], lanes, results, defined);
    return Step::Next;
  });
}

} // namespace

/// An arithmetic instruction whose operands are of two types; null for one that is not known.
static Handler mixedHandler(const Statement &s, Instruction &i) {
  std::optional<Mixed> mode = StringSwitch<std::optional<Mixed>>(s.opcode)
                                  .Case("add", Added)
                                  .Case("sub", Subtracted)
                                  .Case("fma", Fused)
                                  .Default(std::nullopt);
  bool isKnown = mode && s.mods.size() >= 2 && s.mods[s.mods.size() - 2] == "f32" &&
                 (s.mods.back() == "f16" || s.mods.back() == "bf16") && !i.flushes &&
                 i.args.size() == (mode == Fused ? 4u : 3u);
  if (!isKnown)
    return nullptr;
  i.mode = *mode;
  return mixed;
}

static Handler floatHandler(const Statement &s, Instruction &i) {
  if (s.has("relu") || s.has("xorsign"))
    return nullptr;
  if (count_if(s.mods, [](StringRef mod) { return isFloat(parseType(mod)); }) > 1)
    return s.has("rz") || s.has("rm") || s.has("rp") ? nullptr : mixedHandler(s, i);
  if (s.has("rz") || s.has("rm") || s.has("rp"))
    return directedHandler(s, i);
  if (s.opcode == "setp") {
    uint8_t mode = StringSwitch<uint8_t>(s.mods.front())
                       .Case("eq", Equal)
                       .Case("ne", Less | Greater)
                       .Case("lt", Less)
                       .Case("le", Less | Equal)
                       .Case("gt", Greater)
                       .Case("ge", Greater | Equal)
                       .Case("equ", Equal | Unordered)
                       .Case("neu", Less | Greater | Unordered)
                       .Case("ltu", Less | Unordered)
                       .Case("leu", Less | Equal | Unordered)
                       .Case("gtu", Greater | Unordered)
                       .Case("geu", Greater | Equal | Unordered)
                       .Case("num", Less | Equal | Greater)
                       .Case("nan", Unordered)
                       .Default(0);
    i.mode = mode;
    return mode && i.args.size() == 3 && i.args[0].parts.empty() ? compare : nullptr;
  }
  if (s.opcode == "testp") {
    i.mode = StringSwitch<uint8_t>(s.mods.front())
                 .Case("finite", Finite)
                 .Case("infinite", Infinite)
                 .Case("number", Number)
                 .Default(NotANumber);
    return s.has("normal") || s.has("subnormal") ? nullptr : test;
  }
  if (s.opcode == "min" || s.opcode == "max") {
    i.mode = s.has("NaN");
    return s.opcode == "min" ? Handler(extreme<true>) : extreme<false>;
  }
  return StringSwitch<Handler>(s.opcode)
      .Case("add", add)
      .Case("sub", sub)
      .Case("mul", mul)
      .Cases({"fma", "mad"}, fusedMultiplyAdd)
      .Case("div", divide)
      .Case("abs", absolute)
      .Case("neg", negate)
      .Case("sqrt", root)
      .Case("rsqrt", reciprocalRoot)
      .Case("rcp", reciprocal)
      .Case("ex2", power2)
      .Case("lg2", logarithm2)
      .Case("sin", sine)
      .Case("cos", cosine)
      .Case("tanh", tangentH)
      .Case("copysign", copySign)
      .Default(nullptr);
}

bool decodeFloat(const Statement &s, Instruction &i) {
  if (isFloat(i.type) && !s.mods.empty())
    i.run = floatHandler(s, i);
  return i.run != nullptr;
}

} // namespace tilec::ptx
