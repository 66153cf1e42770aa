//===- Builtins.cpp - Python's built-in functions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

#include <cmath>
#include <numeric>

namespace tilec::script {

Value Evaluator::builtinName(llvm::StringRef name) {
  constexpr llvm::StringRef types[] = {"int",  "float", "bool",   "str",  "list",     "tuple",
                                       "dict", "set",   "object", "type", "frozenset"};
  constexpr llvm::StringRef functions[] = {
      "min",      "max",        "abs",    "len",     "range",   "sum",  "round",    "enumerate",
      "zip",      "isinstance", "print",  "sorted",  "any",     "all",  "divmod",   "pow",
      "reversed", "map",        "filter", "getattr", "hasattr", "repr", "callable", "id",
      "slice",    "ord",        "chr",    "bin",     "hex",     "oct",  "next"};
  constexpr llvm::StringRef exceptions[] = {
      "ValueError", "TypeError", "RuntimeError", "AssertionError", "NotImplementedError",
      "Exception",  "KeyError",  "IndexError",   "ImportError",    "ModuleNotFoundError"};
  if (llvm::is_contained(types, name)) // no set is changed behind a key: one kind does for both
    return heap.named(ValueKind::Type, name == "frozenset" ? "set" : name.str());
  if (name == "Ellipsis")
    return Value::ellipsis();
  if (llvm::is_contained(functions, name) || llvm::is_contained(exceptions, name))
    return heap.named(ValueKind::Builtin, name.str());
  if (name == "NotImplemented" || name == "__file__" || name == "__doc__")
    return heap.named(ValueKind::Opaque, name.str());
  return Value();
}

Value Evaluator::builtinMinMax(bool isMin, CallArgs &args) {
  llvm::SmallVector<Value> items;
  llvm::SmallVector<Span> spans;
  if (args.values.size() == 1) {
    if (!iterate(args.values[0], args.spans[0], items))
      return Value();
    spans.append(items.size(), args.spans[0]);
  } else {
    items = args.values;
    spans = args.spans;
  }
  Value key, fallback;
  if (!knownKeywords(args, isMin ? "min" : "max", {"key", "default"}))
    return Value();
  for (const CallArgs::Keyword &k : args.keywords)
    if (k.name == "default")
      fallback = k.value;
    else if (!k.value.is(ValueKind::None))
      key = k.value;
  if (items.empty())
    return fallback.ok() ? fallback : fail(DiagId::EmptySequence, args.span, isMin ? "min" : "max");
  auto keyOf = [&](const Value &v, Span span) {
    if (!key.ok())
      return v;
    CallArgs inner;
    inner.values.push_back(v);
    inner.spans.push_back(span);
    inner.span = args.span;
    inner.calleeSpan = args.calleeSpan;
    return call(key, inner);
  };
  Value best = items[0], bestKey = keyOf(best, spans[0]);
  for (size_t i = 1; i < items.size() && bestKey.ok(); ++i) {
    if (!step(args.span))
      return Value();
    Value k = keyOf(items[i], spans[i]);
    if (!k.ok())
      return Value();
    if (isRuntime(k) || isRuntime(bestKey)) {
      const Expr *x, *y;
      if (!pairUp(best, items[i], spans[0], spans[i], x, y, isMin ? "min" : "max"))
        return Value();
      best = Value::expr(build.binary(isMin ? ExprOp::Min : ExprOp::Max, x, y, args.span));
      bestKey = best;
      continue;
    }
    std::optional<int> o = order(k, bestKey, args.span);
    if (!o)
      return Value();
    if (isMin ? *o < 0 : *o == 1) {
      best = items[i];
      bestKey = k;
    }
  }
  return bestKey.ok() ? best : Value();
}

Value Evaluator::builtinRange(CallArgs &args) {
  if (!arity(args, 1, 3, "range"))
    return Value();
  bool runtime = llvm::any_of(args.values,
                              [&](const Value &v) { return isRuntime(v) && !v.expr()->isConst(); });
  if (runtime && inLaunch())
    return callIntrinsic(IntrinsicId::Serial, args);
  int64_t numbers[3] = {0, 0, 1};
  for (size_t i = 0; i < args.values.size(); ++i) {
    std::optional<int64_t> n = toInt(args.values[i], args.spans[i], "a range");
    if (!n)
      return Value();
    // Differences of bounds must not overflow.
    if (*n > (int64_t(1) << 62) || *n < -(int64_t(1) << 62))
      return fail(DiagId::IntegerTooWide, args.spans[i], std::to_string(*n));
    numbers[i] = *n;
  }
  if (args.values.size() == 1)
    std::swap(numbers[0], numbers[1]);
  if (numbers[2] == 0)
    return fail(DiagId::ZeroStep, args.spans[2]);
  auto *r = heap.make<RangeObject>();
  r->start = numbers[0];
  r->stop = numbers[1];
  r->step = numbers[2];
  return Value::object(ValueKind::Range, r);
}

Value Evaluator::builtinSorted(CallArgs &args) {
  llvm::SmallVector<Value> items;
  if (!arity(args, 1, 1, "sorted") || !iterate(args.values[0], args.spans[0], items))
    return Value();
  if (!knownKeywords(args, "sorted", {"key", "reverse"}))
    return Value();
  Value key;
  bool reverse = false;
  for (const CallArgs::Keyword &k : args.keywords) {
    if (k.name == "key" && !k.value.is(ValueKind::None))
      key = k.value;
    if (k.name == "reverse") {
      std::optional<bool> t = truth(k.value, k.span);
      if (!t)
        return Value();
      reverse = *t;
    }
  }
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value &v : items) {
    Value k = v;
    if (key.ok()) {
      CallArgs inner;
      inner.values.push_back(v);
      inner.spans.push_back(args.spans[0]);
      inner.span = args.span;
      inner.calleeSpan = args.calleeSpan;
      k = call(key, inner);
    }
    if (!k.ok())
      return Value();
    keyed.push_back({k, v});
  }
  // Insertion by binary search: stable, and total order is not assumed of `order`.
  std::vector<std::pair<Value, Value>> out;
  for (auto &item : keyed) {
    size_t low = 0, high = out.size();
    while (low < high) {
      size_t middle = (low + high) / 2;
      std::optional<int> o = order(item.first, out[middle].first, args.span);
      if (!o || !step(args.span))
        return Value();
      bool before = reverse ? *o == 1 : *o == -1 || (*o < 0);
      before ? high = middle : low = middle + 1;
    }
    if (!step(args.span, 1 + out.size() / 16))
      return Value();
    out.insert(out.begin() + low, item);
  }
  std::vector<Value> values;
  for (auto &item : out)
    values.push_back(item.second);
  return heap.list(std::move(values));
}

