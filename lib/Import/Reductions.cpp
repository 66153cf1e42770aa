//===- Reductions.cpp - reductions, scans, reducers ------------------------===//
//
// Takes calls that combine the elements of a tile, checks dimensions and types with the script's
// words, makes their ops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::IntrinsicId;

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

std::optional<int64_t> Importer::dimension(const Call *call, const Argument &src,
                                           tile::BufferType type) {
  const Argument &dim = argument(*call, "dim");
  int64_t fromFront = dim.intValue < 0 ? dim.intValue + type.rank() : dim.intValue;
  if (dim.kind == Argument::Int && fromFront >= 0 && fromFront < type.rank())
    return fromFront;
  fail(DiagId::ReduceDim, dim.span, dim.intValue, src.region->buffer->name, type.rank());
  return std::nullopt;
}

/// The integers that what elements of `src` add up to is computed in before it goes to `dst`; none:
/// those of `src` do. Fewer bits than dst's would lose what dst can hold.
static std::optional<DType> sumTypeOf(tile::ReduceKind kind, DType src, DType dst) {
  using Kind = tile::ReduceKind;
  bool grows = kind == Kind::Sum || kind == Kind::AbsSum || kind == Kind::AbsMax;
  if (!grows || isFloat(src) || src == dst || dst == DType::Bool)
    return std::nullopt;
  unsigned bits = src == DType::Bool ? 1 : bitsOf(src), wanted = bitsOf(dst);
  // Integers hold what a float would round in each step. The absolute value of the least number is
  // above the largest one.
  if (isFloat(dst) || (kind == Kind::AbsMax && isSigned(src) && wanted == bits))
    wanted = 2 * bits;
  if (bits >= 64 || wanted <= bits)
    return std::nullopt;
  if (wanted > 32)
    return isUnsigned(src) ? DType::U64 : DType::I64;
  return isUnsigned(src) ? DType::U32 : DType::I32;
}

/// A source of narrow integers in wider ones.
Value Importer::widened(Value from, const Argument &src, DType type) {
  tile::Scope scope =
      typeOf(from).getScope() == tile::Scope::Local ? tile::Scope::Local : tile::Scope::Fragment;
  Value wide = allocBuffer((src.region->buffer->name + "_" + dtypeText(type)).str(),
                           typeOf(from).getShape(), type, scope, src.span);
  tile::CopyOp::create(b, at(src.span), from, wide, StringAttr());
  return wide;
}

bool Importer::reduce(const Call *call, tile::ReduceKind kind) {
  const Argument &src = argument(*call, "buffer"), &dst = argument(*call, "out");
  Value from = tile(src, true), to = tile(dst, true);
  if (!from || !to)
    return false;
  tile::BufferType type = typeOf(from), out = typeOf(to);
  std::optional<int64_t> dim = dimension(call, src, type);
  if (!dim)
    return false;
  SmallVector<int64_t> dropped(type.getShape()), kept(type.getShape());
  dropped.erase(dropped.begin() + *dim);
  kept[*dim] = 1;
  bool isScalar = dropped.empty() && out.numElems() == 1;
  if (llvm::ArrayRef(dropped) != out.getShape() && llvm::ArrayRef(kept) != out.getShape() &&
      !isScalar) {
    fail(DiagId::ReduceShape, call->calleeSpan, shapeText(type.getShape()), *dim,
         shapeText(dropped), shapeText(out.getShape()));
    note(DiagId::OperandShape, src.span, "source", src.region->buffer->name,
         shapeText(type.getShape()));
    note(DiagId::OperandShape, dst.span, "result", dst.region->buffer->name,
         shapeText(out.getShape()));
    return false;
  }
  bool isBitwise = kind == tile::ReduceKind::BitAnd || kind == tile::ReduceKind::BitOr ||
                   kind == tile::ReduceKind::BitXor;
  if (isBitwise && isFloat(src.region->buffer->type)) {
    fail(DiagId::BitwiseFloat, src.span, nameOf(call->id), dtypeText(src.region->buffer->type));
    return false;
  }
  if (auto sum = sumTypeOf(kind, src.region->buffer->type, dst.region->buffer->type))
    from = widened(from, src, *sum);
  bool clear = call->id == IntrinsicId::ReduceAbsSum || argument(*call, "clear").isTrue();
  bool hasNan = call->id == IntrinsicId::ReduceMax || call->id == IntrinsicId::ReduceMin ||
                call->id == IntrinsicId::ReduceAbsMax;
  bool nan = hasNan && argument(*call, "nan_propagate").isTrue();
  tile::ReduceOp::create(b, at(call->span), kind, from, to, *dim, clear, nan,
                         tile::ReduceStep::Whole, /*shared_place=*/{});
  return true;
}

bool Importer::scan(const Call *call, tile::ReduceKind kind) {
  const Argument &src = argument(*call, "src");
  const Argument &dst = argument(*call, "dst").isAbsent() ? src : argument(*call, "dst");
  Value from = tile(src, true), to = &dst == &src ? from : tile(dst, true);
  if (!from || !to)
    return false;
  tile::BufferType type = typeOf(from);
  std::optional<int64_t> dim = dimension(call, src, type);
  if (!dim)
    return false;
  if (type.getShape() != typeOf(to).getShape()) {
    fail(DiagId::CopyExtents, call->calleeSpan, shapeText(type.getShape()),
         shapeText(typeOf(to).getShape()));
    return false;
  }
  tile::ScanOp::create(b, at(call->span), kind, from, to, *dim, argument(*call, "reverse").isTrue(),
                       /*shared_place=*/{});
  return true;
}

