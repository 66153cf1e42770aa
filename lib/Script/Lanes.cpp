//===- Lanes.cpp - vectors of a thread's code -----------------------------===//
//
// Takes T.Ramp, T.Broadcast and their like, and what is done with a vector; gives a list of runtime
// values, one a lane. What is done to a vector is done to each of its lanes: wide accesses are made
// of neighbours by the compiler, whoever wrote them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
namespace {

constexpr int64_t maxLanes = 64;

/// What the bits of a value of this dtype are as a number.
DType bitsType(unsigned bits) {
  return bits == 8 ? DType::U8 : bits == 16 ? DType::U16 : bits == 32 ? DType::U32 : DType::U64;
}

} // namespace

std::optional<VectorType> parseVectorType(llvm::StringRef name) {
  name.consume_front("torch.");
  name.consume_front("T.");
  auto [element, count] = name.rsplit('x');
  std::optional<DType> type = parseDType(std::string_view(element));
  unsigned lanes = 0;
  if (!type || count.getAsInteger(10, lanes) || lanes < 1 || lanes > maxLanes)
    return std::nullopt;
  return VectorType{*type, lanes};
}

std::optional<VectorType> vectorTypeOf(const Value &v) {
  if (v.is(ValueKind::Str))
    return parseVectorType(v.str());
  return v.is(ValueKind::DType) && v.lanes() ? std::optional(VectorType{v.dtype(), v.lanes()})
                                             : std::nullopt;
}

Value typeOfLanes(const Value &vector) {
  const Value &first = vector.items()[0];
  DType element = first.is(ValueKind::Buffer) ? first.buffer()->type : first.expr()->type;
  return Value::vectorType(element, vector.items().size());
}

/// A number is the value of its lane.
Value Evaluator::lanes(std::vector<Value> items) {
  for (Value &v : items)
    if (v.isNumber()) {
      const Expr *e = toExpr(v, lastSpan);
      if (!e)
        return Value();
      v = Value::expr(e);
    } else if (isTile(v) || (!v.is(ValueKind::Buffer) && !isRuntime(v))) {
      return v.ok() ? fail(DiagId::WantedOther, lastSpan, "a number for each lane", typeName(v))
                    : Value();
    }
  return items.size() == 1 ? items[0] : heap.list(std::move(items), ValueKind::Lanes);
}

/// `f` of each lane of the operands; scalars are those of every lane.
Value Evaluator::eachLane(llvm::ArrayRef<Value> operands, Span span, LaneFn f) {
  size_t count = 0;
  for (const Value &v : operands) {
    if (!isLanes(v))
      continue;
    if (count && v.items().size() != count)
      return fail(DiagId::LaneCounts, span, count, v.items().size());
    count = v.items().size();
  }
  std::vector<Value> out;
  for (size_t lane = 0; lane < count; ++lane) {
    llvm::SmallVector<Value> own;
    for (const Value &v : operands)
      own.push_back(isLanes(v) ? decay(v.items()[lane], span) : v);
    out.push_back(f(own));
    if (!out.back().ok() || !step(span))
      return Value();
  }
  return lanes(std::move(out));
}

/// A function of scalars, of a vector.
Value Evaluator::scalarOfLanes(const BoundArgs &args) {
  if (args.id == IntrinsicId::ReinterpretFn) {
    bool swapped = args.values[0].is(ValueKind::DType) || args.values[0].is(ValueKind::Str);
    return reinterpretLanes(args.values[swapped ? 1 : 0], args.values[swapped ? 0 : 1], args.span);
  }
  BoundArgs one = args;
  size_t wanted = 0;
  for (Value &v : one.values)
    if (std::optional<VectorType> type = vectorTypeOf(v)) {
      v = Value::dtype(type->element);
      wanted = type->lanes;
    }
  auto isVector = [](const Value &v) { return isLanes(v); };
  std::vector<Value> operands(one.values.begin(), one.values.end());
  if (wanted && llvm::none_of(operands, isVector)) { // of a number: the same in each lane
    Value value = scalarIntrinsic(one);
    return value.ok() ? lanes(std::vector<Value>(wanted, value)) : Value();
  }
  for (const Value &v : operands)
    if (wanted && isLanes(v) && v.items().size() != wanted)
      return fail(DiagId::LaneCounts, args.span, v.items().size(), wanted);
  return eachLane(operands, args.span, [&](llvm::ArrayRef<Value> own) {
    one.values.assign(own.begin(), own.end());
    return scalarIntrinsic(one);
  });
}

