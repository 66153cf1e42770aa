//===- BuiltinCalls.cpp - a call of a built-in function by its name -------===//
//
// A table of names; small functions are here, those that take more in Builtins.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"
#include "Library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <cmath>
#include <numeric>

namespace tilec::script {

/// One call. Its functions are the rows' of the table below.
struct Evaluator::BuiltinCall {
  /// `keyword` is the only one that the function takes, "" for none; nullptr: it sees to its own.
  struct Row {
    llvm::StringLiteral name;
    Value (*call)(BuiltinCall &);
    const char *keyword = nullptr;
  };
  static llvm::ArrayRef<Row> pythons();
  static llvm::ArrayRef<Row> others();
  static const Row *rowOf(llvm::StringRef name);

  Evaluator &e;
  llvm::StringRef name;
  const Value &callee;
  CallArgs &args;

  bool takesOne() { return e.arity(args, 1, 1, name); }
  Value opaque();
  Value definition(Value (BuiltinCall::*of)(FunctionObject *));
  Value primFunc(FunctionObject *function) { return e.tracePrimFunc(function, args.span); }
  Value jit(FunctionObject *function) { return e.makeJit(function, &args, args.span); }
  Value macro(FunctionObject *function);
  Value withOptions();
  Value identityFactory();
  Value compile();
  Value typedConstant();
  Value partial();
  Value partialCall();
  Value ofStr();
  Value dictFromKeys();
  Value len();
  Value abs();
  Value sum();
  Value firstTruth(bool wanted);
  Value enumerate();
  Value zip();
  Value reversed();
  /// The function, or none, applied to the k-th item of each sequence, for each k.
  std::optional<std::vector<llvm::SmallVector<Value>>> rowsOfItems(size_t mostSequences);
  Value map();
  Value filter();
  Value divmod();
  Value getAttribute();
  Value hasAttribute();
  /// The attribute, `missing` set where there is none; no value after another failure, too.
  Value attribute(bool &missing);
  Value represent();
  Value callable();
  Value next();
  Value slice();
};

namespace {

/// What a call of `@tilelang.jit(...)`, or `partial(f, ...)`, keeps for the call behind it.
void rememberKeywords(NamedObject *state, const CallArgs &args) {
  state->span = args.span;
  for (const CallArgs::Keyword &k : args.keywords)
    state->keywords.push_back({k.name, k.value, k.span, k.valueSpan});
}

} // namespace

/// `@T.prim_func`, `@T.macro`, `@tilelang.jit`, with a function or with options for one.
Value Evaluator::BuiltinCall::definition(Value (BuiltinCall::*of)(FunctionObject *)) {
  if (args.values.size() == 1 && args.values[0].is(ValueKind::Function))
    return (this->*of)(args.values[0].as<FunctionObject>());
  // `@tilelang.jit(out_idx=...)`: remember the options.
  Value partial = e.heap.named(ValueKind::Builtin, name.str() + " with options");
  rememberKeywords(partial.as<NamedObject>(), args);
  return partial;
}

Value Evaluator::BuiltinCall::macro(FunctionObject *function) {
  auto *made = e.heap.make<FunctionObject>();
  *made = *function;
  made->isMacro = true;
  return Value::object(ValueKind::Function, made);
}

/// The decorator that such options have made.
Value Evaluator::BuiltinCall::withOptions() {
  name.consume_back(" with options");
  if (!e.arity(args, 1, 1, name))
    return Value();
  auto *state = callee.as<NamedObject>();
  CallArgs options = args;
  for (const NamedObject::Keyword &k : state->keywords)
    options.keywords.push_back({k.name, k.value, k.span, k.valueSpan});
  return e.callBuiltin(name, callee, options);
}

/// `@autotune(configs=...)`: the call gives the decorator.
Value Evaluator::BuiltinCall::identityFactory() {
  bool isFunction = args.values.size() == 1 && args.keywords.empty() &&
                    (args.values[0].is(ValueKind::Function) || args.values[0].is(ValueKind::Jit));
  return isFunction ? args.values[0] : e.heap.named(ValueKind::Builtin, "identity");
}

/// tilelang.compile(prim_func, out_idx=...): the kernel with its outputs marked.
Value Evaluator::BuiltinCall::compile() {
  if (!e.arity(args, 1, 1, "tilelang.compile"))
    return Value();
  if (!args.values[0].is(ValueKind::Kernel))
    return args.values[0];
  Value made = e.makeJit(nullptr, &args, args.span);
  if (!made.ok())
    return Value();
  auto *copy = e.heap.make<KernelObject>();
  auto *original = args.values[0].as<KernelObject>();
  copy->name = original->name;
  copy->span = original->span;
  copy->params = original->params;
  copy->outputs = original->outputs;
  copy->workspaces = original->workspaces;
  copy->assumptions = original->assumptions;
  copy->launches = original->launches;
  copy->passConfigs = original->passConfigs;
  if (!e.applyOutputs(copy, made.as<JitObject>()))
    return Value();
  return Value::object(ValueKind::Kernel, copy);
}

/// tir.const(value, dtype).
Value Evaluator::BuiltinCall::typedConstant() {
  std::optional<DType> type =
      e.arity(args, 2, 2, "const") ? e.toDType(args.values[1], args.spans[1]) : std::nullopt;
  return type ? e.castIntrinsic(args.values[0], args.spans[0], *type, args.span) : Value();
}

Value Evaluator::BuiltinCall::partial() {
  if (args.values.empty())
    return e.fail(DiagId::WrongArgumentCount, args.span, "partial", "at least 1", 0);
  Value out = e.heap.named(ValueKind::Builtin, "partial call");
  auto *state = out.as<NamedObject>();
  state->state.assign(args.values.begin(), args.values.end());
  rememberKeywords(state, args);
  return out;
}

Value Evaluator::BuiltinCall::partialCall() {
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
  return e.call(state->state[0], inner);
}

/// `str.lower(text)`: the method of its first argument.
Value Evaluator::BuiltinCall::ofStr() {
  if (args.values.empty() || !e.wantStr(args, 0))
    return e.failure ? Value()
                     : e.fail(DiagId::WrongArgumentCount, args.span, name, "at least 1", 0);
  CallArgs rest = args;
  rest.values.erase(rest.values.begin());
  rest.spans.erase(rest.spans.begin());
  return e.callMethod(args.values[0], name, rest);
}

Value Evaluator::BuiltinCall::dictFromKeys() {
  llvm::SmallVector<Value> keys;
  if (!e.arity(args, 1, 2, name) || !e.iterate(args.values[0], args.spans[0], keys))
    return Value();
  auto *dict = e.heap.make<DictObject>();
  for (const Value &key : keys)
    if (!e.dictSet(dict, key, args.values.size() > 1 ? args.values[1] : Value::none(),
                   args.spans[0]))
      return Value();
  return Value::object(ValueKind::Dict, dict);
}

Value Evaluator::BuiltinCall::len() {
  if (!e.arity(args, 1, 1, name))
    return Value();
  const Value &v = args.values[0];
  if (v.is(ValueKind::Str) && !e.step(args.span, v.str().size() / 16))
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
    return e.failOpaque(v, args.spans[0]);
  return e.fail(DiagId::WantedOther, args.spans[0], "a sequence", typeName(v));
}

Value Evaluator::BuiltinCall::abs() {
  if (!e.arity(args, 1, 1, name))
    return Value();
  const Value &v = args.values[0];
  if (e.isRuntime(v))
    return e.callMath(MathFn::Abs, args);
  if (v.is(ValueKind::Float))
    return Value::real(std::fabs(v.real()));
  if (!v.isNumber())
    return e.fail(DiagId::WantedOther, args.spans[0], "a number", typeName(v));
  return e.heap.integer(v.integer().isNegative() ? -v.integer() : v.integer());
}

Value Evaluator::BuiltinCall::sum() {
  llvm::SmallVector<Value> items;
  if (!e.arity(args, 1, 2, name) || !e.iterate(args.values[0], args.spans[0], items))
    return Value();
  Value out = args.values.size() > 1  ? args.values[1]
              : args.keywords.empty() ? Value::small(0)
                                      : args.keywords[0].value;
  for (const Value &v : items) {
    out = e.binary(ast::BinaryOp::Add, out, v, args.span, args.span, args.spans[0]);
    if (!out.ok())
      return Value();
  }
  return out;
}

/// any(items) and all(items): `wanted` when one item is so, the opposite when none is.
Value Evaluator::BuiltinCall::firstTruth(bool wanted) {
  llvm::SmallVector<Value> items;
  if (!takesOne() || !e.iterate(args.values[0], args.spans[0], items))
    return Value();
  for (const Value &v : items) {
    std::optional<bool> t = e.truth(v, args.spans[0]);
    if (!t)
      return Value();
    if (*t == wanted)
      return Value::boolean(wanted);
  }
  return Value::boolean(!wanted);
}

Value Evaluator::BuiltinCall::enumerate() {
  llvm::SmallVector<Value> items;
  if (!e.arity(args, 1, 2, name) || !e.iterate(args.values[0], args.spans[0], items))
    return Value();
  int64_t start = 0;
  Value startValue = args.values.size() > 1 ? args.values[1] : Value();
  for (const CallArgs::Keyword &k : args.keywords)
    startValue = k.value;
  if (startValue.ok()) {
    std::optional<int64_t> n = e.toInt(startValue, args.span, "enumerate");
    if (!n)
      return Value();
    start = *n;
  }
  std::vector<Value> out;
  for (size_t i = 0; i < items.size(); ++i)
    out.push_back(e.heap.tuple({Value::small(start + static_cast<int64_t>(i)), items[i]}));
  return e.heap.list(std::move(out));
}

Value Evaluator::BuiltinCall::zip() {
  std::vector<llvm::SmallVector<Value>> columns(args.values.size());
  size_t count = args.values.empty() ? 0 : ~size_t(0);
  for (size_t i = 0; i < args.values.size(); ++i) {
    if (!e.iterate(args.values[i], args.spans[i], columns[i]))
      return Value();
    count = std::min(count, columns[i].size());
  }
  std::vector<Value> out;
  for (size_t r = 0; r < count; ++r) {
    std::vector<Value> row;
    for (auto &column : columns)
      row.push_back(column[r]);
    out.push_back(e.heap.tuple(std::move(row)));
  }
  return e.heap.list(std::move(out));
}

Value Evaluator::BuiltinCall::reversed() {
  llvm::SmallVector<Value> items;
  if (!e.arity(args, 1, 1, name) || !e.iterate(args.values[0], args.spans[0], items))
    return Value();
  std::reverse(items.begin(), items.end());
  return e.heap.list({items.begin(), items.end()});
}

std::optional<std::vector<llvm::SmallVector<Value>>>
Evaluator::BuiltinCall::rowsOfItems(size_t mostSequences) {
  if (!e.arity(args, 2, 1 + mostSequences, name))
    return std::nullopt;
  std::vector<llvm::SmallVector<Value>> columns(args.values.size() - 1);
  size_t count = ~size_t(0);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!e.iterate(args.values[i + 1], args.spans[i + 1], columns[i]))
      return std::nullopt;
    count = std::min(count, columns[i].size());
  }
  std::vector<llvm::SmallVector<Value>> rows(count);
  for (size_t i = 0; i < count; ++i)
    for (auto &column : columns)
      rows[i].push_back(column[i]);
  return rows;
}

