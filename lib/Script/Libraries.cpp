//===- Libraries.cpp - the modules math, itertools, functools -------------===//
//
// `math.sqrt(x)` of compile-time numbers: a table of names with what they take, and the functions
// that are more than one of C. Results and errors are CPython's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace tilec::script {

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

/// A call of a function of `math`. Its functions are the rows' of the table below.
struct Evaluator::MathCall {
  using OneFn = double (*)(double);
  using TwoFn = double (*)(double, double);
  /// What the arguments are turned into before the function runs.
  enum class Operands { Reals, Integers, Whole, Sequences };
  struct Row {
    llvm::StringLiteral name;
    Value (*call)(MathCall &);
    size_t least = 1, most = 1;
    Operands operands = Operands::Reals; ///< Whole: an integer is the result itself
    OneFn one = nullptr;                 ///< of `ofOne`
    TwoFn two = nullptr;                 ///< of `ofTwo`
    double pole = std::numeric_limits<double>::quiet_NaN(); ///< no number up to here has a result
    bool isLogarithm = false;                               ///< takes integers beyond the floats
    llvm::ArrayRef<llvm::StringRef> keywords = {};
  };
  static llvm::ArrayRef<Row> rows();

  Evaluator &e;
  const Row &row;
  CallArgs &args;
  llvm::SmallVector<double> x = {};  ///< the arguments, if reals
  llvm::SmallVector<Integer> n = {}; ///< if integers

  double b() const { return x.size() > 1 ? x[1] : 0; }
  std::string fullName() const { return "math." + row.name.str(); }
  Value domain(std::string value) { return e.fail(DiagId::MathDomain, args.span, row.name, value); }
  Value tooLarge() { return e.fail(DiagId::IntegerTooLarge, args.span, Integer::maxBits); }

  Value run();
  bool takeReals(std::optional<Value> &result);
  bool takeIntegers();
  Value checked(double result);

  Value ofOne();
  Value ofTwo() { return checked(row.two(x[0], b())); }
  Value rounded(OneFn round);
  Value log();
  Value logOfHuge();
  Value pow();
  Value fmod();
  Value hypot();
  Value modf();
  Value frexp();
  Value isClose();
  Value gcd();
  Value lcm();
  Value isqrt();
  Value fallingProduct(bool isComb);
  Value prod();
  Value fsum();
  Value dist();
};

