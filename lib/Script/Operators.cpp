//===- Operators.cpp - operators on compile-time and runtime values -------===//
//
// Takes an operator and values, gives what CPython gives of compile-time ones, and an expression
// of runtime ones.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilec::script {
bool Evaluator::isRuntime(const Value &v) const { return v.is(ValueKind::Expr); }

Value Evaluator::binary(BinaryOp op, const Value &a, const Value &b, Span span, Span aSpan,
                        Span bSpan) {
  if (a.isNumber() && b.isNumber())
    return numeric(op, a, b, span, bSpan);
  if (isLanes(a) || isLanes(b))
    return eachLane({a, b}, span, [&](llvm::ArrayRef<Value> own) {
      return binary(op, own[0], own[1], span, aSpan, bSpan);
    });
  if (isTile(a) || isTile(b))
    return failWholeBuffer(spellingOf(op), span, {{a, aSpan}, {b, bSpan}});
  if (isRuntime(a) || isRuntime(b))
    return runtimeBinary(op, a, b, span, aSpan, bSpan);
  if (std::optional<Value> result = tensorArithmetic(a, b, span))
    return *result;
  if (a.is(ValueKind::Opaque) && b.is(ValueKind::Opaque)) {
    failOpaque(a, aSpan);
    if (postpone()) // both are missing
      failOpaque(b, bSpan);
    return Value();
  }
  for (const Value *v : {&a, &b})
    if (v->is(ValueKind::Opaque))
      return failOpaque(*v, v == &a ? aSpan : bSpan);
  return sequenceOp(op, a, b, span);
}

namespace {

/// A tile in a loop over its elements.
struct TileInLoop {
  const Buffer *buffer;
  llvm::SmallVector<const Expr *> extents;  ///< of the dimensions that are looped over
  llvm::SmallVector<std::string> positions; ///< of all: what stands before the loop's name, if any
  llvm::SmallVector<bool> isLooped;
};

TileInLoop tileInLoop(const Value &v, const SourceManager &sources) {
  const Region *region = v.is(ValueKind::Region) ? v.region() : nullptr;
  TileInLoop tile{region ? region->buffer : v.buffer(), {}, {}, {}};
  for (size_t d = 0; d < tile.buffer->shape.size(); ++d) {
    bool isScalar = region && !region->whole && (region->scalarDims >> d & 1);
    tile.isLooped.push_back(!isScalar);
    if (!isScalar)
      tile.extents.push_back(region && !region->whole ? region->extents[d] : tile.buffer->shape[d]);
    const Expr *offset = region && !region->whole ? region->offsets[d] : nullptr;
    std::optional<int64_t> number = offset ? offset->constInt() : 0;
    tile.positions.push_back(number == 0 && !isScalar ? ""
                             : number                 ? std::to_string(*number)
                                                      : sources.textOf(offset->span).str());
  }
  return tile;
}

/// The first of the loop's dimensions that an operand's are: the same from there on.
size_t alignedAt(const TileInLoop &tile, const TileInLoop &loop) {
  for (size_t first = 0; first + tile.extents.size() <= loop.extents.size(); ++first) {
    auto isSame = [&](size_t d) {
      std::optional<int64_t> x = tile.extents[d]->constInt(),
                             y = loop.extents[first + d]->constInt();
      return x == y && (x || tile.extents[d] == loop.extents[first + d]);
    };
    if (llvm::all_of(llvm::seq(tile.extents.size()), isSame))
      return first;
  }
  return 0;
}

} // namespace

