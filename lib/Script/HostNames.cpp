//===- HostNames.cpp - names of the program around the script -------------===//
//
// Plain values are copied. Functions that have a text are evaluated like the script, each
// as a file of one statement; what is neither stays with the host, which is asked for
// its attributes and called. What the host cannot give is opaque: it may not matter.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Recovery.h"

#include "tilec/Script/Parser.h"

namespace tilec::script {

using ast::CompareOp;

const HostPieces::Piece *HostPieces::find(uint64_t function) {
  auto [it, isNew] = pieces.try_emplace(function);
  if (!isNew)
    return it->second.get();
  std::optional<HostFunction> source = host.source(function);
  if (!source)
    return nullptr;
  // Places are those of the file, of which only this part is known.
  constexpr uint32_t mostLines = 1 << 20;
  uint32_t above =
      source->firstLine > 0 && source->firstLine <= mostLines ? source->firstLine - 1 : 0;
  uint32_t file = sources.add(source->file, std::string(above, '\n') + source->text);
  auto piece = std::make_unique<Piece>();
  DiagnosticEngine diags(sources);
  piece->module = parseModule(sources, file, diags);
  for (const Diagnostic &d : diags.all())
    if (d.severity == Severity::Error && !piece->error)
      piece->error = d;
  if (piece->module) {
    piece->scope.module = piece->module.get();
    piece->scope.host = function;
  }
  piece->name = source->name;
  return (it->second = std::move(piece)).get();
}

Value Evaluator::unknownToHost(std::string name, std::string reason, Span span) {
  if (!reason.empty())
    whyOpaque[name] =
        Failure{{DiagId::WhyOpaque, severityOf(DiagId::WhyOpaque), span, std::move(reason)}, {}};
  return opaque(std::move(name), span);
}

/// The value that the host gives for a name; nothing where it knows none.
std::optional<Value> Evaluator::hostName(llvm::StringRef name, Span use) {
  if (!pieces || !home->host)
    return std::nullopt;
  auto [it, isNew] = hostNames.try_emplace((llvm::Twine(*home->host) + ":" + name).str());
  if (!isNew)
    return it->second;
  HostAnswer answer = pieces->host.lookup(*home->host, name);
  std::optional<Value> value;
  if (answer.value)
    value =
        fromHost(*answer.value, answer.value->text.empty() ? name.str() : answer.value->text, use);
  else if (!answer.reason.empty())
    value = unknownToHost(name.str(), std::move(answer.reason), use);
  if (!value || value->ok())
    hostNames[(llvm::Twine(*home->host) + ":" + name).str()] = value;
  return value;
}

/// The function that the piece of text binds.
Value Evaluator::hostFunction(const HostValue &given, std::string name, Span use) {
  auto asObject = [&] {
    Value v = heap.named(ValueKind::Opaque, name, use);
    v.as<NamedObject>()->host = given.object;
    return v;
  };
  const HostPieces::Piece *piece = pieces->find(given.object);
  if (!piece)
    return asObject();
  if (!piece->module) {
    if (piece->error)
      whyOpaque[name] = Failure{*piece->error, {}};
    return asObject();
  }
  ModuleScope &scope = piece->scope;
  if (scope.state.empty())
    indexGlobals(scope);
  // `f = lambda x: x + 1` has another name than its function.
  llvm::StringRef bound = piece->name;
  if (!scope.binders.contains(bound) && scope.binders.size() == 1)
    bound = scope.binders.begin()->first();
  if (!scope.binders.contains(bound))
    return asObject();
  Value value;
  {
    Attempt attempt(*this);
    llvm::SaveAndRestore savedHome(home, &scope);
    Isolated isolated(*this, nullptr, nullptr);
    llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
    value = lookupGlobal(bound, use, /*report=*/false);
  }
  if (value.ok() || !failure || failure->error.id == DiagId::TooManySteps ||
      failure->error.id == DiagId::EvaluationTooDeep)
    return value;
  whyOpaque[name] = *std::exchange(failure, std::nullopt);
  return asObject();
}

Value Evaluator::fromHost(const HostValue &given, std::string name, Span span) {
  if (!step(span))
    return Value();
  Deeper deeper(*this, span);
  if (!deeper.ok)
    return Value();
  switch (given.kind) {
  case HostValue::None:
    return Value::none();
  case HostValue::Bool:
    return Value::boolean(given.integer != 0);
  case HostValue::Int: {
    if (given.text.empty())
      return Value::small(given.integer);
    llvm::StringRef digits = given.text;
    bool isNegative = digits.consume_front("-");
    std::optional<Integer> wide = Integer::parse(digits, 10);
    if (!wide)
      return unknownToHost(name, "`" + given.text + "` is no integer that tilec can hold", span);
    return heap.integer(isNegative ? -*wide : *wide);
  }
  case HostValue::Float:
    return Value::real(given.real);
  case HostValue::Str:
    return text(given.text, span);
  case HostValue::DType:
    if (given.text == "tfloat32")
      return Value::tfloat32();
    if (std::optional<DType> type = parseDType(std::string_view(given.text)))
      return Value::dtype(*type);
    return unknownToHost(name, "`" + given.text + "` is no type of elements that tilec has", span);
  case HostValue::List:
  case HostValue::Tuple: {
    std::vector<Value> items;
    for (const HostValue &item : given.items) {
      items.push_back(fromHost(item, name + "[" + std::to_string(items.size()) + "]", span));
      if (!items.back().ok())
        return Value();
    }
    return heap.list(std::move(items),
                     given.kind == HostValue::List ? ValueKind::List : ValueKind::Tuple);
  }
  case HostValue::Dict: {
    auto *dict = heap.make<DictObject>();
    for (size_t i = 0; i + 1 < given.items.size(); i += 2) {
      Value key = fromHost(given.items[i], name + "'s key", span);
      Value value = key.ok() ? fromHost(given.items[i + 1], name + "[...]", span) : Value();
      if (!value.ok())
        return Value();
      dict->entries.push_back({key, value});
    }
    return Value::object(ValueKind::Dict, dict);
  }
  case HostValue::Tensor: {
    llvm::SmallVector<int64_t> shape;
    for (const HostValue &extent : given.items)
      shape.push_back(extent.integer);
    std::optional<DType> type = parseDType(std::string_view(given.text));
    return tensor(std::move(name), shape, type ? Value::dtype(*type) : Value::none(), span);
  }
  case HostValue::Module:
    return hostModule(given, span);
  case HostValue::Function:
    return hostFunction(given, std::move(name), span);
  case HostValue::Object:
    break;
  }
  Value object = opaque(std::move(name), span);
  if (object.is(ValueKind::Opaque))
    object.as<NamedObject>()->host = given.object;
  return object;
}

/// A module, or something in one that is known: `tilelang.language.copy`.
Value Evaluator::hostModule(const HostValue &given, Span span) {
  llvm::StringRef name = given.text;
  Value value;
  // `from tilelang.language import copy`: a name in a module, unless the module has no such thing.
  auto [outer, last] = name.rsplit('.');
  if (!last.empty() && isKnownModule(outer)) {
    Attempt attempt(*this);
    value = moduleAttribute(outer, last, span);
    if (!value.ok())
      failure.reset();
  }
  if (!value.ok() || value.is(ValueKind::Opaque))
    value = importModule(name, span);
  if (value.is(ValueKind::Module) || value.is(ValueKind::Opaque))
    value.as<NamedObject>()->host = given.object;
  return value;
}

/// The value for the host; nothing where it is one of the kernel's run.
std::optional<HostValue> Evaluator::toHost(const Value &v) {
  HostValue out;
  auto items = [&](llvm::ArrayRef<Value> values) {
    for (const Value &value : values) {
      std::optional<HostValue> item = toHost(value);
      if (!item)
        return false;
      out.items.push_back(std::move(*item));
    }
    return true;
  };
  switch (v.kind()) {
  case ValueKind::None:
    return out;
  case ValueKind::Bool:
  case ValueKind::Int:
    out.kind = v.is(ValueKind::Bool) ? HostValue::Bool : HostValue::Int;
    if (v.integer().fits64())
      out.integer = v.integer().value64();
    else
      out.text = v.integer().toString();
    return out;
  case ValueKind::Float:
    out.kind = HostValue::Float;
    out.real = v.real();
    return out;
  case ValueKind::Str:
    out.kind = HostValue::Str;
    out.text = v.str().str();
    return out;
  case ValueKind::DType:
    out.kind = HostValue::DType;
    out.text = nameOf(v.dtype());
    return out;
  case ValueKind::List:
  case ValueKind::Tuple:
    out.kind = v.is(ValueKind::List) ? HostValue::List : HostValue::Tuple;
    return items(v.items()) ? std::optional(out) : std::nullopt;
  case ValueKind::Dict:
    out.kind = HostValue::Dict;
    for (auto &[key, value] : v.as<DictObject>()->entries)
      if (!items({key, value}))
        return std::nullopt;
    return out;
  case ValueKind::Module:
  case ValueKind::Opaque:
    out.kind = v.is(ValueKind::Module) ? HostValue::Module : HostValue::Object;
    out.text = v.str().str();
    out.object = v.as<NamedObject>()->host;
    return out.object ? std::optional(out) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// An attribute of something of the host.
Value Evaluator::hostAttribute(const Value &object, llvm::StringRef name, Span span) {
  std::string full = (object.str() + "." + name).str();
  HostAnswer answer = pieces->host.attribute(object.as<NamedObject>()->host, name);
  if (answer.value)
    return fromHost(*answer.value, std::move(full), span);
  if (answer.reason.empty())
    answer.reason = ("`" + object.str() + "` has no attribute `" + name + "`").str();
  return unknownToHost(std::move(full), std::move(answer.reason), span);
}

Value Evaluator::hostCall(const Value &callee, const CallArgs &args, std::string full) {
  llvm::SmallVector<HostValue> values;
  llvm::SmallVector<std::pair<std::string, HostValue>> keywords;
  auto refuse = [&](const Value &v) {
    return unknownToHost(full,
                         "`" + callee.str().str() +
                             "` has no text and is the host's to call, which " + typeName(v) +
                             " cannot be given to",
                         args.span);
  };
  for (const Value &v : args.values) {
    std::optional<HostValue> value = toHost(v);
    if (!value)
      return refuse(v);
    values.push_back(std::move(*value));
  }
  for (const CallArgs::Keyword &k : args.keywords) {
    std::optional<HostValue> value = toHost(k.value);
    if (!value)
      return refuse(k.value);
    keywords.push_back({k.name, std::move(*value)});
  }
  HostAnswer answer = pieces->host.call(callee.as<NamedObject>()->host, values, keywords);
  if (answer.value)
    return fromHost(*answer.value, std::move(full), args.span);
  if (answer.reason.empty())
    answer.reason = ("`" + callee.str() + "` cannot be called").str();
  return unknownToHost(std::move(full), std::move(answer.reason), args.span);
}

/// What `object.question(args)` says; fails where that is no bool.
std::optional<bool> Evaluator::hostTruth(const Value &object, llvm::StringRef question,
                                         llvm::ArrayRef<Value> args, Span span) {
  Value method = hostAttribute(object, question, span);
  if (method.is(ValueKind::Opaque) && method.as<NamedObject>()->host) {
    CallArgs call;
    call.span = call.calleeSpan = span;
    call.values.assign(args.begin(), args.end());
    call.spans.assign(args.size(), span);
    method = hostCall(method, call, (object.str() + "." + question + "(...)").str());
  }
  if (method.is(ValueKind::Bool))
    return method.boolean();
  if (method.ok() && !failure)
    failOpaque(method.is(ValueKind::Opaque) ? method : object, span);
  return std::nullopt;
}

/// `a OP b` where one of them is, or holds, something of the host: that compares by rules of its
/// own. A list is compared item by item.
Value Evaluator::hostCompare(CompareOp op, const Value &a, const Value &b, Span span) {
  if (!isHosts(a) && !isHosts(b)) {
    bool equal = a.kind() == b.kind() && a.items().size() == b.items().size();
    for (size_t i = 0; equal && i < a.items().size(); ++i) {
      Value item = compare(CompareOp::Eq, a.items()[i], b.items()[i], span, span, span);
      if (!item.is(ValueKind::Bool))
        return item;
      equal = item.boolean();
    }
    return Value::boolean(equal == (op == CompareOp::Eq));
  }
  struct Row {
    CompareOp op;
    const char *of, *mirrored;
  };
  constexpr Row rows[] = {{CompareOp::Eq, "__eq__", "__eq__"}, {CompareOp::Ne, "__ne__", "__ne__"},
                          {CompareOp::Lt, "__lt__", "__gt__"}, {CompareOp::Le, "__le__", "__ge__"},
                          {CompareOp::Gt, "__gt__", "__lt__"}, {CompareOp::Ge, "__ge__", "__le__"}};
  const Row *row = llvm::find_if(rows, [&](const Row &r) { return r.op == op; });
  std::optional<bool> said =
      isHosts(a) ? hostTruth(a, row->of, b, span) : hostTruth(b, row->mirrored, a, span);
  return said ? Value::boolean(*said) : Value();
}

} // namespace tilec::script