Value Evaluator::builtinIsInstance(CallArgs &args) {
  if (!arity(args, 2, 2, "isinstance"))
    return Value();
  const Value &v = args.values[0];
  if (v.is(ValueKind::Opaque))
    return fail(DiagId::OpaqueValue, args.spans[0], v.str());
  auto matches = [&](const Value &type) {
    if (type.is(ValueKind::Intrinsic))
      return type.intrinsic() == IntrinsicId::Tensor && v.is(ValueKind::Buffer);
    if (!type.is(ValueKind::Type))
      return false;
    if (v.is(ValueKind::None)) // `type(None)`
      return type.str() == "None" || type.str() == "NoneType" || type.str() == "object";
    return llvm::StringSwitch<bool>(type.str())
        .Case("int", v.is(ValueKind::Int) || v.is(ValueKind::Bool))
        .Case("float", v.is(ValueKind::Float))
        .Case("bool", v.is(ValueKind::Bool))
        .Case("str", v.is(ValueKind::Str))
        .Case("list", v.is(ValueKind::List))
        .Case("tuple", v.is(ValueKind::Tuple))
        .Case("dict", v.is(ValueKind::Dict))
        .Case("set", v.is(ValueKind::Set))
        .Case("object", true)
        .Case("dtype", v.is(ValueKind::DType))
        .Case("PrimExpr", v.is(ValueKind::Expr))
        .Case("Var", v.is(ValueKind::Expr))
        .Default(false);
  };
  if (args.values[1].is(ValueKind::Tuple))
    return Value::boolean(llvm::any_of(args.values[1].items(), matches));
  return Value::boolean(matches(args.values[1]));
}

