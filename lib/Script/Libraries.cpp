//===- Libraries.cpp - the modules math, itertools, functools -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace tilec::script {
namespace {

using OneFn = double (*)(double);
using TwoFn = double (*)(double, double);

OneFn functionOfOne(llvm::StringRef name) {
  return llvm::StringSwitch<OneFn>(name)
      .Case("sqrt", std::sqrt)
      .Case("cbrt", std::cbrt)
      .Case("exp", std::exp)
      .Case("exp2", std::exp2)
      .Case("expm1", std::expm1)
      .Case("log2", std::log2)
      .Case("log10", std::log10)
      .Case("log1p", std::log1p)
      .Case("sin", std::sin)
      .Case("cos", std::cos)
      .Case("tan", std::tan)
      .Case("sinh", std::sinh)
      .Case("cosh", std::cosh)
      .Case("tanh", std::tanh)
      .Case("asin", std::asin)
      .Case("acos", std::acos)
      .Case("atan", std::atan)
      .Case("erf", std::erf)
      .Case("fabs", std::fabs)
      .Case(
          "degrees", +[](double x) { return x * (180 / M_PI); })
      .Case(
          "radians", +[](double x) { return x * (M_PI / 180); })
      .Default(nullptr);
}

TwoFn functionOfTwo(llvm::StringRef name) {
  return llvm::StringSwitch<TwoFn>(name)
      .Case("pow", std::pow)
      .Case("fmod", std::fmod)
      .Case("remainder", std::remainder)
      .Case("copysign", std::copysign)
      .Case("atan2", std::atan2)
      .Default(nullptr);
}

} // namespace

Value Evaluator::mathModule(llvm::StringRef name, CallArgs &args) {
  // Runtime values are for `T.`; but `math.exp(x)` is an easy slip, so they are told apart.
  for (size_t i = 0; i < args.values.size(); ++i)
    if (isRuntime(args.values[i]) && !args.values[i].expr()->isConst())
      return fail(DiagId::RuntimeInMath, args.spans[i], name);
  if (llvm::is_contained({"gcd", "lcm", "isqrt", "factorial", "comb", "perm", "next_power_of_2"},
                         name))
    return mathOfIntegers(name, args);
  if (name == "prod" || name == "fsum" || name == "dist")
    return mathOfSequences(name, args);
  bool rounds = name == "ceil" || name == "floor" || name == "trunc";
  bool isLog = name == "log" || name == "log2" || name == "log10";
  if (!arity(args, functionOfTwo(name) || name == "ldexp" || name == "isclose" ? 2 : 1,
             name == "hypot"                                                        ? 64
             : functionOfTwo(name) || isLog || name == "ldexp" || name == "isclose" ? 2
                                                                                    : 1,
             name) ||
      !knownKeywords(args, name, {"rel_tol", "abs_tol"}))
    return Value();
  bool isWhole = args.values[0].is(ValueKind::Int) || args.values[0].is(ValueKind::Bool);
  if (rounds && isWhole)
    return heap.integer(args.values[0].integer());
  llvm::SmallVector<double> x;
  for (size_t i = 0; i < args.values.size(); ++i) {
    std::optional<double> v = toReal(args.values[i], args.spans[i], "math." + name.str());
    if (!v)
      return Value();
    // Logarithms of integers have no limit; for the others an integer must be a float.
    bool isHuge = std::isinf(*v) && !args.values[i].is(ValueKind::Float);
    if (isHuge && isLog && i == 0 && isWhole && !args.values[0].integer().isNegative())
      return logOfHuge(name, args);
    if (isHuge)
      return fail(DiagId::FloatOverflow, args.spans[i], "math." + name.str());
    x.push_back(*v);
  }
  return mathOfReals(name, x, args);
}

