//===- ParallelTest.cpp - tile.parallel: chunks, reductions, nests --------===//
//
// Extents are above 128, so that a loop whose iterations run together has more than
// one chunk.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

#include "ParallelPlan.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Constants that the bodies below use.
const std::string constants = R"(
    %n = arith.constant 300 : index
    %m = arith.constant 7 : index
    %zero = arith.constant 0.0 : f32
    %fone = arith.constant 1.0 : f32
)";

struct Planned {
  bool together;
  size_t reductions;
  bool operator==(const Planned &) const = default;
};

Planned planOf(Program &program) {
  Planned planned{true, 0};
  program.op().walk([&](tile::ParallelOp op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    reference::ParallelPlan plan = reference::planParallel(op);
    planned.together &= plan.mayRunTogether;
    planned.reductions += plan.reductions.size();
  });
  return planned;
}

TEST(ReferenceParallel, IndependentIterationsRunTogether) {
  Program program(
      oneBlock(tensor("A", "[300, 7], f32") + tensor("B", "[300, 7], f32"), constants + R"(
    tile.parallel (%i, %j) in (%n, %m) {
      %a = tile.load %A[%i, %j] : !tile.buffer<[300, 7], f32, global> -> f32
      %b = arith.addf %a, %fone : f32
      tile.store %b, %B[%i, %j] : f32, !tile.buffer<[300, 7], f32, global>
      %c = tile.load %B[%i, %j] : !tile.buffer<[300, 7], f32, global> -> f32
      %d = arith.mulf %c, %c : f32
      tile.store %d, %B[%i, %j] : f32, !tile.buffer<[300, 7], f32, global>
    }
)"));
  Values a(DType::F32, {300, 7}), b(DType::F32, {300, 7});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{true, 0}));
  for (int64_t i = 0; i < 2100; ++i)
    ASSERT_EQ(b.at(i), (i + 1.0) * (i + 1.0));
}

// B[i + 1] = B[i] + 1: every iteration needs the one before.
TEST(ReferenceParallel, CarriedDependenceRunsInOrder) {
  Program program(oneBlock(tensor("B", "[301], f32"), constants + R"(
    tile.parallel (%i) in (%n) {
      %a = tile.load %B[%i] : !tile.buffer<[301], f32, global> -> f32
      %b = arith.addf %a, %fone : f32
      %next = arith.addi %i, %c1 : index
      tile.store %b, %B[%next] : f32, !tile.buffer<[301], f32, global>
    }
)"));
  Values b(DType::F32, {301});
  program.tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{false, 0}));
  for (int64_t i = 0; i <= 300; ++i)
    ASSERT_EQ(b.at(i), i);
}

// Flattened indices i * 7 + j tell iterations apart; i * 6 + j do not.
TEST(ReferenceParallel, MixedRadixIndices) {
  for (int factor : {7, 6}) {
    Program program(
        oneBlock(tensor("B", "[2100], f32"), constants + with(R"(
    %f = arith.constant $F : index
    tile.parallel (%i, %j) in (%n, %m) {
      %r = arith.muli %i, %f : index
      %at = arith.addi %r, %j : index
      %a = tile.load %B[%at] : !tile.buffer<[2100], f32, global> -> f32
      %b = arith.addf %a, %fone : f32
      tile.store %b, %B[%at] : f32, !tile.buffer<[2100], f32, global>
    }
)",
                                                              {{"F", std::to_string(factor)}})));
    Values b(DType::F32, {2100});
    program.tensor("B", b);
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(planOf(program), (Planned{factor == 7, 0}));
    std::vector<double> expected(2100, 0);
    for (int i = 0; i < 300; ++i)
      for (int j = 0; j < 7; ++j)
        expected[i * factor + j] += 1;
    ASSERT_EQ(b.all(), expected);
  }
}

