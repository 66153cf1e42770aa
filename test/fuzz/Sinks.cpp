//===- Sinks.cpp - every tile is seen in a tensor -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

namespace tilec::fuzz {

namespace {
/// Rows of fewer elements are short, see sinkShortRows.
constexpr int64_t minRow = 8;
} // namespace

void Generator::sink(Tile &t) {
  if (!t.isReady)
    return;
  if (isFull(t))
    return sinkFull(t);
  sinkVector(t);
}

void Generator::sinkFull(Tile &t) {
  if (rng.percent(isInteger(t.type) ? 40 : 20) && bitsOf(t.type) >= 16)
    return atomicSink(t);
  // Another float dtype costs a rounding, which is fine at the end.
  DType type = isFloat(t.type) && t.type != DType::F64 && t.type != DType::E8M0 && rng.percent(30)
                   ? rng.pick({DType::F32, DType::F16, DType::BF16, DType::F64})
                   : t.type;
  if (t.facts.mag() > safeMagnitude(type))
    type = t.type;
  std::string shape = "(" + m + ", " + n + ")";
  bool isWorkspace = !isLastLaunch && rng.percent(50) && !isDynamic;
  std::string name;
  Facts facts = stored(t.facts, type);
  if (isWorkspace) {
    auto tensor = std::make_unique<Tensor>();
    tensor->name = name = fresh("W");
    tensor->type = type;
    tensor->facts = facts;
    workspaces.push_back(name + " = T.alloc_global(" + shape + ", " + quoted(type) + ")");
    tensors.push_back(std::move(tensor));
  } else {
    Tensor &out = output(type, shape, false);
    out.facts = facts;
    name = out.name;
  }
  std::string box = name + "[" + rowBase + ", " + colBase + "]";
  switch (rng.below(3)) {
  case 0: {
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    std::string place = name + "[" + rowBase + " + i, " + colBase + " + j]";
    if (rng.percent(30)) {
      Suite guard(*this, "if " + rowBase + " + i < " + m + " and " + colBase + " + j < " + n + ":");
      line(place + " = " + t.name + "[i, j]");
    } else {
      line(place + " = " + t.name + "[i, j]");
    }
    break;
  }
  case 1:
    line("T.copy(" + t.name + ", " + name + "[" + rowBase + ":" + rowBase + " + " + p + ", " +
         colBase + ":" + colBase + " + " + q + "])");
    break;
  default:
    line("T.copy(" + t.name + ", " + box + ")");
  }
  // Blocks of this launch must not read what others of it write.
  if (!isLastLaunch)
    readable.push_back(tensors.back().get());
}

/// What is not exact in rows of few elements. The rule takes the error that a row may have from its
/// largest one between two runs of the reference, which says little about a sum that cancels when
/// there are few: the tile is one row, or rounded.
void Generator::sinkShortRows(Tile &t) {
  int64_t count = 1;
  for (int64_t size : t.shape)
    count *= size;
  std::string grid = isDynamic ? "T.ceildiv(" + m + ", " + p + ")" : std::to_string(gm);
  DType type = count < minRow ? DType::BF16 : t.type;
  Tensor &out = output(
      type, "(" + grid + ", " + std::to_string(gn) + ", " + std::to_string(count) + ")", false);
  bool isVector = t.shape.size() == 1;
  Suite loop(*this, isVector ? "for i in T.Parallel(" + std::to_string(count) + "):"
                             : "for i, j in T.Parallel(" + std::to_string(t.shape[0]) + ", " +
                                   std::to_string(t.shape[1]) + "):");
  line(out.name + "[" + by + ", " + bx + ", " +
       (isVector ? "i" : "i * " + std::to_string(t.shape[1]) + " + j") + "] = " + t.name +
       (isVector ? "[i]" : "[i, j]"));
}

/// Vectors and tiles of other shapes: one box of the output for every block.
void Generator::sinkVector(Tile &t) {
  if (!t.facts.exact && t.shape.back() < minRow)
    return sinkShortRows(t);
  std::string extents, zeros, slices;
  for (int64_t size : t.shape) {
    extents += ", " + std::to_string(size);
    zeros += ", 0";
    slices += ", 0:" + std::to_string(size);
  }
  std::string grid = "T.ceildiv(" + m + ", " + p + ")";
  if (!isDynamic)
    grid = std::to_string(gm);
  Tensor &out = output(t.type, "(" + grid + ", " + std::to_string(gn) + extents + ")", false);
  switch (rng.below(3)) {
  case 0:
    line("T.copy(" + t.name + ", " + out.name + "[" + by + ", " + bx + zeros + "])");
    break;
  case 1:
    line("T.copy(" + t.name + ", " + out.name + "[" + by + ", " + bx + slices + "])");
    break;
  default: {
    bool isVector = t.shape.size() == 1;
    std::string index = isVector ? "i" : "i, j";
    Suite loop(*this, "for " + index + " in T.Parallel(" + extents.substr(2) + "):");
    line(out.name + "[" + by + ", " + bx + ", " + index + "] = " + t.name + "[" + index + "]");
  }
  }
}

/// Atomic updates: exact in any order.
void Generator::atomicSink(Tile &t) {
  bool isFloating = isFloat(t.type);
  if (!isFloating && t.type != DType::I32 && t.type != DType::U32)
    return;
  // One update an element onto zero; where it is exact, several.
  Tensor &out = output(
      isFloating ? (t.type == DType::F16 || t.type == DType::BF16 ? t.type : DType::F32) : t.type,
      "(" + m + ", " + n + ")", true);
  std::string place = out.name + "[" + rowBase + " + i, " + colBase + " + j]";
  std::string box = out.name + "[" + rowBase + ", " + colBase + "]";
  std::string element = t.name + "[i, j]";
  auto loop = [&] { return "for i, j in T.Parallel(" + p + ", " + q + "):"; };
  int64_t roll = spread("atomic", isFloating ? 5 : 8);
  if (roll == 0) {
    line("T.atomic_add(" + box + ", " + t.name + ")");
  } else if (roll == 1) {
    Suite s(*this, loop());
    line("T.atomic_add(" + place + ", " + element +
         (rng.percent(30) ? ", memory_order=\"relaxed\")" : ")"));
  } else if (roll <= 3 && t.type == DType::F32) {
    int64_t lanes = roll == 2 ? 2 : 4;
    if (Q % lanes || N % lanes) {
      line("T.atomic_add(" + box + ", " + t.name + ")");
      return;
    }
    Suite s(*this, "for i, j in T.Parallel(" + p + ", " + std::to_string(Q / lanes) + "):");
    std::string width = std::to_string(lanes);
    line("T.atomic_addx" + width + "(" + out.name + "[" + rowBase + " + i, " + colBase + " + j * " +
         width + "], " + t.name + "[i, j * " + width + "])");
  } else if (roll == 4 && t.type == DType::F32) {
    Suite s(*this, loop());
    line("T.atomic_" + rng.pick({std::string("max"), std::string("min")}) + "(" + place + ", " +
         element + ")");
  } else if (!isFloating) {
    // Many updates of few counters.
    Suite s(*this, loop());
    line("T.atomic_" + spreadName("counter", {"or", "add", "or", "max", "or", "min"}) + "(" +
         out.name + "[(" + rowBase + " + i) % 3, j % 2], " + element + ")");
  } else {
    line("T.atomic_add(" + box + ", " + t.name + ")");
  }
}

/// Old values of updates: an iteration sees its own.
void Generator::atomicOldValues() {
  DType type = rng.pick({DType::I32, DType::F32, DType::U32});
  std::string shape = "(" + m + ", " + n + ")";
  Tensor &from = input(type, shape, true);
  Tensor &to = output(type, shape, true), &seen = output(type, shape, false);
  std::string place = "[" + rowBase + " + i, " + colBase + " + j]";
  std::string order = rng.percent(40) ? ", memory_order=\"relaxed\"" : "";
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  line("before = T.atomic_add(" + to.name + place + ", " + from.name + place + order +
       ", return_prev=True)");
  line("between = T.atomic_" + rng.pick({std::string("max"), std::string("min")}) + "(" + to.name +
       place + ", 2, return_prev=True)");
  line(seen.name + place + " = before * 3 + between");
}

/// Counters in shared memory that all lanes update.
void Generator::sharedCounters() {
  DType type = rng.pick({DType::I32, DType::U32});
  std::vector<Expr> leaves = leavesFor({P, Q}, nullptr);
  Expr e = intExpr(DType::I32, leaves, 1);
  int64_t count = rng.between(2, 9);
  Tile &t = alloc(true, type, {count});
  std::string op = rng.pick({std::string("add"), std::string("max"), std::string("or")});
  if (!t.isShared)
    return;
  line("T.clear(" + t.name + ")");
  {
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    line("T.atomic_" + op + "(" + t.name + "[" + e.text + " % " + std::to_string(count) +
         "], T.cast(i * 5 + j, " + quoted(type) + "))");
  }
  t.facts = {0, maxValue(type), true, 0, 1};
  t.isReady = true;
}

void Generator::atomicLoadStore() {
  DType type = rng.pick({DType::I32, DType::F32});
  Tensor &from = input(type, "(" + m + ", " + n + ")", true);
  Tensor &to = output(type, "(" + m + ", " + n + ")", true);
  std::string place = "[" + rowBase + " + i, " + colBase + " + j]";
  Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
  if (rng.percent(50)) {
    line("T.atomic_store(" + to.name + place + ", " + from.name + place + ")");
  } else {
    line("got = T.atomic_load(" + from.name + place + ")");
    line("T.atomic_store(" + to.name + place + ", got)");
  }
}

} // namespace tilec::fuzz