Value Evaluator::BuiltinCall::map() {
  auto rows = rowsOfItems(63);
  if (!rows)
    return Value();
  std::vector<Value> out;
  for (llvm::ArrayRef<Value> row : *rows) {
    Value r = e.callWith(args.values[0], row, args);
    if (!r.ok() || !e.step(args.span))
      return Value();
    out.push_back(r);
  }
  return e.heap.list(std::move(out));
}

Value Evaluator::BuiltinCall::filter() {
  auto rows = rowsOfItems(1);
  if (!rows)
    return Value();
  std::vector<Value> out;
  for (llvm::ArrayRef<Value> row : *rows) {
    bool isNone = args.values[0].is(ValueKind::None);
    Value r = isNone ? row[0] : e.callWith(args.values[0], row, args);
    if (!r.ok() || !e.step(args.span))
      return Value();
    std::optional<bool> t = e.truth(r, args.span);
    if (!t)
      return Value();
    if (*t)
      out.push_back(row[0]);
  }
  return e.heap.list(std::move(out));
}

Value Evaluator::BuiltinCall::divmod() {
  if (!e.arity(args, 2, 2, name))
    return Value();
  Value q = e.binary(ast::BinaryOp::FloorDiv, args.values[0], args.values[1], args.span,
                     args.spans[0], args.spans[1]);
  Value r = q.ok() ? e.binary(ast::BinaryOp::Mod, args.values[0], args.values[1], args.span,
                              args.spans[0], args.spans[1])
                   : Value();
  return r.ok() ? e.heap.tuple({q, r}) : Value();
}