// C[i] += A[i, j] in f16: rounded once, after the loop.
TEST(ReferenceParallel, SumIntoAFragmentRoundsOnce) {
  Program program(oneBlock(tensor("C", "[300], f16"), constants + R"(
    %s = tile.alloc "s" : !tile.buffer<[300], f16, fragment>
    %big = arith.constant 2048.0 : f32
    tile.fill %big, %s : f32, !tile.buffer<[300], f16, fragment>
    tile.parallel (%i, %j) in (%n, %m) {
      %a = tile.load %s[%i] : !tile.buffer<[300], f16, fragment> -> f32
      %b = arith.addf %fone, %a : f32
      tile.store %b, %s[%i] : f32, !tile.buffer<[300], f16, fragment>
    }
    tile.copy %s to %C : !tile.buffer<[300], f16, fragment>, !tile.buffer<[300], f16, global>
)"));
  Values c(DType::F16, {300});
  program.tensor("C", c);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{true, 1}));
  for (double value : c.all()) // 2055 is a tie of 2054 and 2056
    ASSERT_EQ(value, 2056);
  program.options.accumulate = ReferenceOptions::Accumulate::SequentialF32;
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(c.at(0), 2056); // 2048 + 7 is exact in f32, too
}

TEST(ReferenceParallel, SequentialModeRoundsEveryStepToF32) {
  Program program(oneBlock(tensor("C", "[1], f32"), constants + R"(
    %big = arith.constant 16777216.0 : f32
    tile.fill %big, %C : f32, !tile.buffer<[1], f32, global>
    tile.parallel (%i) in (%n) {
      %a = tile.load %C[%c0] : !tile.buffer<[1], f32, global> -> f32
      %b = arith.addf %a, %fone : f32
      tile.store %b, %C[%c0] : f32, !tile.buffer<[1], f32, global>
    }
)"));
  Values c(DType::F32, {1});
  program.tensor("C", c);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(c.at(0), 0x1p24 + 300);
  program.options.accumulate = ReferenceOptions::Accumulate::SequentialF32;
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(c.at(0), 0x1p24);
}

// x - e - e2, max, integer sums that wrap, and a sum of several terms.
TEST(ReferenceParallel, OtherReductions) {
  Program program(oneBlock(
      tensor("C", "[1], f32") + tensor("D", "[1], i8") + tensor("E", "[1], f32"), constants + R"(
    %hundred = arith.constant 100.0 : f32
    tile.fill %hundred, %C : f32, !tile.buffer<[1], f32, global>
    tile.fill %hundred, %E : f32, !tile.buffer<[1], f32, global>
    %c5 = arith.constant 5 : i8
    tile.fill %c5, %D : i8, !tile.buffer<[1], i8, global>
    tile.parallel (%i) in (%n) {
      %a = tile.load %C[%c0] : !tile.buffer<[1], f32, global> -> f32
      %b = arith.subf %a, %fone : f32
      %c = arith.subf %b, %fone : f32
      tile.store %c, %C[%c0] : f32, !tile.buffer<[1], f32, global>
      %d = tile.load %D[%c0] : !tile.buffer<[1], i8, global> -> i8
      %e = arith.addi %c5, %d : i8
      tile.store %e, %D[%c0] : i8, !tile.buffer<[1], i8, global>
      %i32 = arith.index_cast %i : index to i32
      %f = arith.sitofp %i32 : i32 to f32
      %x = tile.load %E[%c0] : !tile.buffer<[1], f32, global> -> f32
      %y = arith.maxnumf %x, %f : f32
      tile.store %y, %E[%c0] : f32, !tile.buffer<[1], f32, global>
    }
)"));
  Values c(DType::F32, {1}), d(DType::I8, {1}), e(DType::F32, {1});
  program.tensor("C", c).tensor("D", d).tensor("E", e);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{true, 3}));
  EXPECT_EQ(c.at(0), 100 - 600);
  EXPECT_EQ(d.at(0), double(int8_t(5 + 1500)));
  EXPECT_EQ(e.at(0), 299);
}

// A reduction whose running value is read in the same loop is none: it runs in order.
TEST(ReferenceParallel, RunningValueThatIsReadIsNoReduction) {
  Program program(oneBlock(tensor("C", "[1], f32") + tensor("B", "[300], f32"), constants + R"(
    tile.fill %zero, %C : f32, !tile.buffer<[1], f32, global>
    tile.parallel (%i) in (%n) {
      %a = tile.load %C[%c0] : !tile.buffer<[1], f32, global> -> f32
      %b = arith.addf %a, %fone : f32
      tile.store %b, %C[%c0] : f32, !tile.buffer<[1], f32, global>
      %c = tile.load %C[%c0] : !tile.buffer<[1], f32, global> -> f32
      tile.store %c, %B[%i] : f32, !tile.buffer<[300], f32, global>
    }
)"));
  Values c(DType::F32, {1}), b(DType::F32, {300});
  program.tensor("C", c).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{false, 0}));
  for (int64_t i = 0; i < 300; ++i)
    ASSERT_EQ(b.at(i), i + 1);
}