/// The bits of the lanes as lanes of another width: the first is the lowest.
Value Evaluator::repack(llvm::ArrayRef<const Expr *> from, DType type, Span span) {
  unsigned have = bitsOf(from[0]->type), want = bitsOf(type);
  if (have % 8 || want % 8 || (have * from.size()) % want)
    return fail(DiagId::ReinterpretWidth, span, nameOf(from[0]->type), have * from.size(),
                nameOf(type), want);
  auto number = [&](int64_t n, DType t) { return build.constInt(n, t, span); };
  std::vector<Value> out;
  if (have == want)
    for (const Expr *e : from)
      out.push_back(Value::expr(build.reinterpret(e, type, span)));
  for (const Expr *e : from) { // each is several
    const Expr *word = build.reinterpret(e, bitsType(have), span);
    for (unsigned at = 0; have > want && at < have; at += want) {
      const Expr *moved = at ? build.binary(ExprOp::Shr, word, number(at, word->type), span) : word;
      const Expr *part = build.cast(moved, bitsType(want), span);
      out.push_back(Value::expr(build.reinterpret(part, type, span)));
    }
  }
  for (size_t i = 0; have < want && i < from.size(); i += want / have) { // several make one
    const Expr *word = nullptr;
    for (unsigned part = 0; part < want / have; ++part) {
      const Expr *e =
          build.cast(build.reinterpret(from[i + part], bitsType(have), span), bitsType(want), span);
      if (part)
        e = build.binary(ExprOp::Shl, e, number(int64_t(part) * have, e->type), span);
      word = word ? build.binary(ExprOp::BitOr, word, e, span) : e;
    }
    out.push_back(Value::expr(build.reinterpret(word, type, span)));
  }
  return lanes(std::move(out));
}

Value Evaluator::reinterpretLanes(const Value &value, const Value &type, Span span) {
  std::optional<VectorType> vector = vectorTypeOf(type);
  std::optional<DType> element = vector ? std::optional(vector->element) : toDType(type, span);
  std::vector<const Expr *> from;
  for (const Value &v : isLanes(value) ? value.items() : std::vector<Value>{value})
    if (const Expr *e = element ? toExpr(decay(v, span), span) : nullptr)
      from.push_back(e);
    else
      return Value();
  unsigned have = bitsOf(from[0]->type) * from.size();
  unsigned want = bitsOf(*element) * (vector ? vector->lanes : 1);
  if (have != want)
    return fail(DiagId::ReinterpretWidth, span, nameOf(from[0]->type), have, nameOf(*element),
                want);
  return repack(from, *element, span);
}

/// The lanes as they are now: what is stored later does not change them.
Value Evaluator::settle(const Value &vector, Span span) {
  if (!isLanes(vector))
    return bindLet("lane", vector.expr(), span);
  return eachLane(vector, span, [&](llvm::ArrayRef<Value> own) {
    const Expr *e = toExpr(own[0], span);
    return e ? bindLet("lane", e, span) : Value();
  });
}

/// `A[vector] = value`: the value of each lane to its place, all read before the first is written.
bool Evaluator::storeLanes(const Value &places, const Value &value, Span span, Span targetSpan,
                           Span valueSpan) {
  Value from = value;
  if (value.is(ValueKind::Region))
    from = lanesOfRegion(value.region(), valueSpan);
  if (!from.ok())
    return false;
  size_t count = places.items().size();
  if (isLanes(from) && from.items().size() != count)
    return fail(DiagId::LaneCounts, valueSpan, count, from.items().size()).ok();
  if (isLanes(from) && !(from = settle(from, valueSpan)).ok())
    return false;
  for (size_t lane = 0; lane < count; ++lane) {
    const Value &place = places.items()[lane];
    const Value &item = isLanes(from) ? from.items()[lane] : from;
    bool isVariable = place.is(ValueKind::Buffer);
    llvm::ArrayRef<const Expr *> indices;
    if (!isVariable)
      indices = place.expr()->args;
    if (!emitStore(isVariable ? place.buffer() : place.expr()->buffer, indices, item, span,
                   targetSpan, valueSpan))
      return false;
  }
  return true;
}

