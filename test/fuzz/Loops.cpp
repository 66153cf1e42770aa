//===- Loops.cpp - loops and branches around updates ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Generator.h"

namespace tilec::fuzz {

void Generator::serialUpdates() {
  Tile *t = pickTile([&](const Tile &t) { return isFull(t) || t.shape.size() == 1; });
  if (!t || loopDepth > 1 || t->type == DType::E8M0)
    return;
  int64_t count = rng.between(2, 4);
  std::string name = fresh("r");
  std::string head = spreadName(
      "serial loop",
      {"range(" + std::to_string(count) + ")", "T.serial(" + std::to_string(count) + ")",
       "T.serial(1, " + std::to_string(count) + ")",
       "T.serial(0, " + std::to_string(2 * count) + ", 2)",
       "T.serial(" + std::to_string(count) + ", 0, -1)", "T.unroll(" + std::to_string(count) + ")",
       "T.Serial(" + std::to_string(count) + ")", "T.unroll(0, " + std::to_string(count) + ")",
       "T.grid(" + std::to_string(count) + ")", "T.grid(1, " + std::to_string(count) + ")"});
  bool isGrid2 = head.rfind("T.grid(1", 0) == 0;
  ++loopDepth;
  Suite loop(*this, "for " + std::string(isGrid2 ? "_, " : "") + name + " in " + head + ":");
  if (rng.percent(25)) {
    Suite skip(*this, "if " + rng.pick({name + " % 2 == 1", name + " == " + by}) + ":");
    line("continue");
  }
  update(*t, {{name, DType::I32, {0, 8, true, 0, 1}}});
  if (rng.percent(45)) {
    Suite stop(*this, "if " + rng.pick({name + " == 2", name + " > " + by}) + ":");
    line(spreadName("break", {"break", "T.loop_break()"}));
  }
  --loopDepth;
}

/// A branch of the whole block, at run time or when it is compiled.
void Generator::branch() {
  Tile *t = pickTile([&](const Tile &t) { return isFull(t) && t.type != DType::E8M0; });
  if (!t)
    return;
  Facts before = t->facts;
  std::string test;
  if (rng.percent(25) && style != Style::PrimFunc) {
    std::string name = fresh("flag");
    consts.push_back(name + " = " +
                     rng.pick({std::string("True"), std::string("False"), std::string("3")}));
    test = name;
  } else if (rng.percent(40)) {
    std::string name = scalarParam(DType::I32, std::to_string(rng.between(0, 3)));
    scalars.push_back({name, DType::I32, {0, 3, true, 0, 1}});
    test = name + " > 1";
  } else {
    test = rng.pick(std::vector<std::string>{by + " == 0", by + " % 2 == 1", by + " + 1 < 2",
                                             bx + " == 0 and " + by + " < 1"});
  }
  {
    Suite then(*this, "if " + test + ":");
    update(*t, {});
  }
  Facts after = t->facts.hull(before);
  t->facts = before;
  if (rng.percent(60)) {
    Suite otherwise(*this, rng.percent(30) ? "elif " + by + " == 1:" : "else:");
    update(*t, {});
  }
  t->facts = t->facts.hull(after);
}

/// A variable of the block.
void Generator::variable() {
  std::string name = fresh("var");
  bool isInt = rng.percent(60);
  line(name + " = T.alloc_var(" + (isInt ? "\"int32\"" : "\"float32\"") +
       rng.pick({std::string(", init="), std::string(", ")}) + (isInt ? "1" : "0.5") + ")");
  std::string times = std::to_string(rng.between(1, 4));
  if (rng.percent(60)) {
    Suite loop(*this, "for w in T.serial(" + times + "):");
    if (isInt)
      line(name + " = " + name + " * 2 + w + " + by);
    else
      line(name + " = " + name + " * 0.5 + w");
  } else {
    line(name + " += " + (isInt ? by : std::string("0.25")));
  }
  scalars.push_back({name,
                     isInt ? DType::I32 : DType::F32,
                     {0, isInt ? 300.0 : 12.0, true, 0, isInt ? 1.0 : 0.0}});
}

void Generator::whileLoop() {
  int64_t form = spread("while", 4);
  if (form == 0)
    return iterationWhile();
  Tile *t = pickTile([&](const Tile &t) { return isFull(t) && t.type != DType::E8M0; });
  if (!t || loopDepth > 1)
    return;
  std::string name = fresh("step");
  std::vector<Expr> extra = {{name, DType::I32, {0, 8, true, 0, 1}}};
  ++loopDepth;
  if (form == 1) {
    line(name + " = T.alloc_var(\"int32\", init=0)");
    Suite loop(*this, "while " + name + " < " + std::to_string(rng.between(2, 6)) + ":");
    update(*t, extra);
    line(name + " = " + name + " + 2");
  } else if (form == 2) {
    // Its end is data.
    Tensor &counts = input(DType::I32, "(4,)", false);
    line(name + " = T.alloc_var(\"int32\", init=0)");
    Suite loop(*this, "while " + name + " < " + counts.name + "[" + by + " % 4] % 4 and " + name +
                          " != 7:");
    line(name + " += 1");
    update(*t, extra);
  } else {
    line(name + " = T.alloc_var(\"int32\", init=0)");
    Suite loop(*this, "while True:");
    line(name + " += 1");
    if (rng.percent(40)) {
      Suite skip(*this, "if " + name + " == 2:");
      line("continue");
    }
    update(*t, extra);
    Suite stop(*this, "if " + name + " > " + std::to_string(rng.between(1, 4)) + ":");
    line(rng.percent(50) ? "break" : "T.loop_break()");
  }
  --loopDepth;
}

/// Every iteration goes as many rounds as its data says.
void Generator::iterationWhile() {
  Tile &dst = fullTile(DType::I32, rng.percent(40));
  std::vector<Expr> leaves = leavesFor(dst.shape, &dst);
  Expr e = intExpr(DType::I32, leaves, 1);
  {
    Suite loop(*this, "for i, j in T.Parallel(" + p + ", " + q + "):");
    line("x = " + e.text + " % 37 + " + std::to_string(rng.between(1, 4)));
    line("rounds = 0");
    {
      Suite inner(*this, "while x > 1:");
      if (rng.percent(40)) {
        Suite odd(*this, "if x % 2 == 1:");
        line("x = x - 1");
        line("continue");
      }
      line("x = x // 2");
      line("rounds = rounds + 1");
      if (rng.percent(50)) {
        Suite stop(*this, "if rounds > 2:");
        line("break");
      }
    }
    line(dst.name + "[i, j] = rounds * 64 + x");
  }
  dst.facts = {0, 64 * 6 + 41, true, 0, 1};
  dst.isReady = true;
}

} // namespace tilec::fuzz
