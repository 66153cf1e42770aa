//===- Exprs.cpp - runtime expressions ------------------------------------===//
//
// Values of every type. Arithmetic on indices stays what it is: IndexExprs.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tilec {
using script::ExprOp;
using script::MathFn;
using script::VarKind;

Type Importer::scalarType(DType type) {
  return tile::scalarTypeOf(tile::elementTypeOf(type, &context));
}

Value Importer::constant(int64_t value, Type type, Location loc) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, static_cast<double>(value)));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value Importer::indexConstant(int64_t value, Span span) {
  return arith::ConstantIndexOp::create(b, at(span), value);
}

Value Importer::value(const Expr *e) {
  if (e->op != ExprOp::ConstInt && e->op != ExprOp::Var && isIndexLike(e)) {
    if (isWide(e)) {
      Value v = wide(e);
      if (v && e->type != DType::I64)
        v = arith::TruncIOp::create(b, at(e->span), scalarType(e->type), v);
      return v;
    }
    Value v = index(e);
    return v ? arith::IndexCastOp::create(b, at(e->span), scalarType(e->type), v).getResult()
             : nullptr;
  }
  return valueKind(e);
}

Value Importer::valueKind(const Expr *e) {
  Location loc = at(e->span);
  Type type = scalarType(e->type);
  switch (e->op) {
  case ExprOp::ConstInt: {
    int64_t v = e->intValue;
    if (isUnsigned(e->type) && type.getIntOrFloatBitWidth() < 64)
      v = decodeInt(isUnsigned(e->type) && bitsOf(e->type) == 32 ? DType::I32
                    : bitsOf(e->type) == 16                      ? DType::I16
                                                                 : DType::I8,
                    static_cast<uint64_t>(v));
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
  }
  case ExprOp::ConstFloat:
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, e->floatValue));
  case ExprOp::Var: {
    Value v = vars.lookup(e->var);
    if (!v) {
      if (lostVars.contains(e->var) || (program.isPartial && e->var->kind != VarKind::ThreadIndex))
        return nullptr;
      if (e->var->kind == VarKind::ThreadIndex)
        v = threadIndex(e->var->axis, e->span);
      else
        return fail(DiagId::UnboundDim, e->span, e->var->name);
    }
    if (!isAlive(v)) {
      fail(DiagId::ValueNotAlive, statementSpan.isValid() ? statementSpan : e->span, e->var->name);
      if (e->var->span.isValid())
        note(DiagId::BoundHere, e->var->span, e->var->name);
      return nullptr;
    }
    if (v.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, type, v);
    return v;
  }
  case ExprOp::Load:
    return loadValue(e);
  case ExprOp::Neg:
  case ExprOp::BitNot:
  case ExprOp::LogicalNot:
    return unary(e);
  case ExprOp::LogicalAnd:
  case ExprOp::LogicalOr:
    return logical(e);
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return comparison(e);
  case ExprOp::IfThenElse:
  case ExprOp::Select:
    return choose(e);
  case ExprOp::Cast: {
    const Expr *from = e->args[0];
    Value v = value(from);
    bool isWider = isHalfOrLess(from->type) && !from->isRounded();
    return v ? cast(v, isWider ? DType::F32 : from->type, e->type, loc, fitsFloat32(from))
             : nullptr;
  }
  case ExprOp::Promote: { // to a narrow float, whose values are held in float32
    Value v = value(e->args[0]);
    return v ? cast(v, e->args[0]->type, DType::F32, loc) : nullptr;
  }
  case ExprOp::Reinterpret:
    return reinterpret(e);
  case ExprOp::Math:
    return math(e);
  case ExprOp::Intrinsic:
    return placeInWarp(e);
  default:
    return binary(e);
  }
}

Value Importer::loadValue(const Expr *e) {
  if (emitterLocals.count(e->buffer))
    return fail(DiagId::EmitterElement, e->span, e->buffer->name);
  Value from = buffer(e->buffer, e->span);
  SmallVector<Value> list;
  if (!indices(e->buffer, e->args, e->span, list) || !from)
    return nullptr;
  return tile::LoadOp::create(b, at(e->span), scalarType(e->type), from, list, padOf(e->buffer));
}

