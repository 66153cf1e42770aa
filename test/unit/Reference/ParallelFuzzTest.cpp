//===- ParallelFuzzTest.cpp - chunks and reductions change no result ------===//
//
// Random parallel nests over integers, where every order of additions is exact, run
// three ways: in chunks, one iteration after the other, and without reductions. All
// must give the same bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

#include "Compile.h"
#include "ParallelPlan.h"

#include <random>

using namespace tilec;
using namespace tilec::test;

namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  std::string program() {
    // 40 x 7 iterations: three chunks, the last one not full.
    block(0, 2 + pick(3));
    return "tile.program @p {\n" + tensor("A", type) + tensor("B", type) + tensor("C", type) +
           "  %one = arith.constant 1 : index\n  tile.kernel \"k\" grid(%one) threads(32) {\n"
           "  ^bb0(%bx: index):\n    %c0 = arith.constant 0 : index\n"
           "    %c1 = arith.constant 1 : index\n    %c3 = arith.constant 3 : index\n"
           "    %c7 = arith.constant 7 : index\n    %c40 = arith.constant 40 : index\n"
           "    tile.parallel (%i, %j) in (%c40, %c7) {\n"
           "      %p = tile.alloc \"p\" : !tile.buffer<[2], i32, local>\n"
           "      %i0 = arith.constant 0 : i32\n"
           "      tile.fill %i0, %p : i32, !tile.buffer<[2], i32, local>\n" +
           text + "    }\n  }\n}\n";
  }

private:
  int pick(int n) { return int(random() % uint64_t(n)); }
  std::string fresh() { return "%v" + std::to_string(next++); }
  void line(const std::string &statement) { text += "      " + statement + "\n"; }
  std::string emit(const std::string &expression) {
    std::string name = fresh();
    line(name + " = " + expression);
    return name;
  }

  /// Mostly indices that tell iterations apart, sometimes others.
  std::string index() {
    switch (pick(7)) {
    case 0:
      return "%i";
    case 1:
      return "%j";
    case 2:
      return "%c" + std::string(pick(2) ? "0" : "3");
    case 3: {
      std::string sum = emit("arith.addi %j, %i : index");
      return sum;
    }
    case 4:
      return loops.empty() ? std::string("%i") : loops[pick(int(loops.size()))];
    default: {
      std::string row = emit("arith.muli %i, %c" + std::string(pick(5) ? "7" : "3") + " : index");
      return emit("arith.addi " + row + ", %j : index");
    }
    }
  }
  std::string place(std::string &buffer) {
    int which = pick(4);
    buffer = which == 3 ? "!tile.buffer<[2], i32, local>" : "!tile.buffer<" + type + ", global>";
    if (which == 3)
      return "%p[%c" + std::string(pick(2) ? "0" : "1") + "]";
    return std::string("%") + "ABC"[which] + "[" + index() + "]";
  }
  std::string value(int depth) {
    if (depth > 2 || pick(3) == 0) {
      switch (pick(3)) {
      case 0:
        return emit("arith.constant " + std::to_string(pick(20) - 10) + " : i32");
      case 1:
        return emit("arith.index_cast " + index() + " : index to i32");
      default: {
        std::string buffer, at = place(buffer);
        return emit("tile.load " + at + " : " + buffer + " -> i32");
      }
      }
    }
    static const char *const ops[] = {"addi", "subi", "muli", "maxsi", "minsi", "xori"};
    std::string a = value(depth + 1), b = value(depth + 1);
    return emit(std::string("arith.") + ops[pick(6)] + " " + a + ", " + b + " : i32");
  }
  void update() {
    std::string buffer, at = place(buffer);
    std::string old = emit("tile.load " + at + " : " + buffer + " -> i32"), e = value(1);
    static const char *const ops[] = {"addi", "subi", "addi", "maxsi", "minsi", "xori", "muli"};
    std::string op = ops[pick(7)];
    bool swapped = op != "subi" && pick(2);
    std::string combined =
        emit("arith." + op + " " + (swapped ? e + ", " + old : old + ", " + e) + " : i32");
    line("tile.store " + combined + ", " + at + " : i32, " + buffer);
  }
  void block(int depth, int statements) {
    for (int s = 0; s < statements; ++s)
      statement(depth);
  }
  void nested(const std::string &head, const std::string &iv, int depth) {
    line(head + " {");
    loops.push_back(iv);
    block(depth + 1, 1 + pick(2));
    loops.pop_back();
    line("}");
  }
  void statement(int depth) {
    switch (depth < 2 ? pick(8) : pick(5)) {
    case 0: {
      std::string v = value(0), buffer, at = place(buffer);
      return line("tile.store " + v + ", " + at + " : i32, " + buffer);
    }
    case 5: {
      std::string iv = fresh();
      return nested("tile.for " + iv + " = %c0 to " + (pick(2) ? "%c3" : "%j") + " step %c1", iv,
                    depth);
    }
    case 6: {
      std::string iv = fresh();
      return nested("tile.parallel (" + iv + ") in (" + (pick(2) ? "%c3" : "%j") + ")", iv, depth);
    }
    case 7: {
      std::string a = value(1), b = value(1);
      std::string condition = emit("arith.cmpi slt, " + a + ", " + b + " : i32");
      line("scf.if " + condition + " {");
      block(depth + 1, 1 + pick(2));
      line("}");
      return;
    }
    default:
      return update();
    }
  }

  std::mt19937_64 random;
  std::string text, type = "[280], i32";
  std::vector<std::string> loops;
  int next = 0;
};

TEST(ReferenceParallelFuzz, AllWaysOfRunningAgree) {
  int together = 0, reductions = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    std::string text = Generator(seed).program();
    Program program(text);
    ASSERT_TRUE(program.module) << text;
    program.op().walk([&](tile::ParallelOp op) {
      if (op->getParentOfType<tile::ParallelOp>())
        return;
      reference::ParallelPlan plan = reference::planParallel(op);
      together += plan.mayRunTogether;
      reductions += !plan.reductions.empty();
    });
    std::vector<std::vector<uint8_t>> results;
    for (reference::CompileOptions options :
         {reference::CompileOptions{false, false}, {false, true}, {true, true}}) {
      Values a(DType::I32, {280}), b(DType::I32, {280}), c(DType::I32, {280});
      a.fill([](int64_t i) { return i % 23 - 11; });
      b.fill([](int64_t i) { return i % 17 - 5; });
      c.fill([](int64_t i) { return i; });
      program.tensor("A", a).tensor("B", b).tensor("C", c);
      auto unit = reference::compileProgram(program.op(), options);
      ASSERT_TRUE(bool(unit)) << llvm::toString(unit.takeError()) << text;
      llvm::Error error = reference::runUnit(**unit, program.op(), program.args, program.options);
      ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error)) << text;
      std::vector<uint8_t> all = a.bytes;
      all.insert(all.end(), b.bytes.begin(), b.bytes.end());
      all.insert(all.end(), c.bytes.begin(), c.bytes.end());
      results.push_back(std::move(all));
    }
    ASSERT_EQ(results[0], results[1]) << "with reductions, seed " << seed << text;
    ASSERT_EQ(results[0], results[2]) << "in chunks, seed " << seed << text;
  }
  // The test says something only when both kinds are there.
  EXPECT_GT(together, 100);
  EXPECT_GT(reductions, 100);
}

} // namespace