/// The elements of a slice along the last dimension.
Value Evaluator::lanesOfRegion(const Region *region, Span span) {
  int64_t count = 1;
  for (const Expr *e : region->extents)
    count *= e->constInt().value_or(0);
  bool isRow = region->extents.empty() || region->extents.back()->constInt() == count;
  if (!isRow || count < 1 || count > maxLanes)
    return fail(DiagId::WantedOther, span, "a slice of 1 to 64 elements along the last dimension",
                "another");
  std::vector<Value> out;
  for (int64_t i = 0; i < count; ++i) {
    llvm::SmallVector<const Expr *> place(region->offsets);
    if (i)
      place.back() = build.binary(ExprOp::Add, place.back(),
                                  build.constInt(i, place.back()->type, span), span);
    out.push_back(Value::expr(
        build.load(region->buffer, program.copy(llvm::ArrayRef<const Expr *>(place)), span)));
  }
  return lanes(std::move(out));
}

/// `T.alloc_var("float32x4")`: a variable for each lane.
Value Evaluator::allocLanes(const VectorType &type, const Value &init, Span span, Span initSpan) {
  std::vector<Value> variables;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    Buffer *b = newBuffer("lane", type.element, Scope::Var, {}, span);
    emit(program.make<AllocStmt>(span, b));
    variables.push_back(Value::buffer(b));
  }
  Value vector = lanes(std::move(variables));
  bool isGood = init.is(ValueKind::None) || storeLanes(vector, init, span, span, initSpan);
  return isGood && !failure ? vector : Value();
}

/// `T.float16x2(a, b)`, or of one value for all.
Value Evaluator::makeLanes(const VectorType &type, CallArgs &args) {
  if (args.values.size() == 1 && isLanes(args.values[0])) {
    std::vector<Value> own = args.values[0].items();
    args.values.assign(own.begin(), own.end());
  }
  if (args.values.size() != 1 && !arity(args, type.lanes, type.lanes, nameOf(type.element)))
    return Value();
  std::vector<Value> out;
  for (size_t i = 0; i < type.lanes; ++i) {
    size_t from = args.values.size() == 1 ? 0 : i;
    Span span = from < args.spans.size() ? args.spans[from] : args.span;
    out.push_back(castIntrinsic(decay(args.values[from], span), span, type.element, args.span));
    if (!out.back().ok())
      return Value();
  }
  return lanes(std::move(out));
}

//===----------------------------------------------------------------------===//
// The functions of `T.`
//===----------------------------------------------------------------------===//

std::optional<int64_t> Evaluator::laneCount(const BoundArgs &args) {
  std::optional<int64_t> count = toInt(args["lanes"], args.spanOf("lanes"), "lanes");
  if (count && (*count < 1 || *count > maxLanes))
    return fail(DiagId::BadArgumentValue, args.spanOf("lanes"), "lanes", *count, "1 to 64"),
           std::nullopt;
  return count;
}

Value Evaluator::rampIntrinsic(const BoundArgs &args) {
  std::optional<int64_t> count = laneCount(args);
  std::vector<Value> out;
  Span span = args.span;
  for (int64_t lane = 0; count && lane < *count; ++lane) {
    Value step = binary(BinaryOp::Mul, args["stride"], Value::small(lane), span, span, span);
    out.push_back(step.ok() ? binary(BinaryOp::Add, args["base"], step, span, span, span)
                            : Value());
    if (!out.back().ok())
      return Value();
  }
  return count ? lanes(std::move(out)) : Value();
}

/// Lanes of the concatenation of vectors, by their numbers.
Value Evaluator::shuffleIntrinsic(const BoundArgs &args) {
  llvm::SmallVector<Value> vectors, all;
  llvm::SmallVector<int64_t> numbers;
  if (!iterate(args["vectors"], args.spanOf("vectors"), vectors) ||
      !toIntList(args["indices"], args.spanOf("indices"), "the indices", numbers))
    return Value();
  for (const Value &v : vectors)
    isLanes(v) ? all.append(v.items().begin(), v.items().end()) : all.push_back(v);
  std::vector<Value> out;
  for (int64_t n : numbers) {
    if (n < 0 || n >= static_cast<int64_t>(all.size()))
      return fail(DiagId::IndexOutOfRange, args.spanOf("indices"), n, all.size());
    out.push_back(decay(all[n], args.span));
  }
  return lanes(std::move(out));
}

/// `T.extract_lane`, and halves of vectors.
Value Evaluator::partOfLanes(const BoundArgs &args) {
  bool isLane = args.id == IntrinsicId::ExtractLane;
  llvm::StringRef name = isLane ? "vector" : "vec";
  const Value &vector = args[name];
  if (!isLanes(vector))
    return fail(DiagId::WantedOther, args.spanOf(name), "a vector", typeName(vector));
  std::vector<Value> &items = vector.items();
  if (isLane) {
    std::optional<int64_t> lane = toInt(args["lane"], args.spanOf("lane"), "a lane");
    if (lane && (*lane < 0 || *lane >= static_cast<int64_t>(items.size())))
      return fail(DiagId::IndexOutOfRange, args.spanOf("lane"), *lane, items.size());
    return lane ? decay(items[*lane], args.span) : Value();
  }
  auto middle = items.begin() + items.size() / 2;
  return args.id == IntrinsicId::VectorLow ? lanes({items.begin(), middle})
                                           : lanes({middle, items.end()});
}