Value Evaluator::BuiltinCall::attribute(bool &missing) {
  missing = false;
  if (args.values[1].is(ValueKind::DType)) // stands for its name: `getattr(torch, dtype)`
    args.values[1] = e.heap.str(std::string(nameOf(args.values[1].dtype())));
  if (!args.values[1].is(ValueKind::Str))
    return e.fail(DiagId::WantedOther, args.spans[1], "a str", typeName(args.values[1]));
  Value v = e.attribute(args.values[0], args.values[1].str(), args.span, args.spans[1]);
  missing = !v.ok() && e.failure &&
            (e.failure->error.id == DiagId::NoAttribute ||
             e.failure->error.id == DiagId::UnknownIntrinsic);
  return v;
}

Value Evaluator::BuiltinCall::getAttribute() {
  bool missing;
  if (!e.arity(args, 2, 3, name))
    return Value();
  Value v = attribute(missing);
  if (!missing || args.values.size() < 3)
    return v;
  e.failure.reset();
  return args.values[2];
}

Value Evaluator::BuiltinCall::hasAttribute() {
  bool missing;
  if (!e.arity(args, 2, 2, name))
    return Value();
  Value v = attribute(missing);
  if (missing)
    e.failure.reset();
  return missing || v.ok() ? Value::boolean(v.ok()) : Value();
}

