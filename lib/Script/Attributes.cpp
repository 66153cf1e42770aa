//===- Attributes.cpp - attributes and methods ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {

Value Evaluator::method(const Value &self, llvm::StringRef name) {
  auto *m = heap.make<MethodObject>();
  m->self = self;
  m->name = program.copy(name);
  return Value::object(ValueKind::Method, m);
}

namespace {

constexpr llvm::StringRef strMethods[] = {
    "join",   "startswith", "endswith", "upper", "lower",        "isdigit",     "isalpha",
    "format", "replace",    "split",    "strip", "lstrip",       "rstrip",      "find",
    "count",  "zfill",      "isalnum",  "title", "removeprefix", "removesuffix"};
constexpr llvm::StringRef listMethods[] = {"append", "extend", "insert", "pop",
                                           "index",  "count",  "copy",   "reverse",
                                           "sort",   "remove", "clear"};
constexpr llvm::StringRef tupleMethods[] = {"index", "count"};
constexpr llvm::StringRef dictMethods[] = {"get",    "keys", "values",     "items",
                                           "update", "pop",  "setdefault", "copy"};
constexpr llvm::StringRef setMethods[] = {"add", "union", "intersection", "difference", "update"};
constexpr llvm::StringRef bufferAttributes[] = {"shape", "dtype", "strides", "name",
                                                "scope", "data",  "ndim"};
constexpr llvm::StringRef exprAttributes[] = {"dtype", "astype"};
constexpr llvm::StringRef dtypeAttributes[] = {"bits",     "bytes",    "lanes",
                                               "itemsize", "as_torch", "name"};
constexpr llvm::StringRef emitterMethods[] = {"ldmatrix_a", "ldmatrix_b", "mma", "mfma",
                                              "stmatrix"};

llvm::ArrayRef<llvm::StringRef> attributesOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Str:
    return strMethods;
  case ValueKind::List:
    return listMethods;
  case ValueKind::Tuple:
    return tupleMethods;
  case ValueKind::Dict:
    return dictMethods;
  case ValueKind::Set:
    return setMethods;
  case ValueKind::Buffer:
  case ValueKind::Region:
    return bufferAttributes;
  case ValueKind::Expr:
    return exprAttributes;
  case ValueKind::DType:
    return dtypeAttributes;
  case ValueKind::Emitter:
    return emitterMethods;
  default:
    return {};
  }
}

} // namespace

