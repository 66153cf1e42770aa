//===- Attributes.cpp - attributes of compile-time values -----------------===//
//
// `object.name`: what modules, types and functions answer by name, what a table below has for the
// other kinds of values, and their methods (Methods.h), which become an object to call.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "Library.h"
#include "Methods.h"

#include <cmath>

namespace tilec::script {

Value Evaluator::method(const Value &self, llvm::StringRef name) {
  auto *m = heap.make<MethodObject>();
  m->self = self;
  m->name = program.copy(name);
  return Value::object(ValueKind::Method, m);
}

namespace {

constexpr llvm::StringRef policies[] = {"Square", "FullRow", "FullCol", "Free"};
constexpr llvm::StringLiteral warpPartition = "compute_warp_partition";

bool isPolicy(const Value &v) {
  return v.is(ValueKind::Str) && llvm::is_contained(policies, v.str());
}

/// The kind whose tables serve: a slice has what a buffer has.
ValueKind tableOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Region:
    return ValueKind::Buffer;
  case ValueKind::Bool:
    return ValueKind::Int;
  default:
    return kind;
  }
}

const Buffer *bufferOf(const Value &v) {
  return v.is(ValueKind::Buffer) ? v.buffer() : v.region()->buffer;
}

Value tupleOf(Heap &heap, llvm::ArrayRef<const Expr *> list) {
  std::vector<Value> items;
  for (const Expr *e : list)
    items.push_back(e->constInt() ? Value::small(*e->constInt()) : Value::expr(e));
  return heap.tuple(std::move(items));
}

Value shapeOf(Heap &heap, const Value &v) {
  return tupleOf(heap, v.is(ValueKind::Buffer) ? v.buffer()->shape : v.region()->extents);
}

Value typeOf(Heap &, const Value &v) {
  const Buffer *b = bufferOf(v);
  return b->isTfloat32 ? Value::tfloat32() : Value::dtype(b->type);
}

/// Of an emitter: K of one instruction, and elements of each of its lanes.
int64_t instructionK(const Value &v) { return v.emitter()->microK() / v.emitter()->kPack; }
Value perLane(const Value &v, int64_t elements) {
  return Value::small(elements / v.emitter()->lanes());
}

struct AttributeRow {
  ValueKind kind;
  llvm::StringLiteral name;
  Value (*of)(Heap &, const Value &);
};
constexpr AttributeRow attributeRows[] = {
    {ValueKind::Buffer, "shape", shapeOf},
    {ValueKind::Buffer, "dtype", typeOf},
    {ValueKind::Buffer, "strides",
     [](Heap &h, const Value &v) { return tupleOf(h, bufferOf(v)->strides); }},
    {ValueKind::Buffer, "name",
     [](Heap &h, const Value &v) { return h.str(bufferOf(v)->name.str()); }},
    {ValueKind::Buffer, "data", [](Heap &, const Value &v) { return v; }},
    {ValueKind::Buffer, "ndim",
     [](Heap &, const Value &v) {
       return Value::small(static_cast<int64_t>(bufferOf(v)->shape.size()));
     }},
    {ValueKind::Expr, "dtype", [](Heap &, const Value &v) { return Value::dtype(v.expr()->type); }},
    {ValueKind::DType, "bits",
     [](Heap &, const Value &v) {
       return Value::small(bitsOf(v.dtype()) * std::max(v.lanes(), 1u));
     }},
    {ValueKind::DType, "bytes",
     [](Heap &, const Value &v) { return Value::small(bytesOf(v.dtype())); }},
    {ValueKind::DType, "lanes",
     [](Heap &, const Value &v) { return Value::small(std::max(v.lanes(), 1u)); }},
    {ValueKind::Lanes, "dtype", [](Heap &, const Value &v) { return typeOfLanes(v); }},
    {ValueKind::DType, "itemsize",
     [](Heap &, const Value &v) { return Value::small(bytesOf(v.dtype())); }},
    {ValueKind::DType, "name", [](Heap &h, const Value &v) { return h.str(toStr(v)); }},
    {ValueKind::Emitter, "micro_size_x",
     [](Heap &, const Value &v) { return Value::small(v.emitter()->microX); }},
    {ValueKind::Emitter, "micro_size_y",
     [](Heap &, const Value &v) { return Value::small(v.emitter()->microY); }},
    {ValueKind::Emitter, "micro_size_k",
     [](Heap &, const Value &v) { return Value::small(instructionK(v)); }},
    {ValueKind::Emitter, "local_size_a",
     [](Heap &, const Value &v) { return perLane(v, v.emitter()->microX * instructionK(v)); }},
    {ValueKind::Emitter, "local_size_b",
     [](Heap &, const Value &v) { return perLane(v, v.emitter()->microY * instructionK(v)); }},
    {ValueKind::Emitter, "local_size_out",
     [](Heap &, const Value &v) { return perLane(v, v.emitter()->microX * v.emitter()->microY); }},
    {ValueKind::Emitter, "warp_rows",
     [](Heap &, const Value &v) {
       return Value::small(v.emitter()->warpRowTiles / v.emitter()->microX);
     }},
    {ValueKind::Emitter, "warp_cols",
     [](Heap &, const Value &v) {
       return Value::small(v.emitter()->warpColTiles / v.emitter()->microY);
     }},
    {ValueKind::Int, "real", [](Heap &, const Value &v) { return v; }},
    {ValueKind::Int, "numerator", [](Heap &, const Value &v) { return v; }},
    {ValueKind::Slice, "start", [](Heap &, const Value &v) { return v.as<SliceObject>()->lower; }},
    {ValueKind::Slice, "stop", [](Heap &, const Value &v) { return v.as<SliceObject>()->upper; }},
    {ValueKind::Slice, "step", [](Heap &, const Value &v) { return v.as<SliceObject>()->step; }},
    {ValueKind::Function, "__name__",
     [](Heap &h, const Value &v) { return h.str(v.as<FunctionObject>()->name.str()); }},
    {ValueKind::Jit, "compile", [](Heap &, const Value &v) { return v; }},
    {ValueKind::Kernel, "kernel", [](Heap &, const Value &v) { return v; }}, // a tuner's result
    {ValueKind::Jit, "get_tir", [](Heap &, const Value &v) { return v; }},
    {ValueKind::Jit, "get_kernel_source", [](Heap &, const Value &v) { return v; }},
};