/// log(n) = log(n / 2^k) + k log(2) for an integer beyond the floats.
Value Evaluator::logOfHuge(llvm::StringRef name, CallArgs &args) {
  Integer n = args.values[0].integer();
  // As CPython: a fraction in [0.5, 1) and an exponent.
  unsigned shift = n.bitLength();
  double rest = std::ldexp(Integer::shr(n, Integer(shift - 64))->toDouble(), -64);
  if (name == "log2")
    return Value::real(std::log2(rest) + shift);
  if (name == "log10")
    return Value::real(std::log10(rest) + shift * std::log10(2.0));
  double log = std::log(rest) + shift * std::log(2.0);
  if (args.values.size() == 1)
    return Value::real(log);
  std::optional<double> base = toReal(args.values[1], args.spans[1], "math.log");
  return base ? Value::real(log / std::log(*base)) : Value();
}

Value Evaluator::mathOfReals(llvm::StringRef name, llvm::ArrayRef<double> x, CallArgs &args) {
  double a = x[0], b = x.size() > 1 ? x[1] : 0;
  auto toInteger = [&](double d) {
    std::optional<Integer> i = Integer::fromDouble(d);
    return i ? heap.integer(*i) : fail(DiagId::BadConversion, args.span, formatDouble(d), "int");
  };
  // As Python: a result that is no number is an error, and so is an infinite one, unless an
  // argument was so already.
  auto checked = [&](double result) {
    bool wasFinite = llvm::all_of(x, [](double v) { return std::isfinite(v); });
    if (std::isnan(result) && llvm::none_of(x, [](double v) { return std::isnan(v); }))
      return fail(DiagId::MathDomain, args.span, name, formatDouble(a));
    if (std::isinf(result) && wasFinite)
      return fail(DiagId::FloatOverflow, args.span, "math." + name.str());
    return Value::real(result);
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
  if (name == "isclose")
    return isClose(a, b, args);
  if (name.starts_with("log") && a <= (name == "log1p" ? -1 : 0))
    return fail(DiagId::MathDomain, args.span, name, formatDouble(a));
  if (name == "log") {
    if (x.size() > 1 && (b <= 0 || b == 1))
      return fail(DiagId::MathDomain, args.span, name, formatDouble(b));
    return Value::real(x.size() > 1 ? std::log(a) / std::log(b) : std::log(a));
  }
  if (name == "fmod" && b == 0)
    return fail(DiagId::DivisionByZero, args.spans[1]);
  if (name == "pow" && a == 0 && b < 0)
    return fail(DiagId::MathDomain, args.span, name, formatDouble(a));
  if (OneFn fn = functionOfOne(name))
    return checked(fn(a));
  if (TwoFn fn = functionOfTwo(name))
    return checked(fn(a, b));
  if (name == "ldexp")
    return checked(std::ldexp(a, static_cast<int>(std::clamp(b, -5000.0, 5000.0))));
  if (name == "hypot") {
    double sum = 0;
    for (double v : x)
      sum = std::hypot(sum, v);
    return checked(sum);
  }
  if (name == "modf") {
    double whole, part = std::modf(a, &whole);
    return heap.tuple({Value::real(part), Value::real(whole)});
  }
  if (name == "frexp") {
    int exponent = 0;
    double mantissa = std::frexp(a, &exponent);
    return heap.tuple({Value::real(mantissa), Value::small(std::isfinite(a) ? exponent : 0)});
  }
  return fail(DiagId::NoAttribute, args.calleeSpan, "module math", name, "");
}

Value Evaluator::isClose(double a, double b, CallArgs &args) {
  double relative = 1e-9, absolute = 0;
  for (const CallArgs::Keyword &k : args.keywords) {
    std::optional<double> tolerance = toReal(k.value, k.place(), k.name);
    if (!tolerance)
      return Value();
    (k.name == "rel_tol" ? relative : absolute) = *tolerance;
  }
  bool close = a == b;
  if (!close && std::isfinite(a) && std::isfinite(b))
    close = std::fabs(a - b) <= std::max(relative * std::max(std::fabs(a), std::fabs(b)), absolute);
  return Value::boolean(close);
}

Value Evaluator::mathOfIntegers(llvm::StringRef name, CallArgs &args) {
  llvm::SmallVector<Integer> n;
  for (size_t i = 0; i < args.values.size(); ++i) {
    const Value &v = args.values[i];
    if (!v.is(ValueKind::Int) && !v.is(ValueKind::Bool)) {
      std::optional<int64_t> small = toInt(v, args.spans[i], "math." + name.str());
      if (!small)
        return Value();
      n.push_back(Integer(*small));
      continue;
    }
    n.push_back(v.integer());
  }
  auto tooLarge = [&] { return fail(DiagId::IntegerTooLarge, args.span, Integer::maxBits); };
  if (name == "gcd" || name == "lcm") {
    Integer result(name == "gcd" ? 0 : 1);
    for (const Integer &i : n) {
      Integer divisor = Integer::gcd(result, i);
      if (name == "gcd") {
        result = divisor;
        continue;
      }
      if (i.isZero())
        return Value::small(0);
      std::optional<Integer> product = Integer::mul(*Integer::floorDiv(result, divisor), i);
      if (!product)
        return tooLarge();
      result = product->isNegative() ? -*product : *product;
    }
    return heap.integer(result);
  }
  bool choosesTwo = name == "comb" || name == "perm";
  if (!arity(args, name == "comb" ? 2 : 1, choosesTwo ? 2 : 1, name))
    return Value();
  if (name == "next_power_of_2") {
    Integer below = *Integer::sub(n[0], Integer(1));
    std::optional<Integer> power =
        Integer::shl(Integer(1), Integer(below.isNegative() ? 0 : below.bitLength()));
    return power ? heap.integer(*power) : tooLarge();
  }
  for (const Integer &i : n)
    if (i.isNegative())
      return fail(DiagId::MathDomain, args.span, name, i.toString());
  if (name == "isqrt")
    return heap.integer(Integer::isqrt(n[0]));
  // Falling products n (n-1) ... (n-k+1); a long one leaves the integers' range early.
  Integer k = choosesTwo && n.size() > 1 ? n[1] : n[0], result(1);
  if (k.compare(n[0]) > 0)
    return Value::small(0);
  if (name == "comb" && Integer::sub(n[0], k)->compare(k) < 0)
    k = *Integer::sub(n[0], k);
  for (int64_t i = 0; k.compare(Integer(i)) > 0; ++i) {
    std::optional<Integer> product = Integer::mul(result, *Integer::sub(n[0], Integer(i)));
    if (!product || !step(args.span, 16))
      return failure ? Value() : tooLarge();
    result = name == "comb" ? *Integer::floorDiv(*product, Integer(i + 1)) : *product;
  }
  return heap.integer(result);
}

Value Evaluator::mathOfSequences(llvm::StringRef name, CallArgs &args) {
  bool isDist = name == "dist";
  llvm::SmallVector<Value> items, others;
  if (!arity(args, isDist ? 2 : 1, isDist ? 2 : 1, name) || !knownKeywords(args, name, {"start"}) ||
      !iterate(args.values[0], args.spans[0], items) ||
      (isDist && !iterate(args.values[1], args.spans[1], others)))
    return Value();
  if (name == "prod") {
    Value out = args.keywords.empty() ? Value::small(1) : args.keywords[0].value;
    for (const Value &v : items) {
      out = binary(ast::BinaryOp::Mul, out, v, args.span, args.span, args.span);
      if (!out.ok())
        return Value();
    }
    return out;
  }
  if (isDist && items.size() != others.size())
    return fail(DiagId::UnpackCount, args.span, items.size(), others.size());
  // Kahan-Neumaier: exact for the short sums of scripts.
  double sum = 0, rest = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    std::optional<double> v = toReal(items[i], args.spans[0], "math." + name.str());
    std::optional<double> w = v && isDist ? toReal(others[i], args.spans[1], "math.dist") : 0;
    if (!v || !w)
      return Value();
    if (isDist) {
      sum = std::hypot(sum, *v - *w);
      continue;
    }
    double next = sum + *v;
    rest += std::fabs(sum) >= std::fabs(*v) ? (sum - next) + *v : (*v - next) + sum;
    sum = next;
  }
  return Value::real(sum + rest);
}

