//===- Builtins.cpp - Python's built-in functions -------------------------===//
//
// Types that scripts call, and those of Python's functions that take more than a few lines;
// BuiltinCalls.cpp has the table of functions.
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

/// A type that scripts call, and what a call gives.
struct Evaluator::TypeRow {
  llvm::StringLiteral name;
  Value (*make)(Evaluator &e, CallArgs &args);
  bool isPythons = true; ///< a name that needs no import
  bool takesOne = false; ///< exactly one argument
};

Value Evaluator::builtinName(llvm::StringRef name) {
  constexpr llvm::StringLiteral exceptions[] = {
      "ValueError", "TypeError", "RuntimeError", "AssertionError", "NotImplementedError",
      "Exception",  "KeyError",  "IndexError",   "ImportError",    "ModuleNotFoundError"};
  constexpr llvm::StringLiteral opaque[] = {"NotImplemented", "__file__", "__doc__"};
  if (name == "frozenset") // no set is changed behind a key: one kind does for both
    name = "set";
  if (const TypeRow *row = typeOf(name); row && row->isPythons)
    return heap.named(ValueKind::Type, name.str());
  if (name == "Ellipsis")
    return Value::ellipsis();
  if (isPythonFunction(name) || llvm::is_contained(exceptions, name))
    return heap.named(ValueKind::Builtin, name.str());
  if (llvm::is_contained(opaque, name))
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
      bool before = reverse ? *o == 1 : *o < 0;
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

static bool isOfClass(const ClassObject *type, const ClassObject *wanted) {
  return type == wanted || llvm::any_of(type->bases, [&](const ClassObject *base) {
           return isOfClass(base, wanted);
         });
}

Value Evaluator::builtinIsInstance(CallArgs &args) {
  if (!arity(args, 2, 2, "isinstance"))
    return Value();
  const Value &v = args.values[0];
  if (v.is(ValueKind::Opaque) && !isHosts(v))
    return failOpaque(v, args.spans[0]);
  auto matches = [&](const Value &type) {
    if (isHosts(type)) // values of the kernel's run are of no class of the host
      return toHost(v) && hostTruth(type, "__instancecheck__", v, args.span).value_or(false);
    if (type.is(ValueKind::Intrinsic))
      return type.intrinsic() == IntrinsicId::Tensor && v.is(ValueKind::Buffer);
    if (type.is(ValueKind::Class))
      return v.is(ValueKind::Instance) &&
             isOfClass(v.as<InstanceObject>()->type, type.as<ClassObject>());
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
  bool isOne = args.values[1].is(ValueKind::Tuple) ? llvm::any_of(args.values[1].items(), matches)
                                                   : matches(args.values[1]);
  return failure ? Value() : Value::boolean(isOne);
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
    return failOpaque(v, args.spans[0]);
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
  if (!step(args.span, exponent.bitLength() * (4 + words * words / 8)))
    return Value();
  return heap.integer(*Integer::powMod(args.values[0].integer(), exponent, modulus));
}

/// bin(i), hex(i), oct(i): `spec` is that of format(i, spec).
Value Evaluator::integerText(llvm::StringRef spec, CallArgs &args) {
  const Value &v = args.values[0];
  if (!v.is(ValueKind::Int) && !v.is(ValueKind::Bool))
    return fail(DiagId::WantedOther, args.spans[0], "an int", typeName(v));
  return heap.str(*formatValue(heap.integer(v.integer()), spec));
}

Value Evaluator::builtinOrd(CallArgs &args) {
  const Value &v = args.values[0];
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

Value Evaluator::builtinChr(CallArgs &args) {
  std::optional<int64_t> code = toInt(args.values[0], args.spans[0], "chr");
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

Value Evaluator::makeSequence(ValueKind kind, llvm::StringRef name, CallArgs &args) {
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
}

Value Evaluator::makeDict(CallArgs &args) {
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

Value Evaluator::makeBool(CallArgs &args) {
  if (args.values.empty())
    return Value::boolean(false);
  if (isRuntime(args.values[0])) {
    const Expr *c = toCondition(args.values[0], args.spans[0]);
    return c ? Value::expr(c) : Value();
  }
  std::optional<bool> t = truth(args.values[0], args.spans[0]);
  return t ? Value::boolean(*t) : Value();
}

Value Evaluator::makeFloat(CallArgs &args) {
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

const Evaluator::TypeRow *Evaluator::typeOf(llvm::StringRef name) {
  static const TypeRow rows[] = {
      {"int", [](Evaluator &e, CallArgs &args) { return e.builtinInt(args); }},
      {"float", [](Evaluator &e, CallArgs &args) { return e.makeFloat(args); }},
      {"bool", [](Evaluator &e, CallArgs &args) { return e.makeBool(args); }},
      {"str",
       [](Evaluator &e, CallArgs &args) {
         return args.values.empty() ? e.heap.str("") : e.text(toStr(args.values[0]), args.span);
       }},
      {"list",
       [](Evaluator &e, CallArgs &args) { return e.makeSequence(ValueKind::List, "list", args); }},
      {"tuple", [](Evaluator &e,
                   CallArgs &args) { return e.makeSequence(ValueKind::Tuple, "tuple", args); }},
      {"dict", [](Evaluator &e, CallArgs &args) { return e.makeDict(args); }},
      {"set",
       [](Evaluator &e, CallArgs &args) { return e.makeSequence(ValueKind::Set, "set", args); }},
      {"object",
       [](Evaluator &e, CallArgs &args) {
         return e.heap.named(ValueKind::Opaque, "object()", args.span);
       }},
      {"type",
       [](Evaluator &e, CallArgs &args) {
         return e.heap.named(ValueKind::Type, typeName(args.values[0]));
       },
       true, true},
      {"dtype",
       [](Evaluator &e, CallArgs &args) {
         std::optional<DType> t = e.toDType(args.values[0], args.spans[0]);
         return t ? Value::dtype(*t) : Value();
       },
       false, true},
  };
  const TypeRow *row = llvm::find_if(rows, [&](const TypeRow &r) { return r.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

Value Evaluator::callType(llvm::StringRef name, CallArgs &args) {
  const TypeRow *row = typeOf(name);
  if (!row)
    return fail(DiagId::NotCallable, args.calleeSpan, "type `" + name.str() + "`");
  return row->takesOne && !arity(args, 1, 1, name) ? Value() : row->make(*this, args);
}

} // namespace tilec::script