/// What a read outside of the tensor gives (`T.annotate_safe_value`); nothing: zero.
FloatAttr Importer::padOf(const Buffer *buf) {
  const Expr *safe = buf->safeValue;
  if (!safe)
    return FloatAttr();
  return b.getF64FloatAttr(safe->op == ExprOp::ConstFloat ? safe->floatValue
                                                          : static_cast<double>(safe->intValue));
}

Value Importer::unary(const Expr *e) {
  Location loc = at(e->span);
  Value v = value(e->args[0]);
  if (!v)
    return nullptr;
  if (e->op == ExprOp::LogicalNot)
    return arith::XOrIOp::create(b, loc, v, constant(1, v.getType(), loc));
  if (e->op == ExprOp::BitNot)
    return wrapped(arith::XOrIOp::create(b, loc, v, constant(-1, v.getType(), loc)), e->type, loc);
  if (isa<FloatType>(v.getType()))
    return arith::NegFOp::create(b, loc, v);
  return wrapped(arith::SubIOp::create(b, loc, constant(0, v.getType(), loc), v), e->type, loc);
}

Value Importer::binary(const Expr *e) {
  Location loc = at(e->span);
  Value x = value(e->args[0]), y = value(e->args[1]);
  if (!x || !y)
    return nullptr;
  if (isFloat(e->type))
    return floatBinary(e->op, x, y, loc);
  Value v = integerOf(e, x, y, loc);
  bool staysInside = e->op == ExprOp::Min || e->op == ExprOp::Max || e->op == ExprOp::Shr ||
                     (e->op >= ExprOp::BitAnd && e->op <= ExprOp::BitXor);
  return staysInside ? v : wrapped(v, e->type, loc);
}

/// A 4-bit value lives in 8 bits: what has left its 4 is wrapped.
Value Importer::wrapped(Value v, DType type, Location loc) {
  if (!isInteger(type) || bitsOf(type) != 4)
    return v;
  if (type == DType::U4)
    return arith::AndIOp::create(b, loc, v, constant(15, v.getType(), loc));
  Value four = constant(4, v.getType(), loc);
  return arith::ShRSIOp::create(b, loc, arith::ShLIOp::create(b, loc, v, four).getResult(), four);
}

Value Importer::integerOf(const Expr *e, Value x, Value y, Location loc) {
  bool positive = isUnsigned(e->type) || (isNonNegative(e->args[0]) && isNonNegative(e->args[1]));
  return integerOf(e->op, x, y, e->type, positive, loc);
}

Value Importer::integerOf(ExprOp op, Value x, Value y, DType type, bool positive, Location loc) {
  switch (op) {
  case ExprOp::FloorDiv:
  case ExprOp::FloorMod:
    return floorDivision(x, y, op == ExprOp::FloorMod, positive, loc);
  case ExprOp::TruncDiv:
  case ExprOp::TruncMod:
    if (positive)
      return floorDivision(x, y, op == ExprOp::TruncMod, true, loc);
    return op == ExprOp::TruncDiv ? arith::DivSIOp::create(b, loc, x, y).getResult()
                                  : arith::RemSIOp::create(b, loc, x, y).getResult();
  case ExprOp::CeilDiv:
    if (std::optional<int64_t> by = tile::constantInt(y); by && *by > 0) {
      // In fewer instructions than for divisors of either sign.
      Value rest = floorDivision(x, y, /*isMod=*/true, positive, loc);
      Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), 0));
      Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), 1));
      Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, zero);
      return arith::AddIOp::create(b, loc, floorDivision(x, y, /*isMod=*/false, positive, loc),
                                   arith::SelectOp::create(b, loc, more, one, zero));
    }
    return positive ? arith::CeilDivUIOp::create(b, loc, x, y).getResult()
                    : arith::CeilDivSIOp::create(b, loc, x, y).getResult();
  default:
    return integerBinary(op, x, y, type, loc);
  }
}