//===----------------------------------------------------------------------===//
// itertools, functools
//===----------------------------------------------------------------------===//

Value Evaluator::itertoolsModule(llvm::StringRef name, CallArgs &args) {
  if (name == "product")
    return product(args);
  if (!knownKeywords(args, name, {}))
    return Value();
  if (name == "chain") {
    std::vector<Value> out;
    for (size_t i = 0; i < args.values.size(); ++i) {
      llvm::SmallVector<Value> items;
      if (!iterate(args.values[i], args.spans[i], items))
        return Value();
      out.insert(out.end(), items.begin(), items.end());
    }
    return heap.list(std::move(out));
  }
  bool accumulates = name == "accumulate";
  llvm::SmallVector<Value> items;
  if (!arity(args, name == "combinations" ? 2 : 1, 2, name) ||
      !iterate(args.values[0], args.spans[0], items))
    return Value();
  if (accumulates) {
    std::vector<Value> out;
    for (const Value &v : items) {
      Value next = out.empty() ? v
                   : args.values.size() > 1
                       ? callWith(args.values[1], {out.back(), v}, args)
                       : binary(ast::BinaryOp::Add, out.back(), v, args.span, args.span, args.span);
      if (!next.ok() || !step(args.span))
        return Value();
      out.push_back(next);
    }
    return heap.list(std::move(out));
  }
  std::optional<int64_t> count = static_cast<int64_t>(items.size());
  if (args.values.size() > 1)
    count = toInt(args.values[1], args.spans[1], name);
  if (!count)
    return Value();
  return selections(items, *count, /*ordered=*/name == "permutations", args.span);
}