Value Evaluator::attribute(const Value &object, llvm::StringRef name, Span span, Span nameSpan) {
  auto exprs = [&](llvm::ArrayRef<const Expr *> list) {
    std::vector<Value> items;
    for (const Expr *e : list)
      items.push_back(e->constInt() ? Value::small(*e->constInt()) : Value::expr(e));
    return heap.tuple(std::move(items));
  };
  switch (object.kind()) {
  case ValueKind::Module:
    return moduleAttribute(object.str(), name, nameSpan);
  case ValueKind::Opaque:
    return heap.named(ValueKind::Opaque, (object.str() + "." + name).str(), span);
  case ValueKind::Type:
    if (object.str() == "GemmWarpPolicy" &&
        llvm::is_contained({"Square", "FullRow", "FullCol", "Free"}, name))
      return heap.str(name.str());
    return fail(DiagId::NoAttribute, nameSpan, object.str(), name, "");
  case ValueKind::Builtin:
    if (object.str() == "PassConfigKey") {
      // TL_ENABLE_FAST_MATH is "tl.enable_fast_math".
      auto [prefix, rest] = name.split('_');
      return heap.str(prefix.lower() + "." + rest.lower());
    }
    return heap.named(ValueKind::Opaque, (object.str() + "." + name).str(), span);
  case ValueKind::Buffer:
  case ValueKind::Region: {
    const Buffer *b = object.is(ValueKind::Buffer) ? object.buffer() : object.region()->buffer;
    if (name == "shape")
      return exprs(object.is(ValueKind::Buffer) ? b->shape : object.region()->extents);
    if (name == "dtype")
      return Value::dtype(b->type);
    if (name == "ndim")
      return Value::small(static_cast<int64_t>(b->shape.size()));
    if (name == "strides")
      return exprs(b->strides);
    if (name == "name")
      return heap.str(b->name.str());
    if (name == "data")
      return object;
    if (name == "scope")
      return method(object, name);
    break;
  }
  case ValueKind::Expr:
    if (name == "dtype")
      return Value::dtype(object.expr()->type);
    if (name == "astype")
      return method(object, name);
    break;
  case ValueKind::DType: {
    DType t = object.dtype();
    if (name == "bits")
      return Value::small(bitsOf(t));
    if (name == "bytes" || name == "itemsize")
      return Value::small(bytesOf(t));
    if (name == "lanes")
      return Value::small(1);
    if (name == "name")
      return heap.str(std::string(nameOf(t)));
    if (name == "as_torch")
      return method(object, name);
    if (llvm::is_contained(strMethods, name))
      return method(heap.str(std::string(nameOf(t))), name);
    break;
  }
  case ValueKind::Int:
  case ValueKind::Bool:
    if (name == "bit_length")
      return method(object, name);
    if (name == "real" || name == "numerator")
      return object;
    break;
  case ValueKind::Float:
    if (name == "is_integer")
      return method(object, name);
    break;
  case ValueKind::Str:
  case ValueKind::List:
  case ValueKind::Tuple:
  case ValueKind::Dict:
  case ValueKind::Set:
  case ValueKind::Emitter:
    if (llvm::is_contained(attributesOf(object.kind()), name))
      return method(object, name);
    break;
  case ValueKind::Slice: {
    auto *s = object.as<SliceObject>();
    if (name == "start")
      return s->lower;
    if (name == "stop")
      return s->upper;
    if (name == "step")
      return s->step;
    break;
  }
  case ValueKind::Function:
    if (name == "__name__")
      return heap.str(object.as<FunctionObject>()->name.str());
    break;
  case ValueKind::Jit:
    if (name == "compile" || name == "get_tir")
      return object;
    return heap.named(ValueKind::Opaque, ("jit function's `" + name + "`").str(), span);
  case ValueKind::Kernel:
    return heap.named(ValueKind::Opaque, ("kernel's `" + name + "`").str(), span);
  default:
    break;
  }
  std::string hint = suggestion(name, attributesOf(object.kind()));
  return fail(DiagId::NoAttribute, nameSpan, typeName(object), name, hint);
}

Value Evaluator::callMethod(const MethodObject *m, CallArgs &args) {
  const Value &self = m->self;
  switch (self.kind()) {
  case ValueKind::Str:
    return strMethod(self, m->name, args);
  case ValueKind::List:
  case ValueKind::Tuple:
    return listMethod(self, m->name, args);
  case ValueKind::Dict:
    return dictMethod(self, m->name, args);
  case ValueKind::Set:
    return setMethod(self, m->name, args);
  case ValueKind::Int:
  case ValueKind::Bool: {
    if (!arity(args, 0, 0, m->name))
      return Value();
    return Value::small(self.integer().bitLength());
  }
  case ValueKind::Float:
    return Value::boolean(self.real() == static_cast<double>(static_cast<int64_t>(self.real())));
  case ValueKind::DType: // as_torch
    return self;
  case ValueKind::Expr: { // astype
    if (!arity(args, 1, 1, m->name))
      return Value();
    std::optional<DType> type = toDType(args.values[0], args.spans[0]);
    return type ? castIntrinsic(self, args.calleeSpan, *type, args.span) : Value();
  }
  case ValueKind::Buffer:
  case ValueKind::Region: { // scope
    const Buffer *b = self.is(ValueKind::Buffer) ? self.buffer() : self.region()->buffer;
    constexpr const char *names[] = {"global", "shared.dyn", "local.fragment", "local",
                                     "local.var"};
    return heap.str(names[static_cast<unsigned>(b->scope)]);
  }
  case ValueKind::Emitter: {
    std::string name = "emitter." + m->name.str();
    Value f = tileAttribute(name, args.calleeSpan);
    return f.ok() ? callIntrinsic(f.intrinsic(), args, &self) : Value();
  }
  default:
    return fail(DiagId::NotCallable, args.calleeSpan, typeName(self));
  }
}