llvm::ArrayRef<Evaluator::MathCall::Row> Evaluator::MathCall::rows() {
  using Call = MathCall;
  constexpr auto one = [](llvm::StringLiteral name, OneFn fn) {
    return Row{name, [](Call &c) { return c.ofOne(); }, 1, 1, Operands::Reals, fn};
  };
  constexpr auto logarithm = [](llvm::StringLiteral name, OneFn fn, double pole, bool ofHuge) {
    return Row{name,  [](Call &c) { return c.ofOne(); }, 1, 1, Operands::Reals, fn, nullptr, pole,
               ofHuge};
  };
  constexpr auto two = [](llvm::StringLiteral name, TwoFn fn) {
    return Row{name, [](Call &c) { return c.ofTwo(); }, 2, 2, Operands::Reals, nullptr, fn};
  };
  constexpr auto test = [](llvm::StringLiteral name, Value (*call)(Call &)) {
    return Row{name, call};
  };
  constexpr auto integers = [](llvm::StringLiteral name, Value (*call)(Call &), size_t least,
                               size_t most) {
    return Row{name, call, least, most, Operands::Integers};
  };
  constexpr size_t any = 64;
  static constexpr llvm::StringRef tolerances[] = {"rel_tol", "abs_tol"}, start[] = {"start"};
  static const Row rows[] = {
      {"ceil", [](Call &c) { return c.rounded(std::ceil); }, 1, 1, Operands::Whole},
      {"floor", [](Call &c) { return c.rounded(std::floor); }, 1, 1, Operands::Whole},
      {"trunc", [](Call &c) { return c.rounded(std::trunc); }, 1, 1, Operands::Whole},
      one("sqrt", std::sqrt),
      one("cbrt", std::cbrt),
      one("exp", std::exp),
      one("exp2", std::exp2),
      one("expm1", std::expm1),
      {"log", [](Call &c) { return c.log(); }, 1, 2, Operands::Reals, nullptr, nullptr, 0, true},
      logarithm("log2", std::log2, 0, true),
      logarithm("log10", std::log10, 0, true),
      logarithm("log1p", std::log1p, -1, false),
      one("sin", std::sin),
      one("cos", std::cos),
      one("tan", std::tan),
      one("sinh", std::sinh),
      one("cosh", std::cosh),
      one("tanh", std::tanh),
      one("asin", std::asin),
      one("acos", std::acos),
      one("atan", std::atan),
      one("erf", std::erf),
      one("fabs", std::fabs),
      {"pow", [](Call &c) { return c.pow(); }, 2, 2},
      {"fmod", [](Call &c) { return c.fmod(); }, 2, 2},
      two("atan2", std::atan2),
      {"hypot", [](Call &c) { return c.hypot(); }, 1, any},
      two("ldexp",
          [](double a, double b) {
            return std::ldexp(a, static_cast<int>(std::clamp(b, -5000.0, 5000.0)));
          }),
      {"isclose", [](Call &c) { return c.isClose(); }, 2, 2, Operands::Reals, nullptr, nullptr,
       std::numeric_limits<double>::quiet_NaN(), false, tolerances},
      test("modf", [](Call &c) { return c.modf(); }),
      test("frexp", [](Call &c) { return c.frexp(); }),
      two("copysign", std::copysign),
      test("isinf", [](Call &c) { return Value::boolean(std::isinf(c.x[0])); }),
      test("isnan", [](Call &c) { return Value::boolean(std::isnan(c.x[0])); }),
      test("isfinite", [](Call &c) { return Value::boolean(std::isfinite(c.x[0])); }),
      integers(
          "gcd", [](Call &c) { return c.gcd(); }, 0, any),
      integers(
          "lcm", [](Call &c) { return c.lcm(); }, 0, any),
      {"prod", [](Call &c) { return c.prod(); }, 1, 1, Operands::Sequences, nullptr, nullptr,
       std::numeric_limits<double>::quiet_NaN(), false, start},
      integers(
          "isqrt", [](Call &c) { return c.isqrt(); }, 1, 1),
      {"dist", [](Call &c) { return c.dist(); }, 2, 2, Operands::Sequences},
      integers(
          "factorial", [](Call &c) { return c.fallingProduct(false); }, 1, 1),
      integers(
          "comb", [](Call &c) { return c.fallingProduct(true); }, 2, 2),
      integers(
          "perm", [](Call &c) { return c.fallingProduct(false); }, 1, 2),
      {"fsum", [](Call &c) { return c.fsum(); }, 1, 1, Operands::Sequences},
      one("degrees", [](double x) { return x * (180 / M_PI); }),
      one("radians", [](double x) { return x * (M_PI / 180); }),
      two("remainder", std::remainder),
  };
  return rows;
}

llvm::SmallVector<llvm::StringRef> Evaluator::mathNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const MathCall::Row &row : MathCall::rows())
    names.push_back(row.name);
  return names;
}

/// Runtime values are for `T.`; but `math.exp(x)` is an easy slip, so they are told apart.
bool Evaluator::hasNoRuntimeValue(llvm::StringRef name, const CallArgs &args) {
  for (size_t i = 0; i < args.values.size(); ++i)
    if (isRuntime(args.values[i]) && !args.values[i].expr()->isConst()) {
      fail(DiagId::RuntimeInMath, args.spans[i], name);
      return false;
    }
  return true;
}

Value Evaluator::mathModule(llvm::StringRef name, CallArgs &args) {
  if (!hasNoRuntimeValue(name, args))
    return Value();
  llvm::ArrayRef<MathCall::Row> rows = MathCall::rows();
  const auto *row = llvm::find_if(rows, [&](const MathCall::Row &r) { return r.name == name; });
  if (row == rows.end())
    return fail(DiagId::NoAttribute, args.calleeSpan, "module math", name, "");
  return MathCall{*this, *row, args}.run();
}

Value Evaluator::MathCall::run() {
  if (!e.arity(args, row.least, row.most, row.name) ||
      !e.knownKeywords(args, row.name, row.keywords))
    return Value();
  std::optional<Value> result;
  switch (row.operands) {
  case Operands::Sequences:
    break;
  case Operands::Integers:
    if (!takeIntegers())
      return Value();
    break;
  case Operands::Whole:
    if (args.values[0].is(ValueKind::Int) || args.values[0].is(ValueKind::Bool))
      return e.heap.integer(args.values[0].integer());
    [[fallthrough]];
  case Operands::Reals:
    if (!takeReals(result))
      return Value();
  }
  return result ? *result : row.call(*this);
}