/// `T.add2` and its like: both halves of a packed pair.
Value Evaluator::packedIntrinsic(const BoundArgs &args) {
  std::optional<DType> type;
  for (auto [value, span] : llvm::zip_equal(args.values, args.spans)) {
    if (!isLanes(value) || value.items().size() != 2)
      return fail(DiagId::WantedOther, span, "a vector of two lanes", typeName(value));
    const Expr *e = toExpr(decay(value.items()[0], span), span);
    if (!e)
      return Value();
    if (type.value_or(e->type) != e->type)
      return fail(DiagId::WantedOther, span, "a vector of " + std::string(nameOf(*type)),
                  "one of " + std::string(nameOf(e->type)));
    type = e->type;
  }
  Span span = args.span;
  return eachLane(args.values, span, [&](llvm::ArrayRef<Value> v) {
    auto op = [&](BinaryOp o) { return binary(o, v[0], v[1], span, span, span); };
    auto most = [&](ExprOp o) {
      return Value::expr(build.binary(o, v[0].expr(), v[1].expr(), span));
    };
    switch (args.id) {
    case IntrinsicId::PackedAdd:
      return op(BinaryOp::Add);
    case IntrinsicId::PackedSub:
      return op(BinaryOp::Sub);
    case IntrinsicId::PackedMul:
      return op(BinaryOp::Mul);
    case IntrinsicId::PackedMax:
      return most(ExprOp::Max);
    case IntrinsicId::PackedMin:
      return most(ExprOp::Min);
    default: {
      llvm::SmallVector<const Expr *> operands;
      for (const Value &x : v)
        operands.push_back(x.expr());
      MathFn fn = args.id == IntrinsicId::PackedAbs ? MathFn::Abs : MathFn::Fma;
      return Value::expr(build.math(fn, operands, span));
    }
    }
  });
}

/// The first element of what a load or store of whole words names.
const Region *Evaluator::wordsAt(const BoundArgs &args, llvm::StringRef name, unsigned bits) {
  const Value &at = args[name];
  const Region *first = at.is(ValueKind::Region) ? at.region() : nullptr;
  if (at.is(ValueKind::Buffer) && at.buffer()->scope != Scope::Var)
    first = wholeRegion(at.buffer(), args.spanOf(name));
  else if (at.is(ValueKind::Expr))
    first = elementRegion(at.expr());
  if (!first || first->buffer->shape.empty()) {
    fail(DiagId::WantedOther, args.spanOf(name), "an element such as `A[i]`, or a slice",
         typeName(at));
    return nullptr;
  }
  unsigned each = bitsOf(first->buffer->type);
  if (each % 8 || bits % each) {
    fail(DiagId::BadArgumentValue, args.spanOf(name), "the element",
         std::string(nameOf(first->buffer->type)), "one of which whole numbers fill the words");
    return nullptr;
  }
  auto *row = program.make<Region>();
  *row = *first;
  row->whole = false;
  llvm::SmallVector<const Expr *> extents(row->offsets.size(),
                                          build.constInt(1, DType::I32, args.span));
  extents.back() = build.constInt(bits / each, DType::I32, args.span);
  row->extents = program.copy(llvm::ArrayRef<const Expr *>(extents));
  return row;
}

