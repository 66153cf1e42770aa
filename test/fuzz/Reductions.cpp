//===- Reductions.cpp - reductions, scans, reducers, block-wide values ----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace tilec::fuzz {
namespace {

/// Facts of a sum of `count` values.
Facts sumFacts(const Facts &f, int64_t count) {
  Facts out{std::min(f.lo, 0.0) * double(count), std::max(f.hi, 0.0) * double(count), false, 0, 0};
  if (f.exact && f.step > 0 && out.mag() / f.step < 1 << 24) {
    out.exact = true; // in every order
    out.step = f.step;
  }
  return out;
}

/// Whether sums of it mean anything: devices agree on the terms up to a few
/// ulps.
bool canSum(const Tile &t, int64_t count) {
  return t.facts.ulps == 0 && t.facts.mag() * double(count) < 1e5;
}

} // namespace

void Generator::reduceTile() {
  Tile *t = pickTile([&](const Tile &t) {
    return t.shape.size() == 2 && t.type != DType::E8M0 && t.type != DType::Bool &&
           t.facts.ulps == 0;
  });
  // Integers have more kinds of reductions than there are tiles of them.
  Tile *integers = pickTile([](const Tile &t) { return t.shape.size() == 2 && isInteger(t.type); });
  if (integers && rng.percent(65))
    t = integers;
  if (!t && rng.percent(60))
    t = &loadTile(intType());
  if (!t)
    return;
  int64_t dim = rng.percent(65) ? 1 : 0, count = t->shape[dim];
  bool isFloating = isFloat(t->type);
  std::string kind =
      isFloating
          ? spreadName("float reduction", {"sum", "max", "absmax", "min", "abssum", "absmax"})
          : spreadName("integer reduction", {"bitand", "sum", "bitor", "max", "bitxor", "min",
                                             "bitand", "bitor", "bitxor"});
  bool isSum = kind == "sum" || kind == "abssum";
  if (isSum && isFloating && !canSum(*t, count))
    kind = "absmax", isSum = false;
  // Sums of narrow floats are kept wide, so that later statements may use them.
  DType type = isFloating && isSum && t->type != DType::F64 ? DType::F32 : t->type;
  std::vector<int64_t> shape = {t->shape[1 - dim]};
  if (rng.percent(20))
    shape = dim == 1 ? std::vector<int64_t>{t->shape[0], 1} : std::vector<int64_t>{1, t->shape[1]};
  Tile &out = alloc(rng.percent(25), type, shape);
  bool clears = kind == "abssum" || rng.percent(60);
  int64_t init = rng.between(0, 3);
  if (!clears)
    line("T.fill(" + out.name + ", " + std::to_string(init) + ")");
  std::string dimText = dim == 1 && rng.percent(30) ? (rng.percent(50) ? "" : ", dim=-1")
                                                    : ", dim=" + std::to_string(dim);
  std::string tail =
      clears ? (rng.percent(20) && kind != "abssum" ? ", clear=True" : "") : ", clear=False";
  if ((kind == "max" || kind == "min" || kind == "absmax") && rng.percent(30))
    tail += ", nan_propagate=True";
  bool isGeneric = rng.percent(14) && kind != "abssum";
  line(isGeneric ? "T.reduce(" + t->name + ", " + out.name + ", \"" + kind +
                       "\", dim=" + std::to_string(dim) + tail + ")"
                 : "T.reduce_" + kind + "(" + t->name + ", " + out.name + dimText + tail + ")");
  if (!isFloating) {
    out.facts = {minValue(type), maxValue(type), true, 0, 1};
  } else {
    Facts f = t->facts;
    if (kind[0] == 'a')
      f = {0, f.mag(), f.exact, 0, f.step};
    out.facts = isSum ? sumFacts(f, count) : f;
    if (!clears)
      out.facts =
          out.facts.hull({out.facts.lo, out.facts.hi + double(init), out.facts.exact, 0, 1});
    out.facts = stored(out.facts, type);
  }
  out.isReady = true;
}

/// Reductions that are written as loops.
void Generator::parallelReduce() {
  Tile *t = pickTile([&](const Tile &t) {
    return isFull(t) && (t.type == DType::F32 || t.type == DType::I32 || t.type == DType::F16) &&
           canSum(t, Q);
  });
  if (!t)
    return;
  bool isInt = t->type == DType::I32, isMax = rng.percent(35), isSerial = rng.percent(30);
  DType type = isInt ? DType::I32 : DType::F32;
  Tile &out = alloc(rng.percent(30), type, {P});
  std::string name = isInt ? "T.int32" : "T.float32";
  std::string element = isInt ? t->name + "[i, j]" : "T.cast(" + t->name + "[i, j], \"float32\")";
  {
    Suite rows(*this, "for i in T.Parallel(" + p + "):");
    line("total = " + name + "(" + (isInt ? "0" : "0.0") + ")");
    {
      Suite columns(*this,
                    isSerial ? "for j in T.serial(" + q + "):" : "for j in T.Parallel(" + q + "):");
      line(isMax ? "total = T.max(total, " + element + ")" : "total += " + element);
    }
    line(out.name + "[i] = total");
  }
  out.facts = isMax ? t->facts.withZero() : sumFacts(t->facts, Q);
  if (isInt)
    out.facts = {minValue(type), maxValue(type), true, 0, 1};
  out.isReady = true;
}