/// The arguments as floats. `result` is that of a logarithm whose integer is none.
bool Evaluator::MathCall::takeReals(std::optional<Value> &result) {
  for (size_t i = 0; i < args.values.size(); ++i) {
    const Value &value = args.values[i];
    std::optional<double> v = e.toReal(value, args.spans[i], fullName());
    if (!v)
      return false;
    // Logarithms of integers have no limit; for the others an integer must be a float.
    bool isHuge = std::isinf(*v) && !value.is(ValueKind::Float);
    bool isWhole = value.is(ValueKind::Int) || value.is(ValueKind::Bool);
    if (isHuge && row.isLogarithm && i == 0 && isWhole && !value.integer().isNegative()) {
      result = logOfHuge();
      return true;
    }
    if (isHuge) {
      e.fail(DiagId::FloatOverflow, args.spans[i], fullName());
      return false;
    }
    x.push_back(*v);
  }
  return true;
}

bool Evaluator::MathCall::takeIntegers() {
  for (size_t i = 0; i < args.values.size(); ++i) {
    const Value &v = args.values[i];
    if (v.is(ValueKind::Int) || v.is(ValueKind::Bool)) {
      n.push_back(v.integer());
      continue;
    }
    std::optional<int64_t> small = e.toInt(v, args.spans[i], fullName());
    if (!small)
      return false;
    n.push_back(Integer(*small));
  }
  return true;
}

/// As Python: a result that is no number is an error, and so is an infinite one, unless an
/// argument was so already.
Value Evaluator::MathCall::checked(double result) {
  bool wasFinite = llvm::all_of(x, [](double v) { return std::isfinite(v); });
  if (std::isnan(result) && llvm::none_of(x, [](double v) { return std::isnan(v); }))
    return domain(formatDouble(x[0]));
  if (std::isinf(result) && wasFinite)
    return e.fail(DiagId::FloatOverflow, args.span, fullName());
  return Value::real(result);
}

Value Evaluator::MathCall::ofOne() {
  return x[0] <= row.pole ? domain(formatDouble(x[0])) : checked(row.one(x[0]));
}

Value Evaluator::MathCall::rounded(OneFn round) {
  std::optional<Integer> i = Integer::fromDouble(round(x[0]));
  return i ? e.heap.integer(*i)
           : e.fail(DiagId::BadConversion, args.span, formatDouble(round(x[0])), "int");
}

Value Evaluator::MathCall::log() {
  if (x[0] <= 0)
    return domain(formatDouble(x[0]));
  if (x.size() == 1)
    return Value::real(std::log(x[0]));
  return b() <= 0 || b() == 1 ? domain(formatDouble(b()))
                              : Value::real(std::log(x[0]) / std::log(b()));
}

/// log(n) = log(n / 2^k) + k log(2) for an integer beyond the floats.
Value Evaluator::MathCall::logOfHuge() {
  Integer huge = args.values[0].integer();
  // As CPython: a fraction in [0.5, 1) and an exponent.
  unsigned shift = huge.bitLength();
  double rest = std::ldexp(Integer::shr(huge, Integer(shift - 64))->toDouble(), -64);
  if (row.one == OneFn(std::log2))
    return Value::real(std::log2(rest) + shift);
  if (row.one == OneFn(std::log10))
    return Value::real(std::log10(rest) + shift * std::log10(2.0));
  double log = std::log(rest) + shift * std::log(2.0);
  if (args.values.size() == 1)
    return Value::real(log);
  std::optional<double> base = e.toReal(args.values[1], args.spans[1], fullName());
  return base ? Value::real(log / std::log(*base)) : Value();
}

Value Evaluator::MathCall::pow() {
  return x[0] == 0 && b() < 0 ? domain(formatDouble(x[0])) : checked(std::pow(x[0], b()));
}

Value Evaluator::MathCall::fmod() {
  return b() == 0 ? e.fail(DiagId::DivisionByZero, args.spans[1]) : checked(std::fmod(x[0], b()));
}

Value Evaluator::MathCall::hypot() {
  double sum = 0;
  for (double v : x)
    sum = std::hypot(sum, v);
  return checked(sum);
}

