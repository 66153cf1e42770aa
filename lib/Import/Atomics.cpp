//===- Atomics.cpp - atomic updates of elements and tiles -----------------===//
//
// An element destination is one update; a buffer or slice is a tile operation, once
// per block: one update an element, in any order (reference/tilelang.md, 1.3).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::IntrinsicId;

bool Importer::atomicElement(const Call *call, const script::Var *result, tile::AtomicKind kind) {
  const Argument &dst = argument(*call, "dst");
  const Argument &a = argument(*call, call->id == IntrinsicId::AtomicStore ? "src" : "value");
  const Buffer *buf = dst.region->buffer;
  Value into = buffer(buf, dst.span);
  SmallVector<Value> list;
  if (!into || !indices(buf, dst.region->offsets, dst.span, list))
    return false;
  Value v = convertTo(a.expr, buf->type, a.span);
  if (!v)
    return false;
  auto op = tile::AtomicOp::create(b, at(call->span), scalarType(buf->type), kind, v, into, list,
                                   isUnsigned(buf->type));
  if (result)
    vars[result] = op.getOld();
  return true;
}

bool Importer::atomicRead(const Call *call, const script::Var *result) {
  const Argument &src = argument(*call, "src");
  if (!isElement(src)) {
    fail(DiagId::AtomicElement, src.span, nameOf(call->id));
    return false;
  }
  const Buffer *buf = src.region->buffer;
  Value from = buffer(buf, src.span);
  SmallVector<Value> list;
  if (!from || !indices(buf, src.region->offsets, src.span, list))
    return false;
  Location loc = at(call->span);
  Type type = scalarType(buf->type);
  // What belongs to one thread, or is packed, has no instruction of its own.
  bool isShared = buf->scope == script::Scope::Global || buf->scope == script::Scope::Shared;
  Value v;
  if (isShared && bitsOf(buf->type) >= 8) {
    Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    v = tile::AtomicOp::create(b, loc, type, tile::AtomicKind::Read, none, from, list,
                               isUnsigned(buf->type))
            .getOld();
  } else {
    v = tile::LoadOp::create(b, loc, type, from, list, FloatAttr());
  }
  if (result)
    vars[result] = v;
  return true;
}

/// Consecutive elements: `T.atomic_addx2(C[i, j], A[i, j])`.
bool Importer::atomicVector(const Call *call, int64_t lanes) {
  const Argument &dst = argument(*call, "dst"), &src = argument(*call, "value");
  // The first element, or a slice of exactly these.
  auto fits = [&](const Argument &a) {
    if (!a.region)
      return false;
    llvm::ArrayRef<const Expr *> extents = a.region->extents;
    if (a.region->whole)
      extents = a.region->buffer->shape;
    return extents.empty() ||
           (extents.back()->constInt() == lanes &&
            llvm::all_of(extents.drop_back(), [](const Expr *e) { return e->constInt() == 1; }));
  };
  if (!fits(dst) || !fits(src)) {
    fail(DiagId::AtomicVectorOperands, call->calleeSpan, nameOf(call->id), lanes);
    return false;
  }
  Value into = buffer(dst.region->buffer, dst.span),
        from = into ? buffer(src.region->buffer, src.span) : nullptr;
  SmallVector<Value> to, at0;
  if (!into || !from || !headOf(dst.region, to) || !headOf(src.region, at0))
    return false;
  Location loc = at(call->span);
  auto add = [&](Value offset) {
    SmallVector<Value> toLane(to), fromLane(at0);
    toLane.back() = arith::AddIOp::create(b, loc, to.back(), offset);
    fromLane.back() = arith::AddIOp::create(b, loc, at0.back(), offset);
    Value v = tile::LoadOp::create(b, loc, scalarType(src.region->buffer->type), from, fromLane,
                                   FloatAttr());
    v = cast(v, src.region->buffer->type, dst.region->buffer->type, loc);
    tile::AtomicOp::create(b, loc, scalarType(dst.region->buffer->type), tile::AtomicKind::Add, v,
                           into, toLane, false);
    return true;
  };
  // Of a parallel the elements are its innermost dimension, so that a lane adds them at once.
  if (parallelDepth > 0)
    return overTile(lanes, call->span, [&](llvm::ArrayRef<Value> i) { return add(i[0]); });
  for (int64_t lane = 0; lane < lanes; ++lane)
    add(indexConstant(lane, call->span));
  return true;
}