Value Evaluator::failWholeBuffer(llvm::StringRef what, Span span,
                                 llvm::ArrayRef<Operand> operands) {
  constexpr llvm::StringRef names[] = {"i", "j", "k", "l", "m", "n"};
  const Operand *largest = nullptr;
  TileInLoop loop;
  for (const Operand &o : operands)
    if (isTile(o.value))
      if (TileInLoop tile = tileInLoop(o.value, sources);
          !largest || tile.extents.size() > loop.extents.size()) {
        largest = &o;
        loop = tile;
      }
  const Operand *first = llvm::find_if(operands, [](auto &o) { return isTile(o.value); });
  size_t rank = loop.extents.size();
  if (rank == 0 || rank > std::size(names))
    return fail(DiagId::BufferAsValue, first->span, typeName(first->value));
  std::vector<std::string> extents;
  for (size_t d = 0; d < rank; ++d) {
    std::optional<int64_t> size = loop.extents[d]->constInt();
    extents.push_back(
        size ? std::to_string(*size)
             : (sources.textOf(largest->span) + ".shape[" + llvm::Twine(d) + "]").str());
  }
  auto elementOf = [&](const Value &v) {
    TileInLoop tile = tileInLoop(v, sources);
    std::vector<std::string> index;
    size_t next = alignedAt(tile, loop);
    for (auto [position, isLooped] : llvm::zip(tile.positions, tile.isLooped))
      index.push_back(!isLooped          ? position
                      : position.empty() ? names[next++].str()
                                         : (position + " + " + names[next++]).str());
    return (tile.buffer->name + "[" + llvm::join(index, ", ") + "]").str();
  };
  // The text of the operation with an element in place of each tile, from the end to the beginning.
  std::string text = sources.textOf(span).str();
  for (const Operand &o : llvm::reverse(operands))
    if (isTile(o.value) && o.span.file == span.file && o.span.end <= span.end &&
        o.span.begin >= span.begin)
      text.replace(o.span.begin - span.begin, o.span.end - o.span.begin, elementOf(o.value));
  bool isUpdate = llvm::StringRef(text).contains((what + "=").str());
  std::string all = llvm::join(llvm::ArrayRef(names, rank), ", ");
  std::string code =
      llvm::formatv("for {0} in T.Parallel({1}): {2}{3}", all, llvm::join(extents, ", "),
                    isUpdate ? "" : "out[" + all + "] = ", text);
  return fail(DiagId::WholeBuffer, first->span, what,
              first->value.is(ValueKind::Region) ? first->value.region()->buffer->name
                                                 : first->value.buffer()->name,
              first->value.is(ValueKind::Region) ? "a slice" : "a whole buffer", code);
}

Value Evaluator::numeric(BinaryOp op, const Value &a, const Value &b, Span span, Span bSpan) {
  if (a.is(ValueKind::Float) || b.is(ValueKind::Float)) {
    // An integer beyond the floats is an error, as in Python; an infinite float is not.
    for (const Value *v : {&a, &b})
      if (!v->is(ValueKind::Float) && std::isinf(v->toDouble()))
        return fail(DiagId::FloatOverflow, span, spellingOf(op));
    return floatOp(op, a.toDouble(), b.toDouble(), span, bSpan);
  }
  if (a.is(ValueKind::Bool) && b.is(ValueKind::Bool)) {
    if (op == BinaryOp::BitAnd)
      return Value::boolean(a.boolean() && b.boolean());
    if (op == BinaryOp::BitOr)
      return Value::boolean(a.boolean() || b.boolean());
    if (op == BinaryOp::BitXor)
      return Value::boolean(a.boolean() != b.boolean());
  }
  return integerOp(op, a.integer(), b.integer(), span, bSpan);
}