Value Evaluator::BuiltinCall::represent() {
  return e.arity(args, 1, 1, name) ? e.text(repr(args.values[0]), args.span) : Value();
}

Value Evaluator::BuiltinCall::callable() {
  return Value::boolean(!args.values.empty() && (args.values[0].is(ValueKind::Function) ||
                                                 args.values[0].is(ValueKind::Builtin)));
}

/// The first element of a generator that is made here; iterators with a state do not exist.
Value Evaluator::BuiltinCall::next() {
  llvm::SmallVector<Value> items;
  if (!e.arity(args, 1, 2, name) || !e.iterate(args.values[0], args.spans[0], items))
    return Value();
  if (!items.empty())
    return items[0];
  return args.values.size() > 1 ? args.values[1] : e.fail(DiagId::EmptySequence, args.span, name);
}

Value Evaluator::BuiltinCall::slice() {
  if (!e.arity(args, 1, 3, name))
    return Value();
  auto *s = e.heap.make<SliceObject>();
  s->lower = args.values.size() > 1 ? args.values[0] : Value::none();
  s->upper = args.values.size() > 1 ? args.values[1] : args.values[0];
  s->step = args.values.size() > 2 ? args.values[2] : Value::none();
  return Value::object(ValueKind::Slice, s);
}

// Where a function has no keywords, an argument that would be dropped must be an error.
llvm::ArrayRef<Evaluator::BuiltinCall::Row> Evaluator::BuiltinCall::pythons() {
  using Call = BuiltinCall;
  static const Row rows[] = {
      {"min", [](Call &c) { return c.e.builtinMinMax(true, c.args); }},
      {"max", [](Call &c) { return c.e.builtinMinMax(false, c.args); }},
      {"range", [](Call &c) { return c.e.builtinRange(c.args); }},
      {"sorted", [](Call &c) { return c.e.builtinSorted(c.args); }},
      {"isinstance", [](Call &c) { return c.e.builtinIsInstance(c.args); }},
      {"round", [](Call &c) { return c.e.builtinRound(c.args); }},
      {"pow", [](Call &c) { return c.e.builtinPow(c.args); }},
      {"print", [](Call &) { return Value::none(); }},
      {"sum", [](Call &c) { return c.sum(); }, "start"},
      {"enumerate", [](Call &c) { return c.enumerate(); }, "start"},
      {"zip", [](Call &c) { return c.zip(); }, "strict"},
      {"len", [](Call &c) { return c.len(); }, ""},
      {"abs", [](Call &c) { return c.abs(); }, ""},
      {"any", [](Call &c) { return c.firstTruth(true); }, ""},
      {"all", [](Call &c) { return c.firstTruth(false); }, ""},
      {"reversed", [](Call &c) { return c.reversed(); }, ""},
      {"map", [](Call &c) { return c.map(); }, ""},
      {"filter", [](Call &c) { return c.filter(); }, ""},
      {"divmod", [](Call &c) { return c.divmod(); }, ""},
      {"getattr", [](Call &c) { return c.getAttribute(); }, ""},
      {"hasattr", [](Call &c) { return c.hasAttribute(); }, ""},
      {"repr", [](Call &c) { return c.represent(); }, ""},
      {"callable", [](Call &c) { return c.callable(); }, ""},
      {"id", [](Call &c) { return c.opaque(); }, ""},
      {"bin", [](Call &c) { return c.takesOne() ? c.e.integerText("#b", c.args) : Value(); }, ""},
      {"hex", [](Call &c) { return c.takesOne() ? c.e.integerText("#x", c.args) : Value(); }, ""},
      {"oct", [](Call &c) { return c.takesOne() ? c.e.integerText("#o", c.args) : Value(); }, ""},
      {"ord", [](Call &c) { return c.takesOne() ? c.e.builtinOrd(c.args) : Value(); }, ""},
      {"chr", [](Call &c) { return c.takesOne() ? c.e.builtinChr(c.args) : Value(); }, ""},
      {"next", [](Call &c) { return c.next(); }, ""},
      {"slice", [](Call &c) { return c.slice(); }, ""},
  };
  return rows;
}

