//===- Emitters.cpp - calls of upstream's emitters ------------------------===//
//
// A local array that only emitter calls, T.clear and T.fill use is an opaque fragment
// (docs/language/threads.md). Together the threads' arrays hold a tile of the
// block: A is [rows, micro_k], B is [columns, micro_k], C is [rows, columns]. So the
// calls are copies and a gemm on fragments of these shapes, on every target. An operand
// that was shuffled beforehand is read by its tiles.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::Emitter;
using script::IntrinsicId;

namespace {

struct TileShapes {
  SmallVector<int64_t, 2> a, b, c;
  int64_t lengthA, lengthB, lengthC;
};

TileShapes shapesOf(const Emitter &e) {
  int64_t rows = e.blockRowWarps * e.warpRowTiles, columns = e.blockColWarps * e.warpColTiles;
  int64_t lanes = e.lanes(), k = e.microK(), warpRows = e.warpRowTiles / e.microX,
          warpColumns = e.warpColTiles / e.microY;
  TileShapes s;
  s.a = e.aTransposed ? SmallVector<int64_t, 2>{k, rows} : SmallVector<int64_t, 2>{rows, k};
  s.b = e.bTransposed ? SmallVector<int64_t, 2>{columns, k} : SmallVector<int64_t, 2>{k, columns};
  s.c = {rows, columns};
  s.lengthA = warpRows * e.microX * k / lanes;
  s.lengthB = warpColumns * e.microY * k / lanes;
  s.lengthC = warpRows * warpColumns * e.microX * e.microY / lanes;
  return s;
}

} // namespace

/// Finds the locals of a launch that emitter calls name, before they are allocated.
void Importer::findEmitterLocals(script::Body list) {
  for (const script::Stmt *s : list) {
    if (const auto *f = llvm::dyn_cast<script::ForStmt>(s))
      findEmitterLocals(f->body);
    if (const auto *w = llvm::dyn_cast<script::WhileStmt>(s))
      findEmitterLocals(w->body);
    if (const auto *i = llvm::dyn_cast<script::IfStmt>(s)) {
      findEmitterLocals(i->thenBody);
      findEmitterLocals(i->elseBody);
    }
    const auto *t = llvm::dyn_cast<script::TileCallStmt>(s);
    if (!t || !nameOf(t->call->id).starts_with("emitter."))
      continue;
    const Emitter &e = *argument(*t->call, "emitter").emitter;
    if (e.warpRowTiles % e.microX || e.warpColTiles % e.microY || e.chunk % e.microK()) {
      fail(DiagId::EmitterTiles, e.span, e.warpRowTiles, e.warpColTiles, e.chunk, e.microX,
           e.microY, e.microK());
      for (const Argument &a : t->call->args)
        if (a.region && a.region->buffer->scope == script::Scope::Local)
          lose(a.region->buffer);
      continue;
    }
    TileShapes shapes = shapesOf(e);
    for (llvm::StringRef name : parametersOf(t->call->id)) {
      const Argument &a = argument(*t->call, name);
      if (!a.region || a.region->buffer->scope != script::Scope::Local)
        continue;
      bool isA = name == "A_local", isB = name == "B_local";
      int64_t length = isA ? shapes.lengthA : isB ? shapes.lengthB : shapes.lengthC;
      int64_t found = 1;
      for (const Expr *size : a.region->buffer->shape)
        found *= *size->constInt();
      if (found != length) {
        fail(DiagId::EmitterLength, a.span, a.region->buffer->name, length, found);
        note(DiagId::EmitterHere, e.span);
        lose(a.region->buffer);
        continue;
      }
      auto &shape = isA ? shapes.a : isB ? shapes.b : shapes.c;
      auto [it, isNew] = emitterLocals.try_emplace(a.region->buffer, shape);
      if (!isNew && it->second != shape) {
        fail(DiagId::EmitterRoles, a.span, a.region->buffer->name);
        lose(a.region->buffer);
      }
    }
  }
}