Value Evaluator::integerOp(BinaryOp op, const Integer &a, const Integer &b, Span span, Span bSpan) {
  // Long operands take long: by the words of a product.
  uint64_t words = uint64_t(a.bitLength() / 64) * (b.bitLength() / 64) / 16;
  if (op == BinaryOp::Pow && a.bitLength() > 1)
    words = Integer::maxBits / 64;
  if (words && !step(span, words))
    return Value();
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && b.isZero())
    return fail(DiagId::DivisionByZero, bSpan);
  if ((op == BinaryOp::Shl || op == BinaryOp::Shr) && b.isNegative())
    return fail(DiagId::NegativeShift, bSpan, b.toString());
  std::optional<Integer> result;
  switch (op) {
  case BinaryOp::Add:
    result = Integer::add(a, b);
    break;
  case BinaryOp::Sub:
    result = Integer::sub(a, b);
    break;
  case BinaryOp::Mul:
    result = Integer::mul(a, b);
    break;
  case BinaryOp::Div: {
    double quotient = Integer::trueDiv(a, b);
    return std::isinf(quotient) ? fail(DiagId::FloatOverflow, span, "/") : Value::real(quotient);
  }
  case BinaryOp::FloorDiv:
    result = Integer::floorDiv(a, b);
    break;
  case BinaryOp::Mod:
    result = Integer::floorMod(a, b);
    break;
  case BinaryOp::Pow:
    if (b.isNegative())
      return floatOp(op, a.toDouble(), b.toDouble(), span, bSpan);
    result = Integer::pow(a, b);
    break;
  case BinaryOp::Shl:
    result = Integer::shl(a, b);
    break;
  case BinaryOp::Shr:
    result = Integer::shr(a, b);
    break;
  case BinaryOp::BitAnd:
    result = Integer::bitAnd(a, b);
    break;
  case BinaryOp::BitOr:
    result = Integer::bitOr(a, b);
    break;
  case BinaryOp::BitXor:
    result = Integer::bitXor(a, b);
    break;
  case BinaryOp::MatMul:
    return fail(DiagId::BadOperands, span, "@", "int", "int");
  }
  if (!result)
    return fail(DiagId::IntegerTooLarge, span, Integer::maxBits);
  return heap.integer(*result);
}

Value Evaluator::floatOp(BinaryOp op, double a, double b, Span span, Span bSpan) {
  switch (op) {
  case BinaryOp::Add:
    return Value::real(a + b);
  case BinaryOp::Sub:
    return Value::real(a - b);
  case BinaryOp::Mul:
    return Value::real(a * b);
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: {
    if (b == 0)
      return fail(DiagId::DivisionByZero, bSpan);
    if (op == BinaryOp::Div)
      return Value::real(a / b);
    // As CPython's float_divmod: the remainder is exact and has the divisor's sign.
    double mod = std::fmod(a, b);
    double quotient = (a - mod) / b;
    if (mod != 0) {
      if ((b < 0) != (mod < 0)) {
        mod += b;
        quotient -= 1;
      }
    } else {
      mod = std::copysign(0.0, b);
    }
    if (op == BinaryOp::Mod)
      return Value::real(mod);
    if (quotient == 0)
      return Value::real(std::copysign(0.0, a / b));
    double floored = std::floor(quotient);
    return Value::real(quotient - floored > 0.5 ? floored + 1 : floored);
  }
  case BinaryOp::Pow: {
    if (a == 0 && b < 0)
      return fail(DiagId::DivisionByZero, bSpan);
    if (a < 0 && std::isfinite(b) && b != std::floor(b))
      return fail(DiagId::ComplexResult, span);
    double power = std::pow(a, b);
    if (std::isinf(power) && std::isfinite(a) && std::isfinite(b))
      return fail(DiagId::FloatOverflow, span, "**");
    return Value::real(power);
  }
  default:
    return fail(DiagId::BadOperands, span, spellingOf(op), "float", "float");
  }
}