Value Evaluator::strFormat(llvm::StringRef format, CallArgs &args) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    char c = format[i];
    if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    if (c != '{') {
      out += c;
      continue;
    }
    size_t end = format.find('}', i);
    if (end == llvm::StringRef::npos)
      return fail(DiagId::BadFormatString, args.calleeSpan);
    auto [field, spec] = format.slice(i + 1, end).split(':');
    i = end;
    const Value *value = nullptr;
    unsigned index;
    if (field.empty() && next < args.values.size())
      value = &args.values[next++];
    else if (!field.getAsInteger(10, index) && index < args.values.size())
      value = &args.values[index];
    for (const CallArgs::Keyword &k : args.keywords)
      if (k.name == field)
        value = &k.value;
    std::optional<std::string> text = value ? formatValue(*value, spec) : std::nullopt;
    if (!text)
      return fail(DiagId::BadFormatString, args.calleeSpan);
    out += *text;
    if (out.size() > limits.textBytes)
      return fail(DiagId::StringTooLong, args.span, limits.textBytes);
  }
  return heap.str(std::move(out));
}

Value Evaluator::strMethod(const Value &self, llvm::StringRef name, CallArgs &args) {
  llvm::StringRef text = self.str();
  if (name == "format")
    return strFormat(text, args);
  if (!arity(args, 0, 3, name) || !step(args.span, text.size() / 16))
    return Value();
  auto argument = [&](size_t i) -> llvm::StringRef {
    return i < args.values.size() && args.values[i].is(ValueKind::Str) ? args.values[i].str()
                                                                       : llvm::StringRef();
  };
  auto wantStr = [&](size_t count) {
    for (size_t i = 0; i < count; ++i)
      if (i >= args.values.size() || !args.values[i].is(ValueKind::Str)) {
        fail(DiagId::WantedOther, i < args.spans.size() ? args.spans[i] : args.span, "a str",
             i < args.values.size() ? typeName(args.values[i]) : "nothing");
        return false;
      }
    return true;
  };
  auto isAll = [&](bool (*test)(char)) {
    return Value::boolean(!text.empty() && llvm::all_of(text, test));
  };
  if (name == "join") {
    llvm::SmallVector<Value> items;
    if (!arity(args, 1, 1, name) || !iterate(args.values[0], args.spans[0], items))
      return Value();
    std::string out;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i].is(ValueKind::Str))
        return fail(DiagId::WantedOther, args.spans[0], "strs", typeName(items[i]));
      out += (i ? text.str() : "") + items[i].str().str();
      if (out.size() > limits.textBytes)
        return fail(DiagId::StringTooLong, args.span, limits.textBytes);
    }
    return heap.str(std::move(out));
  }
  if (name == "startswith" || name == "endswith") {
    llvm::SmallVector<Value> options;
    if (!args.values.empty() && args.values[0].is(ValueKind::Tuple))
      options.append(args.values[0].items().begin(), args.values[0].items().end());
    else if (wantStr(1))
      options.push_back(args.values[0]);
    else
      return Value();
    return Value::boolean(llvm::any_of(options, [&](const Value &v) {
      if (!v.is(ValueKind::Str))
        return false;
      return name == "startswith" ? text.starts_with(v.str()) : text.ends_with(v.str());
    }));
  }
  if (name == "upper")
    return heap.str(text.upper());
  if (name == "lower")
    return heap.str(text.lower());
  if (name == "title") {
    std::string out = text.lower();
    for (size_t i = 0; i < out.size(); ++i)
      if (i == 0 || !llvm::isAlpha(out[i - 1]))
        out[i] = llvm::toUpper(out[i]);
    return heap.str(std::move(out));
  }
  if (name == "isdigit")
    return isAll(+[](char c) { return llvm::isDigit(c); });
  if (name == "isalpha")
    return isAll(+[](char c) { return llvm::isAlpha(c); });
  if (name == "isalnum")
    return isAll(+[](char c) { return llvm::isAlnum(c); });
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    llvm::StringRef chars = args.values.empty() ? " \t\n\r\f\v" : argument(0);
    llvm::StringRef out = text;
    if (name != "rstrip")
      out = out.ltrim(chars);
    return heap.str((name != "lstrip" ? out.rtrim(chars) : out).str());
  }
  if (name == "removeprefix" || name == "removesuffix") {
    if (!wantStr(1))
      return Value();
    llvm::StringRef out = text;
    name == "removeprefix" ? out.consume_front(argument(0)) : out.consume_back(argument(0));
    return heap.str(out.str());
  }
  if (name == "replace") {
    if (!wantStr(2) || argument(0).empty())
      return failure ? Value() : self;
    std::string out;
    llvm::StringRef rest = text;
    for (size_t at; (at = rest.find(argument(0))) != llvm::StringRef::npos;) {
      out += rest.take_front(at);
      out += argument(1);
      rest = rest.drop_front(at + argument(0).size());
      if (out.size() > limits.textBytes)
        return fail(DiagId::StringTooLong, args.span, limits.textBytes);
    }
    return heap.str(out + rest.str());
  }
  if (name == "split") {
    llvm::SmallVector<llvm::StringRef> parts;
    if (args.values.empty())
      llvm::SplitString(text, parts, " \t\n\r\f\v");
    else if (wantStr(1) && !argument(0).empty())
      text.split(parts, argument(0));
    else
      return fail(DiagId::WantedOther, args.span, "a separator", "an empty str");
    std::vector<Value> out;
    for (llvm::StringRef part : parts)
      out.push_back(heap.str(part.str()));
    return heap.list(std::move(out));
  }
  if (name == "find" || name == "count") {
    if (!wantStr(1))
      return Value();
    if (name == "count")
      return Value::small(static_cast<int64_t>(text.count(argument(0))));
    size_t at = text.find(argument(0));
    return Value::small(at == llvm::StringRef::npos ? -1 : static_cast<int64_t>(at));
  }
  if (name == "zfill") {
    std::optional<int64_t> width =
        arity(args, 1, 1, name) ? toInt(args.values[0], args.spans[0], "a width") : std::nullopt;
    if (!width)
      return Value();
    size_t missing =
        *width > static_cast<int64_t>(text.size()) && *width < 10000 ? *width - text.size() : 0;
    bool isSigned = text.starts_with("-") || text.starts_with("+");
    return heap.str(text.take_front(isSigned).str() + std::string(missing, '0') +
                    text.drop_front(isSigned).str());
  }
  return fail(DiagId::NoAttribute, args.calleeSpan, "str", name, "");
}