bool Importer::atomicTile(const Call *call, tile::AtomicKind kind) {
  const Argument &dst = argument(*call, "dst");
  const Argument &a = argument(*call, call->id == IntrinsicId::AtomicStore ? "src" : "value");
  bool hasTile = a.region && (a.kind == Argument::Tile || !isElement(dst));
  Value from, into;
  if (hasTile && !(a.kind == Argument::Value && isElement(a))) {
    from = tile(a);
    into = !from            ? nullptr
           : isElement(dst) ? box(dst.region, typeOf(from).getShape(), false)
                            : tile(dst);
  } else if (hasTile && !isElement(dst)) {
    // An element on the right of a tile is a head address, as for T.copy.
    into = tile(dst);
    from = into ? box(a.region, typeOf(into).getShape(), false) : nullptr;
  } else {
    into = tile(dst);
  }
  if (!into || (hasTile && !from))
    return false;
  Location loc = at(call->span);
  DType type = dst.region->buffer->type;
  Value scalar;
  if (!from) {
    scalar = a.expr ? convertTo(a.expr, type, a.span) : nullptr;
    if (!scalar)
      return false;
  }
  SmallVector<int64_t> shape(typeOf(into).getShape());
  if (from && withoutOnes(typeOf(from).getShape()) != withoutOnes(shape)) {
    fail(DiagId::CopyExtents, call->calleeSpan, shapeText(typeOf(from).getShape()),
         shapeText(shape));
    return false;
  }
  return overTile(shape, call->span, [&](llvm::ArrayRef<Value> i) {
    Value v = scalar;
    if (from) {
      SmallVector<Value> list = sameElement(shape, i, typeOf(from).getShape(), call->span);
      DType valueType = a.region->buffer->type;
      v = tile::LoadOp::create(b, loc, scalarType(valueType), from, list, padOf(a.region->buffer));
      v = cast(v, valueType, type, loc);
    }
    tile::AtomicOp::create(b, loc, scalarType(type), kind, v, into, ValueRange(i),
                           isUnsigned(type));
    return true;
  });
}

bool Importer::atomic(const script::TileCallStmt *s) {
  const Call *call = s->call;
  if (call->id == IntrinsicId::AtomicLoad)
    return atomicRead(call, s->result);
  const Argument &dst = argument(*call, "dst");
  script::Scope scope = dst.region->buffer->scope;
  if (scope != script::Scope::Global && scope != script::Scope::Shared) {
    fail(DiagId::AtomicScope, dst.span, nameOf(call->id), dst.region->buffer->name);
    return false;
  }
  DType type = dst.region->buffer->type;
  bool isFp8 = isFloat(type) && bitsOf(type) == 8;
  if (isFp8 && call->id != IntrinsicId::AtomicStore) {
    fail(DiagId::AtomicType, dst.span, nameOf(call->id), dst.region->buffer->name, dtypeText(type));
    return false;
  }
  if (call->id == IntrinsicId::AtomicAddX2 || call->id == IntrinsicId::AtomicAddX4)
    return atomicVector(call, call->id == IntrinsicId::AtomicAddX2 ? 2 : 4);
  tile::AtomicKind kind = call->id == IntrinsicId::AtomicAdd   ? tile::AtomicKind::Add
                          : call->id == IntrinsicId::AtomicMax ? tile::AtomicKind::Max
                          : call->id == IntrinsicId::AtomicMin ? tile::AtomicKind::Min
                          : call->id == IntrinsicId::AtomicOr  ? tile::AtomicKind::Or
                                                               : tile::AtomicKind::Exchange;
  const Argument &a = argument(*call, call->id == IntrinsicId::AtomicStore ? "src" : "value");
  if (isElement(dst) && a.expr)
    return atomicElement(call, s->result, kind);
  if (s->result) {
    fail(DiagId::AtomicPrevOfTile, call->span, nameOf(call->id));
    return false;
  }
  return atomicTile(call, kind);
}

} // namespace tilec