Value Evaluator::sequenceOp(BinaryOp op, const Value &a, const Value &b, Span span) {
  if (op == BinaryOp::Add && a.is(ValueKind::Str) && b.is(ValueKind::Str)) {
    if (a.str().size() + b.str().size() > limits.textBytes)
      return fail(DiagId::StringTooLong, span, limits.textBytes);
    return text((a.str() + b.str()).str(), span);
  }
  if (op == BinaryOp::Mod && a.is(ValueKind::Str))
    return percentFormat(a, b, span);
  if (op == BinaryOp::Add && a.isSequence() && a.kind() == b.kind()) {
    if (!step(span, a.items().size() + b.items().size()))
      return Value();
    std::vector<Value> items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return heap.list(std::move(items), a.kind());
  }
  if (op == BinaryOp::Mul) {
    const Value &sequence = a.is(ValueKind::Int) ? b : a;
    const Value &count = a.is(ValueKind::Int) ? a : b;
    if (count.is(ValueKind::Int) && (sequence.isSequence() || sequence.is(ValueKind::Str))) {
      Integer n = count.integer();
      size_t length = sequence.isSequence() ? sequence.items().size() : sequence.str().size();
      bool isEmpty = n.isNegative() || length == 0;
      uint64_t times = isEmpty ? 0 : n.fits64() ? n.value64() : limits.steps + 1;
      if (length && times > limits.steps / length) {
        step(span, limits.steps + 1);
        return Value();
      }
      if (!step(span, times * length))
        return Value();
      if (sequence.is(ValueKind::Str)) {
        if (times * length > limits.textBytes)
          return fail(DiagId::StringTooLong, span, limits.textBytes);
        std::string out;
        for (uint64_t i = 0; i < times; ++i)
          out += sequence.str();
        return heap.str(std::move(out));
      }
      std::vector<Value> items;
      for (uint64_t i = 0; i < times; ++i)
        items.insert(items.end(), sequence.items().begin(), sequence.items().end());
      return heap.list(std::move(items), sequence.kind());
    }
  }
  if (a.is(ValueKind::Set) && b.is(ValueKind::Set)) {
    auto has = [&](const Value &set, const Value &v) {
      return llvm::any_of(set.items(), [&](const Value &u) { return same(u, v); });
    };
    if (!step(span, (a.items().size() + 1) * (b.items().size() + 1)))
      return Value();
    std::vector<Value> out;
    if (op == BinaryOp::BitOr)
      out = a.items();
    for (const Value &v : op == BinaryOp::BitOr ? b.items() : a.items())
      if ((op == BinaryOp::BitOr && !has(a, v)) || (op == BinaryOp::BitAnd && has(b, v)) ||
          (op == BinaryOp::Sub && !has(b, v)))
        out.push_back(v);
    if (op == BinaryOp::BitXor)
      for (const Value *side : {&a, &b})
        for (const Value &v : side->items())
          if (!has(side == &a ? b : a, v))
            out.push_back(v);
    if (op == BinaryOp::BitOr || op == BinaryOp::BitAnd || op == BinaryOp::Sub ||
        op == BinaryOp::BitXor)
      return heap.list(std::move(out), ValueKind::Set);
  }
  if (op == BinaryOp::BitOr && a.is(ValueKind::Dict) && b.is(ValueKind::Dict)) {
    auto *dict = heap.make<DictObject>();
    for (const Value *side : {&a, &b})
      for (auto &[k, v] : side->as<DictObject>()->entries)
        if (!dictSet(dict, k, v, span))
          return Value();
    return Value::object(ValueKind::Dict, dict);
  }
  // `int | None` in an annotation.
  if (op == BinaryOp::BitOr)
    for (const Value *v : {&a, &b})
      if (v->is(ValueKind::Type) || v->is(ValueKind::DType))
        return heap.tuple({a, b});
  return fail(DiagId::BadOperands, span, spellingOf(op), typeName(a), typeName(b));
}

bool Evaluator::pairUp(const Value &a, const Value &b, Span aSpan, Span bSpan, const Expr *&x,
                       const Expr *&y, llvm::StringRef what) {
  // A literal takes the dtype of a runtime operand that can hold it.
  auto wanted = [&](const Value &literal, const Value &other) -> std::optional<DType> {
    if (!isRuntime(other) || !literal.isNumber())
      return std::nullopt;
    DType type = other.expr()->type;
    if (literal.is(ValueKind::Bool))
      return std::nullopt;
    if (literal.is(ValueKind::Float))
      return isFloat(type) ? type : DType::F32;
    if (isFloat(type))
      return type;
    Integer i = literal.integer();
    if (type == DType::U64 && i.fitsUnsigned64())
      return type;
    if (type != DType::Bool && i.fits64() && ExprBuilder::fits(i.value64(), type))
      return type;
    return std::nullopt;
  };
  x = toExpr(a, aSpan, wanted(a, b));
  y = x ? toExpr(b, bSpan, wanted(b, a)) : nullptr;
  return x && y;
}