bool Importer::emitterCall(const Call *call) {
  const Emitter &e = *argument(*call, "emitter").emitter;
  Location loc = at(call->span);
  auto local = [&](llvm::StringRef name) -> Value {
    const Argument &a = argument(*call, name);
    if (!emitterLocals.count(a.region->buffer) && !lostBuffers.contains(a.region->buffer))
      return fail(DiagId::EmitterLocal, a.span, nameOf(call->id), name);
    return buffer(a.region->buffer, a.span);
  };
  switch (call->id) {
  case IntrinsicId::EmitterLdmatrixA: {
    Value into = local("A_local");
    return into && loadStep(call, into, e.aPreshuffle, e.aTransposed);
  }
  case IntrinsicId::EmitterLdmatrixB: {
    Value into = local("B_local");
    return into && loadStep(call, into, e.bPreshuffle, !e.bTransposed);
  }
  case IntrinsicId::EmitterMma: {
    Value a = local("A_local"), c2 = local("B_local"), c = local("C_local");
    if (!a || !c2 || !c)
      return false;
    tile::GemmOp::create(b, loc, a, c2, c, Value(), e.aTransposed, e.bTransposed,
                         tile::WarpPolicy::Square, 1);
    return true;
  }
  default:
    return stmatrix(call);
  }
}

/// Step `ki` of an operand into its fragment. `pid_m` and `pid_n` count tiles of a global operand.
bool Importer::loadStep(const Call *call, Value into, bool isTiled, bool kFirst) {
  const Emitter &e = *argument(*call, "emitter").emitter;
  bool isA = call->id == IntrinsicId::EmitterLdmatrixA;
  const Argument &from = argument(*call, isA ? "A_shared" : "B_shared");
  const Argument &ki = argument(*call, "ki"), &pid = argument(*call, isA ? "pid_m" : "pid_n");
  Value source = isTiled ? buffer(from.region->buffer, from.span) : matrix(from);
  Value step = ki.expr ? index(ki.expr) : nullptr;
  Value tile = pid.expr ? index(pid.expr) : indexConstant(0, call->span);
  if (!source || !step || !tile)
    return false;
  unsigned kDim = kFirst ? 0 : 1;
  ArrayRef<int64_t> shape = typeOf(into).getShape(), have = typeOf(source).getShape();
  int64_t k = e.microK(), micro = isA ? e.microX : e.microY, rows = shape[1 - kDim];
  auto fits = [&](int64_t found, int64_t wanted) {
    return pid.expr ? ShapedType::isDynamic(found) || found % wanted == 0 : found == wanted;
  };
  if (isTiled ? !from.region->whole || have.size() != 4 || !fits(have[1 - kDim], rows / micro) ||
                    have[2 + kDim] != k || have[3 - kDim] != micro
              : !fits(have[1 - kDim], rows) || have[kDim] % k) {
    fail(DiagId::EmitterShared, from.span, from.region->buffer->name, shapeText(have),
         isTiled ? shapeText(kFirst ? ArrayRef<int64_t>{1, rows / micro, k, micro}
                                    : ArrayRef<int64_t>{rows / micro, 1, micro, k})
                 : shapeText(shape));
    return false;
  }
  return isTiled ? loadTiles(call, into, source, step, tile, kFirst)
                 : loadPart(call, into, source, step, tile, kFirst);
}

/// A part of a matrix.
bool Importer::loadPart(const Call *call, Value into, Value source, Value step, Value tile,
                        bool kFirst) {
  Location loc = at(call->span);
  ArrayRef<int64_t> shape = typeOf(into).getShape();
  unsigned kDim = kFirst ? 0 : 1;
  auto times = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(b, loc, value, indexConstant(by, call->span));
  };
  SmallVector<Value, 2> offsets(2);
  offsets[kDim] = times(step, shape[kDim]);
  offsets[1 - kDim] = times(tile, shape[1 - kDim]);
  auto type = tile::BufferType::get(&context, shape, typeOf(source).getElementType(),
                                    typeOf(source).getScope());
  Value part = tile::SubviewOp::create(b, loc, type, source, offsets, b.getDenseI64ArrayAttr({}));
  tile::CopyOp::create(b, loc, part, into, StringAttr());
  return true;
}