void Generator::scan() {
  bool isMax = rng.percent(40);
  Tile *t = pickTile([&](const Tile &t) {
    return t.shape.size() <= 2 && t.type != DType::Bool && t.type != DType::E8M0 &&
           t.facts.ulps == 0 &&
           (isMax || !isFloat(t.type) || (t.type == DType::F32 && canSum(t, std::max(P, Q))));
  });
  if (!t)
    return;
  int64_t dim = rng.below(static_cast<int64_t>(t->shape.size()));
  Tile *out = t;
  // The lowering stages a scan in two shared tiles.
  int64_t bytes = 8;
  for (int64_t size : t->shape)
    bytes *= size;
  if (sharedBytes + bytes > 24 << 10)
    return;
  sharedBytes += bytes;
  std::string destination;
  if (rng.percent(50)) {
    out = &alloc(rng.percent(50), t->type, t->shape);
    destination = ", " + out->name;
  }
  line("T.cum" + std::string(isMax ? "max" : "sum") + "(" + t->name + destination +
       (dim == 0 && rng.percent(50) ? "" : ", dim=" + std::to_string(dim)) +
       (rng.percent(30) ? ", reverse=True" : "") + ")");
  Facts f = t->facts;
  if (!isMax)
    f = isFloat(t->type) ? sumFacts(f, t->shape[dim])
                         : Facts{minValue(t->type), maxValue(t->type), true, 0, 1};
  out->facts = f;
  out->isReady = true;
}

void Generator::reducer() {
  bool isInt = rng.percent(40);
  DType type = isInt ? DType::I32 : DType::F32;
  std::string op =
      isInt ? spreadName("integer reducer", {"sum", "max", "min", "bitand", "bitor", "bitxor"})
            : rng.pick({"sum", "max", "min"});
  std::string name = fresh("red");
  line(name + " = T.alloc_reducer((" + p + ",), " + quoted(type) + ", op=\"" + op + "\"" +
       (rng.percent(35) ? ", replication=\"all\"" : "") + ")");
  line("T.reducer_init(" + name + ")");
  std::vector<Expr> leaves = leavesFor({P, Q}, nullptr);
  std::erase_if(leaves, [](const Expr &e) { return e.facts.ulps > 0 || e.facts.mag() > 200; });
  Expr e = isInt ? intExpr(type, leaves, 1) : bounded(exactFloat(leaves, 1), 100);
  {
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    line("T.reducer_update(" + name + "[i], " + e.text + ")");
  }
  Tile &out = alloc(rng.percent(30), type, {P});
  if (rng.percent(60)) {
    line("T.finalize_reducer(" + name + ", " + out.name + ")");
  } else {
    line("T.finalize_reducer(" + name + ")");
    line("T.copy(" + name + ", " + out.name + ")");
  }
  out.facts = isInt         ? Facts{minValue(type), maxValue(type), true, 0, 1}
              : op == "sum" ? sumFacts(e.facts, Q)
                            : e.facts;
  out.isReady = true;
}

/// A condition over a whole tile, as a value of later statements.
void Generator::anyAll() {
  Tile *t =
      pickTile([&](const Tile &t) { return isFull(t) && t.facts.exact && t.type == DType::Bool; });
  if (!t) {
    t = &fullTile(rng.percent(70) ? DType::Bool : DType::I32, rng.percent(50));
    std::vector<Expr> leaves = leavesFor(t->shape, t);
    Expr c = condition(leaves, 1);
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    line(t->name +
         "[i, j] = " + (t->type == DType::Bool ? c.text : "T.cast(" + c.text + ", \"int32\")"));
    t->facts = {0, 1, true, 0, 1};
    t->isReady = true;
  }
  std::string name = fresh("found");
  line(name + " = T." + spreadName("any", {"any_of", "all_of"}) + "(" + t->name + ")");
  scalars.push_back({name, DType::Bool, {0, 1, true, 0, 1}});
  Tile *other =
      pickTile([&](const Tile &o) { return isFull(o) && &o != t && o.type != DType::E8M0; });
  if (other && rng.percent(60)) {
    Suite then(*this, "if " + name + ":");
    Facts before = other->facts;
    update(*other, {});
    other->facts = other->facts.hull(before);
  }
}

} // namespace tilec::fuzz