Value Importer::integerBinary(ExprOp op, Value x, Value y, DType type, Location loc) {
  bool isU = isUnsigned(type) || type == DType::Bool;
  auto result = [](auto made) -> Value { return made.getResult(); };
  switch (op) {
  case ExprOp::Add:
    return result(arith::AddIOp::create(b, loc, x, y));
  case ExprOp::Sub:
    return result(arith::SubIOp::create(b, loc, x, y));
  case ExprOp::Mul:
    return result(arith::MulIOp::create(b, loc, x, y));
  case ExprOp::Min:
    return isU ? result(arith::MinUIOp::create(b, loc, x, y))
               : result(arith::MinSIOp::create(b, loc, x, y));
  case ExprOp::Max:
    return isU ? result(arith::MaxUIOp::create(b, loc, x, y))
               : result(arith::MaxSIOp::create(b, loc, x, y));
  case ExprOp::BitAnd:
    return result(arith::AndIOp::create(b, loc, x, y));
  case ExprOp::BitOr:
    return result(arith::OrIOp::create(b, loc, x, y));
  case ExprOp::BitXor:
    return result(arith::XOrIOp::create(b, loc, x, y));
  case ExprOp::Shl:
    return result(arith::ShLIOp::create(b, loc, x, y));
  case ExprOp::Shr:
    return isU ? result(arith::ShRUIOp::create(b, loc, x, y))
               : result(arith::ShRSIOp::create(b, loc, x, y));
  default:
    llvm_unreachable("no integer operation");
  }
}

Value Importer::floatBinary(ExprOp op, Value x, Value y, Location loc) {
  auto result = [](auto made) -> Value { return made.getResult(); };
  switch (op) {
  case ExprOp::Add:
    return result(arith::AddFOp::create(b, loc, x, y));
  case ExprOp::Sub:
    return result(arith::SubFOp::create(b, loc, x, y));
  case ExprOp::Mul:
    return result(arith::MulFOp::create(b, loc, x, y));
  case ExprOp::Div:
    return result(arith::DivFOp::create(b, loc, x, y));
  // IEEE maxNum: a NaN loses against a number (docs/language/expressions.md).
  case ExprOp::Min:
    return result(arith::MinNumFOp::create(b, loc, x, y));
  case ExprOp::Max:
    return result(arith::MaxNumFOp::create(b, loc, x, y));
  case ExprOp::FloorDiv:
    return flooredQuotient(x, y, loc);
  case ExprOp::FloorMod:
    return flooredRemainder(x, y, loc);
  default:
    llvm_unreachable("no float operation");
  }
}

/// Python's x % y, of y's sign: the exact remainder of the truncated quotient, and y more where
/// that is of the other sign. x - floor(x / y) * y has the rounding errors of all three.
Value Importer::flooredRemainder(Value x, Value y, Location loc) {
  Value rest = arith::RemFOp::create(b, loc, x, y);
  Value turned = math::CopySignOp::create(b, loc, rest, y); // zeros, too
  Value isOfSign = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, turned, rest);
  Value raised = arith::AddFOp::create(b, loc, rest, y);
  return arith::SelectOp::create(b, loc, isOfSign, turned, raised);
}