// for i: s = 0; for j: s += A[i, j]; B[i] = s, with a private s, an inner tile.parallel and a for.
TEST(ReferenceParallel, NestsWithPrivateScalars) {
  for (std::string loop : {"tile.parallel (%j) in (%m)", "tile.for %j = %c0 to %m step %c1"}) {
    Program program(
        oneBlock(tensor("A", "[300, 7], f32") + tensor("B", "[300], f32"), constants + R"(
    tile.parallel (%i) in (%n) {
      %s = tile.alloc "s" : !tile.buffer<[], f32, local>
      tile.store %zero, %s[] : f32, !tile.buffer<[], f32, local>
      )" + loop + R"( {
        %a = tile.load %A[%i, %j] : !tile.buffer<[300, 7], f32, global> -> f32
        %o = tile.load %s[] : !tile.buffer<[], f32, local> -> f32
        %b = arith.addf %o, %a : f32
        tile.store %b, %s[] : f32, !tile.buffer<[], f32, local>
      }
      %r = tile.load %s[] : !tile.buffer<[], f32, local> -> f32
      tile.store %r, %B[%i] : f32, !tile.buffer<[300], f32, global>
    }
)"));
    Values a(DType::F32, {300, 7}), b(DType::F32, {300});
    a.fill([](int64_t i) { return i; });
    program.tensor("A", a).tensor("B", b);
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(planOf(program), (Planned{true, 1u}));
    for (int64_t i = 0; i < 300; ++i)
      ASSERT_EQ(b.at(i), 7 * (7 * i) + 21) << i;
    // Rounded once: additions of 1 to 2^24 would be lost.
    a.fill([](int64_t i) { return i % 7 == 0 ? 1 << 24 : 1; });
    program.tensor("A", a).tensor("B", b);
    ASSERT_EQ(program.run(), "");
    EXPECT_EQ(b.at(5), (1 << 24) + 6);
  }
}

// An inner reduction into a fragment, read by the outer iteration afterwards.
TEST(ReferenceParallel, InnerReductionIsRoundedBeforeItIsRead) {
  Program program(oneBlock(tensor("B", "[300], f32"), constants + R"(
    %s = tile.alloc "s" : !tile.buffer<[300], f32, fragment>
    tile.fill %zero, %s : f32, !tile.buffer<[300], f32, fragment>
    tile.parallel (%i) in (%n) {
      tile.parallel (%j) in (%m) {
        %o = tile.load %s[%i] : !tile.buffer<[300], f32, fragment> -> f32
        %b = arith.addf %o, %fone : f32
        tile.store %b, %s[%i] : f32, !tile.buffer<[300], f32, fragment>
      }
      %r = tile.load %s[%i] : !tile.buffer<[300], f32, fragment> -> f32
      tile.store %r, %B[%i] : f32, !tile.buffer<[300], f32, global>
    }
)"));
  Values b(DType::F32, {300});
  program.tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{true, 1}));
  for (double value : b.all())
    ASSERT_EQ(value, 7);
}

