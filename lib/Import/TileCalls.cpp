//===- TileCalls.cpp - copy, fill, gemm, annotations ----------------------===//
//
// Takes calls of tile operations, checks shapes and types with the script's words, makes their
// ops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include "tilec/IR/Tile/Tfloat32.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::IntrinsicId;

SmallVector<int64_t> withoutOnes(llvm::ArrayRef<int64_t> shape) {
  SmallVector<int64_t> out;
  for (int64_t size : shape)
    if (size != 1)
      out.push_back(size);
  return out;
}

bool Importer::tileCall(const script::TileCallStmt *s) {
  const Call *call = s->call;
  switch (call->id) {
  case IntrinsicId::Copy:
    return copy(call);
  case IntrinsicId::Fill:
  case IntrinsicId::Clear:
    return fill(call, call->id == IntrinsicId::Clear);
  case IntrinsicId::Gemm:
  case IntrinsicId::GemmSparse:
    return gemm(call);
  case IntrinsicId::Transpose:
    return transpose(call);
  case IntrinsicId::Im2col:
    return im2col(call);
  case IntrinsicId::ReduceSum:
    return reduce(call, tile::ReduceKind::Sum);
  case IntrinsicId::ReduceMax:
    return reduce(call, tile::ReduceKind::Max);
  case IntrinsicId::ReduceMin:
    return reduce(call, tile::ReduceKind::Min);
  case IntrinsicId::ReduceAbsMax:
    return reduce(call, tile::ReduceKind::AbsMax);
  case IntrinsicId::ReduceAbsSum:
    return reduce(call, tile::ReduceKind::AbsSum);
  case IntrinsicId::ReduceBitAnd:
    return reduce(call, tile::ReduceKind::BitAnd);
  case IntrinsicId::ReduceBitOr:
    return reduce(call, tile::ReduceKind::BitOr);
  case IntrinsicId::ReduceBitXor:
    return reduce(call, tile::ReduceKind::BitXor);
  case IntrinsicId::CumSum:
    return scan(call, tile::ReduceKind::Sum);
  case IntrinsicId::CumMax:
    return scan(call, tile::ReduceKind::Max);
  case IntrinsicId::ReducerInit:
  case IntrinsicId::ReducerUpdate:
  case IntrinsicId::FinalizeReducer:
    return reducerCall(call);
  case IntrinsicId::AnyOf:
  case IntrinsicId::AllOf:
    return anyAll(s, call->id == IntrinsicId::AllOf);
  case IntrinsicId::AtomicAdd:
  case IntrinsicId::AtomicMax:
  case IntrinsicId::AtomicMin:
  case IntrinsicId::AtomicOr:
  case IntrinsicId::AtomicAddX2:
  case IntrinsicId::AtomicAddX4:
  case IntrinsicId::AtomicLoad:
  case IntrinsicId::AtomicStore:
    return atomic(s);
  case IntrinsicId::AnnotateLayout:
    return annotateLayout(call);
  case IntrinsicId::UseSwizzle:
    return rasterize(call);
  case IntrinsicId::Assume:
  case IntrinsicId::DeviceAssert: {
    const Argument &condition = argument(*call, "condition");
    if (!condition.expr)
      fail(DiagId::WantedOther, condition.span, "a condition", "something else");
    Value v = condition.expr ? value(condition.expr) : nullptr;
    if (!v)
      return false;
    if (!v.getType().isInteger(1))
      v = cast(v, condition.expr->type, DType::Bool, at(call->span));
    if (call->id == IntrinsicId::Assume)
      tile::AssumeOp::create(b, at(call->span), v);
    else
      tile::AssertOp::create(b, at(call->span), v, b.getStringAttr(argument(*call, "msg").string));
    return true;
  }
  case IntrinsicId::Print:
    return print(call);
  case IntrinsicId::EmitterLdmatrixA:
  case IntrinsicId::EmitterLdmatrixB:
  case IntrinsicId::EmitterMma:
  case IntrinsicId::EmitterStmatrix:
    return emitterCall(call);
  default:
    return threadCall(s);
  }
}