Value Evaluator::listMethod(const Value &self, llvm::StringRef name, CallArgs &args) {
  std::vector<Value> &items = self.items();
  if (!step(args.span, 1 + items.size() / 64))
    return Value();
  if (name == "append") {
    if (!arity(args, 1, 1, name))
      return Value();
    items.push_back(args.values[0]);
    return Value::none();
  }
  if (name == "extend") {
    llvm::SmallVector<Value> more;
    if (!arity(args, 1, 1, name) || !iterate(args.values[0], args.spans[0], more))
      return Value();
    items.insert(items.end(), more.begin(), more.end());
    return Value::none();
  }
  if (name == "insert" || name == "pop") {
    if (!arity(args, name == "insert" ? 2 : 0, name == "insert" ? 2 : 1, name))
      return Value();
    auto size = static_cast<int64_t>(items.size());
    int64_t at = size - 1;
    if (!args.values.empty()) {
      std::optional<int64_t> index = toInt(args.values[0], args.spans[0], "an index");
      if (!index)
        return Value();
      at = *index < 0 ? *index + size : *index;
    }
    if (name == "insert") {
      items.insert(items.begin() + std::clamp<int64_t>(at, 0, size), args.values[1]);
      return Value::none();
    }
    if (at < 0 || at >= size)
      return fail(DiagId::IndexOutOfRange, args.span, at, size);
    Value out = items[at];
    items.erase(items.begin() + at);
    return out;
  }
  if (name == "index" || name == "count" || name == "remove") {
    if (!arity(args, 1, 1, name) || !step(args.span, items.size()))
      return Value();
    int64_t count = 0;
    for (size_t i = 0; i < items.size(); ++i)
      if (equals(items[i], args.values[0])) {
        if (name == "index")
          return Value::small(static_cast<int64_t>(i));
        if (name == "remove") {
          items.erase(items.begin() + i);
          return Value::none();
        }
        ++count;
      }
    if (name == "count")
      return Value::small(count);
    return fail(DiagId::NotInList, args.spans[0], repr(args.values[0]));
  }
  if (name == "copy")
    return heap.list(items);
  if (name == "clear") {
    items.clear();
    return Value::none();
  }
  if (name == "reverse") {
    std::reverse(items.begin(), items.end());
    return Value::none();
  }
  if (name == "sort") {
    CallArgs forward = args;
    forward.values.insert(forward.values.begin(), self);
    forward.spans.insert(forward.spans.begin(), args.calleeSpan);
    Value sorted = builtinSorted(forward);
    if (!sorted.ok())
      return Value();
    items = sorted.items();
    return Value::none();
  }
  return fail(DiagId::NoAttribute, args.calleeSpan, "list", name, "");
}