Value Evaluator::MathCall::modf() {
  double whole, part = std::modf(x[0], &whole);
  return e.heap.tuple({Value::real(part), Value::real(whole)});
}

Value Evaluator::MathCall::frexp() {
  int exponent = 0;
  double mantissa = std::frexp(x[0], &exponent);
  return e.heap.tuple({Value::real(mantissa), Value::small(std::isfinite(x[0]) ? exponent : 0)});
}

Value Evaluator::MathCall::isClose() {
  double relative = 1e-9, absolute = 0;
  for (const CallArgs::Keyword &k : args.keywords) {
    std::optional<double> tolerance = e.toReal(k.value, k.place(), k.name);
    if (!tolerance)
      return Value();
    (k.name == "rel_tol" ? relative : absolute) = *tolerance;
  }
  double a = x[0], c = b();
  bool close = a == c;
  if (!close && std::isfinite(a) && std::isfinite(c))
    close = std::fabs(a - c) <= std::max(relative * std::max(std::fabs(a), std::fabs(c)), absolute);
  return Value::boolean(close);
}

Value Evaluator::MathCall::gcd() {
  Integer result(0);
  for (const Integer &i : n)
    result = Integer::gcd(result, i);
  return e.heap.integer(result);
}

Value Evaluator::MathCall::lcm() {
  Integer result(1);
  for (const Integer &i : n) {
    if (i.isZero())
      return Value::small(0);
    Integer divisor = Integer::gcd(result, i);
    std::optional<Integer> product = Integer::mul(*Integer::floorDiv(result, divisor), i);
    if (!product)
      return tooLarge();
    result = product->isNegative() ? -*product : *product;
  }
  return e.heap.integer(result);
}

Value Evaluator::MathCall::isqrt() {
  return n[0].isNegative() ? domain(n[0].toString()) : e.heap.integer(Integer::isqrt(n[0]));
}

/// factorial(n), perm(n, k) and comb(n, k): n (n-1) ... (n-k+1), for comb divided by k!. A long one
/// leaves the integers' range early.
Value Evaluator::MathCall::fallingProduct(bool isComb) {
  for (const Integer &i : n)
    if (i.isNegative())
      return domain(i.toString());
  Integer k = n.size() > 1 ? n[1] : n[0], result(1);
  if (k.compare(n[0]) > 0)
    return Value::small(0);
  if (isComb && Integer::sub(n[0], k)->compare(k) < 0)
    k = *Integer::sub(n[0], k);
  for (int64_t i = 0; k.compare(Integer(i)) > 0; ++i) {
    std::optional<Integer> product = Integer::mul(result, *Integer::sub(n[0], Integer(i)));
    if (!product || !e.step(args.span, 16))
      return e.failure ? Value() : tooLarge();
    result = isComb ? *Integer::floorDiv(*product, Integer(i + 1)) : *product;
  }
  return e.heap.integer(result);
}

Value Evaluator::MathCall::prod() {
  llvm::SmallVector<Value> items;
  if (!e.iterate(args.values[0], args.spans[0], items))
    return Value();
  Value out = args.keywords.empty() ? Value::small(1) : args.keywords[0].value;
  for (const Value &v : items) {
    out = e.binary(ast::BinaryOp::Mul, out, v, args.span, args.span, args.span);
    if (!out.ok())
      return Value();
  }
  return out;
}

/// Kahan-Neumaier: exact for the short sums of scripts.
Value Evaluator::MathCall::fsum() {
  llvm::SmallVector<Value> items;
  if (!e.iterate(args.values[0], args.spans[0], items))
    return Value();
  double sum = 0, rest = 0;
  for (const Value &item : items) {
    std::optional<double> v = e.toReal(item, args.spans[0], fullName());
    if (!v)
      return Value();
    double next = sum + *v;
    rest += std::fabs(sum) >= std::fabs(*v) ? (sum - next) + *v : (*v - next) + sum;
    sum = next;
  }
  return Value::real(sum + rest);
}

