//===- Emitters.cpp - TensorCoreIntrinEmitter calls -----------------------===//
//
// A local array that only emitter calls, T.clear and T.fill use is an opaque fragment
// (docs/language/threads.md). Together the threads' arrays hold a tile of the
// block: A is [rows, micro_k], B is [columns, micro_k], C is [rows, columns]. So the
// calls are copies and a gemm on fragments of these shapes, on every target.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::Emitter;
using script::IntrinsicId;
using script::StmtKind;

namespace {

// Upstream's macro generators: M_DIM = 16, n_dim = 16, 32 lanes, and k_dim is 256
// bits of elements.
constexpr int64_t microX = 16, microY = 16;
/// Of the formula for the lengths of arrays, whatever waves the target has; that for matrix cores
/// counts 64 lanes.
int64_t lanesOf(const Emitter &e) { return e.isMatrixCore ? 64 : 32; }

/// Of one step: `k_pack` instructions along K.
int64_t microK(const Emitter &e) { return e.kPack * 256 / static_cast<int64_t>(bitsOf(e.aType)); }

struct TileShapes {
  SmallVector<int64_t, 2> a, b, c;
  int64_t lengthA, lengthB, lengthC;
};

TileShapes shapesOf(const Emitter &e) {
  int64_t rows = e.blockRowWarps * e.warpRowTiles, columns = e.blockColWarps * e.warpColTiles;
  int64_t lanes = lanesOf(e), k = microK(e), warpRows = e.warpRowTiles / microX,
          warpColumns = e.warpColTiles / microY;
  TileShapes s;
  s.a = e.aTransposed ? SmallVector<int64_t, 2>{k, rows} : SmallVector<int64_t, 2>{rows, k};
  s.b = e.bTransposed ? SmallVector<int64_t, 2>{columns, k} : SmallVector<int64_t, 2>{k, columns};
  s.c = {rows, columns};
  s.lengthA = warpRows * microX * k / lanes;
  s.lengthB = warpColumns * microY * k / lanes;
  s.lengthC = warpRows * warpColumns * microX * microY / lanes;
  return s;
}

tile::BufferType typeOf(Value buffer) { return cast<tile::BufferType>(buffer.getType()); }

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
    if (!t || t->call->id < IntrinsicId::EmitterLdmatrixA ||
        t->call->id > IntrinsicId::EmitterStmatrix)
      continue;
    const Emitter &e = *argument(*t->call, "emitter").emitter;
    if (e.warpRowTiles % microX || e.warpColTiles % microY || e.chunk % microK(e)) {
      fail(DiagId::EmitterTiles, e.span, e.warpRowTiles, e.warpColTiles, e.chunk, microX, microY,
           microK(e));
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
  int64_t k = microK(e);
  switch (call->id) {
  case IntrinsicId::EmitterLdmatrixA:
  case IntrinsicId::EmitterLdmatrixB: {
    bool isA = call->id == IntrinsicId::EmitterLdmatrixA;
    bool kFirst = isA ? e.aTransposed : !e.bTransposed;
    Value into = local(isA ? "A_local" : "B_local");
    const Argument &from = argument(*call, isA ? "A_shared" : "B_shared");
    const Argument &ki = argument(*call, "ki");
    Value shared = matrix(from), step = ki.expr ? index(ki.expr) : nullptr;
    if (!into || !shared || !step)
      return false;
    SmallVector<int64_t> shape(typeOf(into).getShape());
    llvm::ArrayRef<int64_t> have = typeOf(shared).getShape();
    unsigned kDim = kFirst ? 0 : 1;
    if (have[1 - kDim] != shape[1 - kDim] || have[kDim] % k) {
      fail(DiagId::EmitterShared, from.span, from.region->buffer->name, shapeText(have),
           shapeText(shape));
      return false;
    }
    Value zero = indexConstant(0, call->span);
    Value at0 = arith::MulIOp::create(b, loc, step, indexConstant(k, call->span));
    SmallVector<Value> offsets =
        kFirst ? SmallVector<Value>{at0, zero} : SmallVector<Value>{zero, at0};
    auto type = tile::BufferType::get(&context, shape, typeOf(shared).getElementType(),
                                      typeOf(shared).getScope());
    Value part = tile::SubviewOp::create(b, loc, type, shared, offsets, b.getDenseI64ArrayAttr({}));
    tile::CopyOp::create(b, loc, part, into, StringAttr());
    return true;
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
  int64_t rows = typeOf(c).getShape()[0], columns = typeOf(c).getShape()[1];
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