namespace {
std::optional<ExprOp> runtimeOp(BinaryOp op, bool isFloating) {
  switch (op) {
  case BinaryOp::Add:
    return ExprOp::Add;
  case BinaryOp::Sub:
    return ExprOp::Sub;
  case BinaryOp::Mul:
    return ExprOp::Mul;
  case BinaryOp::Div:
    return ExprOp::Div;
  case BinaryOp::FloorDiv:
    return ExprOp::FloorDiv;
  case BinaryOp::Mod:
    return ExprOp::FloorMod;
  case BinaryOp::Shl:
    return isFloating ? std::nullopt : std::optional(ExprOp::Shl);
  case BinaryOp::Shr:
    return isFloating ? std::nullopt : std::optional(ExprOp::Shr);
  case BinaryOp::BitAnd:
    return isFloating ? std::nullopt : std::optional(ExprOp::BitAnd);
  case BinaryOp::BitOr:
    return isFloating ? std::nullopt : std::optional(ExprOp::BitOr);
  case BinaryOp::BitXor:
    return isFloating ? std::nullopt : std::optional(ExprOp::BitXor);
  default:
    return std::nullopt;
  }
}
} // namespace

Value Evaluator::runtimeBinary(BinaryOp op, const Value &a, const Value &b, Span span, Span aSpan,
                               Span bSpan) {
  if (op == BinaryOp::Pow && isRuntime(a))
    return runtimePow(a.expr(), b, span, bSpan);
  const Expr *x, *y;
  if (!pairUp(a, b, aSpan, bSpan, x, y, spellingOf(op)))
    return Value();
  if (op == BinaryOp::Pow)
    return Value::expr(build.math(MathFn::Pow, {x, y}, span));
  bool isFloating = isFloat(ExprBuilder::commonType(x->type, y->type));
  std::optional<ExprOp> which = runtimeOp(op, isFloating);
  if (!which)
    return fail(DiagId::BadOperands, span, spellingOf(op), typeName(Value::expr(x)),
                typeName(Value::expr(y)));
  bool divides = *which == ExprOp::FloorDiv || *which == ExprOp::FloorMod;
  if (divides && y->constInt() == 0)
    return fail(DiagId::DivisionByZero, bSpan);
  if (*which == ExprOp::Div && !isFloating) {
    x = build.cast(x, DType::F32, aSpan);
    y = build.cast(y, DType::F32, bSpan);
  }
  const Expr *result = build.binary(*which, x, y, span);
  if (depthOf(result, limits.exprDepth) >= limits.exprDepth)
    return fail(DiagId::ExpressionTooDeep, span, limits.exprDepth);
  return Value::expr(result);
}

Value Evaluator::runtimePow(const Expr *a, const Value &exponent, Span span, Span bSpan) {
  // A small constant power is a product: exact for integers, and what people mean by `x ** 2`.
  if (exponent.is(ValueKind::Int) && exponent.integer().fits64()) {
    int64_t n = exponent.integer().value64();
    bool isIntegral = !isFloat(a->type);
    if (n >= 1 && n <= (isIntegral ? 64 : 4)) {
      const Expr *result = a;
      for (int64_t i = 1; i < n; ++i)
        result = build.binary(ExprOp::Mul, result, a, span);
      return Value::expr(result);
    }
    if (n == 0 && isIntegral)
      return Value::expr(build.constInt(1, a->type, span));
  }
  const Expr *x, *y;
  if (!pairUp(Value::expr(a), exponent, a->span, bSpan, x, y, "**"))
    return Value();
  return Value::expr(build.math(MathFn::Pow, {x, y}, span));
}

//===----------------------------------------------------------------------===//
// Comparison and truth
//===----------------------------------------------------------------------===//

std::optional<int> Evaluator::order(const Value &a, const Value &b, Span span) {
  if (a.isNumber() && b.isNumber()) {
    if (!a.is(ValueKind::Float) && !b.is(ValueKind::Float))
      return a.integer().compare(b.integer());
    if (a.is(ValueKind::Float) != b.is(ValueKind::Float)) { // exact, not by rounding the integer
      const Value &real = a.is(ValueKind::Float) ? a : b, &whole = a.is(ValueKind::Float) ? b : a;
      if (std::isnan(real.real()))
        return 2;
      int o = whole.integer().compare(real.real());
      return a.is(ValueKind::Float) ? -o : o;
    }
    double x = a.real(), y = b.real();
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2; // 2: unordered
  }
  if (a.is(ValueKind::Str) && b.is(ValueKind::Str))
    return a.str().compare(b.str());
  if (a.isSequence() && a.kind() == b.kind()) {
    Deeper deeper(*this, span);
    if (!deeper.ok)
      return std::nullopt;
    auto &x = a.items(), &y = b.items();
    for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
      if (!step(span))
        return std::nullopt;
      if (!same(x[i], y[i]))
        return order(x[i], y[i], span);
    }
    return x.size() < y.size() ? -1 : x.size() > y.size() ? 1 : 0;
  }
  for (const Value *v : {&a, &b})
    if (v->is(ValueKind::Opaque)) {
      failOpaque(*v, span);
      return std::nullopt;
    }
  fail(DiagId::BadComparison, span, typeName(a), typeName(b));
  return std::nullopt;
}