Value *Evaluator::dictFind(DictObject *dict, const Value &key) {
  stepCount += dict->entries.size() / 8;
  for (auto &[k, v] : dict->entries)
    if (equals(k, key))
      return &v;
  return nullptr;
}

bool Evaluator::dictSet(DictObject *dict, const Value &key, const Value &value, Span span) {
  if (!hashable(key, span) || !step(span))
    return false;
  if (Value *slot = dictFind(dict, key))
    *slot = value;
  else
    dict->entries.push_back({key, value});
  return true;
}

Value Evaluator::dictMethod(const Value &self, llvm::StringRef name, CallArgs &args) {
  auto *dict = self.as<DictObject>();
  if (!step(args.span, 1 + dict->entries.size() / 8))
    return Value();
  if (name == "get" || name == "pop" || name == "setdefault") {
    if (!arity(args, 1, 2, name))
      return Value();
    if (Value *found = dictFind(dict, args.values[0])) {
      Value out = *found;
      if (name == "pop")
        llvm::erase_if(dict->entries, [&](auto &e) { return equals(e.first, args.values[0]); });
      return out;
    }
    Value fallback = args.values.size() > 1 ? args.values[1] : Value::none();
    if (name == "pop" && args.values.size() < 2)
      return fail(DiagId::KeyMissing, args.spans[0], repr(args.values[0]));
    if (name == "setdefault" && !dictSet(dict, args.values[0], fallback, args.spans[0]))
      return Value();
    return fallback;
  }
  if (name == "update") {
    for (const Value &v : args.values) {
      if (!v.is(ValueKind::Dict))
        return fail(DiagId::WantedOther, args.span, "a dict", typeName(v));
      for (auto &[k, value] : v.as<DictObject>()->entries)
        if (!dictSet(dict, k, value, args.span))
          return Value();
    }
    for (const CallArgs::Keyword &k : args.keywords)
      if (!dictSet(dict, heap.str(k.name), k.value, k.span))
        return Value();
    return Value::none();
  }
  if (!arity(args, 0, 0, name))
    return Value();
  if (name == "copy") {
    auto *copy = heap.make<DictObject>();
    copy->entries = dict->entries;
    return Value::object(ValueKind::Dict, copy);
  }
  std::vector<Value> out;
  for (auto &[k, v] : dict->entries)
    out.push_back(name == "keys" ? k : name == "values" ? v : heap.tuple({k, v}));
  return heap.list(std::move(out));
}

Value Evaluator::setMethod(const Value &self, llvm::StringRef name, CallArgs &args) {
  if (!arity(args, 1, 1, name))
    return Value();
  if (name == "add") {
    if (!hashable(args.values[0], args.spans[0]) || !step(args.span, self.items().size()))
      return Value();
    if (llvm::none_of(self.items(), [&](const Value &u) { return equals(u, args.values[0]); }))
      self.items().push_back(args.values[0]);
    return Value::none();
  }
  llvm::SmallVector<Value> items;
  if (!iterate(args.values[0], args.spans[0], items))
    return Value();
  Value other = heap.list({items.begin(), items.end()}, ValueKind::Set);
  ast::BinaryOp op = name == "intersection" ? ast::BinaryOp::BitAnd
                     : name == "difference" ? ast::BinaryOp::Sub
                                            : ast::BinaryOp::BitOr;
  Value result = sequenceOp(op, self, other, args.span);
  if (result.ok() && name == "update") {
    self.items() = result.items();
    return Value::none();
  }
  return result;
}

} // namespace tilec::script