/// int(text, radix): blanks around, a sign, a prefix that agrees with the radix, `_` between
/// digits.
static std::optional<Integer> parseInt(llvm::StringRef text, int64_t radix) {
  text = text.trim();
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  constexpr std::pair<llvm::StringRef, int64_t> prefixes[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
  for (auto [prefix, wanted] : prefixes)
    if ((radix == 0 || radix == wanted) && text.take_front(2).equals_insensitive(prefix)) {
      text = text.drop_front(2);
      radix = wanted;
      text.consume_front("_");
      break;
    }
  radix = radix == 0 ? 10 : radix;
  if (radix < 2 || radix > 36 || text.starts_with("_") || text.ends_with("_") ||
      text.contains("__") || text.starts_with("-") || text.starts_with("+"))
    return std::nullopt;
  std::string digits = text.str();
  llvm::erase(digits, '_');
  std::optional<Integer> value = Integer::parse(digits, static_cast<unsigned>(radix));
  return value && negative ? -*value : value;
}

Value Evaluator::builtinInt(CallArgs &args) {
  if (!knownKeywords(args, "int", {"base"}))
    return Value();
  if (args.values.empty())
    return Value::small(0);
  if (!arity(args, 1, 2, "int"))
    return Value();
  const Value &v = args.values[0];
  if (v.is(ValueKind::Int) || v.is(ValueKind::Bool))
    return heap.integer(v.integer());
  if (v.is(ValueKind::Float)) {
    std::optional<Integer> i = Integer::fromDouble(v.real());
    return i ? heap.integer(*i) : fail(DiagId::BadConversion, args.span, shown(v), "int");
  }
  if (v.is(ValueKind::Str)) {
    std::optional<int64_t> radix = 10;
    if (args.values.size() > 1)
      radix = toInt(args.values[1], args.spans[1], "a base");
    for (const CallArgs::Keyword &k : args.keywords) // `base` is the only one
      radix = toInt(k.value, k.place(), "a base");
    if (!radix)
      return Value();
    std::optional<Integer> i = parseInt(v.str(), *radix);
    return i ? heap.integer(*i) : fail(DiagId::BadConversion, args.span, shown(v), "int");
  }
  if (v.is(ValueKind::Expr)) {
    std::optional<int64_t> i = toInt(v, args.spans[0], "int()");
    return i ? Value::small(*i) : Value();
  }
  if (v.is(ValueKind::Opaque))
    return fail(DiagId::OpaqueValue, args.spans[0], v.str());
  return fail(DiagId::BadConversion, args.span, typeName(v), "int");
}

/// `value` to a multiple of 10^-digits, halves to the even one. `fraction` is the sign of what
/// `value` lacks of the number that is meant, if anything.
Value Evaluator::roundInteger(const Integer &value, int64_t digits, int fraction, Span span) {
  if (digits >= 0)
    return heap.integer(value);
  std::optional<Integer> unit = Integer::pow(Integer(10), Integer(-std::max(digits, -5000l)));
  if (!unit || unit->bitLength() > value.bitLength() + 2)
    return Value::small(0);
  Integer quotient = *Integer::floorDiv(value, *unit), rest = *Integer::floorMod(value, *unit);
  int order = Integer::add(rest, rest)->compare(*unit);
  bool isOdd = !Integer::bitAnd(quotient, Integer(1)).isZero();
  bool up = order > 0 || (order == 0 && (fraction > 0 || (fraction == 0 && isOdd)));
  std::optional<Integer> result =
      Integer::mul(up ? *Integer::add(quotient, Integer(1)) : quotient, *unit);
  return result ? heap.integer(*result) : fail(DiagId::IntegerTooLarge, span, Integer::maxBits);
}

Value Evaluator::builtinPow(CallArgs &args) {
  if (!arity(args, 2, 3, "pow") || !knownKeywords(args, "pow", {}))
    return Value();
  if (args.values.size() == 2)
    return binary(ast::BinaryOp::Pow, args.values[0], args.values[1], args.span, args.spans[0],
                  args.spans[1]);
  for (size_t i = 0; i < 3; ++i)
    if (!args.values[i].is(ValueKind::Int) && !args.values[i].is(ValueKind::Bool))
      return fail(DiagId::WantedOther, args.spans[i], "an int", typeName(args.values[i]));
  Integer exponent = args.values[1].integer(), modulus = args.values[2].integer();
  if (modulus.isZero())
    return fail(DiagId::DivisionByZero, args.spans[2]);
  if (exponent.isNegative())
    return fail(DiagId::BadArgumentValue, args.spans[1], "the exponent", exponent.toString(),
                "0 or more with a modulus");
  uint64_t words = modulus.bitLength() / 64; // a step of the loop multiplies and divides twice
  if (!step(args.span, exponent.bitLength() * (1 + words * words / 8)))
    return Value();
  return heap.integer(*Integer::powMod(args.values[0].integer(), exponent, modulus));
}

Value Evaluator::textBuiltin(llvm::StringRef name, CallArgs &args) {
  if (!arity(args, 1, 1, name))
    return Value();
  const Value &v = args.values[0];
  if (name == "bin" || name == "hex" || name == "oct") {
    if (!v.is(ValueKind::Int) && !v.is(ValueKind::Bool))
      return fail(DiagId::WantedOther, args.spans[0], "an int", typeName(v));
    return heap.str(*formatValue(heap.integer(v.integer()), name == "bin"   ? "#b"
                                                            : name == "hex" ? "#x"
                                                                            : "#o"));
  }
  if (name == "ord") {
    if (!v.is(ValueKind::Str) || textLength(v.str()) != 1)
      return fail(DiagId::WantedOther, args.spans[0], "one character",
                  v.is(ValueKind::Str) ? shown(v) : typeName(v));
    const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(v.str().begin());
    llvm::UTF32 code = 0, *end = &code;
    if (llvm::ConvertUTF8toUTF32(&bytes, bytes + v.str().size(), &end, end + 1,
                                 llvm::strictConversion) != llvm::conversionOK)
      return fail(DiagId::BadConversion, args.spans[0], shown(v), "a code point");
    return Value::small(code);
  }
  std::optional<int64_t> code = toInt(v, args.spans[0], "chr");
  if (!code)
    return Value();
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = buffer;
  if (*code < 0 || *code > 0x10ffff ||
      !llvm::ConvertCodePointToUTF8(static_cast<unsigned>(*code), end))
    return fail(DiagId::BadConversion, args.spans[0], *code, "a character");
  return heap.str(std::string(buffer, end));
}

Value Evaluator::builtinRound(CallArgs &args) {
  if (!arity(args, 1, 2, "round"))
    return Value();
  const Value &v = args.values[0];
  bool isWhole = v.is(ValueKind::Int) || v.is(ValueKind::Bool);
  bool hasDigits = args.values.size() > 1 && !args.values[1].is(ValueKind::None);
  if (isWhole && !hasDigits)
    return heap.integer(v.integer());
  if (isRuntime(v))
    return callMath(MathFn::Round, args);
  if (isWhole) {
    std::optional<int64_t> digits = toInt(args.values[1], args.spans[1], "round");
    return digits ? roundInteger(v.integer(), *digits, 0, args.span) : Value();
  }
  std::optional<double> x = toReal(v, args.spans[0], "round");
  if (!x)
    return Value();
  if (!hasDigits) {
    std::optional<Integer> i = Integer::fromDouble(std::nearbyint(*x));
    return i ? heap.integer(*i) : fail(DiagId::BadConversion, args.span, shown(v), "int");
  }
  std::optional<int64_t> digits = toInt(args.values[1], args.spans[1], "round");
  if (!digits)
    return Value();
  if (!std::isfinite(*x) || *digits > 300)
    return v;
  if (*digits < 0) {
    double fraction = *x - std::trunc(*x);
    Value whole = roundInteger(*Integer::fromDouble(*x), *digits,
                               fraction > 0   ? 1
                               : fraction < 0 ? -1
                                              : 0,
                               args.span);
    return whole.ok() ? Value::real(std::copysign(whole.toDouble(), *x)) : Value();
  }
  // Correct rounding of the exact binary value, as CPython does it: through decimal text.
  char buffer[700];
  std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(*digits), *x);
  return Value::real(std::strtod(buffer, nullptr));
}