Value Evaluator::contains(const Value &item, const Value &container, Span span, Span itemSpan) {
  if (container.is(ValueKind::DType))
    return contains(item, heap.str(std::string(nameOf(container.dtype()))), span, itemSpan);
  if (container.is(ValueKind::Str)) {
    if (!item.is(ValueKind::Str))
      return fail(DiagId::BadComparison, span, typeName(item), "str");
    if (!step(span, container.str().size() / 16))
      return Value();
    return Value::boolean(container.str().contains(item.str()));
  }
  bool isWhole = item.is(ValueKind::Int) || item.is(ValueKind::Bool);
  if (container.is(ValueKind::Range) && isWhole) {
    auto *r = container.as<RangeObject>();
    if (!item.integer().fits64() || r->count() == 0)
      return Value::boolean(false);
    int64_t v = item.integer().value64(), first = r->start,
            last = r->start + (r->count() - 1) * r->step;
    return Value::boolean(v >= std::min(first, last) && v <= std::max(first, last) &&
                          (v - first) % r->step == 0);
  }
  llvm::SmallVector<Value> items;
  if (!iterate(container, span, items))
    return Value();
  const Expr *joined = nullptr;
  for (const Value &candidate : items) {
    if (!step(span))
      return Value();
    Value equal = compare(CompareOp::Eq, item, candidate, span, itemSpan, span);
    if (!equal.ok())
      return Value();
    if (equal.is(ValueKind::Expr))
      joined = joined ? build.binary(ExprOp::LogicalOr, joined, equal.expr(), span) : equal.expr();
    else if (equal.boolean())
      return Value::boolean(true);
  }
  return joined ? Value::expr(joined) : Value::boolean(false);
}

/// A list or tuple with something of the host in it.
static bool holdsHosts(const Value &v, unsigned depth = 0) {
  return v.isSequence() && depth < 8 &&
         llvm::any_of(
             v.items(),
             [&](const Value &item) { return isHosts(item) || holdsHosts(item, depth + 1); });
}