/// Those of modules, and what calls of them leave for a later one.
llvm::ArrayRef<Evaluator::BuiltinCall::Row> Evaluator::BuiltinCall::others() {
  using Call = BuiltinCall;
  static const Row rows[] = {
      {"reduce", [](Call &c) { return c.e.reduce(c.args); }},
      {"next_power_of_2", [](Call &c) { return c.e.nextPowerOf2(c.args); }},
      {"identity", [](Call &c) { return c.args.values.empty() ? c.callee : c.args.values[0]; }},
      {"identity factory", [](Call &c) { return c.identityFactory(); }},
      {"autotune", [](Call &c) { return c.identityFactory(); }},
      {tunerMakerName, [](Call &c) { return c.e.makeTuner(c.args); }},
      {"prim_func", [](Call &c) { return c.definition(&Call::primFunc); }},
      {"macro", [](Call &c) { return c.definition(&Call::macro); }},
      {"jit", [](Call &c) { return c.definition(&Call::jit); }},
      {"prim_func with options", [](Call &c) { return c.withOptions(); }},
      {"macro with options", [](Call &c) { return c.withOptions(); }},
      {"jit with options", [](Call &c) { return c.withOptions(); }},
      {"compile", [](Call &c) { return c.compile(); }},
      {"tir.const", [](Call &c) { return c.typedConstant(); }},
      {"partial", [](Call &c) { return c.partial(); }},
      {"partial call", [](Call &c) { return c.partialCall(); }},
      {"dict.fromkeys", [](Call &c) { return c.dictFromKeys(); }},
  };
  return rows;
}

const Evaluator::BuiltinCall::Row *Evaluator::BuiltinCall::rowOf(llvm::StringRef name) {
  for (llvm::ArrayRef<Row> rows : {pythons(), others()})
    if (const Row *row = llvm::find_if(rows, [&](const Row &r) { return r.name == name; });
        row != rows.end())
      return row;
  return nullptr;
}

bool Evaluator::isPythonFunction(llvm::StringRef name) {
  return llvm::any_of(BuiltinCall::pythons(),
                      [&](const BuiltinCall::Row &row) { return row.name == name; });
}

Value Evaluator::callBuiltin(llvm::StringRef name, const Value &callee, CallArgs &args) {
  BuiltinCall call{*this, name, callee, args};
  if (const BuiltinCall::Row *row = BuiltinCall::rowOf(name)) {
    llvm::SmallVector<llvm::StringRef, 1> known;
    if (row->keyword && *row->keyword)
      known.push_back(row->keyword);
    if (row->keyword && !knownKeywords(args, name, known))
      return Value();
    return row->call(call);
  }
  if (name.consume_front("math."))
    return mathModule(name, args);
  if (name.consume_front("schedule."))
    return scheduleFunction(name, args);
  if (name.consume_front("itertools."))
    return itertoolsModule(name, args);
  if (call.name.consume_front("str."))
    return call.ofStr();
  return call.opaque();
}

/// Exceptions: `raise` reads the message from the call; any other builtin is opaque.
Value Evaluator::BuiltinCall::opaque() {
  std::string text = args.values.empty() ? "" : toStr(args.values[0]);
  return e.heap.named(ValueKind::Opaque, name.str() + (text.empty() ? "" : ": " + text));
}

} // namespace tilec::script