Value Evaluator::callType(llvm::StringRef name, CallArgs &args) {
  auto listed = [&](ValueKind kind) -> Value {
    if (args.values.empty())
      return heap.list({}, kind);
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, 1, name) || !iterate(args.values[0], args.spans[0], items))
      return Value();
    std::vector<Value> out;
    for (const Value &v : items) {
      if (kind == ValueKind::Set) {
        if (!hashable(v, args.span) || !step(args.span, out.size()))
          return Value();
        if (llvm::any_of(out, [&](const Value &u) { return same(u, v); }))
          continue;
      }
      out.push_back(v);
    }
    return heap.list(std::move(out), kind);
  };
  if (name == "int")
    return builtinInt(args);
  if (name == "list")
    return listed(ValueKind::List);
  if (name == "tuple")
    return listed(ValueKind::Tuple);
  if (name == "set")
    return listed(ValueKind::Set);
  if (name == "dict") {
    auto *dict = heap.make<DictObject>();
    if (!args.values.empty()) {
      llvm::SmallVector<Value> items;
      if (args.values[0].is(ValueKind::Dict))
        dict->entries = args.values[0].as<DictObject>()->entries;
      else if (!iterate(args.values[0], args.spans[0], items))
        return Value();
      for (const Value &v : items) {
        if (!v.isSequence() || v.items().size() != 2)
          return fail(DiagId::WantedOther, args.spans[0], "pairs", typeName(v));
        if (!dictSet(dict, v.items()[0], v.items()[1], args.spans[0]))
          return Value();
      }
    }
    for (const CallArgs::Keyword &k : args.keywords)
      if (!dictSet(dict, heap.str(k.name), k.value, k.span))
        return Value();
    return Value::object(ValueKind::Dict, dict);
  }
  if (name == "str")
    return args.values.empty() ? heap.str("") : text(toStr(args.values[0]), args.span);
  if (name == "bool") {
    if (args.values.empty())
      return Value::boolean(false);
    if (isRuntime(args.values[0])) {
      const Expr *c = toCondition(args.values[0], args.spans[0]);
      return c ? Value::expr(c) : Value();
    }
    std::optional<bool> t = truth(args.values[0], args.spans[0]);
    return t ? Value::boolean(*t) : Value();
  }
  if (name == "float") {
    if (args.values.empty())
      return Value::real(0);
    const Value &v = args.values[0];
    if (v.is(ValueKind::Str)) {
      llvm::StringRef text = v.str().trim();
      std::string lower = text.lower();
      llvm::StringRef bare = llvm::StringRef(lower).ltrim("+-");
      bool negative = llvm::StringRef(lower).starts_with("-");
      if (bare == "inf" || bare == "infinity")
        return Value::real(negative ? -HUGE_VAL : HUGE_VAL);
      if (bare == "nan")
        return Value::real(std::nan(""));
      double out;
      std::string digits = lower;
      bool underscoresFit = !text.starts_with("_") && !text.ends_with("_") && !text.contains("__");
      llvm::erase(digits, '_');
      if (underscoresFit && !text.contains_insensitive("x") && !text.contains_insensitive("n") &&
          !llvm::StringRef(digits).getAsDouble(out))
        return Value::real(out);
      return fail(DiagId::BadConversion, args.span, shown(v), "float");
    }
    std::optional<double> x = toReal(v, args.spans[0], "float()");
    if (x && std::isinf(*x) && v.is(ValueKind::Int))
      return fail(DiagId::FloatOverflow, args.span, "float()");
    return x ? Value::real(*x) : Value();
  }
  if (name == "type") {
    if (!arity(args, 1, 1, name))
      return Value();
    return heap.named(ValueKind::Type, typeName(args.values[0]));
  }
  if (name == "dtype") {
    if (!arity(args, 1, 1, name))
      return Value();
    std::optional<DType> t = toDType(args.values[0], args.spans[0]);
    return t ? Value::dtype(*t) : Value();
  }
  if (name == "object")
    return heap.named(ValueKind::Opaque, "object()", args.span);
  return fail(DiagId::NotCallable, args.calleeSpan, "type `" + name.str() + "`");
}

