//===- Convert.cpp - values as what a place wants -------------------------===//
//
// Takes a value, gives what a place wants of it (an expression, an index, a condition, a number, a
// dtype, an argument), or an error at its place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include <limits>

namespace tilec::script {

const Expr *Evaluator::toExpr(const Value &v, Span span, std::optional<DType> wanted) {
  switch (v.kind()) {
  case ValueKind::Bool: {
    const Expr *e = build.constBool(v.boolean(), span);
    return wanted ? build.promote(e, *wanted, span) : e;
  }
  case ValueKind::Int: {
    Integer i = v.integer();
    if (wanted && isFloat(*wanted))
      return build.literal(i.toDouble(), *wanted, span);
    if (!i.fits64()) {
      if (wanted == DType::U64 && i.fitsUnsigned64())
        return build.constInt(static_cast<int64_t>(i.valueUnsigned64()), DType::U64, span);
      fail(DiagId::IntegerTooWide, span, shown(v));
      return nullptr;
    }
    int64_t value = i.value64();
    DType type = wanted.value_or(ExprBuilder::fits(value, DType::I32) ? DType::I32 : DType::I64);
    return build.constInt(value, type, span);
  }
  case ValueKind::Float:
    return build.literal(v.real(), wanted.value_or(DType::F32), span);
  case ValueKind::Expr:
    return wanted ? build.promote(v.expr(), *wanted, span) : v.expr();
  case ValueKind::Buffer:
    if (v.buffer()->scope == Scope::Var)
      return toExpr(decay(v, span), span, wanted);
    [[fallthrough]];
  case ValueKind::Region:
    fail(DiagId::BufferAsValue, span, typeName(v));
    return nullptr;
  case ValueKind::Opaque:
    failOpaque(v, span);
    return nullptr;
  default:
    fail(DiagId::WantedOther, span, "a number", typeName(v));
    return nullptr;
  }
}

const Expr *Evaluator::toIndex(const Value &v, Span span) {
  const Expr *e = toExpr(v, span);
  if (!e)
    return nullptr;
  if (!isInteger(e->type)) {
    if (e->type == DType::Bool)
      return build.cast(e, DType::I32, span);
    fail(DiagId::IndexNotInteger, span, nameOf(e->type));
    return nullptr;
  }
  return e;
}

const Expr *Evaluator::toCondition(const Value &v, Span span) {
  const Expr *e = toExpr(v, span);
  return e ? build.toBool(e, span) : nullptr;
}

std::optional<int64_t> Evaluator::toInt(const Value &v, Span span, llvm::StringRef what) {
  if (v.is(ValueKind::Int) || v.is(ValueKind::Bool)) {
    Integer i = v.integer();
    if (i.fits64())
      return i.value64();
    fail(DiagId::IntegerTooWide, span, shown(v));
    return std::nullopt;
  }
  if (v.is(ValueKind::Expr)) {
    if (std::optional<int64_t> constant = v.expr()->constInt())
      return constant;
    const Expr *e = v.expr();
    bool isLoop = e->op == ExprOp::Var && e->var->kind == VarKind::Loop;
    fail(isLoop ? DiagId::LoopVariableAsConstant : DiagId::RuntimeAsConstant, span, what);
    return std::nullopt;
  }
  if (v.is(ValueKind::Opaque))
    failOpaque(v, span);
  else
    fail(DiagId::WantedOther, span, (llvm::Twine("an integer for ") + what).str(), typeName(v));
  return std::nullopt;
}

std::optional<double> Evaluator::toReal(const Value &v, Span span, llvm::StringRef what) {
  if (v.isNumber())
    return v.toDouble();
  if (v.is(ValueKind::Expr) && v.expr()->op == ExprOp::ConstFloat)
    return v.expr()->floatValue;
  if (v.is(ValueKind::Expr) && v.expr()->op == ExprOp::ConstInt)
    return static_cast<double>(v.expr()->intValue);
  if (v.is(ValueKind::Expr))
    fail(DiagId::RuntimeAsConstant, span, what);
  else if (v.is(ValueKind::Opaque))
    failOpaque(v, span);
  else
    fail(DiagId::WantedOther, span, (llvm::Twine("a number for ") + what).str(), typeName(v));
  return std::nullopt;
}

llvm::ArrayRef<llvm::StringRef> dtypeNames() {
  static const llvm::StringRef names[] = {"bool",
                                          "int4",
                                          "int8",
                                          "int16",
                                          "int32",
                                          "int64",
                                          "uint4",
                                          "uint8",
                                          "uint16",
                                          "uint32",
                                          "uint64",
                                          "float16",
                                          "half",
                                          "float",
                                          "bfloat16",
                                          "float32",
                                          "float64",
                                          "float8_e4m3fn",
                                          "double",
                                          "float8_e5m2",
                                          "float8_e4m3fnuz",
                                          "float8_e5m2fnuz",
                                          "float8_e8m0fnu",
                                          "float4_e2m1fn"};
  return names;
}

std::optional<DType> Evaluator::toDType(const Value &v, Span span) {
  switch (v.kind()) {
  case ValueKind::DType:
    if (!v.lanes())
      return v.dtype();
    fail(DiagId::VectorDType, span, toStr(v), nameOf(v.dtype()));
    return std::nullopt;
  case ValueKind::Str: {
    llvm::StringRef name = v.str();
    name.consume_front("torch.");
    name.consume_front("T.");
    if (std::optional<DType> type = parseDType(std::string_view(name)))
      return type;
    if (name.contains('x') && parseDType(std::string_view(name.split('x').first)))
      fail(DiagId::VectorDType, span, name, name.split('x').first);
    else
      fail(DiagId::UnknownDType, span, name, suggestionOrList(name, dtypeNames()));
    return std::nullopt;
  }
  case ValueKind::Type: {
    llvm::StringRef name = v.str();
    if (name == "int")
      return DType::I32;
    if (name == "float")
      return DType::F32;
    if (name == "bool")
      return DType::Bool;
    break;
  }
  case ValueKind::Opaque:
    failOpaque(v, span);
    return std::nullopt;
  case ValueKind::Intrinsic:
    if (v.intrinsic() != IntrinsicId::Ptr)
      break;
    fail(DiagId::RefusedIntrinsic, span, "T.Tensor(..., T.ptr)",
         "pass one tensor, and where its parts begin");
    return std::nullopt;
  case ValueKind::Refused: {
    auto [name, instead] = v.str().split('\n');
    fail(DiagId::RefusedIntrinsic, span, name, instead);
    return std::nullopt;
  }
  default:
    break;
  }
  fail(DiagId::WantedOther, span, "a dtype such as `\"float16\"` or `T.float16`", typeName(v));
  return std::nullopt;
}

bool Evaluator::toShape(const Value &v, Span span, llvm::SmallVectorImpl<const Expr *> &out,
                        bool mustBeConstant) {
  llvm::SmallVector<Value> items;
  if (v.isSequence())
    items.append(v.items().begin(), v.items().end());
  else
    items.push_back(v);
  // More than any host or GPU here can hold, as in the runtime.
  constexpr int64_t maxElems = int64_t(1) << 40;
  int64_t elems = 1;
  for (const Value &item : items) {
    if (mustBeConstant) {
      std::optional<int64_t> size = toInt(item, span, "a shape");
      if (!size)
        return false;
    }
    const Expr *e = toIndex(item, span);
    if (!e)
      return false;
    std::optional<int64_t> size = e->constInt();
    if (size && (*size < 0 || (mustBeConstant && *size == 0))) {
      fail(DiagId::BadShape, span, *size);
      return false;
    }
    if (size && *size > maxElems / std::max<int64_t>(elems, 1)) {
      fail(DiagId::ShapeTooLarge, span, maxElems);
      return false;
    }
    elems *= size.value_or(1);
    out.push_back(e);
  }
  return true;
}

bool Evaluator::toIntList(const Value &v, Span span, llvm::StringRef what,
                          llvm::SmallVectorImpl<int64_t> &out) {
  if (!v.isSequence()) {
    std::optional<int64_t> i = toInt(v, span, what);
    if (i)
      out.push_back(*i);
    return i.has_value();
  }
  for (const Value &item : v.items()) {
    std::optional<int64_t> i = toInt(item, span, what);
    if (!i)
      return false;
    out.push_back(*i);
  }
  return true;
}

bool Evaluator::iterate(const Value &v, Span span, llvm::SmallVectorImpl<Value> &out) {
  switch (v.kind()) {
  case ValueKind::List:
  case ValueKind::Tuple:
  case ValueKind::Set:
    out.append(v.items().begin(), v.items().end());
    return step(span, out.size());
  case ValueKind::Dict:
    for (auto &entry : v.as<DictObject>()->entries)
      out.push_back(entry.first);
    return step(span, out.size());
  case ValueKind::Str:
    if (!step(span, v.str().size()))
      return false;
    for (llvm::StringRef c : codePoints(v.str()))
      out.push_back(heap.str(c.str()));
    return true;
  case ValueKind::Range: {
    auto *r = v.as<RangeObject>();
    int64_t count = r->count();
    if (!step(span, static_cast<uint64_t>(count)))
      return false;
    for (int64_t i = 0; i < count; ++i)
      out.push_back(Value::small(r->start + i * r->step));
    return true;
  }
  case ValueKind::DType: // dtypes stand in for their names
    for (char c : nameOf(v.dtype()))
      out.push_back(heap.str(std::string(1, c)));
    return step(span, out.size());
  case ValueKind::Opaque:
    failOpaque(v, span);
    return false;
  case ValueKind::Loop:
    fail(DiagId::LoopOutsideFor, span);
    return false;
  default:
    fail(DiagId::NotIterable, span, typeName(v));
    return false;
  }
}

const Region *Evaluator::wholeRegion(const Buffer *buffer, Span span) {
  auto *r = program.make<Region>();
  r->buffer = buffer;
  llvm::SmallVector<const Expr *> zeros;
  for (const Expr *size : buffer->shape)
    zeros.push_back(build.constInt(0, size->type, span));
  r->offsets = program.copy(llvm::ArrayRef<const Expr *>(zeros));
  r->extents = buffer->shape;
  r->whole = true;
  r->span = span;
  return r;
}

/// `A[i, j]` where a tile is wanted.
const Region *Evaluator::elementRegion(const Expr *load) {
  if (load->op != ExprOp::Load)
    return nullptr;
  if (load->buffer->scope == Scope::Var)
    return wholeRegion(load->buffer, load->span);
  auto *r = program.make<Region>();
  r->buffer = load->buffer;
  r->offsets = load->args;
  r->span = load->span;
  return r;
}

bool Evaluator::listArgument(const Value &v, Span span, Argument &out) {
  Deeper deeper(*this, span);
  // Lists of one list many times over are as many arguments as they print.
  constexpr uint64_t stepsOfArgument = 16;
  if (!deeper.ok || !step(span, stepsOfArgument * v.items().size()))
    return false;
  std::vector<Argument> items(v.items().size());
  for (size_t i = 0; i < items.size(); ++i)
    if (!toArgument(v.items()[i], span, items[i]))
      return false;
  out.list = program.copy(llvm::ArrayRef<Argument>(items));
  return true;
}

bool Evaluator::dictArgument(const Value &v, Span span, Argument &out) {
  Deeper deeper(*this, span);
  if (!deeper.ok)
    return false;
  std::vector<DictEntry> entries;
  for (auto &[key, value] : v.as<DictObject>()->entries) {
    DictEntry entry;
    if (!toArgument(key, span, entry.key))
      return false;
    // A bare function in `annotate_layout` is a layout of its key.
    Value item = value;
    if (value.is(ValueKind::Function) && key.is(ValueKind::Buffer)) {
      llvm::SmallVector<int64_t> shape;
      for (const Expr *size : key.buffer()->shape)
        shape.push_back(size->constInt().value_or(0));
      const LayoutSpec *layout = functionLayout(value, span, shape, LayoutSpec::Function);
      if (!layout)
        return false;
      item = Value::layout(layout);
    }
    if (!toArgument(item, span, entry.value))
      return false;
    entries.push_back(entry);
  }
  out.dict = program.copy(llvm::ArrayRef<DictEntry>(entries));
  return true;
}

/// What kind of argument a value becomes, and what is filled in of it. A function that fails has
/// said why.
struct Evaluator::ArgumentRow {
  ValueKind from;
  Argument::Kind to;
  bool (*fill)(Evaluator &e, const Value &v, Argument &out);

