//===- BuiltinCalls.cpp - a call of a built-in function by its name -------===//
//
// Small ones are done here; those that take more are in Builtins.cpp.
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
      return failOpaque(v, args.spans[0]);
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
    if (args.values[1].is(ValueKind::DType)) // stands for its name: `getattr(torch, dtype)`
      args.values[1] = heap.str(std::string(nameOf(args.values[1].dtype())));
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