bool Importer::anyAll(const script::TileCallStmt *s, bool isAll) {
  const Call *call = s->call;
  Value from = tile(argument(*call, "buffer"), true);
  if (!from)
    return false;
  Location loc = at(call->span);
  DType type = argument(*call, "buffer").region->buffer->type;
  // A reduction into one integer: 1 where true, combined with and / or.
  int64_t one[] = {1};
  Value result =
      allocBuffer(isAll ? "all" : "any", one, DType::I32, tile::Scope::Local, call->span);
  Value zero = indexConstant(0, call->span);
  tile::StoreOp::create(b, loc, constant(isAll ? 1 : 0, b.getI32Type(), loc), result, zero);
  bool ok = overTile(typeOf(from).getShape(), call->span, [&](llvm::ArrayRef<Value> i) {
    Value v = tile::LoadOp::create(b, loc, scalarType(type), from, ValueRange(i), FloatAttr());
    v = cast(cast(v, type, DType::Bool, loc), DType::Bool, DType::I32, loc);
    Value old = tile::LoadOp::create(b, loc, b.getI32Type(), result, zero, FloatAttr());
    Value next = isAll ? arith::AndIOp::create(b, loc, old, v).getResult()
                       : arith::OrIOp::create(b, loc, old, v).getResult();
    tile::StoreOp::create(b, loc, next, result, zero);
    return true;
  });
  Value total = tile::LoadOp::create(b, loc, b.getI32Type(), result, zero, FloatAttr());
  bindResult(s, cast(total, DType::I32, DType::Bool, loc));
  return ok;
}

//===----------------------------------------------------------------------===//
// Reducers
//===----------------------------------------------------------------------===//

Value Importer::combine(script::ReducerOp op, Value x, Value y, DType type, Location loc) {
  using script::ExprOp;
  constexpr ExprOp ops[] = {ExprOp::Add,    ExprOp::Max,   ExprOp::Min,
                            ExprOp::BitAnd, ExprOp::BitOr, ExprOp::BitXor};
  ExprOp which = ops[static_cast<unsigned>(op)];
  return isFloat(type) ? floatBinary(which, x, y, loc) : integerBinary(which, x, y, type, loc);
}

bool Importer::fillIdentity(Value into, script::ReducerOp op, Span span) {
  Location loc = at(span);
  DType dtype = tile::dtypeOf(typeOf(into).getElementType());
  Type type = scalarType(dtype);
  Value v;
  bool isExtreme = op == script::ReducerOp::Max || op == script::ReducerOp::Min;
  if (op >= script::ReducerOp::BitAnd && isFloat(dtype)) {
    fail(DiagId::BitwiseFloat, span, "alloc_reducer", dtypeText(dtype));
    return false;
  }
  if (isExtreme && isFloat(dtype)) {
    double limit = hasInfinity(dtype) ? HUGE_VAL : maxValue(dtype);
    v = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(type, op == script::ReducerOp::Max ? -limit : limit));
  } else if (isExtreme) {
    unsigned bits = bitsOf(dtype);
    bool wantsMin = op == script::ReducerOp::Max;
    APInt limit =
        isUnsigned(dtype) || dtype == DType::Bool
            ? (wantsMin ? APInt::getZero(bits) : APInt::getMaxValue(bits))
            : (wantsMin ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits));
    unsigned width = type.getIntOrFloatBitWidth();
    v = arith::ConstantOp::create(b, loc,
                                  b.getIntegerAttr(type, isUnsigned(dtype)
                                                             ? limit.zextOrTrunc(width)
                                                             : limit.sextOrTrunc(width)));
  } else {
    v = constant(op == script::ReducerOp::BitAnd ? -1 : 0, type, loc);
  }
  tile::FillOp::create(b, loc, v, into);
  return true;
}

bool Importer::reducerCall(const Call *call) {
  Location loc = at(call->span);
  bool isUpdate = call->id == IntrinsicId::ReducerUpdate;
  const Argument &target = argument(*call, isUpdate ? "target" : "reducer");
  const Buffer *reducer = target.region->buffer;
  if (!reducer->reducer) {
    fail(DiagId::NoReducer, target.span, reducer->name);
    return false;
  }
  Value into = buffer(reducer, target.span);
  if (!into)
    return false;
  if (call->id == IntrinsicId::ReducerInit) {
    const Argument &init = argument(*call, "init");
    if (!init.expr)
      return fillIdentity(into, *reducer->reducer, call->span);
    Value v = convertTo(init.expr, reducer->type, init.span);
    if (v)
      tile::FillOp::create(b, loc, v, into);
    return v != nullptr;
  }
  if (isUpdate) {
    const Argument &a = argument(*call, "value");
    if (!a.expr || !isElement(target)) {
      fail(DiagId::ReducerElement, target.span, reducer->name);
      return false;
    }
    SmallVector<Value> list;
    if (!indices(reducer, target.region->offsets, target.span, list))
      return false;
    Value v = convertTo(a.expr, reducer->type, a.span);
    if (!v)
      return false;
    Value old = tile::LoadOp::create(b, loc, scalarType(reducer->type), into, list, FloatAttr());
    tile::StoreOp::create(b, loc, combine(*reducer->reducer, old, v, reducer->type, loc), into,
                          list);
    return true;
  }
  const Argument &dst = argument(*call, "dst");
  if (dst.isAbsent())
    return true; // each logical iteration has contributed already
  Value to = isElement(dst) ? box(dst.region, typeOf(into).getShape(), false) : tile(dst);
  if (!to)
    return false;
  if (withoutOnes(typeOf(to).getShape()) != withoutOnes(typeOf(into).getShape())) {
    fail(DiagId::CopyExtents, call->calleeSpan, shapeText(typeOf(into).getShape()),
         shapeText(typeOf(to).getShape()));
    return false;
  }
  tile::CopyOp::create(b, loc, into, to, StringAttr());
  return true;
}

} // namespace tilec