/// T.ldg32 to T.sts128: whole words of memory, as vectors of uint32.
Value Evaluator::wordsIntrinsic(const BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  unsigned bits = 0;
  nameOf(args.id).drop_front(3).getAsInteger(10, bits);
  bool isLoad = nameOf(args.id).starts_with("ld");
  const Region *place = wordsAt(args, isLoad ? "src" : "dst", bits);
  Value elements = place ? lanesOfRegion(place, args.span) : Value();
  if (!elements.ok())
    return Value();
  const Value &given = args["pred"];
  const Expr *when = given.is(ValueKind::None) ? nullptr : toCondition(given, args.spanOf("pred"));
  if (failure)
    return Value();
  std::vector<Value> places = isLanes(elements) ? elements.items() : std::vector<Value>{elements};
  if (isLoad) {
    std::vector<const Expr *> from;
    for (const Value &v : places) {
      const Expr *e = v.expr();
      if (when) { // nothing is read where it does not hold, and the result is 0
        const Expr *zero = isFloat(e->type) ? build.constFloat(0, e->type, args.span)
                                            : build.constInt(0, e->type, args.span);
        e = build.choose(ExprOp::IfThenElse, when, e, zero, args.span);
      }
      from.push_back(e);
    }
    Value words = repack(from, DType::U32, args.span);
    return words.ok() ? settle(words, args.span) : Value();
  }
  Value wanted = heap.str("uint32x" + std::to_string(bits / 32));
  Value words = reinterpretLanes(args["value"], wanted, args.spanOf("value"));
  std::vector<const Expr *> from;
  for (const Value &v : !words.ok()      ? std::vector<Value>{}
                        : isLanes(words) ? words.items()
                                         : std::vector<Value>{words})
    from.push_back(v.expr());
  Value parts = from.empty() ? Value() : repack(from, place->buffer->type, args.span);
  if (!parts.ok())
    return Value();
  Value whole = heap.list(std::move(places), ValueKind::Lanes);
  auto store = [&] { return storeLanes(whole, parts, args.span, args.span, args.spanOf("value")); };
  if (!when)
    return store() ? Value::none() : Value();
  std::vector<const Stmt *> list;
  {
    llvm::SaveAndRestore savedStatements(statements, &list);
    if (!store())
      return Value();
  }
  auto *guard = program.make<IfStmt>(args.span, when);
  guard->thenBody = program.copy(llvm::ArrayRef<const Stmt *>(list));
  emit(guard);
  return failure ? Value() : Value::none();
}

/// An atomic on each lane's place: `T.atomic_addx2(A[T.Ramp(0, 1, 2)], ...)`.
Value Evaluator::atomicOfLanes(const BoundArgs &args) {
  bool isVector = args.id == IntrinsicId::AtomicAddX2 || args.id == IntrinsicId::AtomicAddX4;
  Value value = args["value"];
  if (value.is(ValueKind::Region) && !(value = lanesOfRegion(value.region(), args.span)).ok())
    return Value();
  bool returns = args["return_prev"].is(ValueKind::Bool) && args["return_prev"].boolean();
  Value before = eachLane({args["dst"], value}, args.span, [&](llvm::ArrayRef<Value> own) {
    CallArgs one;
    one.span = args.span;
    one.calleeSpan = args.calleeSpan;
    one.values.assign(own.begin(), own.end());
    one.spans = {args.spanOf("dst"), args.spanOf("value")};
    one.keywords.push_back({"return_prev", args["return_prev"], args.span});
    Value result = callIntrinsic(isVector ? IntrinsicId::AtomicAdd : args.id, one);
    return result.ok() && !returns ? Value::small(0) : result;
  });
  return before.ok() && !returns ? Value::none() : before;
}

Value Evaluator::laneIntrinsic(const BoundArgs &args) {
  switch (args.id) {
  case IntrinsicId::Ramp:
    return rampIntrinsic(args);
  case IntrinsicId::Broadcast: {
    std::optional<int64_t> count = laneCount(args);
    const Expr *e = count ? toExpr(args["value"], args.spanOf("value")) : nullptr;
    return e ? lanes(std::vector<Value>(*count, Value::expr(e))) : Value();
  }
  case IntrinsicId::ShuffleLanes:
    return shuffleIntrinsic(args);
  case IntrinsicId::ExtractLane:
  case IntrinsicId::VectorLow:
  case IntrinsicId::VectorHigh:
    return partOfLanes(args);
  case IntrinsicId::VectorCombine: {
    std::vector<Value> all;
    for (llvm::StringRef name : {"vec1", "vec2"})
      for (const Value &v : isLanes(args[name]) ? args[name].items() : std::vector{args[name]})
        all.push_back(v);
    std::optional<VectorType> type = vectorTypeOf(args["dtype"]);
    if (type && type->lanes != all.size())
      return fail(DiagId::LaneCounts, args.span, type->lanes, all.size());
    return lanes(std::move(all));
  }
  case IntrinsicId::PackedAdd:
  case IntrinsicId::PackedSub:
  case IntrinsicId::PackedMul:
  case IntrinsicId::PackedMax:
  case IntrinsicId::PackedMin:
  case IntrinsicId::PackedFma:
  case IntrinsicId::PackedAbs:
    return packedIntrinsic(args);
  default:
    return wordsIntrinsic(args);
  }
}

} // namespace tilec::script