/// Of an operand that lies in tiles: element (i, kk) of the step is in tile (i / micro, step), at
/// (i % micro, kk); with K first both pairs are the other way round.
bool Importer::loadTiles(const Call *call, Value into, Value source, Value step, Value tile,
                         bool kFirst) {
  Location loc = at(call->span);
  ArrayRef<int64_t> shape = typeOf(into).getShape();
  unsigned kDim = kFirst ? 0 : 1;
  int64_t micro = typeOf(source).getShape()[3 - kDim];
  Value first =
      arith::MulIOp::create(b, loc, tile, indexConstant(shape[1 - kDim] / micro, call->span));
  return overTile(shape, call->span, [&](llvm::ArrayRef<Value> i) {
    Value size = indexConstant(micro, call->span), row = i[1 - kDim];
    SmallVector<Value, 4> at(4);
    at[kDim] = step;
    at[1 - kDim] = arith::AddIOp::create(b, loc, first, arith::DivUIOp::create(b, loc, row, size));
    at[2 + kDim] = i[kDim];
    at[3 - kDim] = arith::RemUIOp::create(b, loc, row, size);
    Type scalar = tile::scalarTypeOf(typeOf(source).getElementType());
    Value v = tile::LoadOp::create(b, loc, scalar, source, at, FloatAttr());
    tile::StoreOp::create(b, loc, v, into, ValueRange(i));
    return true;
  });
}

/// C goes to a shared tile [rows / 16, columns / 16, 16, 16] or to a matrix [rows, columns].
bool Importer::stmatrix(const Call *call) {
  const Argument &from = argument(*call, "C_local"), &to = argument(*call, "C_buffer");
  if (!emitterLocals.count(from.region->buffer) && !lostBuffers.contains(from.region->buffer)) {
    fail(DiagId::EmitterLocal, from.span, nameOf(call->id), "C_local");
    return false;
  }
  Location loc = at(call->span);
  Value c = buffer(from.region->buffer, from.span), into = buffer(to.region->buffer, to.span);
  if (!c || !into)
    return false;
  const Emitter &e = *argument(*call, "emitter").emitter;
  int64_t rows = typeOf(c).getShape()[0], columns = typeOf(c).getShape()[1];
  int64_t microX = e.microX, microY = e.microY;
  SmallVector<int64_t> tiled{rows / microX, columns / microY, microX, microY};
  llvm::ArrayRef<int64_t> have = typeOf(into).getShape();
  bool isTiled = have == llvm::ArrayRef(tiled);
  const Argument &pidM = argument(*call, "pid_m"), &pidN = argument(*call, "pid_n");
  bool isMatrix = have.size() == 2 && (pidM.expr || (have[0] == rows && have[1] == columns));
  if (!isTiled && !isMatrix) {
    fail(DiagId::EmitterResult, to.span, to.region->buffer->name, shapeText(have), shapeText(tiled),
         rows, columns);
    return false;
  }
  if (isMatrix) {
    // pid_m and pid_n count tiles of a global matrix.
    Value row = indexConstant(0, call->span), column = row;
    if (pidM.expr && pidN.expr) {
      Value m = index(pidM.expr), n = m ? index(pidN.expr) : nullptr;
      if (!n)
        return false;
      row = arith::MulIOp::create(b, loc, m, indexConstant(rows, call->span));
      column = arith::MulIOp::create(b, loc, n, indexConstant(columns, call->span));
    }
    int64_t shape[] = {rows, columns};
    auto type = tile::BufferType::get(&context, shape, typeOf(into).getElementType(),
                                      typeOf(into).getScope());
    Value part = tile::SubviewOp::create(b, loc, type, into, ValueRange{row, column},
                                         b.getDenseI64ArrayAttr({}));
    tile::CopyOp::create(b, loc, c, part, StringAttr());
    return true;
  }
  return overTile(typeOf(c).getShape(), call->span, [&](llvm::ArrayRef<Value> i) {
    Value v = tile::LoadOp::create(b, loc, scalarType(from.region->buffer->type), c, ValueRange(i),
                                   FloatAttr());
    v = cast(v, from.region->buffer->type, to.region->buffer->type, loc);
    auto split = [&](Value x, int64_t by) {
      Value size = indexConstant(by, call->span);
      return std::pair<Value, Value>(arith::DivUIOp::create(b, loc, x, size),
                                     arith::RemUIOp::create(b, loc, x, size));
    };
    auto [row, inRow] = split(i[0], microX);
    auto [column, inColumn] = split(i[1], microY);
    tile::StoreOp::create(b, loc, v, into, ValueRange{row, column, inRow, inColumn});
    return true;
  });
}

} // namespace tilec
