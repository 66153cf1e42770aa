//===- Transforms.cpp - statements that change tiles ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>

namespace tilec::fuzz {

void Generator::transform() {
  struct Row {
    int weight;
    void (Generator::*make)();
  };
  static constexpr Row rows[] = {
      {26, &Generator::elementwise},    {22, &Generator::reduceTile},
      {6, &Generator::parallelReduce},  {8, &Generator::scan},
      {5, &Generator::transposeTile},   {7, &Generator::serialUpdates},
      {7, &Generator::branch},          {7, &Generator::reducer},
      {6, &Generator::anyAll},          {6, &Generator::variable},
      {5, &Generator::whileLoop},       {8, &Generator::viewTile},
      {5, &Generator::macroCall},       {7, &Generator::moveTile},
      {4, &Generator::fillSlice},       {5, &Generator::vectorizedRows},
      {5, &Generator::privateArray},    {4, &Generator::tileGemm},
      {6, &Generator::unrolledList},    {7, &Generator::debugCalls},
      {6, &Generator::atomicLoadStore}, {3, &Generator::atomicOldValues},
      {3, &Generator::sharedCounters},
  };
  int total = 0;
  for (const Row &row : rows)
    total += row.weight;
  int64_t roll = spread("transform", total);
  for (const Row &row : rows)
    if ((roll -= row.weight) < 0)
      return (this->*row.make)();
}

void Generator::elementwise() {
  Tile *old = rng.percent(35) ? pickTile([&](const Tile &t) { return isFull(t); }) : nullptr;
  if (old && old->type != DType::E8M0)
    return elementwiseInto(*old, true);
  elementwiseInto(fullTile(anyType(), rng.percent(45)), false);
}

void Generator::elementwiseInto(Tile &dst, bool isUpdate) {
  std::vector<Expr> leaves = leavesFor(dst.shape, &dst);
  Expr e = value(dst.type, leaves, 3);
  std::string width = rng.percent(4) ? ", coalesced_width=4" : "";
  bool isNested = rng.percent(12);
  std::string head = rng.percent(85) ? "T.Parallel" : "T.parallel";
  std::string place = dst.name + "[i, j]";
  auto body = [&] {
    if (rng.percent(15)) {
      // A private name of the iteration, and a branch of the iteration.
      line("x = " + e.text);
      Suite branch(*this, "if " + condition(leaves, 1).text + ":");
      line(place + " = x");
      --depth;
      line("else:");
      ++depth;
      Expr other = value(dst.type, leaves, 1);
      line(place + " = " + other.text);
      e.facts = stored(e.facts, dst.type).hull(stored(other.facts, dst.type));
      return;
    }
    line(place + " = " + e.text);
  };
  if (isNested) {
    Suite outer(*this, "for i in " + head + "(" + p + "):");
    Suite inner(*this, "for j in T.Parallel(" + q + "):");
    body();
  } else {
    Suite loop(*this, "for i, j in " + head + "(" + p + ", " + q + width + "):");
    body();
  }
  dst.facts = stored(e.facts, dst.type);
  dst.isReady = true;
}

/// An in-place change that any number of repetitions keeps in range.
void Generator::update(Tile &dst, const std::vector<Expr> &extra) {
  std::vector<Expr> leaves = leavesFor(dst.shape, &dst);
  leaves.insert(leaves.end(), extra.begin(), extra.end());
  bool isVector = dst.shape.size() == 1;
  std::string place = dst.name + (isVector ? "[i]" : "[i, j]");
  Suite loop(*this, isVector ? "for i in T.Parallel(" + std::to_string(dst.shape[0]) + "):"
                             : "for i, j in T.Parallel(" + p + ", " + q + "):");
  std::erase_if(leaves, [&](const Expr &e) { return e.text == place; });
  if (!isFloat(dst.type)) {
    Expr e = intExpr(dst.type == DType::Bool ? DType::I32 : dst.type, leaves, 1);
    if (dst.type == DType::Bool)
      line(place + " = (" + e.text + " % 3 == 0)");
    else
      line(place + " = " + place +
           rng.pick({std::string(" + "), std::string(" ^ "), std::string(" - ")}) + e.text);
    if (dst.type != DType::Bool)
      dst.facts = {minValue(dst.type), maxValue(dst.type), true, 0, 1};
    return;
  }
  Expr e = bounded(exactFloat(leaves, 1), 4);
  std::string old = dst.type == DType::F32 ? place : "T.cast(" + place + ", \"float32\")";
  if (!dst.facts.exact || dst.type == DType::E8M0) // what devices disagree on is only compared
    line(place + " = " +
         (dst.type == DType::E8M0 ? place : "T.max(" + old + ", " + number(dst.facts.lo) + ")"));
  else
    line(place + " = " + old + " * 0.5 + " + e.text);
  if (dst.facts.exact) {
    double mag = std::max(dst.facts.mag(), 8.0) + 1;
    dst.facts = {-mag, mag, true, 0, 0};
  }
}

void Generator::transposeTile() {
  Tile *t = pickTile([&](const Tile &t) { return isFull(t); });
  if (!t)
    return;
  Tile &out = alloc(rng.percent(50), t->type, {Q, P});
  if (rng.percent(75)) {
    line("T.transpose(" + t->name + ", " + out.name + ")");
  } else {
    Suite loop(*this, "for i, j in T.Parallel(" + q + ", " + p + "):");
    line(out.name + "[i, j] = " + t->name + "[j, i]");
  }
  out.facts = t->facts;
  out.isReady = true;
}

void Generator::moveTile() {
  Tile *t = pickTile([&](const Tile &t) { return t.shape.size() <= 2; });
  if (!t)
    return;
  DType type = isInteger(t->type) && rng.percent(30) ? intType()
               : !isFloat(t->type) || t->facts.ulps > 0 || rng.percent(60) || t->type == DType::E8M0
                   ? t->type
                   : floatType();
  if (bounded({"", DType::F32, t->facts}, safeMagnitude(type)).facts.mag() < t->facts.mag())
    type = t->type;
  bool isSliced = t->shape.size() == 2 && t->shape[0] > 1 && rng.percent(40);
  Tile &out = alloc(rng.percent(50), type, t->shape);
  if (isSliced) {
    std::string half = std::to_string(t->shape[0] / 2), all = std::to_string(t->shape[0]);
    for (const std::string &rows : {"0:" + half, half + ":" + all})
      line("T.copy(" + t->name + "[" + rows + ", :], " + out.name + "[" + rows +
           ", 0:" + std::to_string(t->shape[1]) + "])");
  } else {
    line("T.copy(" + t->name + ", " + out.name + ")");
  }
  out.facts = stored(t->facts, type);
  out.isReady = true;
}

void Generator::fillSlice() {
  Tile *t = pickTile(
      [&](const Tile &t) { return isFull(t) && t.type != DType::E8M0 && t.type != DType::Bool; });
  if (!t || P < 2)
    return;
  int64_t at = rng.below(P - 1), v = rng.between(0, 4);
  std::string slice =
      t->name + "[" + std::to_string(at) + ":" + std::to_string(at + 2) + ", 0:" + q + "]";
  line(rng.percent(50) ? "T.fill(" + slice + ", " + std::to_string(v) + ")"
                       : "T.clear(" + slice + ")");
  t->facts = t->facts.hull({0, double(v), true, 0, 1});
}

/// Rows in order, columns by vectors.
void Generator::vectorizedRows() {
  if (Q % 4)
    return;
  DType type = rng.pick({DType::F32, DType::F16, DType::I32, DType::U8, DType::I4, DType::E2M1});
  Tile &dst = fullTile(type, rng.percent(50));
  std::vector<Expr> leaves = leavesFor(dst.shape, &dst);
  // The column has another name here: whole tiles at (i, j) only.
  std::erase_if(leaves, [](const Expr &e) { return e.text == "j"; });
  Expr e = value(type, leaves, 1);
  {
    Suite outer(*this, "for i, jo in T.Parallel(" + p + ", " + std::to_string(Q / 4) + "):");
    Suite inner(*this, "for v in T." +
                           rng.pick({std::string("vectorized"), std::string("Vectorized"),
                                     std::string("vectorized")}) +
                           "(4):");
    line("j = jo * 4 + v");
    line(dst.name + "[i, j] = " + e.text);
  }
  dst.facts = stored(e.facts, type);
  dst.isReady = true;
}

/// An array of the iteration.
void Generator::privateArray() {
  Tile &dst = fullTile(DType::F32, rng.percent(40));
  std::vector<Expr> leaves = leavesFor(dst.shape, &dst);
  Expr e = bounded(exactFloat(leaves, 1), 100);
  std::string name = fresh("own");
  {
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    line(name + " = T.alloc_local((4,), \"float32\")");
    {
      Suite inner(*this, "for t in T." +
                             rng.pick({std::string("serial"), std::string("unroll"),
                                       std::string("vectorized")}) +
                             "(4):");
      line(name + "[t] = " + e.text + " + t");
    }
    line(dst.name + "[i, j] = " + name + "[" + std::to_string(rng.below(4)) + "] - " + name +
         "[1] * 0.5");
  }
  dst.facts = {-200, 200, true, 0, 0};
  dst.isReady = true;
}

void Generator::macroCall() {
  Tile *t = pickTile(
      [&](const Tile &t) { return isFull(t) && t.type == DType::F32 && t.facts.ulps == 0; });
  if (!t)
    return;
  std::string name = fresh("scale_add");
  std::string scale = number(double(rng.between(1, 4)) / 4),
              shift = number(double(rng.between(-4, 4)) / 2);
  macros += "@T.macro\ndef " + name + "(tile, rows, columns, scale=" + scale +
            "):\n"
            "    for i, j in T.Parallel(rows, columns):\n"
            "        tile[i, j] = tile[i, j] * scale + " +
            shift + "\n\n";
  line(name + "(" + t->name + ", " + p + ", " + q + (rng.percent(40) ? ", scale=0.25" : "") + ")");
  double mag = t->facts.mag() + 4;
  t->facts = {-mag, mag, t->facts.exact, 0, 0};
}

/// A loop over a list is unrolled when the kernel is traced.
void Generator::unrolledList() {
  Tile *t =
      pickTile([&](const Tile &t) { return isFull(t) && t.type == DType::F32 && t.facts.exact; });
  if (!t)
    return;
  Suite list(*this, "for c in [0.5, 0.25, " + std::to_string(rng.between(1, 2)) + "]:");
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  line(t->name + "[i, j] = " + t->name + "[i, j] * c + c");
  double mag = t->facts.mag() + 4;
  t->facts = {-mag, mag, true, 0, 0};
}

/// What is only seen while debugging changes nothing.
void Generator::debugCalls() {
  if (rng.percent(60))
    line("T.print(" + std::string(rng.percent(50) ? by + ", " : "") + "msg=\"here\")");
  if (rng.percent(70))
    line("T.device_assert(" + by + " >= 0" + (rng.percent(50) ? ", \"block\"" : "") + ")");
}

} // namespace tilec::fuzz