const AttributeRow *findAttribute(ValueKind kind, llvm::StringRef name) {
  const AttributeRow *row = llvm::find_if(attributeRows, [&](const AttributeRow &r) {
    return r.kind == tableOf(kind) && r.name == name;
  });
  return row == std::end(attributeRows) ? nullptr : row;
}

} // namespace

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

llvm::ArrayRef<Evaluator::MethodCall::Row> Evaluator::MethodCall::rowsOf(ValueKind kind) {
  using Call = MethodCall;
  constexpr auto ofEmitter = [](Call &c) {
    Value f = c.e.tileAttribute(("emitter." + c.name).str(), c.args.calleeSpan);
    return f.ok() ? c.e.callIntrinsic(f.intrinsic(), c.args, &c.self) : Value();
  };
  constexpr size_t any = ~size_t(0);
  static const Row ofInt[] = {
      {"bit_length", [](Call &c) { return Value::small(c.self.integer().bitLength()); }},
      {"bit_count", [](Call &c) { return Value::small(c.self.integer().bitCount()); }},
  };
  static const Row ofFloat[] = {{"is_integer", [](Call &c) {
                                   double x = c.self.real();
                                   return Value::boolean(std::isfinite(x) && x == std::trunc(x));
                                 }}};
  static const Row ofDType[] = {{"as_torch", [](Call &c) { return c.self; }}};
  static const Row ofExpr[] = {
      {"astype",
       [](Call &c) {
         std::optional<DType> type = c.e.toDType(c.args.values[0], c.args.spans[0]);
         return type ? c.e.castIntrinsic(c.self, c.args.calleeSpan, *type, c.args.span) : Value();
       },
       1, 1}};
  static const Row ofBuffer[] = {
      {"scope", [](Call &c) {
         constexpr const char *names[] = {"global", "shared.dyn", "local.fragment", "local",
                                          "local.var"};
         return c.e.heap.str(names[static_cast<unsigned>(bufferOf(c.self)->scope)]);
       }}};
  static const Row ofJit[] = {{"par_compile",
                               [](Call &c) { return c.e.compileEach(c.self, c.args); }, 0, any,
                               Keywords::Own}};
  static const Row ofEmitters[] = {{"ldmatrix_a", ofEmitter, 0, any, Keywords::Own},
                                   {"ldmatrix_b", ofEmitter, 0, any, Keywords::Own},
                                   {"mma", ofEmitter, 0, any, Keywords::Own},
                                   {"mfma", ofEmitter, 0, any, Keywords::Own},
                                   {"stmatrix", ofEmitter, 0, any, Keywords::Own}};
  switch (tableOf(kind)) {
  case ValueKind::Str:
    return ofStr();
  case ValueKind::List:
    return ofList();
  case ValueKind::Tuple:
    return ofTuple();
  case ValueKind::Dict:
    return ofDict();
  case ValueKind::Set:
    return ofSet();
  case ValueKind::Int:
    return ofInt;
  case ValueKind::Float:
    return ofFloat;
  case ValueKind::DType:
    return ofDType;
  case ValueKind::Expr:
    return ofExpr;
  case ValueKind::Buffer:
    return ofBuffer;
  case ValueKind::Jit:
    return ofJit;
  case ValueKind::Emitter:
    return ofEmitters;
  default:
    return {};
  }
}