void Importer::bindResult(const script::TileCallStmt *s, Value v) {
  if (s->result)
    vars[s->result] = v;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool Importer::constantExtents(const Region *region, SmallVectorImpl<int64_t> &out) {
  for (auto [d, e] : llvm::enumerate(region->extents)) {
    std::optional<int64_t> size = e->constInt();
    if (!size) {
      fail(DiagId::DynamicExtent, region->span, region->buffer->name, d);
      return false;
    }
    out.push_back(*size);
  }
  return true;
}

/// A box that is provably outside of an on-chip buffer.
bool Importer::checkBox(const Region *region, llvm::ArrayRef<int64_t> extents) {
  if (region->buffer->scope == script::Scope::Global)
    return true;
  for (size_t d = 0; d < extents.size(); ++d) {
    std::optional<int64_t> offset = region->offsets[d]->constInt();
    std::optional<int64_t> size = region->buffer->shape[d]->constInt();
    if (offset && size && (*offset < 0 || *offset + extents[d] > *size)) {
      fail(DiagId::BoxOutOfBounds, region->span, *offset, *offset + extents[d],
           region->buffer->name, d, *size);
      return false;
    }
  }
  return true;
}

Value Importer::box(const Region *region, llvm::ArrayRef<int64_t> other, bool dropScalars) {
  const Buffer *buf = region->buffer;
  if (emitterLocals.count(buf) && !region->whole)
    return fail(DiagId::EmitterElement, region->span, buf->name);
  Value source = buffer(buf, region->span);
  if (!source)
    return nullptr;
  if (region->whole) {
    if (typeOf(source).hasStaticShape())
      return source;
    // A tensor with symbolic extents as a tile has no constant box.
    return fail(DiagId::DynamicExtent, region->span, buf->name,
                llvm::find_if(typeOf(source).getShape(), ShapedType::isDynamic) -
                    typeOf(source).getShape().begin());
  }
  size_t rank = buf->shape.size();
  SmallVector<int64_t> extents;
  uint64_t dropped = region->scalarDims;
  if (region->extents.empty()) {
    // Right-aligned with the other side; further dimensions are single.
    while (other.size() > rank && other.front() == 1)
      other = other.drop_front();
    if (other.size() > rank)
      return fail(DiagId::ElementRank, region->span, buf->name, rank, shapeText(other));
    extents.assign(rank - other.size(), 1);
    extents.append(other.begin(), other.end());
    dropped = 0;
    for (size_t d = 0; d < rank - other.size(); ++d)
      dropped |= uint64_t(1) << d;
  } else if (!constantExtents(region, extents)) {
    return nullptr;
  }
  if (!checkBox(region, extents))
    return nullptr;
  SmallVector<Value> offsets;
  for (const Expr *e : region->offsets) {
    Value v = index(e);
    if (!v)
      return nullptr;
    offsets.push_back(v);
  }
  SmallVector<int64_t> droppedDims, shape;
  for (size_t d = 0; d < rank; ++d) {
    if (dropScalars && (dropped >> d & 1))
      droppedDims.push_back(static_cast<int64_t>(d));
    else
      shape.push_back(extents[d]);
  }
  auto type = tile::BufferType::get(&context, shape, typeOf(source).getElementType(),
                                    typeOf(source).getScope());
  return tile::SubviewOp::create(b, at(region->span), type, source, offsets,
                                 b.getDenseI64ArrayAttr(droppedDims));
}

/// An argument that brings its own extents.
Value Importer::tile(const Argument &a, bool dropScalars) {
  if (isElement(a))
    return fail(DiagId::ElementAsTile, a.span, a.region->buffer->name);
  return box(a.region, {}, dropScalars);
}

bool Importer::overTile(llvm::ArrayRef<int64_t> shape, Span span,
                        llvm::function_ref<bool(llvm::ArrayRef<Value>)> fn) {
  SmallVector<Value> extents;
  for (int64_t size : shape)
    extents.push_back(indexConstant(size, span));
  if (extents.empty())
    extents.push_back(indexConstant(1, span));
  auto op = tile::ParallelOp::create(b, at(span), extents);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.bodyBlock());
  SmallVector<Value> ivs(op.ivs().begin(), op.ivs().end());
  return fn(shape.empty() ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(ivs));
}