/// All ways to take `count` of `items`: with their order (permutations) or without (combinations).
Value Evaluator::selections(llvm::ArrayRef<Value> items, int64_t count, bool ordered, Span span) {
  if (count < 0)
    return fail(DiagId::BadArgumentValue, span, "the length", count, "0 or more");
  std::vector<Value> out;
  if (count > static_cast<int64_t>(items.size()))
    return heap.list({});
  std::vector<size_t> chosen;
  std::vector<bool> used(items.size());
  size_t next = 0;
  for (;;) {
    if (!step(span, 1 + chosen.size()))
      return Value();
    if (static_cast<int64_t>(chosen.size()) == count) {
      std::vector<Value> row;
      for (size_t i : chosen)
        row.push_back(items[i]);
      out.push_back(heap.tuple(std::move(row)));
      next = items.size();
    }
    while (next < items.size() && used[next])
      ++next;
    if (next < items.size()) {
      used[next] = true;
      chosen.push_back(next);
      next = ordered ? 0 : next + 1;
      continue;
    }
    if (chosen.empty())
      return heap.list(std::move(out));
    next = chosen.back() + 1;
    used[chosen.back()] = false;
    chosen.pop_back();
  }
}

Value Evaluator::reduce(CallArgs &args) {
  llvm::SmallVector<Value> items;
  if (!arity(args, 2, 3, "reduce") || !knownKeywords(args, "reduce", {}) ||
      !iterate(args.values[1], args.spans[1], items))
    return Value();
  if (args.values.size() > 2)
    items.insert(items.begin(), args.values[2]);
  if (items.empty())
    return fail(DiagId::EmptySequence, args.span, "reduce");
  Value out = items[0];
  for (size_t i = 1; i < items.size() && out.ok(); ++i)
    out = callWith(args.values[0], {out, items[i]}, args);
  return out;
}

Value Evaluator::callWith(const Value &callee, llvm::ArrayRef<Value> values, const CallArgs &args) {
  CallArgs inner;
  inner.values.append(values.begin(), values.end());
  inner.spans.append(values.size(), args.span);
  inner.span = args.span;
  inner.calleeSpan = args.calleeSpan;
  return call(callee, inner);
}

Value Evaluator::product(CallArgs &args) {
  std::vector<std::vector<Value>> pools;
  for (size_t i = 0; i < args.values.size(); ++i) {
    llvm::SmallVector<Value> items;
    if (!iterate(args.values[i], args.spans[i], items))
      return Value();
    pools.emplace_back(items.begin(), items.end());
  }
  if (!knownKeywords(args, "product", {"repeat"}))
    return Value();
  int64_t repeat = 1;
  for (const CallArgs::Keyword &k : args.keywords) {
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
