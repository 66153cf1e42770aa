//===- ExprBuilder.cpp - typed runtime expressions ------------------------===//
//
// Takes operands and an operator, gives an expression with its dtype; constants are folded, and
// differences of indices simplified.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ExprBuilder.h"

#include "tilec/Base/Math.h"

#include <algorithm>
#include <limits>

namespace tilec::script {

bool isComparison(ExprOp op) { return op >= ExprOp::Eq && op <= ExprOp::Ge; }

unsigned depthOf(const Expr *e, unsigned limit) {
  if (limit == 0)
    return 0;
  unsigned deepest = 0;
  for (const Expr *arg : e->args)
    deepest = std::max(deepest, 1 + depthOf(arg, limit - 1));
  return deepest;
}

const Expr *ExprBuilder::difference(const Expr *a, const Expr *b, Span span) {
  if (std::optional<int64_t> rest = sums.difference(a, b))
    return constInt(*rest, commonType(a->type, b->type), span);
  return binary(ExprOp::Sub, a, b, span);
}

Expr *ExprBuilder::make(ExprOp op, DType type, Span span, llvm::ArrayRef<const Expr *> args) {
  Expr *e = program.make<Expr>();
  e->op = op;
  e->type = type;
  e->span = span;
  e->args = program.copy(args);
  return e;
}

const Expr *ExprBuilder::constInt(int64_t value, DType type, Span span) {
  Expr *e = make(ExprOp::ConstInt, type, span);
  e->intValue = type == DType::Bool ? value != 0 : decodeInt(type, encodeInt(type, value));
  return e;
}

const Expr *ExprBuilder::constFloat(double value, DType type, Span span) {
  Expr *e = make(ExprOp::ConstFloat, type, span);
  e->floatValue = decodeFloat(type, encodeFloat(type, value));
  return e;
}

const Expr *ExprBuilder::literal(double value, DType type, Span span) {
  if (!isFloat(type)) {
    bool isNarrow = static_cast<float>(value) == value;
    return cast(constFloat(value, isNarrow ? DType::F32 : DType::F64, span), type, span);
  }
  if (!isHalfOrLess(type))
    return constFloat(value, type, span);
  Expr *e = make(ExprOp::ConstFloat, type, span);
  e->floatValue = static_cast<float>(value);
  return e;
}

const Expr *ExprBuilder::var(const Var *v, Span span) {
  Expr *e = make(ExprOp::Var, v->type, span);
  e->var = v;
  return e;
}

const Expr *ExprBuilder::load(const Buffer *buffer, llvm::ArrayRef<const Expr *> indices,
                              Span span) {
  Expr *e = make(ExprOp::Load, buffer->type, span, indices);
  e->buffer = buffer;
  sums.noteLoad(e);
  return e;
}

const Expr *ExprBuilder::intrinsic(const Call *call, DType type, Span span) {
  Expr *e = make(ExprOp::Intrinsic, type, span);
  e->call = call;
  return e;
}

namespace {
double valueOf(const Expr *constant) {
  if (constant->op == ExprOp::ConstFloat)
    return constant->floatValue;
  return constant->type == DType::U64
             ? static_cast<double>(static_cast<uint64_t>(constant->intValue))
             : static_cast<double>(constant->intValue);
}
} // namespace

bool Expr::isRounded() const {
  bool isArgument = op == ExprOp::Var && var->kind != VarKind::Let;
  return isArgument || op == ExprOp::Load || op == ExprOp::Cast;
}

const Expr *ExprBuilder::cast(const Expr *e, DType type, Span span) {
  if (e->type == type && (!isHalfOrLess(type) || e->isRounded()))
    return e;
  if (e->op == ExprOp::ConstInt && (isInteger(type) || type == DType::Bool))
    return constInt(e->intValue, type, span);
  if (e->isConst() && isFloat(type))
    return constFloat(valueOf(e), type, span);
  if (e->isConst() && isInteger(type))
    return constInt(floatToInt(e->floatValue, bitsOf(type), isUnsigned(type)), type, span);
  return make(ExprOp::Cast, type, span, e);
}

const Expr *ExprBuilder::promote(const Expr *e, DType type, Span span) {
  if (e->type == type)
    return e;
  if (!isHalfOrLess(type))
    return cast(e, type, span);
  if (e->isConst())
    return literal(valueOf(e), type, span);
  return make(ExprOp::Promote, type, span, e);
}

const Expr *ExprBuilder::reinterpret(const Expr *e, DType type, Span span) {
  return e->type == type ? e : make(ExprOp::Reinterpret, type, span, e);
}

DType ExprBuilder::commonType(DType a, DType b) {
  if (a == b)
    return a;
  if (isFloat(a) && isFloat(b)) {
    // Equal width, different format: neither holds the other's values.
    if (bitsOf(a) == bitsOf(b))
      return DType::F32;
    return bitsOf(a) > bitsOf(b) ? a : b;
  }
  if (isFloat(a) || isFloat(b))
    return isFloat(a) ? a : b;
  if (a == DType::Bool || b == DType::Bool)
    return a == DType::Bool ? b : a;
  if (isUnsigned(a) == isUnsigned(b))
    return bitsOf(a) > bitsOf(b) ? a : b;
  switch (std::max(bitsOf(a), bitsOf(b))) {
  case 4:
    return DType::I4;
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  default:
    return DType::I64;
  }
}

bool ExprBuilder::fits(int64_t value, DType type) {
  return decodeInt(type, encodeInt(type, value)) == value && (value >= 0 || !isUnsigned(type));
}

const Expr *ExprBuilder::toBool(const Expr *e, Span span) {
  if (e->type == DType::Bool)
    return e;
  const Expr *zero = isFloat(e->type) ? constFloat(0, e->type, span) : constInt(0, e->type, span);
  return binary(ExprOp::Ne, e, zero, span);
}

const Expr *ExprBuilder::unary(ExprOp op, const Expr *e, Span span) {
  if (e->op == ExprOp::ConstInt) {
    switch (op) {
    case ExprOp::Neg:
      return constInt(static_cast<int64_t>(0 - static_cast<uint64_t>(e->intValue)), e->type, span);
    case ExprOp::BitNot:
      return constInt(~e->intValue, e->type, span);
    case ExprOp::LogicalNot:
      return constBool(!e->intValue, span);
    default:
      break;
    }
  }
  if (e->op == ExprOp::ConstFloat && op == ExprOp::Neg)
    return literal(-e->floatValue, e->type, span);
  if (op == ExprOp::LogicalNot && e->op == ExprOp::LogicalNot)
    return e->args[0];
  return make(op, op == ExprOp::LogicalNot ? DType::Bool : e->type, span, e);
}

const Expr *ExprBuilder::foldInt(ExprOp op, const Expr *a, const Expr *b, Span span) {
  int64_t x = a->intValue, y = b->intValue;
  auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  bool isUnsigned64 = a->type == DType::U64;
  auto less = [&](int64_t p, int64_t q) {
    return isUnsigned64 ? static_cast<uint64_t>(p) < static_cast<uint64_t>(q) : p < q;
  };
  auto value = [&](int64_t v) { return constInt(v, a->type, span); };
  switch (op) {
  case ExprOp::Add:
    return value(static_cast<int64_t>(ux + uy));
  case ExprOp::Sub:
    return value(static_cast<int64_t>(ux - uy));
  case ExprOp::Mul:
    return value(static_cast<int64_t>(ux * uy));
  case ExprOp::Min:
    return less(x, y) ? a : b;
  case ExprOp::Max:
    return less(x, y) ? b : a;
  case ExprOp::BitAnd:
    return value(x & y);
  case ExprOp::BitOr:
    return value(x | y);
  case ExprOp::BitXor:
    return value(x ^ y);
  case ExprOp::LogicalAnd:
    return constBool(x && y, span);
  case ExprOp::LogicalOr:
    return constBool(x || y, span);
  case ExprOp::Eq:
    return constBool(x == y, span);
  case ExprOp::Ne:
    return constBool(x != y, span);
  case ExprOp::Lt:
    return constBool(less(x, y), span);
  case ExprOp::Le:
    return constBool(!less(y, x), span);
  case ExprOp::Gt:
    return constBool(less(y, x), span);
  case ExprOp::Ge:
    return constBool(!less(x, y), span);
  case ExprOp::Shl:
    return y >= 0 && y < 64 ? value(static_cast<int64_t>(ux << y)) : nullptr;
  case ExprOp::Shr:
    if (y < 0 || y >= 64)
      return nullptr;
    return value(isUnsigned64 ? static_cast<int64_t>(ux >> y) : x >> y);
  default:
    break;
  }
  // Division: unsigned 64-bit values and INT64_MIN / -1 are left to the device.
  if (y == 0 || isUnsigned64 || (y == -1 && x == std::numeric_limits<int64_t>::min()))
    return nullptr;
  switch (op) {
  case ExprOp::FloorDiv:
    return value(floorDiv(x, y));
  case ExprOp::FloorMod:
    return value(floorMod(x, y));
  case ExprOp::TruncDiv:
    return value(x / y);
  case ExprOp::TruncMod:
    return value(x % y);
  case ExprOp::CeilDiv:
    return value(floorDiv(x, y) + (x % y != 0));
  default:
    return nullptr;
  }
}

/// Identities of integers; null when there is none.
const Expr *ExprBuilder::simplify(ExprOp op, const Expr *a, const Expr *b, Span span) {
  auto is = [](const Expr *e, int64_t value) { return e->constInt() == value; };
  switch (op) {
  case ExprOp::Add:
    return is(b, 0) ? a : is(a, 0) ? b : nullptr;
  case ExprOp::Sub:
    return is(b, 0) ? a : nullptr;
  case ExprOp::Mul:
    if (is(a, 0) || is(b, 0))
      return constInt(0, a->type, span);
    return is(b, 1) ? a : is(a, 1) ? b : nullptr;
  case ExprOp::FloorDiv:
  case ExprOp::TruncDiv:
  case ExprOp::CeilDiv:
    return is(b, 1) ? a : nullptr;
  case ExprOp::FloorMod:
  case ExprOp::TruncMod:
    return is(b, 1) ? constInt(0, a->type, span) : nullptr;
  case ExprOp::Shl:
  case ExprOp::Shr:
  case ExprOp::BitOr:
  case ExprOp::BitXor:
    return is(b, 0) ? a : nullptr;
  case ExprOp::LogicalAnd:
    if (is(a, 0) || is(b, 0))
      return constBool(false, span);
    return is(a, 1) ? b : is(b, 1) ? a : nullptr;
  case ExprOp::LogicalOr:
    if (is(a, 1) || is(b, 1))
      return constBool(true, span);
    return is(a, 0) ? b : is(b, 0) ? a : nullptr;
  default:
    return nullptr;
  }
}

const Expr *ExprBuilder::binary(ExprOp op, const Expr *a, const Expr *b, Span span) {
  if (op == ExprOp::LogicalAnd || op == ExprOp::LogicalOr) {
    a = toBool(a, a->span);
    b = toBool(b, b->span);
  } else {
    DType type = commonType(a->type, b->type);
    bool isArithmetic = !isComparison(op) && op != ExprOp::BitAnd && op != ExprOp::BitOr &&
                        op != ExprOp::BitXor && op != ExprOp::Min && op != ExprOp::Max;
    if (type == DType::Bool && isArithmetic)
      type = DType::I32;
    a = promote(a, type, a->span);
    b = promote(b, type, b->span);
  }
  if (a->op == ExprOp::ConstInt && b->op == ExprOp::ConstInt)
    if (const Expr *folded = foldInt(op, a, b, span))
      return folded;
  if (!isFloat(a->type))
    if (const Expr *simple = simplify(op, a, b, span))
      return simple;
  bool isBool = isComparison(op) || op == ExprOp::LogicalAnd || op == ExprOp::LogicalOr;
  return make(op, isBool ? DType::Bool : a->type, span, {a, b});
}

const Expr *ExprBuilder::choose(ExprOp op, const Expr *condition, const Expr *a, const Expr *b,
                                Span span) {
  DType type = commonType(a->type, b->type);
  a = promote(a, type, a->span);
  b = promote(b, type, b->span);
  condition = toBool(condition, condition->span);
  if (condition->op == ExprOp::ConstInt)
    return condition->intValue ? a : b;
  return make(op, type, span, {condition, a, b});
}

const Expr *ExprBuilder::math(MathFn fn, llvm::ArrayRef<const Expr *> args, Span span) {
  DType type = args[0]->type;
  for (const Expr *arg : args.drop_front())
    type = commonType(type, arg->type);
  bool keepsIntegers =
      (fn >= MathFn::Floor && fn <= MathFn::Abs) || fn == MathFn::PopCount || fn == MathFn::Clz;
  if (!isFloat(type) && keepsIntegers) {
    bool isIdentity = fn >= MathFn::Floor && fn <= MathFn::RoundAway;
    if (isIdentity || (fn == MathFn::Abs && isUnsigned(type)))
      return args[0];
  } else if (!isFloat(type)) {
    type = DType::F32;
  }
  llvm::SmallVector<const Expr *> converted;
  for (const Expr *arg : args)
    converted.push_back(promote(arg, type, arg->span));
  bool isPredicate = fn >= MathFn::IsNan && fn <= MathFn::IsFinite;
  Expr *e = make(ExprOp::Math, isPredicate ? DType::Bool : type, span, converted);
  e->fn = fn;
  return e;
}

/// Whether it is made of index variables and constants, which the importer computes exactly, and
/// where `isPositive` holds, of such that are never negative.
bool ExprBuilder::isIndex(const Expr *e, bool isPositive, unsigned &steps) const {
  if (steps == 0 || (e->type != DType::I32 && e->type != DType::I64))
    return false;
  --steps;
  switch (e->op) {
  case ExprOp::ConstInt:
    return !isPositive || e->intValue > 0;
  case ExprOp::Var: {
    if (e->var->kind != VarKind::Let)
      return isPositive ? e->var->kind == VarKind::Dim : e->var->kind != VarKind::ScalarParam;
    const Expr *definition = sums.definitionOf(e->var);
    return definition && isIndex(definition, isPositive, steps);
  }
  case ExprOp::Sub:
  case ExprOp::FloorMod:
    if (isPositive)
      return false;
    [[fallthrough]];
  case ExprOp::Cast:
  case ExprOp::Add:
  case ExprOp::Mul:
  case ExprOp::FloorDiv:
  case ExprOp::Min:
  case ExprOp::Max:
    return llvm::all_of(e->args, [&](const Expr *arg) { return isIndex(arg, isPositive, steps); });
  default:
    return false;
  }
}

const Expr *ExprBuilder::ceilDiv(const Expr *a, const Expr *b, Span span) {
  // The sum would leave an int32 of the script, and has the other quotient by a negative number;
  // analyses of indices read it best.
  unsigned steps = 256;
  if (!isIndex(a, /*isPositive=*/false, steps) || !isIndex(b, /*isPositive=*/true, steps))
    return binary(ExprOp::CeilDiv, a, b, span);
  const Expr *one = constInt(1, commonType(a->type, b->type), span);
  const Expr *sum = binary(ExprOp::Add, a, binary(ExprOp::Sub, b, one, span), span);
  return binary(ExprOp::FloorDiv, sum, b, span);
}

} // namespace tilec::script