/// Python's x // y: the floor of the exact quotient, rounded once; of f64 as CPython has it.
Value Importer::flooredQuotient(Value x, Value y, Location loc) {
  auto compare = [&](arith::CmpFPredicate how, Value a, Value c) -> Value {
    return arith::CmpFOp::create(b, loc, how, a, c);
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), value));
  };
  Value zero = number(0), one = number(1);
  if (x.getType().isF64()) {
    // Near a whole number, which rounding finds.
    Value rest = arith::RemFOp::create(b, loc, x, y);
    Value whole = arith::DivFOp::create(b, loc, arith::SubFOp::create(b, loc, x, rest), y);
    Value isTurned =
        compare(arith::CmpFPredicate::ONE, math::CopySignOp::create(b, loc, rest, y), rest);
    Value below = arith::SubFOp::create(b, loc, whole, one);
    whole = arith::SelectOp::create(b, loc, isTurned, below, whole);
    whole = math::RoundEvenOp::create(b, loc, whole);
    Value sign = arith::DivFOp::create(b, loc, x, y);
    Value none = math::CopySignOp::create(b, loc, zero, sign);
    return arith::SelectOp::create(b, loc, compare(arith::CmpFPredicate::OEQ, whole, zero), none,
                                   whole);
  }
  // The quotient of two f32 is further from a whole number that it is not than f64 rounds, up to
  // 2^28; of what is larger f32 has no halves, and no neighbours of whole numbers.
  auto widened = [&](Value v) -> Value { return arith::ExtFOp::create(b, loc, b.getF64Type(), v); };
  Value quotient = arith::DivFOp::create(b, loc, widened(x), widened(y));
  Value floor =
      arith::TruncFOp::create(b, loc, x.getType(), math::FloorOp::create(b, loc, quotient));
  // By an infinity the exact one is less than nothing where the signs differ.
  Value infinity = number(std::numeric_limits<double>::infinity());
  Value byInfinity = compare(arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, loc, y), infinity);
  Value ofFinite = compare(arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, x), infinity);
  Value differ = compare(arith::CmpFPredicate::OLT, arith::MulFOp::create(b, loc, x, y), zero);
  Value isBelow =
      arith::AndIOp::create(b, loc, arith::AndIOp::create(b, loc, byInfinity, ofFinite), differ);
  return arith::SelectOp::create(b, loc, isBelow, number(-1), floor);
}