  static llvm::ArrayRef<ArgumentRow> all();
  static bool fillInt(Evaluator &e, const Value &v, Argument &out) {
    out.expr = e.toExpr(v, out.span);
    if (out.expr)
      out.intValue = out.expr->intValue;
    return out.expr != nullptr;
  }
};

llvm::ArrayRef<Evaluator::ArgumentRow> Evaluator::ArgumentRow::all() {
  using E = Evaluator;
  using V = Value;
  using A = Argument;
  static const ArgumentRow rows[] = {
      {ValueKind::None, A::Absent, [](E &, const V &, A &) { return true; }},
      {ValueKind::Bool, A::Bool,
       [](E &e, const V &v, A &out) {
         out.intValue = out.boolValue = v.boolean();
         out.expr = e.build.constBool(v.boolean(), out.span);
         return true;
       }},
      {ValueKind::Int, A::Int, fillInt},
      {ValueKind::Float, A::Float,
       [](E &e, const V &v, A &out) {
         out.floatValue = v.real();
         out.expr = e.build.constFloat(v.real(), DType::F64, out.span);
         return true;
       }},
      {ValueKind::Str, A::String,
       [](E &e, const V &v, A &out) { return out.string = e.program.copy(v.str()), true; }},
      {ValueKind::DType, A::Type,
       [](E &, const V &v, A &out) { return out.type = v.dtype(), true; }},
      {ValueKind::Expr, A::Value,
       [](E &e, const V &v, A &out) {
         out.expr = v.expr();
         out.region = e.elementRegion(v.expr());
         return true;
       }},
      {ValueKind::Buffer, A::Tile,
       [](E &e, const V &v, A &out) {
         return out.region = e.wholeRegion(v.buffer(), out.span), true;
       }},
      {ValueKind::Region, A::Tile,
       [](E &, const V &v, A &out) { return out.region = v.region(), true; }},
      {ValueKind::Layout, A::Layout,
       [](E &, const V &v, A &out) { return out.layout = v.layout(), true; }},
      {ValueKind::Emitter, A::EmitterConfig,
       [](E &, const V &v, A &out) { return out.emitter = v.emitter(), true; }},
      {ValueKind::List, A::List,
       [](E &e, const V &v, A &out) { return e.listArgument(v, out.span, out); }},
      {ValueKind::Tuple, A::List,
       [](E &e, const V &v, A &out) { return e.listArgument(v, out.span, out); }},
      {ValueKind::Dict, A::Dict,
       [](E &e, const V &v, A &out) { return e.dictArgument(v, out.span, out); }},
      {ValueKind::Opaque, A::Absent,
       [](E &e, const V &v, A &out) { return e.failOpaque(v, out.span), false; }},
  };
  return rows;
}

bool Evaluator::toArgument(const Value &v, Span span, Argument &out) {
  out = Argument();
  out.span = span;
  for (const ArgumentRow &row : ArgumentRow::all())
    if (v.is(row.from)) {
      out.kind = row.to;
      return row.fill(*this, v, out);
    }
  fail(DiagId::WantedOther, span, "a buffer or a value", typeName(v));
  return false;
}

} // namespace tilec::script