// Column sums of a nest: the outer loop's end rounds, although the inner index selects the place.
TEST(ReferenceParallel, ReductionOverTheOuterIndex) {
  Program program(oneBlock(tensor("B", "[7], f32"), constants + R"(
    tile.fill %zero, %B : f32, !tile.buffer<[7], f32, global>
    tile.parallel (%i) in (%n) {
      tile.parallel (%j) in (%m) {
        %o = tile.load %B[%j] : !tile.buffer<[7], f32, global> -> f32
        %b = arith.addf %o, %fone : f32
        tile.store %b, %B[%j] : f32, !tile.buffer<[7], f32, global>
      }
    }
)"));
  Values b(DType::F32, {7});
  program.tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(planOf(program), (Planned{true, 1}));
  EXPECT_EQ(b.all(), std::vector<double>(7, 300));
}

// Conditions, loops with different trip counts, breaks and while, lane by lane.
TEST(ReferenceParallel, ControlFlowDivergesPerIteration) {
  Program program(oneBlock(tensor("B", "[300], i32"), constants + R"(
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    tile.parallel (%i) in (%n) {
      %s = tile.alloc "s" : !tile.buffer<[1], i32, local>
      tile.store %i0, %s[%c0] : i32, !tile.buffer<[1], i32, local>
      tile.for %j = %c0 to %i step %c1 {
        %stop = arith.cmpi sge, %j, %m : index
        scf.if %stop {
          tile.break
        }
        %o = tile.load %s[%c0] : !tile.buffer<[1], i32, local> -> i32
        %p = arith.addi %o, %i1 : i32
        tile.store %p, %s[%c0] : i32, !tile.buffer<[1], i32, local>
      }
      tile.while {
        %o = tile.load %s[%c0] : !tile.buffer<[1], i32, local> -> i32
        %small = arith.cmpi slt, %o, %i1 : i32
        tile.condition %small
      } do {
        %o = tile.load %s[%c0] : !tile.buffer<[1], i32, local> -> i32
        %p = arith.addi %o, %i1 : i32
        tile.store %p, %s[%c0] : i32, !tile.buffer<[1], i32, local>
      }
      %odd = arith.remsi %i, %c2 : index
      %isOdd = arith.cmpi ne, %odd, %c0 : index
      %v = tile.load %s[%c0] : !tile.buffer<[1], i32, local> -> i32
      %w = scf.if %isOdd -> i32 {
        %neg = arith.subi %i0, %v : i32
        scf.yield %neg : i32
      } else {
        scf.yield %v : i32
      }
      tile.store %w, %B[%i] : i32, !tile.buffer<[300], i32, global>
    }
)"));
  Values b(DType::I32, {300});
  program.tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_TRUE(planOf(program).together);
  for (int64_t i = 0; i < 300; ++i) {
    int64_t v = std::max<int64_t>(1, std::min<int64_t>(i, 7));
    ASSERT_EQ(b.at(i), i % 2 ? -v : v) << i;
  }
}

// Stores of several iterations to one place: the last one stays, as in order.
TEST(ReferenceParallel, LastStoreWins) {
  Program program(oneBlock(tensor("B", "[1], i32"), constants + R"(
    tile.parallel (%i) in (%n) {
      %v = arith.index_cast %i : index to i32
      tile.store %v, %B[%c0] : i32, !tile.buffer<[1], i32, global>
    }
)"));
  Values b(DType::I32, {1});
  program.tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.at(0), 299);
}

TEST(ReferenceParallel, AtomicsAndScatteredReductions) {
  Program program(oneBlock(tensor("B", "[4], i32") + tensor("C", "[4], f16"), constants + R"(
    %i1 = arith.constant 1 : i32
    %i0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : index
    tile.fill %i0, %B : i32, !tile.buffer<[4], i32, global>
    tile.fill %zero, %C : f32, !tile.buffer<[4], f16, global>
    tile.parallel (%i) in (%n) {
      %bin = arith.remsi %i, %c4 : index
      %old = tile.atomic add %i1, %B[%bin] : i32, !tile.buffer<[4], i32, global> -> i32
      %old2 = tile.atomic max %fone, %C[%bin] : f32, !tile.buffer<[4], f16, global> -> f32
    }
)"));
  Values b(DType::I32, {4}), c(DType::F16, {4});
  program.tensor("B", b).tensor("C", c);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), std::vector<double>(4, 75));
  EXPECT_EQ(c.all(), std::vector<double>(4, 1));
}

TEST(ReferenceParallel, EmptyAndNegativeExtentsDoNothing) {
  Program program(oneBlock(tensor("B", "[1], f32"), constants + R"(
    %neg = arith.constant -3 : index
    tile.parallel (%i, %j) in (%n, %neg) {
      tile.store %fone, %B[%c0] : f32, !tile.buffer<[1], f32, global>
    }
    tile.parallel (%i) in (%n) {
      tile.parallel (%j) in (%neg) {
        tile.store %fone, %B[%c0] : f32, !tile.buffer<[1], f32, global>
      }
    }
)"));
  Values b(DType::F32, {1}, 5);
  program.tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.at(0), 5);
}

} // namespace