Value Importer::comparison(const Expr *e) {
  Location loc = at(e->span);
  const Expr *a = e->args[0], *c = e->args[1];
  bool asIndex = isIndexLike(a) && isIndexLike(c);
  auto operand = [&](const Expr *arg) {
    return !asIndex ? value(arg) : isWide(a) || isWide(c) ? wide(arg) : index(arg);
  };
  Value x = operand(a), y = operand(c);
  if (!x || !y)
    return nullptr;
  size_t which = static_cast<size_t>(e->op) - static_cast<size_t>(ExprOp::Eq);
  if (isFloat(a->type)) {
    using P = arith::CmpFPredicate;
    constexpr P list[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return arith::CmpFOp::create(b, loc, list[which], x, y);
  }
  using P = arith::CmpIPredicate;
  constexpr P isSignedList[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  constexpr P isUnsignedList[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  bool isU = isUnsigned(a->type) || a->type == DType::Bool;
  return arith::CmpIOp::create(b, loc, isU ? isUnsignedList[which] : isSignedList[which], x, y);
}

bool Importer::isSpeculatable(const Expr *e, unsigned &loads) const {
  bool divides = e->op == ExprOp::FloorDiv || e->op == ExprOp::FloorMod ||
                 e->op == ExprOp::TruncDiv || e->op == ExprOp::TruncMod || e->op == ExprOp::CeilDiv;
  if (divides && !isFloat(e->type) && (!e->args[1]->constInt() || *e->args[1]->constInt() == 0))
    return false;
  if (e->op == ExprOp::Load) {
    ++loads;
    // A global read outside of its tensor is zero; any other must stay behind its guard.
    bool inBounds = e->buffer->scope == script::Scope::Var ||
                    llvm::all_of(llvm::zip(e->args, e->buffer->shape), [](auto pair) {
                      auto [i, size] = pair;
                      return i->constInt() && size->constInt() && *i->constInt() >= 0 &&
                             *i->constInt() < *size->constInt();
                    });
    if (e->buffer->scope != script::Scope::Global && !inBounds)
      return false;
  }
  if (e->op == ExprOp::Intrinsic)
    return false;
  return llvm::all_of(e->args, [&](const Expr *arg) { return isSpeculatable(arg, loads); });
}

Value Importer::logical(const Expr *e) {
  Location loc = at(e->span);
  bool isAnd = e->op == ExprOp::LogicalAnd;
  Value x = value(e->args[0]);
  if (!x) { // the other side tells its own errors
    value(e->args[1]);
    return nullptr;
  }
  unsigned loads = 0;
  if (isSpeculatable(e->args[1], loads) && loads <= 1) {
    Value y = value(e->args[1]);
    if (!y)
      return nullptr;
    return isAnd ? arith::AndIOp::create(b, loc, x, y).getResult()
                 : arith::OrIOp::create(b, loc, x, y).getResult();
  }
  auto made = scf::IfOp::create(b, loc, TypeRange(b.getI1Type()), x, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isAnd ? made.thenBlock() : made.elseBlock());
  Value y = value(e->args[1]);
  if (!y)
    return nullptr;
  scf::YieldOp::create(b, loc, y);
  b.setInsertionPointToStart(isAnd ? made.elseBlock() : made.thenBlock());
  scf::YieldOp::create(b, loc, constant(isAnd ? 0 : 1, b.getI1Type(), loc));
  return made.getResult(0);
}

Value Importer::choose(const Expr *e) {
  Location loc = at(e->span);
  Value condition = value(e->args[0]);
  if (!condition) { // the sides tell their own errors
    value(e->args[1]);
    value(e->args[2]);
    return nullptr;
  }
  unsigned loads = 0;
  bool eager = e->op == ExprOp::Select || (isSpeculatable(e->args[1], loads) &&
                                           isSpeculatable(e->args[2], loads) && loads <= 2);
  if (eager) {
    Value x = value(e->args[1]), y = value(e->args[2]);
    return x && y ? arith::SelectOp::create(b, loc, condition, x, y).getResult() : nullptr;
  }
  auto made =
      scf::IfOp::create(b, loc, TypeRange(scalarType(e->type)), condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (unsigned side : {0u, 1u}) {
    b.setInsertionPointToStart(side == 0 ? made.thenBlock() : made.elseBlock());
    Value v = value(e->args[1 + side]);
    if (!v)
      return nullptr;
    scf::YieldOp::create(b, loc, v);
  }
  return made.getResult(0);
}

Value Importer::cast(Value v, DType from, DType to, Location loc, bool fitsFloat32) {
  if (from == to)
    return v;
  Type type = scalarType(to);
  bool fromFloat = isFloat(from), toFloat = isFloat(to);
  bool fromUnsigned = isUnsigned(from) || from == DType::Bool;
  if (to == DType::Bool) {
    Value zero = constant(0, v.getType(), loc);
    return fromFloat ? arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, v, zero).getResult()
                     : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v, zero).getResult();
  }
  if (!fromFloat && !toFloat) {
    unsigned before = v.getType().getIntOrFloatBitWidth(), after = type.getIntOrFloatBitWidth();
    if (after > before)
      v = fromUnsigned ? arith::ExtUIOp::create(b, loc, type, v).getResult()
                       : arith::ExtSIOp::create(b, loc, type, v).getResult();
    else if (after < before)
      v = arith::TruncIOp::create(b, loc, type, v);
    return wrapped(v, to, loc);
  }
  if (roundsTwice(from, to) && !fitsFloat32)
    v = fromFloat ? oddFloat32(v, loc) : gathered(v, fromUnsigned, loc);
  if (!fromFloat) {
    v = fromUnsigned ? arith::UIToFPOp::create(b, loc, type, v).getResult()
                     : arith::SIToFPOp::create(b, loc, type, v).getResult();
  } else if (!toFloat) {
    v = isUnsigned(to) ? arith::FPToUIOp::create(b, loc, type, v).getResult()
                       : arith::FPToSIOp::create(b, loc, type, v).getResult();
    return wrapped(v, to, loc);
  } else if (v.getType() != type) {
    v = type.isF64() ? arith::ExtFOp::create(b, loc, type, v).getResult()
                     : arith::TruncFOp::create(b, loc, type, v).getResult();
  }
  // Narrow floats are held in f32; only a conversion that loses something must round now.
  bool isNarrow = toFloat && isHalfOrLess(to);
  bool exact = fromFloat && isHalfOrLess(from) &&
               ((to == DType::F16 && (isFp8(from) || from == DType::E2M1)) ||
                (to == DType::BF16 && (isFp8(from) || from == DType::E2M1)));
  if (isNarrow && !exact)
    v = tile::RoundOp::create(b, loc, v.getType(), v,
                              TypeAttr::get(tile::elementTypeOf(to, &context)));
  return v;
}

/// The value for a place of dtype `type`: a conversion at the end of the expression that a store
/// does anyway is left to the store.
Value Importer::convertTo(const Expr *e, DType type, Span span) {
  if (e->op == ExprOp::Cast && e->type == type && isFloat(type) && isFloat(e->args[0]->type))
    e = e->args[0];
  if (e->op == ExprOp::ConstFloat && isHalfOrLess(type))
    return arith::ConstantOp::create(
        b, at(span), b.getF32FloatAttr(decodeFloat(type, encodeFloat(type, e->floatValue))));
  Value v = value(e);
  if (!v)
    return nullptr;
  if (isFloat(e->type) && isFloat(type) && isHalfOrLess(type))
    return e->type == DType::F64 ? oddFloat32(v, at(span))
                                 : cast(v, e->type, DType::F32, at(span)); // mostly nothing
  return cast(v, e->type, type, at(span), fitsFloat32(e));
}

Value Importer::reinterpret(const Expr *e) {
  Location loc = at(e->span);
  DType from = e->args[0]->type, to = e->type;
  Value v = value(e->args[0]);
  if (!v)
    return nullptr;
  bool same = isFloat(from) == isFloat(to) && (!isFloat(from) || from == to);
  if (same)
    return wrapped(v, to, loc);
  if (bitsOf(from) >= 32)
    return arith::BitcastOp::create(b, loc, scalarType(to), v);
  // Narrow floats are no scalars of the IR: their bits go through a buffer with two views.
  int64_t one[] = {1};
  Value home = allocBuffer("bits", one, from, tile::Scope::Local, e->span);
  Value zero = indexConstant(0, e->span);
  tile::StoreOp::create(b, loc, v, home, zero);
  auto viewType =
      tile::BufferType::get(&context, one, tile::elementTypeOf(to, &context), tile::Scope::Local);
  Value view = tile::ReshapeOp::create(b, loc, viewType, home);
  return tile::LoadOp::create(b, loc, scalarType(to), view, zero, FloatAttr());
}

/// IEEE nextafter by the order of the bits: one up or down, away from zero where the sign agrees.
Value Importer::nextAfter(Value x, Value y, Location loc) {
  using P = arith::CmpFPredicate;
  Type type = x.getType(), bitsType = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto compare = [&](P predicate, Value l, Value r) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, l, r);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0));
  Value one = constant(1, bitsType, loc), minusOne = constant(-1, bitsType, loc);
  Value grows = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, compare(P::OLT, x, y),
                                      compare(P::OGT, x, zero));
  Value bits = arith::BitcastOp::create(b, loc, bitsType, x);
  bits = arith::AddIOp::create(b, loc, bits, select(grows, one, minusOne));
  Value moved = arith::BitcastOp::create(b, loc, type, bits);
  Value smallest = arith::BitcastOp::create(b, loc, type, one);
  Value fromZero = math::CopySignOp::create(b, loc, smallest, y);
  Value result = select(compare(P::OEQ, x, zero), fromZero, moved);
  result = select(compare(P::OEQ, x, y), y, result);
  Value nan = arith::AddFOp::create(b, loc, x, y);
  return select(compare(P::UNO, x, y), nan, result);
}