const Evaluator::MethodCall::Row *Evaluator::MethodCall::find(ValueKind kind,
                                                              llvm::StringRef name) {
  llvm::ArrayRef<Row> rows = rowsOf(kind);
  const Row *row = llvm::find_if(rows, [&](const Row &r) { return r.name == name; });
  return row == rows.end() ? nullptr : row;
}

uint64_t Evaluator::MethodCall::cost() const {
  switch (self.kind()) {
  case ValueKind::Str:
    return 1 + self.str().size() / 16;
  case ValueKind::List:
  case ValueKind::Tuple:
    return 1 + self.items().size() / 64;
  case ValueKind::Dict:
    return 1 + self.as<DictObject>()->entries.size() / 8;
  default:
    return 1;
  }
}

Value Evaluator::MethodCall::run(const Row &row) {
  if (!e.step(args.span, cost()) ||
      (row.keywords == Keywords::None && !e.knownKeywords(args, name, {})) ||
      !e.arity(args, row.least, row.most, name))
    return Value();
  return row.call(*this);
}

Value Evaluator::callMethod(const MethodObject *m, CallArgs &args) {
  const Value &self = m->self;
  if (self.is(ValueKind::Builtin) && self.str() == tileSchedulerName)
    return callScheduler(self, m->name, args);
  if (self.is(ValueKind::Builtin) && self.str() == tunerName)
    return callTuner(self, m->name, args);
  if (m->name == warpPartition && isPolicy(self))
    return arity(args, 3, 3, m->name)
               ? callLibrary(m->name, {self, args.values[0], args.values[1], args.values[2]},
                             args.span)
               : Value();
  return callMethod(self, m->name, args);
}

Value Evaluator::callMethod(const Value &self, llvm::StringRef name, CallArgs &args) {
  if (self.is(ValueKind::Instance))
    return callOfInstance(self, name, args);
  if (const MethodCall::Row *row = MethodCall::find(self.kind(), name))
    return MethodCall{*this, self, name, args}.run(*row);
  return fail(DiagId::NoAttribute, args.calleeSpan, typeName(self), name, "");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Value Evaluator::typeAttribute(const Value &object, llvm::StringRef name, Span nameSpan) {
  if (object.str() == "GemmWarpPolicy" && llvm::is_contained(policies, name))
    return heap.str(name.str());
  if (name == "__name__")
    return heap.str(object.str() == "None" ? "NoneType" : object.str().str());
  // `str.lower` as a function, and `dict.fromkeys`.
  if (object.str() == "str" && MethodCall::find(ValueKind::Str, name))
    return heap.named(ValueKind::Builtin, ("str." + name).str());
  if (object.str() == "dict" && name == "fromkeys")
    return heap.named(ValueKind::Builtin, "dict.fromkeys");
  return fail(DiagId::NoAttribute, nameSpan, object.str(), name, "; check the spelling");
}

Value Evaluator::builtinAttribute(const Value &object, llvm::StringRef name, Span span,
                                  Span nameSpan) {
  if (object.str() == tunerClassName || object.str() == tunerName)
    return tunerAttribute(object, name, span);
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
}

/// Of a kind that the tables have.
Value Evaluator::valueAttribute(const Value &object, llvm::StringRef name, Span span,
                                Span nameSpan) {
  if (const AttributeRow *row = findAttribute(object.kind(), name))
    return row->of(heap, object);
  if (MethodCall::find(object.kind(), name) || (name == warpPartition && isPolicy(object)))
    return method(object, name);
  // What `PassConfigKey` has are texts.
  if (object.is(ValueKind::Str) && name == "value" && object.str().starts_with("tl."))
    return object;
  // A dtype is its name, too.
  if (object.is(ValueKind::DType) && MethodCall::find(ValueKind::Str, name))
    return method(heap.str(toStr(object)), name);
  if (object.is(ValueKind::Jit))
    return heap.named(ValueKind::Opaque, ("jit function's `" + name + "`").str(), span);
  if (object.is(ValueKind::Kernel))
    return heap.named(ValueKind::Opaque, ("kernel's `" + name + "`").str(), span);
  llvm::SmallVector<llvm::StringRef> known;
  for (const AttributeRow &row : attributeRows)
    if (row.kind == tableOf(object.kind()))
      known.push_back(row.name);
  for (const MethodCall::Row &row : MethodCall::rowsOf(object.kind()))
    known.push_back(row.name);
  return fail(DiagId::NoAttribute, nameSpan, typeName(object), name, suggestionOrList(name, known));
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
  case ValueKind::Class:
  case ValueKind::Instance:
    return instanceAttribute(object, name, span, nameSpan);
  case ValueKind::Builtin:
    return builtinAttribute(object, name, span, nameSpan);
  default:
    return valueAttribute(object, name, span, nameSpan);
  }
}

} // namespace tilec::script