// Functions without keywords; an argument that would be dropped must be an error.
constexpr llvm::StringRef plainFunctions[] = {
    "any", "all", "reversed", "map", "filter", "len",  "abs",   "divmod",  "repr",    "getattr",
    "ord", "chr", "bin",      "hex", "oct",    "next", "slice", "hasattr", "callable"};

Value Evaluator::callBuiltin(llvm::StringRef name, const Value &callee, CallArgs &args) {
  if (llvm::is_contained({"sum", "enumerate"}, name) ? !knownKeywords(args, name, {"start"})
      : name == "zip"                                ? !knownKeywords(args, name, {"strict"})
      : llvm::is_contained(plainFunctions, name)     ? !knownKeywords(args, name, {})
                                                     : false)
    return Value();
  if (name.consume_front("math."))
    return mathModule(name, args);
  if (name.consume_front("schedule."))
    return scheduleFunction(name, args);
  if (name == "min" || name == "max")
    return builtinMinMax(name == "min", args);
  if (name == "range")
    return builtinRange(args);
  if (name == "sorted")
    return builtinSorted(args);
  if (name == "isinstance")
    return builtinIsInstance(args);
  if (name == "round")
    return builtinRound(args);
  if (name.consume_front("itertools."))
    return itertoolsModule(name, args);
  if (name == "reduce")
    return reduce(args);
  if (name.consume_front("str.")) {
    if (args.values.empty() || !wantStr(args, 0))
      return failure ? Value() : fail(DiagId::WrongArgumentCount, args.span, name, "at least 1", 0);
    CallArgs rest = args;
    rest.values.erase(rest.values.begin());
    rest.spans.erase(rest.spans.begin());
    return strMethod(args.values[0], name, rest);
  }
  if (name == "dict.fromkeys") {
    llvm::SmallVector<Value> keys;
    if (!arity(args, 1, 2, name) || !iterate(args.values[0], args.spans[0], keys))
      return Value();
    auto *dict = heap.make<DictObject>();
    for (const Value &key : keys)
      if (!dictSet(dict, key, args.values.size() > 1 ? args.values[1] : Value::none(),
                   args.spans[0]))
        return Value();
    return Value::object(ValueKind::Dict, dict);
  }
  if (name == "print")
    return Value::none();
  if (name == "identity")
    return args.values.empty() ? callee : args.values[0];
  if (name == "identity factory") // `@autotune(configs=...)`: the call gives the decorator
    return args.values.size() == 1 && args.keywords.empty() &&
                   (args.values[0].is(ValueKind::Function) || args.values[0].is(ValueKind::Jit))
               ? args.values[0]
               : heap.named(ValueKind::Builtin, "identity");
  if (name == "prim_func" || name == "macro" || name == "jit") {
    bool isCallOnFunction = args.values.size() == 1 && args.values[0].is(ValueKind::Function);
    if (!isCallOnFunction) {
      // `@tilelang.jit(out_idx=...)`: remember the options.
      Value partial = heap.named(ValueKind::Builtin, name.str() + " with options");
      auto *state = partial.as<NamedObject>();
      state->span = args.span;
      for (const CallArgs::Keyword &k : args.keywords)
        state->keywords.push_back({k.name, k.value, k.span, k.valueSpan});
      return partial;
    }
    auto *function = args.values[0].as<FunctionObject>();
    if (name == "prim_func")
      return tracePrimFunc(function, args.span);
    if (name == "jit")
      return makeJit(function, &args, args.span);
    auto *macro = heap.make<FunctionObject>();
    *macro = *function;
    macro->isMacro = true;
    return Value::object(ValueKind::Function, macro);
  }
  if (name.consume_back(" with options")) {
    if (!arity(args, 1, 1, name))
      return Value();
    auto *state = callee.as<NamedObject>();
    CallArgs options = args;
    for (const NamedObject::Keyword &k : state->keywords)
      options.keywords.push_back({k.name, k.value, k.span, k.valueSpan});
    return callBuiltin(name, callee, options);
  }
  if (name == "compile") {
    // tilelang.compile(prim_func, out_idx=...): the kernel with its outputs marked.
    if (!arity(args, 1, 1, "tilelang.compile"))
      return Value();
    if (!args.values[0].is(ValueKind::Kernel))
      return args.values[0];
    Value made = makeJit(nullptr, &args, args.span);
    if (!made.ok())
      return Value();
    auto *copy = heap.make<KernelObject>();
    auto *original = args.values[0].as<KernelObject>();
    copy->name = original->name;
    copy->span = original->span;
    copy->params = original->params;
    copy->outputs = original->outputs;
    copy->workspaces = original->workspaces;
    copy->assumptions = original->assumptions;
    copy->launches = original->launches;
    copy->passConfigs = original->passConfigs;
    if (!applyOutputs(copy, made.as<JitObject>()))
      return Value();
    return Value::object(ValueKind::Kernel, copy);
  }
  if (name == "tir.const") { // a typed constant
    std::optional<DType> type =
        arity(args, 2, 2, "const") ? toDType(args.values[1], args.spans[1]) : std::nullopt;
    return type ? castIntrinsic(args.values[0], args.spans[0], *type, args.span) : Value();
  }
  if (name == "partial") {
    if (args.values.empty())
      return fail(DiagId::WrongArgumentCount, args.span, "partial", "at least 1", 0);
    Value out = heap.named(ValueKind::Builtin, "partial call");
    auto *state = out.as<NamedObject>();
    state->state.assign(args.values.begin(), args.values.end());
    state->span = args.span;
    for (const CallArgs::Keyword &k : args.keywords)
      state->keywords.push_back({k.name, k.value, k.span, k.valueSpan});
    return out;
  }
  if (name == "partial call") {
    auto *state = callee.as<NamedObject>();
    CallArgs inner;
    inner.span = args.span;
    inner.calleeSpan = args.calleeSpan;
    inner.values.append(state->state.begin() + 1, state->state.end());
    inner.spans.append(state->state.size() - 1, state->span);
    inner.values.append(args.values);
    inner.spans.append(args.spans);
    for (const NamedObject::Keyword &own : state->keywords)
      if (llvm::none_of(args.keywords, [&](auto &k) { return k.name == own.name; }))
        inner.keywords.push_back({own.name, own.value, own.span, own.valueSpan});
    inner.keywords.append(args.keywords);
    return call(state->state[0], inner);
  }
  if (name == "next_power_of_2")
    return mathModule(name, args);
  if (llvm::is_contained({"sum", "enumerate"}, name) ? !knownKeywords(args, name, {"start"})
      : name == "zip"                                ? !knownKeywords(args, name, {"strict"})
      : llvm::is_contained(plainFunctions, name)     ? !knownKeywords(args, name, {})
                                                     : false)
    return Value();
  if (name == "len") {
    if (!arity(args, 1, 1, name))
      return Value();
    const Value &v = args.values[0];
    if (v.is(ValueKind::Str) && !step(args.span, v.str().size() / 16))
      return Value();
    if (v.is(ValueKind::Str))
      return Value::small(static_cast<int64_t>(textLength(v.str())));
    if (v.is(ValueKind::Dict))
      return Value::small(static_cast<int64_t>(v.as<DictObject>()->entries.size()));
    if (v.is(ValueKind::Range))
      return Value::small(v.as<RangeObject>()->count());
    if (v.isSequence() || v.is(ValueKind::Set))
      return Value::small(static_cast<int64_t>(v.items().size()));
    if (v.is(ValueKind::Opaque))
      return fail(DiagId::OpaqueValue, args.spans[0], v.str());
    return fail(DiagId::WantedOther, args.spans[0], "a sequence", typeName(v));
  }
  if (name == "abs") {
    if (!arity(args, 1, 1, name))
      return Value();
    const Value &v = args.values[0];
    if (isRuntime(v))
      return callMath(MathFn::Abs, args);
    if (v.is(ValueKind::Float))
      return Value::real(std::fabs(v.real()));
    if (!v.isNumber())
      return fail(DiagId::WantedOther, args.spans[0], "a number", typeName(v));
    return heap.integer(v.integer().isNegative() ? -v.integer() : v.integer());
  }
  if (name == "sum" || name == "any" || name == "all") {
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, name == "sum" ? 2 : 1, name) ||
        !iterate(args.values[0], args.spans[0], items))
      return Value();
    if (name == "sum") {
      Value out = args.values.size() > 1  ? args.values[1]
                  : args.keywords.empty() ? Value::small(0)
                                          : args.keywords[0].value;
      for (const Value &v : items) {
        out = binary(ast::BinaryOp::Add, out, v, args.span, args.span, args.spans[0]);
        if (!out.ok())
          return Value();
      }
      return out;
    }
    for (const Value &v : items) {
      std::optional<bool> t = truth(v, args.spans[0]);
      if (!t)
        return Value();
      if (*t == (name == "any"))
        return Value::boolean(*t);
    }
    return Value::boolean(name == "all");
  }
  if (name == "enumerate") {
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, 2, name) || !iterate(args.values[0], args.spans[0], items))
      return Value();
    int64_t start = 0;
    Value startValue = args.values.size() > 1 ? args.values[1] : Value();
    for (const CallArgs::Keyword &k : args.keywords)
      startValue = k.value;
    if (startValue.ok()) {
      std::optional<int64_t> n = toInt(startValue, args.span, "enumerate");
      if (!n)
        return Value();
      start = *n;
    }
    std::vector<Value> out;
    for (size_t i = 0; i < items.size(); ++i)
      out.push_back(heap.tuple({Value::small(start + static_cast<int64_t>(i)), items[i]}));
    return heap.list(std::move(out));
  }
  if (name == "zip") {
    std::vector<llvm::SmallVector<Value>> columns(args.values.size());
    size_t count = args.values.empty() ? 0 : ~size_t(0);
    for (size_t i = 0; i < args.values.size(); ++i) {
      if (!iterate(args.values[i], args.spans[i], columns[i]))
        return Value();
      count = std::min(count, columns[i].size());
    }
    std::vector<Value> out;
    for (size_t r = 0; r < count; ++r) {
      std::vector<Value> row;
      for (auto &column : columns)
        row.push_back(column[r]);
      out.push_back(heap.tuple(std::move(row)));
    }
    return heap.list(std::move(out));
  }
  if (name == "reversed") {
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, 1, name) || !iterate(args.values[0], args.spans[0], items))
      return Value();
    std::reverse(items.begin(), items.end());
    return heap.list({items.begin(), items.end()});
  }
  if (name == "map" || name == "filter") {
    std::vector<llvm::SmallVector<Value>> columns(args.values.empty() ? 0 : args.values.size() - 1);
    if (!arity(args, 2, name == "map" ? 64 : 2, name))
      return Value();
    size_t count = ~size_t(0);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!iterate(args.values[i + 1], args.spans[i + 1], columns[i]))
        return Value();
      count = std::min(count, columns[i].size());
    }
    std::vector<Value> out;
    for (size_t i = 0; i < count; ++i) {
      llvm::SmallVector<Value> row;
      for (auto &column : columns)
        row.push_back(column[i]);
      const Value &v = row[0];
      bool isNone = name == "filter" && args.values[0].is(ValueKind::None);
      Value r = isNone ? v : callWith(args.values[0], row, args);
      if (!r.ok() || !step(args.span))
        return Value();
      if (name == "map") {
        out.push_back(r);
        continue;
      }
      std::optional<bool> t = truth(r, args.span);
      if (!t)
        return Value();
      if (*t)
        out.push_back(v);
    }
    return heap.list(std::move(out));
  }
  if (name == "divmod") {
    if (!arity(args, 2, 2, name))
      return Value();
    Value q = binary(ast::BinaryOp::FloorDiv, args.values[0], args.values[1], args.span,
                     args.spans[0], args.spans[1]);
    Value r = q.ok() ? binary(ast::BinaryOp::Mod, args.values[0], args.values[1], args.span,
                              args.spans[0], args.spans[1])
                     : Value();
    return r.ok() ? heap.tuple({q, r}) : Value();
  }
  if (name == "pow")
    return builtinPow(args);
  if (name == "getattr" || name == "hasattr") {
    if (!arity(args, 2, 3, name))
      return Value();
    if (!args.values[1].is(ValueKind::Str))
      return fail(DiagId::WantedOther, args.spans[1], "a str", typeName(args.values[1]));
    Value v = attribute(args.values[0], args.values[1].str(), args.span, args.spans[1]);
    bool missing =
        !v.ok() && failure &&
        (failure->error.id == DiagId::NoAttribute || failure->error.id == DiagId::UnknownIntrinsic);
    if (name == "hasattr" || args.values.size() == 3) {
      if (missing)
        failure.reset();
      if (name == "hasattr")
        return missing || v.ok() ? Value::boolean(v.ok()) : Value();
      return missing ? args.values[2] : v;
    }
    return v;
  }
  if (name == "repr")
    return arity(args, 1, 1, name) ? text(repr(args.values[0]), args.span) : Value();
  if (name == "callable") {
    return Value::boolean(!args.values.empty() && (args.values[0].is(ValueKind::Function) ||
                                                   args.values[0].is(ValueKind::Builtin)));
  }
  if (name == "bin" || name == "hex" || name == "oct" || name == "ord" || name == "chr")
    return textBuiltin(name, args);
  if (name == "next") {
    // The first element of a generator that is made here; iterators with a state do not exist.
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, 2, name) || !iterate(args.values[0], args.spans[0], items))
      return Value();
    if (!items.empty())
      return items[0];
    return args.values.size() > 1 ? args.values[1] : fail(DiagId::EmptySequence, args.span, name);
  }
  if (name == "slice") {
    if (!arity(args, 1, 3, name))
      return Value();
    auto *s = heap.make<SliceObject>();
    s->lower = args.values.size() > 1 ? args.values[0] : Value::none();
    s->upper = args.values.size() > 1 ? args.values[1] : args.values[0];
    s->step = args.values.size() > 2 ? args.values[2] : Value::none();
    return Value::object(ValueKind::Slice, s);
  }
  // Exceptions: `raise` reads the message from the call; any other builtin is opaque.
  std::string text = args.values.empty() ? "" : toStr(args.values[0]);
  Value exception = heap.named(ValueKind::Opaque, name.str() + (text.empty() ? "" : ": " + text));
  return exception;
}

} // namespace tilec::script
