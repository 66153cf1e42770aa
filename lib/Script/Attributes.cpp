//===- Attributes.cpp - attributes and methods ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"
#include "Library.h"

#include <cmath>

namespace tilec::script {

Value Evaluator::method(const Value &self, llvm::StringRef name) {
  auto *m = heap.make<MethodObject>();
  m->self = self;
  m->name = program.copy(name);
  return Value::object(ValueKind::Method, m);
}

namespace {

constexpr llvm::StringRef strMethods[] = {
    "join",         "startswith", "endswith",  "upper",        "lower",        "isdigit",
    "isalpha",      "format",     "replace",   "split",        "strip",        "lstrip",
    "rstrip",       "find",       "count",     "zfill",        "isalnum",      "title",
    "capitalize",   "swapcase",   "casefold",  "removeprefix", "removesuffix", "rsplit",
    "rfind",        "index",      "rindex",    "ljust",        "rjust",        "center",
    "splitlines",   "isupper",    "islower",   "isspace",      "isnumeric",    "isdecimal",
    "isidentifier", "partition",  "rpartition"};
constexpr llvm::StringRef listMethods[] = {"append", "extend", "insert", "pop",
                                           "index",  "count",  "copy",   "reverse",
                                           "sort",   "remove", "clear"};
constexpr llvm::StringRef tupleMethods[] = {"index", "count"};
constexpr llvm::StringRef dictMethods[] = {"get", "keys",       "values", "items", "update",
                                           "pop", "setdefault", "copy",   "clear"};
constexpr llvm::StringRef setMethods[] = {
    "add",    "union",    "intersection", "difference", "symmetric_difference",
    "update", "issubset", "issuperset",   "isdisjoint", "discard",
    "remove", "copy",     "clear"};
constexpr llvm::StringRef bufferAttributes[] = {"shape", "dtype", "strides", "name",
                                                "scope", "data",  "ndim"};
constexpr llvm::StringRef exprAttributes[] = {"dtype", "astype"};
constexpr llvm::StringRef dtypeAttributes[] = {"bits",     "bytes",    "lanes",
                                               "itemsize", "as_torch", "name"};
constexpr llvm::StringRef policies[] = {"Square", "FullRow", "FullCol", "Free"};
bool isPolicy(const Value &v) {
  return v.is(ValueKind::Str) && llvm::is_contained(policies, v.str());
}
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

Value Evaluator::typeAttribute(const Value &object, llvm::StringRef name, Span nameSpan) {
  if (object.str() == "GemmWarpPolicy" && llvm::is_contained(policies, name))
    return heap.str(name.str());
  if (name == "__name__")
    return heap.str(object.str() == "None" ? "NoneType" : object.str().str());
  // `str.lower` as a function, and `dict.fromkeys`.
  if (object.str() == "str" && llvm::is_contained(strMethods, name))
    return heap.named(ValueKind::Builtin, ("str." + name).str());
  if (object.str() == "dict" && name == "fromkeys")
    return heap.named(ValueKind::Builtin, "dict.fromkeys");
  return fail(DiagId::NoAttribute, nameSpan, object.str(), name, "; check the spelling");
}

/// An attribute of a buffer or a slice of one; no value: there is none of that name.
Value Evaluator::bufferAttribute(const Value &object, llvm::StringRef name) {
  auto exprs = [&](llvm::ArrayRef<const Expr *> list) {
    std::vector<Value> items;
    for (const Expr *e : list)
      items.push_back(e->constInt() ? Value::small(*e->constInt()) : Value::expr(e));
    return heap.tuple(std::move(items));
  };
  const Buffer *b = object.is(ValueKind::Buffer) ? object.buffer() : object.region()->buffer;
  if (name == "shape")
    return exprs(object.is(ValueKind::Buffer) ? b->shape : object.region()->extents);
  if (name == "dtype")
    return b->isTfloat32 ? Value::tfloat32() : Value::dtype(b->type);
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
  return Value();
}

/// One of a dtype; no value: there is none of that name.
Value Evaluator::dtypeAttribute(DType t, const Value &object, llvm::StringRef name) {
  if (name == "bits")
    return Value::small(bitsOf(t));
  if (name == "bytes" || name == "itemsize")
    return Value::small(bytesOf(t));
  if (name == "lanes")
    return Value::small(1);
  if (name == "name")
    return heap.str(toStr(object));
  if (name == "as_torch")
    return method(object, name);
  if (llvm::is_contained(strMethods, name))
    return method(heap.str(toStr(object)), name);
  return Value();
}

Value Evaluator::attribute(const Value &object, llvm::StringRef name, Span span, Span nameSpan) {
  switch (object.kind()) {
  case ValueKind::Module: {
    Value value = moduleAttribute(object.str(), name, nameSpan);
    bool isHosts = value.is(ValueKind::Opaque) && object.as<NamedObject>()->host;
    return isHosts ? hostAttribute(object, name, nameSpan) : value;
  }
  case ValueKind::Opaque:
    if (isTensor(object))
      return tensorAttribute(object, name, span);
    if (Value value = opaque((object.str() + "." + name).str(), span);
        !value.is(ValueKind::Opaque) || !object.as<NamedObject>()->host)
      return value;
    return hostAttribute(object, name, nameSpan);
  case ValueKind::Type:
    return typeAttribute(object, name, nameSpan);
  case ValueKind::Builtin:
    if (object.str() == tileSchedulerName)
      return schedulerAttribute(object, name, span, nameSpan);
    if (name == "__name__")
      return heap.str(object.str().str());
    if (object.str() == "PassConfigKey") {
      // TL_ENABLE_FAST_MATH is "tl.enable_fast_math".
      auto [prefix, rest] = name.split('_');
      return heap.str(prefix.lower() + "." + rest.lower());
    }
    return opaque((object.str() + "." + name).str(), span);
  case ValueKind::Buffer:
  case ValueKind::Region:
    if (Value v = bufferAttribute(object, name); v.ok())
      return v;
    break;
  case ValueKind::Expr:
    if (name == "dtype")
      return Value::dtype(object.expr()->type);
    if (name == "astype")
      return method(object, name);
    break;
  case ValueKind::DType:
    if (Value v = dtypeAttribute(object.dtype(), object, name); v.ok())
      return v;
    break;
  case ValueKind::Int:
  case ValueKind::Bool:
    if (name == "bit_length" || name == "bit_count")
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
    if (name == "compute_warp_partition" && isPolicy(object))
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
    if (name == "compile" || name == "get_tir" || name == "get_kernel_source")
      return object;
    return heap.named(ValueKind::Opaque, ("jit function's `" + name + "`").str(), span);
  case ValueKind::Kernel:
    return heap.named(ValueKind::Opaque, ("kernel's `" + name + "`").str(), span);
  default:
    break;
  }
  std::string hint = suggestionOrList(name, attributesOf(object.kind()));
  return fail(DiagId::NoAttribute, nameSpan, typeName(object), name, hint);
}

Value Evaluator::callMethod(const MethodObject *m, CallArgs &args) {
  const Value &self = m->self;
  switch (self.kind()) {
  case ValueKind::Str:
    if (m->name == "compute_warp_partition") {
      if (!arity(args, 3, 3, m->name))
        return Value();
      return callLibrary(m->name, {self, args.values[0], args.values[1], args.values[2]},
                         args.span);
    }
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
    return Value::small(m->name == "bit_count" ? self.integer().bitCount()
                                               : self.integer().bitLength());
  }
  case ValueKind::Float:
    return Value::boolean(std::isfinite(self.real()) && self.real() == std::trunc(self.real()));
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
  case ValueKind::Builtin:
    if (self.str() == tileSchedulerName)
      return callScheduler(self, m->name, args);
    [[fallthrough]];
  default:
    return fail(DiagId::NotCallable, args.calleeSpan, typeName(self));
  }
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
      if (same(items[i], args.values[0])) {
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
    return fail(DiagId::NotInList, args.spans[0], shown(args.values[0]), typeName(self));
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
    if (same(k, key))
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
        llvm::erase_if(dict->entries, [&](auto &e) { return same(e.first, args.values[0]); });
      return out;
    }
    Value fallback = args.values.size() > 1 ? args.values[1] : Value::none();
    if (name == "pop" && args.values.size() < 2)
      return fail(DiagId::KeyMissing, args.spans[0], shown(args.values[0]));
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
  if (name == "clear") {
    dict->entries.clear();
    return Value::none();
  }
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
  if (name == "copy" || name == "clear") {
    if (!arity(args, 0, 0, name))
      return Value();
    if (name == "copy")
      return heap.list(self.items(), ValueKind::Set);
    self.items().clear();
    return Value::none();
  }
  if (!arity(args, 1, 1, name))
    return Value();
  if (name == "discard" || name == "remove") {
    size_t before = self.items().size();
    if (!step(args.span, before))
      return Value();
    llvm::erase_if(self.items(), [&](const Value &u) { return same(u, args.values[0]); });
    if (name == "remove" && before == self.items().size())
      return fail(DiagId::NotInList, args.spans[0], shown(args.values[0]), "set");
    return Value::none();
  }
  if (name == "add") {
    if (!hashable(args.values[0], args.spans[0]) || !step(args.span, self.items().size()))
      return Value();
    if (llvm::none_of(self.items(), [&](const Value &u) { return same(u, args.values[0]); }))
      self.items().push_back(args.values[0]);
    return Value::none();
  }
  llvm::SmallVector<Value> items;
  if (!iterate(args.values[0], args.spans[0], items))
    return Value();
  Value other = heap.list({items.begin(), items.end()}, ValueKind::Set);
  if (name == "issubset" || name == "issuperset")
    return compare(name == "issubset" ? ast::CompareOp::Le : ast::CompareOp::Ge, self, other,
                   args.span, args.calleeSpan, args.spans[0]);
  if (name == "isdisjoint") {
    Value common = sequenceOp(ast::BinaryOp::BitAnd, self, other, args.span);
    return common.ok() ? Value::boolean(common.items().empty()) : Value();
  }
  if (name == "symmetric_difference")
    return sequenceOp(ast::BinaryOp::BitXor, self, other, args.span);
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