Value Importer::math(const Expr *e) {
  Location loc = at(e->span);
  SmallVector<Value> x;
  for (const Expr *arg : e->args)
    x.push_back(value(arg));
  if (llvm::is_contained(x, Value()))
    return nullptr;
  Type type = x[0].getType();
  bool isNibble = isInteger(e->type) && bitsOf(e->type) == 4;
  if (isNibble && e->fn != MathFn::Abs) // counts of its 4 bits
    x[0] = wrapped(x[0], DType::U4, loc);
  auto number = [&](double v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
  };
#define UNARY(Fn, Op)                                                                              \
  case MathFn::Fn:                                                                                 \
    return math::Op::create(b, loc, x[0])
  switch (e->fn) {
    UNARY(Exp, ExpOp);
    UNARY(Exp2, Exp2Op);
    UNARY(Log, LogOp);
    UNARY(Log2, Log2Op);
    UNARY(Log10, Log10Op);
    UNARY(Log1p, Log1pOp);
    UNARY(Sqrt, SqrtOp);
    UNARY(Rsqrt, RsqrtOp);
    UNARY(Sin, SinOp);
    UNARY(Cos, CosOp);
    UNARY(Tan, TanOp);
    UNARY(Sinh, SinhOp);
    UNARY(Cosh, CoshOp);
    UNARY(Tanh, TanhOp);
    UNARY(Asin, AsinOp);
    UNARY(Acos, AcosOp);
    UNARY(Atan, AtanOp);
    UNARY(Asinh, AsinhOp);
    UNARY(Acosh, AcoshOp);
    UNARY(Atanh, AtanhOp);
    UNARY(Erf, ErfOp);
    UNARY(Floor, FloorOp);
    UNARY(Ceil, CeilOp);
    UNARY(Trunc, TruncOp);
    UNARY(Round, RoundEvenOp);
    UNARY(RoundAway, RoundOp);
    UNARY(PopCount, CtPopOp);
#undef UNARY
  case MathFn::IsNan:
    return math::IsNaNOp::create(b, loc, b.getI1Type(), x[0]);
  case MathFn::IsInf:
    return math::IsInfOp::create(b, loc, b.getI1Type(), x[0]);
  case MathFn::IsFinite:
    return math::IsFiniteOp::create(b, loc, b.getI1Type(), x[0]);
  case MathFn::Clz: {
    Value zeros = math::CountLeadingZerosOp::create(b, loc, x[0]);
    return isNibble ? arith::SubIOp::create(b, loc, zeros, constant(4, type, loc)).getResult()
                    : zeros;
  }
  case MathFn::Abs:
    return isa<FloatType>(type) ? math::AbsFOp::create(b, loc, x[0]).getResult()
                                : wrapped(math::AbsIOp::create(b, loc, x[0]), e->type, loc);
  case MathFn::Exp10:
    return math::PowFOp::create(b, loc, number(10), x[0]);
  case MathFn::Sigmoid: {
    Value exp = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x[0]).getResult());
    return arith::DivFOp::create(b, loc, number(1), arith::AddFOp::create(b, loc, number(1), exp));
  }
  case MathFn::Pow:
    return math::PowFOp::create(b, loc, x[0], x[1]);
  case MathFn::Atan2:
    return math::Atan2Op::create(b, loc, x[0], x[1]);
  case MathFn::Fmod:
    return arith::RemFOp::create(b, loc, x[0], x[1]);
  case MathFn::CopySign:
    return math::CopySignOp::create(b, loc, x[0], x[1]);
  case MathFn::Fma:
    return math::FmaOp::create(b, loc, x[0], x[1], x[2]);
  case MathFn::Hypot: {
    Value sum = arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, x[0], x[0]),
                                      arith::MulFOp::create(b, loc, x[1], x[1]));
    return math::SqrtOp::create(b, loc, sum);
  }
  case MathFn::Ldexp:
    return arith::MulFOp::create(b, loc, x[0], math::Exp2Op::create(b, loc, x[1]));
  case MathFn::NextAfter:
    if (bitsOf(e->type) < 32)
      return fail(DiagId::NotYetCompiled, e->span,
                  ("T.nextafter of " + dtypeText(e->type) + " (cast to float32)").str());
    return nextAfter(x[0], x[1], loc);
  }
  return nullptr;
}

} // namespace tilec