Value Evaluator::compare(CompareOp op, const Value &a, const Value &b, Span span, Span aSpan,
                         Span bSpan) {
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    Value in = contains(a, b, span, aSpan);
    if (!in.ok() || op == CompareOp::In)
      return in;
    return in.is(ValueKind::Expr) ? Value::expr(build.unary(ExprOp::LogicalNot, in.expr(), span))
                                  : Value::boolean(!in.boolean());
  }
  bool isIdentity = op == CompareOp::Is || op == CompareOp::IsNot;
  if (!isIdentity && (isLanes(a) || isLanes(b)))
    return eachLane({a, b}, span, [&](llvm::ArrayRef<Value> own) {
      return compare(op, own[0], own[1], span, aSpan, bSpan);
    });
  bool isEquality = isIdentity || op == CompareOp::Eq || op == CompareOp::Ne;
  if (!isEquality && (isTile(a) || isTile(b)))
    return failWholeBuffer(spellingOf(op), span, {{a, aSpan}, {b, bSpan}});
  bool runtime = (isRuntime(a) && (isRuntime(b) || b.isNumber())) || (isRuntime(b) && a.isNumber());
  if (runtime && !isIdentity) {
    constexpr ExprOp ops[] = {ExprOp::Eq, ExprOp::Ne, ExprOp::Lt,
                              ExprOp::Le, ExprOp::Gt, ExprOp::Ge};
    const Expr *x, *y;
    if (!pairUp(a, b, aSpan, bSpan, x, y, spellingOf(op)))
      return Value();
    return Value::expr(build.binary(ops[static_cast<unsigned>(op)], x, y, span));
  }
  bool areLists = isEquality && holdsHosts(a) && holdsHosts(b);
  bool isNone = a.is(ValueKind::None) || b.is(ValueKind::None);
  if (!isIdentity && !isNone && (isHosts(a) || isHosts(b) || areLists))
    return hostCompare(op, a, b, span);
  if (isIdentity || op == CompareOp::Eq || op == CompareOp::Ne) {
    bool negate = op == CompareOp::IsNot || op == CompareOp::Ne;
    bool noneInvolved = a.is(ValueKind::None) || b.is(ValueKind::None);
    if (!noneInvolved)
      for (const Value *v : {&a, &b})
        if (v->is(ValueKind::Opaque) && !(a.is(ValueKind::Opaque) && b.is(ValueKind::Opaque)))
          return failOpaque(*v, v == &a ? aSpan : bSpan);
    bool isSame = same(a, b);
    if (failure) // the comparison was too long
      return Value();
    // `1 is True` is the one case where equality of small constants is no identity.
    if (isIdentity && a.kind() != b.kind() && !(a.is(ValueKind::DType) || b.is(ValueKind::DType)))
      isSame = false;
    if (isIdentity && (a.isSequence() || a.is(ValueKind::Dict) || a.is(ValueKind::Set)))
      isSame = a.identity() == b.identity();
    return Value::boolean(isSame != negate);
  }
  if (a.is(ValueKind::Set) && b.is(ValueKind::Set)) { // `<=` is "subset of"
    if (!step(span, (a.items().size() + 1) * (b.items().size() + 1)))
      return Value();
    bool swap = op == CompareOp::Gt || op == CompareOp::Ge;
    const Value &small = swap ? b : a, &large = swap ? a : b;
    bool inside = llvm::all_of(small.items(), [&](const Value &v) {
      return llvm::any_of(large.items(), [&](const Value &u) { return same(u, v); });
    });
    bool strict = op == CompareOp::Lt || op == CompareOp::Gt;
    return Value::boolean(inside && (!strict || small.items().size() < large.items().size()));
  }
  std::optional<int> o = order(a, b, span);
  if (!o)
    return Value();
  switch (op) {
  case CompareOp::Lt:
    return Value::boolean(*o < 0);
  case CompareOp::Le:
    return Value::boolean(*o <= 0);
  case CompareOp::Gt:
    return Value::boolean(*o == 1);
  default:
    return Value::boolean(*o == 0 || *o == 1);
  }
}

std::optional<bool> Evaluator::truth(const Value &v, Span span) {
  switch (v.kind()) {
  case ValueKind::None:
    return false;
  case ValueKind::Bool:
    return v.boolean();
  case ValueKind::Int:
    return !v.integer().isZero();
  case ValueKind::Float:
    return v.real() != 0;
  case ValueKind::Str:
    return !v.str().empty();
  case ValueKind::List:
  case ValueKind::Tuple:
  case ValueKind::Set:
    return !v.items().empty();
  case ValueKind::Dict:
    return !v.as<DictObject>()->entries.empty();
  case ValueKind::Range:
    return v.as<RangeObject>()->count() != 0;
  case ValueKind::Expr:
    if (v.expr()->op == ExprOp::ConstInt)
      return v.expr()->intValue != 0;
    if (v.expr()->op == ExprOp::ConstFloat)
      return v.expr()->floatValue != 0;
    fail(DiagId::RuntimeCondition, span);
    return std::nullopt;
  case ValueKind::Lanes:
    fail(DiagId::WantedOther, span, "a condition", typeName(v));
    return std::nullopt;
  case ValueKind::Opaque:
    if (isHosts(v))
      return hostTruth(v, "__bool__", {}, span);
    failOpaque(v, span);
    return std::nullopt;
  default:
    return true;
  }
}

bool Evaluator::hashable(const Value &v, Span span) {
  if (v.is(ValueKind::List) || v.is(ValueKind::Dict) || v.is(ValueKind::Set)) {
    fail(DiagId::Unhashable, span, typeName(v));
    return false;
  }
  return true;
}

} // namespace tilec::script