/// The indices in a tile of shape `to` of the element at `indices` in one of shape `from`, which
/// agrees with it up to dimensions of 1.
SmallVector<Value> Importer::sameElement(llvm::ArrayRef<int64_t> from,
                                         llvm::ArrayRef<Value> indices, llvm::ArrayRef<int64_t> to,
                                         Span span) {
  SmallVector<Value> out;
  size_t next = 0;
  for (int64_t size : to) {
    if (size == 1) {
      out.push_back(indexConstant(0, span));
      continue;
    }
    while (from[next] == 1)
      ++next;
    out.push_back(indices[next++]);
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Copy and fill
//===----------------------------------------------------------------------===//

bool Importer::copy(const Call *call) {
  const Argument &src = argument(*call, "src"), &dst = argument(*call, "dst");
  Location loc = at(call->span);
  if (isElement(src) && isElement(dst)) {
    SmallVector<Value> list;
    Value v = value(src.expr), into = buffer(dst.region->buffer, dst.span);
    if (!indices(dst.region->buffer, dst.region->offsets, dst.span, list) || !v || !into)
      return false;
    v = cast(v, src.expr->type, dst.region->buffer->type, loc);
    tile::StoreOp::create(b, loc, v, into, list);
    return true;
  }
  Value from, to;
  if (isElement(src)) {
    to = tile(dst);
    from = to ? box(src.region, typeOf(to).getShape(), false) : nullptr;
  } else {
    from = tile(src);
    if (!isElement(dst))
      to = tile(dst);
    else if (from)
      to = box(dst.region, typeOf(from).getShape(), false);
  }
  if (!from || !to)
    return false;
  llvm::ArrayRef<int64_t> a = typeOf(from).getShape(), c = typeOf(to).getShape();
  if (withoutOnes(a) != withoutOnes(c)) {
    fail(DiagId::CopyExtents, call->calleeSpan, shapeText(a), shapeText(c));
    note(DiagId::OperandShape, src.span, "source", src.region->buffer->name, shapeText(a));
    note(DiagId::OperandShape, dst.span, "destination", dst.region->buffer->name, shapeText(c));
    return false;
  }
  FloatAttr pad = padOf(src.region->buffer);
  if (pad || roundsTwice(src.region->buffer->type, dst.region->buffer->type))
    return overTile(c, call->span, [&](llvm::ArrayRef<Value> i) {
      SmallVector<Value> place = sameElement(c, i, a, call->span);
      DType type = src.region->buffer->type;
      Value v = tile::LoadOp::create(b, loc, scalarType(type), from, place, pad);
      v = cast(v, type, dst.region->buffer->type, loc);
      tile::StoreOp::create(b, loc, v, to, ValueRange(i));
      return true;
    });
  tile::CopyOp::create(b, loc, from, to, StringAttr());
  return true;
}

bool Importer::fill(const Call *call, bool isClear) {
  const Argument &into = argument(*call, "buffer");
  Location loc = at(call->span);
  DType type = into.region->buffer->type;
  Value v;
  if (isClear) {
    v = constant(0, scalarType(type), loc);
  } else {
    const Argument &a = argument(*call, "value");
    if (!a.expr) {
      fail(DiagId::FillValue, a.span);
      return false;
    }
    v = convertTo(a.expr, type, a.span);
  }
  if (!v)
    return false;
  // In code of threads a store is done by each of them, and this is one operation of the block.
  bool isMemory = into.region->buffer->scope == script::Scope::Shared ||
                  into.region->buffer->scope == script::Scope::Global;
  if (isElement(into) && kernelOp.getLockstep() && parallelDepth == 0 && isMemory) {
    Value dst = box(into.region, {}, /*dropScalars=*/true);
    if (dst)
      tile::FillOp::create(b, loc, v, dst);
    return dst != nullptr;
  }
  if (isElement(into)) {
    SmallVector<Value> list;
    Value dst = buffer(into.region->buffer, into.span);
    if (!dst || !indices(into.region->buffer, into.region->offsets, into.span, list))
      return false;
    tile::StoreOp::create(b, loc, v, dst, list);
    return true;
  }
  Value dst = tile(into);
  if (!dst)
    return false;
  tile::FillOp::create(b, loc, v, dst);
  return true;
}

bool Importer::transpose(const Call *call) {
  const Argument &src = argument(*call, "src"), &dst = argument(*call, "dst");
  Value from = tile(src, true), to = tile(dst, true);
  if (!from || !to)
    return false;
  llvm::ArrayRef<int64_t> a = typeOf(from).getShape(), c = typeOf(to).getShape();
  size_t rank = a.size();
  bool fits = rank >= 2 && c.size() == rank && a[rank - 2] == c[rank - 1] &&
              a[rank - 1] == c[rank - 2] && a.drop_back(2) == c.drop_back(2);
  if (!fits) {
    fail(DiagId::TransposeShape, call->calleeSpan, shapeText(a), shapeText(c));
    return false;
  }
  Location loc = at(call->span);
  return overTile(c, call->span, [&](llvm::ArrayRef<Value> i) {
    SmallVector<Value> turned(i);
    std::swap(turned[rank - 2], turned[rank - 1]);
    Value v = tile::LoadOp::create(b, loc, scalarType(src.region->buffer->type), from, turned,
                                   padOf(src.region->buffer));
    v = cast(v, src.region->buffer->type, dst.region->buffer->type, loc);
    tile::StoreOp::create(b, loc, v, to, i);
    return true;
  });
}

/// col = the box of rows from nhw_step * tile rows and columns from c_step * tile columns on of the
/// matrix that a square kernel meets of an NHWC image. reference/tilelang.md, row 38.
bool Importer::im2col(const Call *call) {
  const Argument &img = argument(*call, "img"), &col = argument(*call, "col");
  Value from = buffer(img.region->buffer, img.span);
  Value to = from ? tile(col, true) : nullptr;
  if (!to)
    return false;
  tile::BufferType imageType = typeOf(from), tileType = typeOf(to);
  auto refuse = [&] {
    fail(DiagId::Im2colShape, call->calleeSpan, shapeText(imageType.getShape()),
         shapeText(tileType.getShape()));
    return false;
  };
  if (!imageType.hasStaticShape() || imageType.rank() != 4 || tileType.rank() != 2)
    return refuse();
  int64_t numbers[4];
  constexpr llvm::StringRef names[] = {"kernel", "stride", "dilation", "pad"};
  for (auto [i, name] : llvm::enumerate(names)) {
    const Argument &a = argument(*call, name);
    if (a.kind != Argument::Int || a.intValue < (i == 3 ? 0 : 1)) {
      fail(DiagId::Im2colNumber, a.span, name);
      return false;
    }
    numbers[i] = a.intValue;
  }
  auto [kernel, stride, dilation, pad] = numbers;
  llvm::ArrayRef<int64_t> image = imageType.getShape();
  auto along = [&, kernel = kernel, stride = stride, dilation = dilation,
                pad = pad](int64_t extent) {
    return tile::Im2colOp::placesAlong(extent, kernel, stride, dilation, pad);
  };
  int64_t outH = along(image[1]), outW = along(image[2]);
  const Argument &mStep = argument(*call, "nhw_step"), &kStep = argument(*call, "c_step");
  if (!mStep.expr || !kStep.expr || image[0] * outH * outW * image[3] < 1)
    return refuse();
  Value m0 = index(mStep.expr), k0 = index(kStep.expr);
  if (!m0 || !k0)
    return false;
  Location loc = at(call->span);
  auto times = [&](Value x, int64_t y) -> Value {
    return arith::MulIOp::create(b, loc, x, indexConstant(y, call->span));
  };
  auto typeOfShape = [&](llvm::ArrayRef<int64_t> shape) {
    return tile::BufferType::get(&context, shape, imageType.getElementType(), imageType.getScope());
  };
  Type matrix = typeOfShape({image[0] * outH * outW, kernel * kernel * image[3]});
  Value patches = tile::Im2colOp::create(b, loc, matrix, from, kernel, stride, dilation, pad);
  Value box = tile::SubviewOp::create(
      b, loc, typeOfShape(tileType.getShape()), patches,
      ValueRange{times(m0, tileType.getShape()[0]), times(k0, tileType.getShape()[1])},
      b.getDenseI64ArrayAttr({}));
  auto copy = tile::CopyOp::create(b, loc, box, to, StringAttr());
  if (roundsTwice(img.region->buffer->type, col.region->buffer->type))
    copyElements(copy, call->span);
  return true;
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// The last two dimensions of an operand; the others must be single.
Value Importer::matrix(const Argument &a) {
  Value v = tile(a, true);
  if (!v)
    return nullptr;
  tile::BufferType type = typeOf(v);
  if (type.rank() == 2)
    return v;
  SmallVector<int64_t> lead, shape(type.getShape());
  for (int64_t d = 0; d + 2 < type.rank(); ++d)
    if (type.getShape()[d] == 1)
      lead.push_back(d);
  if (type.rank() < 2 || static_cast<int64_t>(lead.size()) != type.rank() - 2)
    return fail(DiagId::GemmRank, a.span, a.region->buffer->name, shapeText(type.getShape()));
  shape.erase(shape.begin(), shape.begin() + lead.size());
  SmallVector<Value> zeros(type.rank(), indexConstant(0, a.span));
  return tile::SubviewOp::create(
      b, at(a.span), tile::BufferType::get(&context, shape, type.getElementType(), type.getScope()),
      v, zeros, b.getDenseI64ArrayAttr(lead));
}

/// Mixed operands: the wider float takes the narrower one's dtype (docs/language/statements.md).
bool Importer::matchOperands(Value &a, Value &c, const Call *call) {
  DType x = tile::dtypeOf(typeOf(a).getElementType()),
        y = tile::dtypeOf(typeOf(c).getElementType());
  if (x == y || (isFp8(x) && isFp8(y)))
    return true;
  const Argument &argA = argument(*call, "A"), &argB = argument(*call, "B");
  if (!isFloat(x) || !isFloat(y) || bitsOf(x) == bitsOf(y)) {
    fail(DiagId::GemmDTypes, call->calleeSpan, dtypeText(x), dtypeText(y));
    note(DiagId::OperandDType, argA.span, "A", argA.region->buffer->name, dtypeText(x));
    note(DiagId::OperandDType, argB.span, "B", argB.region->buffer->name, dtypeText(y));
    return false;
  }
  bool convertsA = bitsOf(x) > bitsOf(y);
  Value &wide = convertsA ? a : c;
  const Argument &wideArg = convertsA ? argA : argB;
  DType narrow = convertsA ? y : x;
  diags.report(DiagId::GemmConverts, wideArg.span, wideArg.region->buffer->name,
               dtypeText(convertsA ? x : y), dtypeText(narrow));
  tile::Scope scope = typeOf(wide).getScope();
  if (scope == tile::Scope::Global || scope == tile::Scope::Local)
    scope = tile::Scope::Shared;
  Value converted = allocBuffer((wideArg.region->buffer->name + "_" + dtypeText(narrow)).str(),
                                typeOf(wide).getShape(), narrow, scope, wideArg.span);
  tile::CopyOp::create(b, at(wideArg.span), wide, converted, StringAttr());
  wide = converted;
  return true;
}

bool Importer::gemm(const Call *call) {
  if (parallelDepth > 0) {
    fail(DiagId::GemmInParallel, call->calleeSpan);
    return false;
  }
  bool isSparse = call->id == IntrinsicId::GemmSparse;
  const Argument &argA = argument(*call, isSparse ? "A_sparse" : "A"), &argB = argument(*call, "B"),
                 &argC = argument(*call, "C");
  Value a = matrix(argA), c2 = matrix(argB), c = matrix(argC);
  Value places = isSparse ? matrix(argument(*call, "E")) : Value();
  if (!a || !c2 || !c || (isSparse && !places))
    return false;
  bool ta = argument(*call, "transpose_A").isTrue(), tb = argument(*call, "transpose_B").isTrue();
  llvm::ArrayRef<int64_t> sa = typeOf(a).getShape(), sb = typeOf(c2).getShape(),
                          sc = typeOf(c).getShape();
  int64_t m = sa[ta ? 1 : 0], k = sa[ta ? 0 : 1] * (isSparse ? 2 : 1), kb = sb[tb ? 1 : 0],
          n = sb[tb ? 0 : 1];
  if (k != kb || sc[0] != m || sc[1] != n) {
    if (k != kb)
      fail(DiagId::GemmK, call->calleeSpan, k, kb);
    else
      fail(DiagId::GemmResultShape, call->calleeSpan, m, n, shapeText(sc));
    note(DiagId::OperandShape, argA.span, ta ? "transposed A" : "A", argA.region->buffer->name,
         shapeText(sa));
    note(DiagId::OperandShape, argB.span, tb ? "transposed B" : "B", argB.region->buffer->name,
         shapeText(sb));
    note(DiagId::OperandShape, argC.span, "C", argC.region->buffer->name, shapeText(sc));
    return false;
  }
  DType accumulator = tile::dtypeOf(typeOf(c).getElementType());
  if (!matchOperands(a, c2, call))
    return false;
  DType operand = tile::dtypeOf(typeOf(a).getElementType());
  if (isFloat(operand) != isFloat(accumulator)) {
    fail(DiagId::GemmAccumulator, argC.span, dtypeText(operand), dtypeText(accumulator),
         isFloat(operand) ? "float32" : "int32");
    return false;
  }
  Value clear;
  const Argument &clearArg = argument(*call, "clear_accum");
  if (clearArg.kind == Argument::Value) {
    clear = value(clearArg.expr);
    if (!clear)
      return false;
    if (!clear.getType().isInteger(1))
      clear = cast(clear, clearArg.expr->type, DType::Bool, at(clearArg.span));
  } else if (clearArg.isTrue()) {
    clear = constant(1, b.getI1Type(), at(clearArg.span));
  }
  llvm::StringRef policy = argument(*call, "policy").string;
  auto warps = policy == "FullRow"   ? tile::WarpPolicy::FullRow
               : policy == "FullCol" ? tile::WarpPolicy::FullCol
                                     : tile::WarpPolicy::Square;
  const Argument &pack = argument(*call, "k_pack");
  // A sum in a tensor is made in a fragment.
  Value sum = c;
  bool isTensor = typeOf(c).getScope() == tile::Scope::Global;
  if (isTensor) {
    sum = allocBuffer(argC.region->buffer->name, sc, argC.region->buffer->type,
                      tile::Scope::Fragment, argC.span);
    if (!clearArg.isTrue())
      tile::CopyOp::create(b, at(argC.span), c, sum, StringAttr());
  }
  auto op = tile::GemmOp::create(b, at(call->span), a, c2, sum, clear, ta, tb, warps,
                                 pack.kind == Argument::Int ? pack.intValue : 1);
  if (places)
    op.getPlacesMutable().assign(places);
  if (isTensor)
    tile::CopyOp::create(b, at(argC.span), sum, c, StringAttr());
  // One of float32 beside one of tfloat32 is converted to it.
  bool isTfloat32 = argA.region->buffer->isTfloat32 || argB.region->buffer->isTfloat32;
  if (isTfloat32 && operand == DType::F32)
    op.setTfloat32(true);
  return true;
}

//===----------------------------------------------------------------------===//
// Annotations and messages
//===----------------------------------------------------------------------===//

bool Importer::rasterize(const Call *call) {
  const Argument &panel = argument(*call, "panel_size"), &enable = argument(*call, "enable");
  if (!enable.isTrue())
    return true;
  if (panel.kind != Argument::Int || panel.intValue < 1) {
    fail(DiagId::PanelSize, panel.span);
    return false;
  }
  const Argument &order = argument(*call, "order");
  if (order.kind != Argument::String ||
      !llvm::is_contained({"row", "column", "mlx"}, order.string)) {
    fail(DiagId::PanelOrder, order.span);
    return false;
  }
  kernelOp.setRasterPanel(panel.intValue);
  kernelOp.setRasterByColumn(order.string == "column");
  return true;
}

bool Importer::print(const Call *call) {
  const Argument &obj = argument(*call, "obj");
  StringAttr message = b.getStringAttr(argument(*call, "msg").string);
  if (obj.isAbsent() || obj.kind == Argument::String) {
    tile::PrintOp::create(b, at(call->span), constant(0, b.getI32Type(), at(call->span)),
                          obj.isAbsent() ? message : b.getStringAttr(obj.string));
    return true;
  }
  if (obj.kind != Argument::Tile && !obj.expr) {
    fail(DiagId::PrintValue, obj.span);
    return false;
  }
  Value v = obj.kind == Argument::Tile ? tile(obj) : value(obj.expr);
  if (!v)
    return false;
  tile::PrintOp::create(b, at(call->span), v, message);
  return true;
}

} // namespace tilec
