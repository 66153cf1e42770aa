//===- Libraries.cpp - the math module, itertools.product -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace tilec::script {

Value Evaluator::mathModule(llvm::StringRef name, CallArgs &args) {
  // Runtime values are for `T.`; but `math.exp(x)` is an easy slip, so they are told apart.
  for (size_t i = 0; i < args.values.size(); ++i)
    if (isRuntime(args.values[i]) && !args.values[i].expr()->isConst())
      return fail(DiagId::RuntimeInMath, args.spans[i], name);
  auto ints = [&](llvm::SmallVectorImpl<int64_t> &out) {
    for (size_t i = 0; i < args.values.size(); ++i) {
      std::optional<int64_t> n = toInt(args.values[i], args.spans[i], "math." + name.str());
      if (!n)
        return false;
      out.push_back(*n);
    }
    return true;
  };
  if (name == "gcd" || name == "lcm") {
    llvm::SmallVector<int64_t> n;
    if (!ints(n))
      return Value();
    Integer result(name == "gcd" ? 0 : 1);
    for (int64_t i : n) {
      if (i == std::numeric_limits<int64_t>::min())
        return fail(DiagId::IntegerTooWide, args.span, std::to_string(i));
      if (name == "gcd") {
        result = Integer(std::gcd(result.value64(), i));
        continue;
      }
      if (i == 0)
        return Value::small(0);
      std::optional<Integer> p =
          result.fits64() ? Integer::mul(Integer(result.value64() / std::gcd(result.value64(), i)),
                                         Integer(std::abs(i)))
                          : std::nullopt;
      if (!p)
        return fail(DiagId::IntegerTooLarge, args.span, Integer::maxBits);
      result = *p;
    }
    return heap.integer(result);
  }
  if (name == "prod") {
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, 1, name) || !iterate(args.values[0], args.spans[0], items))
      return Value();
    Value out = Value::small(1);
    for (const Value &v : items) {
      out = binary(ast::BinaryOp::Mul, out, v, args.span, args.span, args.span);
      if (!out.ok())
        return Value();
    }
    return out;
  }
  if (name == "isqrt") {
    std::optional<int64_t> n =
        arity(args, 1, 1, name) ? toInt(args.values[0], args.spans[0], "isqrt") : std::nullopt;
    if (!n)
      return Value();
    if (*n < 0)
      return fail(DiagId::MathDomain, args.span, "isqrt", *n);
    auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(*n)));
    while (root > 3037000499 || root * root > *n)
      --root;
    while (root < 3037000499 && (root + 1) * (root + 1) <= *n)
      ++root;
    return Value::small(root);
  }
  if (name == "next_power_of_2") {
    std::optional<int64_t> n =
        arity(args, 1, 1, name) ? toInt(args.values[0], args.spans[0], name) : std::nullopt;
    if (!n)
      return Value();
    int64_t p = 1;
    while (p < *n && p < (int64_t(1) << 61))
      p *= 2;
    return Value::small(p);
  }
  llvm::SmallVector<double> x;
  for (size_t i = 0; i < args.values.size(); ++i) {
    if ((name == "ceil" || name == "floor" || name == "trunc") &&
        (args.values[i].is(ValueKind::Int) || args.values[i].is(ValueKind::Bool)))
      return heap.integer(args.values[i].integer());
    std::optional<double> v = toReal(args.values[i], args.spans[i], "math." + name.str());
    if (!v)
      return Value();
    x.push_back(*v);
  }
  size_t least = name == "pow" || name == "fmod" || name == "copysign" || name == "atan2" ||
                         name == "hypot" || name == "ldexp"
                     ? 2
                     : 1;
  if (!arity(args, least, name == "log" ? 2 : least, name))
    return Value();
  double a = x[0], b = x.size() > 1 ? x[1] : 0;
  auto toInteger = [&](double d) {
    std::optional<Integer> i = Integer::fromDouble(d);
    return i ? heap.integer(*i) : fail(DiagId::BadConversion, args.span, formatDouble(d), "int");
  };
  if (name == "ceil")
    return toInteger(std::ceil(a));
  if (name == "floor")
    return toInteger(std::floor(a));
  if (name == "trunc")
    return toInteger(std::trunc(a));
  if (name == "isinf")
    return Value::boolean(std::isinf(a));
  if (name == "isnan")
    return Value::boolean(std::isnan(a));
  if (name == "isfinite")
    return Value::boolean(std::isfinite(a));
  bool badLog = name.starts_with("log") && name != "log1p" && a <= 0;
  if (badLog || (name == "sqrt" && a < 0))
    return fail(DiagId::MathDomain, args.span, name, formatDouble(a));
  if (name == "log")
    return Value::real(x.size() > 1 ? std::log(a) / std::log(b) : std::log(a));
  using Fn = double (*)(double);
  auto fn = llvm::StringSwitch<Fn>(name)
                .Case("sqrt", std::sqrt)
                .Case("exp", std::exp)
                .Case("exp2", std::exp2)
                .Case("log2", std::log2)
                .Case("log10", std::log10)
                .Case("log1p", std::log1p)
                .Case("sin", std::sin)
                .Case("cos", std::cos)
                .Case("tan", std::tan)
                .Case("tanh", std::tanh)
                .Case("asin", std::asin)
                .Case("acos", std::acos)
                .Case("atan", std::atan)
                .Case("erf", std::erf)
                .Case("fabs", std::fabs)
                .Default(nullptr);
  if (fn)
    return Value::real(fn(a));
  if (name == "pow")
    return Value::real(std::pow(a, b));
  if (name == "fmod")
    return b == 0 ? fail(DiagId::DivisionByZero, args.spans[1]) : Value::real(std::fmod(a, b));
  if (name == "copysign")
    return Value::real(std::copysign(a, b));
  if (name == "atan2")
    return Value::real(std::atan2(a, b));
  if (name == "hypot")
    return Value::real(std::hypot(a, b));
  if (name == "ldexp")
    return Value::real(std::ldexp(a, static_cast<int>(std::clamp(b, -5000.0, 5000.0))));
  return fail(DiagId::NoAttribute, args.calleeSpan, "module math", name, "");
}

Value Evaluator::product(CallArgs &args) {
  std::vector<std::vector<Value>> pools;
  for (size_t i = 0; i < args.values.size(); ++i) {
    llvm::SmallVector<Value> items;
    if (!iterate(args.values[i], args.spans[i], items))
      return Value();
    pools.emplace_back(items.begin(), items.end());
  }
  int64_t repeat = 1;
  for (const CallArgs::Keyword &k : args.keywords)
    if (k.name == "repeat") {
      std::optional<int64_t> n = toInt(k.value, k.span, "repeat");
      if (!n || *n < 0 || *n > 16)
        return n ? fail(DiagId::TooManySteps, k.span, limits.steps) : Value();
      repeat = *n;
    }
  std::vector<std::vector<Value>> all;
  for (int64_t i = 0; i < repeat; ++i)
    all.insert(all.end(), pools.begin(), pools.end());
  std::vector<std::vector<Value>> rows{{}};
  for (auto &pool : all) {
    std::vector<std::vector<Value>> next;
    for (auto &row : rows)
      for (const Value &v : pool) {
        if (!step(args.span, row.size() + 1))
          return Value();
        next.push_back(row);
        next.back().push_back(v);
      }
    rows = std::move(next);
  }
  std::vector<Value> out;
  for (auto &row : rows)
    out.push_back(heap.tuple(std::move(row)));
  return heap.list(std::move(out));
}

} // namespace tilec::script