Value Evaluator::MathCall::dist() {
  llvm::SmallVector<Value> p, q;
  if (!e.iterate(args.values[0], args.spans[0], p) || !e.iterate(args.values[1], args.spans[1], q))
    return Value();
  if (p.size() != q.size())
    return e.fail(DiagId::UnpackCount, args.span, p.size(), q.size());
  double length = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    std::optional<double> v = e.toReal(p[i], args.spans[0], fullName());
    std::optional<double> w = v ? e.toReal(q[i], args.spans[1], fullName()) : std::nullopt;
    if (!w)
      return Value();
    length = std::hypot(length, *v - *w);
  }
  return Value::real(length);
}

/// tilelang's; no function of `math`.
Value Evaluator::nextPowerOf2(CallArgs &args) {
  static const MathCall::Row row = {"next_power_of_2", nullptr, 1, 1};
  MathCall call{*this, row, args};
  if (!hasNoRuntimeValue(row.name, args) || !arity(args, 1, 1, row.name) || !call.takeIntegers())
    return Value();
  Integer below = *Integer::sub(call.n[0], Integer(1));
  std::optional<Integer> power =
      Integer::shl(Integer(1), Integer(below.isNegative() ? 0 : below.bitLength()));
  return power ? heap.integer(*power) : call.tooLarge();
}

//===----------------------------------------------------------------------===//
// itertools, functools
//===----------------------------------------------------------------------===//

/// One of itertools' functions.
struct Evaluator::IteratorCall {
  struct Row {
    llvm::StringLiteral name;
    Value (*call)(IteratorCall &);
    size_t least, most;
    bool seesToKeywords = false;
  };
  static const Row rows[];

  Evaluator &e;
  CallArgs &args;

  Value chain();
  Value accumulate();
  Value selections(llvm::StringRef name, bool ordered);
};

constexpr size_t anyNumber = ~size_t(0);
const Evaluator::IteratorCall::Row Evaluator::IteratorCall::rows[] = {
    {"product", [](IteratorCall &c) { return c.e.product(c.args); }, 0, anyNumber, true},
    {"chain", [](IteratorCall &c) { return c.chain(); }, 0, anyNumber},
    {"combinations", [](IteratorCall &c) { return c.selections("combinations", false); }, 2, 2},
    {"permutations", [](IteratorCall &c) { return c.selections("permutations", true); }, 1, 2},
    {"accumulate", [](IteratorCall &c) { return c.accumulate(); }, 1, 2},
};

bool Evaluator::isOfItertools(llvm::StringRef name) {
  return llvm::any_of(IteratorCall::rows,
                      [&](const IteratorCall::Row &row) { return row.name == name; });
}

Value Evaluator::itertoolsModule(llvm::StringRef name, CallArgs &args) {
  const auto *row =
      llvm::find_if(IteratorCall::rows, [&](const IteratorCall::Row &r) { return r.name == name; });
  assert(row != std::end(IteratorCall::rows) && "moduleAttribute has asked");
  if ((!row->seesToKeywords && !knownKeywords(args, name, {})) ||
      !arity(args, row->least, row->most, name))
    return Value();
  IteratorCall call{*this, args};
  return row->call(call);
}

Value Evaluator::IteratorCall::chain() {
  std::vector<Value> out;
  for (size_t i = 0; i < args.values.size(); ++i) {
    llvm::SmallVector<Value> items;
    if (!e.iterate(args.values[i], args.spans[i], items))
      return Value();
    out.insert(out.end(), items.begin(), items.end());
  }
  return e.heap.list(std::move(out));
}

Value Evaluator::IteratorCall::accumulate() {
  llvm::SmallVector<Value> items;
  if (!e.iterate(args.values[0], args.spans[0], items))
    return Value();
  std::vector<Value> out;
  for (const Value &v : items) {
    Value next = out.empty() ? v
                 : args.values.size() > 1
                     ? e.callWith(args.values[1], {out.back(), v}, args)
                     : e.binary(ast::BinaryOp::Add, out.back(), v, args.span, args.span, args.span);
    if (!next.ok() || !e.step(args.span))
      return Value();
    out.push_back(next);
  }
  return e.heap.list(std::move(out));
}

Value Evaluator::IteratorCall::selections(llvm::StringRef name, bool ordered) {
  llvm::SmallVector<Value> items;
  if (!e.iterate(args.values[0], args.spans[0], items))
    return Value();
  std::optional<int64_t> count = static_cast<int64_t>(items.size());
  if (args.values.size() > 1)
    count = e.toInt(args.values[1], args.spans[1], name);
  return count ? e.selections(items, *count, ordered, args.span) : Value();
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
