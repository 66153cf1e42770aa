//===- ProgramTest.cpp - parameters, kernels, blocks, threads, errors -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RunHelper.h"

using namespace tilec;
using namespace tilec::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

//===----------------------------------------------------------------------===//
// Parameters and kernels
//===----------------------------------------------------------------------===//

// Two kernels with a workspace between them: W[i] = A[i] * scale, then B[i] = W[n - 1 - i].
const char *twoKernels = R"(
tile.program @two {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[?], f32, global>
  %scale = tile.scalar "scale" f16 : f32
  %B = tile.tensor "B"[%n] : !tile.buffer<[?], f32, global>
  %W = tile.workspace "W"[%n] : !tile.buffer<[?], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "first" grid(%n) threads(32) {
  ^bb0(%bx: index):
    %a = tile.load %A[%bx] : !tile.buffer<[?], f32, global> -> f32
    %s = arith.mulf %a, %scale : f32
    tile.store %s, %W[%bx] : f32, !tile.buffer<[?], f32, global>
  }
  tile.kernel "second" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %last = arith.subi %n, %c1 : index
    tile.parallel (%i) in (%n) {
      %j = arith.subi %last, %i : index
      %w = tile.load %W[%j] : !tile.buffer<[?], f32, global> -> f32
      tile.store %w, %B[%i] : f32, !tile.buffer<[?], f32, global>
    }
  }
})";

TEST(ReferenceProgram, KernelsInOrderWithWorkspaceScalarAndDim) {
  Program program(twoKernels);
  Values a(DType::F32, {5}), b(DType::F32, {5});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  program.args.scalars["scale"] = 2049.0; // 2048 as an f16
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{8192, 6144, 4096, 2048, 0}));
}

// A parameter that no kernel uses is not in the manifest, so a run has nothing to give for it.
TEST(ReferenceProgram, UnusedParametersMayBeMissing) {
  Program program(R"(
tile.program @unused {
  %n = tile.dim "n"
  %k = tile.dim "k"
  %s = tile.scalar "s" f32 : f32
  %A = tile.tensor "A"[%k] : !tile.buffer<[?], f32, global>
  %B = tile.tensor "B"[%n] : !tile.buffer<[?], f32, global>
  %one = arith.constant 1.0 : f32
  tile.kernel "fill" grid(%n) threads(32) {
  ^bb0(%bx: index):
    tile.store %one, %B[%bx] : f32, !tile.buffer<[?], f32, global>
  }
})");
  Values b(DType::F32, {3});
  program.tensor("B", b);
  EXPECT_NE(program.run(), "");
  program.options.unusedMayBeMissing = true;
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{1, 1, 1}));
}

TEST(ReferenceProgram, ArgumentsThatDoNotFit) {
  Values a(DType::F32, {5}), b(DType::F32, {4});
  {
    Program program(twoKernels);
    program.tensor("A", a).tensor("B", b);
    program.args.scalars["scale"] = 1.0;
    std::string error = program.run();
    EXPECT_TRUE(contains(error, "test.mlir:6:8: tile.tensor: `B` has the shape [5]")) << error;
    EXPECT_TRUE(contains(error, "[4]")) << error;
  }
  {
    Program program(twoKernels);
    program.tensor("A", a);
    program.args.scalars["scale"] = 1.0;
    EXPECT_TRUE(contains(program.run(), "no tensor is given for parameter `B`"));
  }
  {
    Program program(twoKernels);
    program.tensor("A", a).tensor("B", a);
    EXPECT_TRUE(contains(program.run(), "no value is given for parameter `scale`"));
  }
  {
    Program program(twoKernels);
    program.tensor("A", a).tensor("B", a);
    program.args.scalars["scale"] = int64_t(1);
    program.args.dims["n"] = 6;
    EXPECT_TRUE(contains(program.run(), "has the shape [6]"));
  }
  {
    Program program(twoKernels);
    program.tensor("A", a).tensor("B", a);
    program.args.scalars["scale"] = int64_t(1);
    program.args.dims["n"] = -1;
    EXPECT_TRUE(contains(program.run(), "dimension `n` is -1; it is at least 0"));
  }
  {
    Program program(twoKernels);
    program.tensor("A", a).tensor("B", a);
    program.args.tensors["A"].sizeBytes = 19;
    program.args.scalars["scale"] = int64_t(1);
    EXPECT_TRUE(contains(program.run(), "`A` takes 20 bytes, 19 are given"));
  }
}

// Blocks run x first, then y, then z; each takes the next ticket.
TEST(ReferenceProgram, BlocksInOrder) {
  Program program(R"(
tile.program @order {
  %T = tile.tensor "T"[] : !tile.buffer<[1], i32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[2, 3, 4], i32, global>
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  tile.kernel "k" grid(%c4, %c3, %c2) threads(32) {
  ^bb0(%bx: index, %by: index, %bz: index):
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %t = tile.atomic add %one, %T[%c0] : i32, !tile.buffer<[1], i32, global> -> i32
    tile.store %t, %R[%bz, %by, %bx] : i32, !tile.buffer<[2, 3, 4], i32, global>
  }
})");
  Values t(DType::I32, {1}), r(DType::I32, {2, 3, 4});
  program.tensor("T", t).tensor("R", r);
  ASSERT_EQ(program.run(), "");
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(r.at(i), i);
}

TEST(ReferenceProgram, LoopsAtBlockLevel) {
  Program program(oneBlock(tensor("R", "[4], i32"), R"(
    %i1 = arith.constant 1 : i32
    %c10 = arith.constant 10 : index
    %m3 = arith.constant -3 : index
    %i0 = arith.constant 0 : i32
    tile.fill %i0, %R : i32, !tile.buffer<[4], i32, global>
    tile.for %k = %c10 to %c0 step %m3 {
      %a = tile.load %R[%c0] : !tile.buffer<[4], i32, global> -> i32
      %b = arith.addi %a, %i1 : i32
      tile.store %b, %R[%c0] : i32, !tile.buffer<[4], i32, global>
    }
    tile.for %k = %c0 to %c10 step %c3 {
      %big = arith.cmpi sgt, %k, %c3 : index
      scf.if %big {
        tile.break
      }
      %a = tile.load %R[%c1] : !tile.buffer<[4], i32, global> -> i32
      %b = arith.addi %a, %i1 : i32
      tile.store %b, %R[%c1] : i32, !tile.buffer<[4], i32, global>
    }
    tile.while {
      %a = tile.load %R[%c2] : !tile.buffer<[4], i32, global> -> i32
      %five = arith.constant 5 : i32
      %p = arith.cmpi slt, %a, %five : i32
      tile.condition %p
    } do {
      %a = tile.load %R[%c2] : !tile.buffer<[4], i32, global> -> i32
      %b = arith.addi %a, %i1 : i32
      tile.store %b, %R[%c2] : i32, !tile.buffer<[4], i32, global>
    }
)"));
  Values r(DType::I32, {4});
  program.tensor("R", r);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(r.all(), (std::vector<double>{4, 2, 5, 0}));
}

// What the pipeliner makes: copies are complete at once, waits and barriers do nothing.
TEST(ReferenceProgram, PipelinedStage) {
  Program program(oneBlock(tensor("A", "[16], f16") + tensor("B", "[16], f16"), R"(
    %s = tile.alloc "s" layout(#tile.shared<shape = [16] pitch = 16 vec = 8 rows_per_phase = 1 phases = 1>) : !tile.buffer<[16], f16, shared>
    tile.async_copy %A to %s : !tile.buffer<[16], f16, global>, !tile.buffer<[16], f16, shared>
    tile.async_commit
    tile.async_wait 0
    tile.barrier
    tile.copy %s to %B : !tile.buffer<[16], f16, shared>, !tile.buffer<[16], f16, global>
)"));
  Values a(DType::F16, {16}), b(DType::F16, {16});
  a.fill([](int64_t i) { return i; });
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(a.all(), b.all());
}

// A producer fills a ring of two slots with four tiles; the consumers add them up.
std::string pipeProgram(const std::string &release, const std::string &rounds = "%c4") {
  return oneBlock(tensor("A", "[32], f32") + tensor("B", "[8], f32"), R"(
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one8 = arith.constant 1.0 : f32
    %ring = tile.alloc "ring" : !tile.buffer<[2, 8], f32, shared>
    %sum = tile.alloc "sum" : !tile.buffer<[1, 8], f32, fragment>
    %ones = tile.alloc "ones" : !tile.buffer<[1, 1], f32, shared>
    tile.fill %one8, %sum : f32, !tile.buffer<[1, 8], f32, fragment>
    tile.fill %one8, %ones : f32, !tile.buffer<[1, 1], f32, shared>
    %pipe = tile.pipe stages(2) bytes(32)
    tile.producer {
      tile.for %k = %c0 to %c4 step %c1 {
        %at = arith.muli %k, %c8 : index
        %slot = tile.pipe_acquire %pipe
        %a = tile.subview %A[%at] : !tile.buffer<[32], f32, global> to !tile.buffer<[8], f32, global>
        %s = tile.subview %ring[%slot, %c0] dropped [0] : !tile.buffer<[2, 8], f32, shared> to !tile.buffer<[8], f32, shared>
        tile.tma_copy %a to %s pipe(%pipe, %slot) {transfers = #tile.transfers<[8] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 0>} : !tile.buffer<[8], f32, global>, !tile.buffer<[8], f32, shared>
      }
    }
    tile.for %k = %c0 to )" + rounds + R"( step %c1 {
      %slot = tile.pipe_wait %pipe
      %s = tile.subview %ring[%slot, %c0] : !tile.buffer<[2, 8], f32, shared> to !tile.buffer<[1, 8], f32, shared>
      tile.gemm %ones, %s, %sum {warp_group, in_flight} : !tile.buffer<[1, 1], f32, shared>, !tile.buffer<[1, 8], f32, shared>, !tile.buffer<[1, 8], f32, fragment>
      )" + release + R"(
    }
    tile.gemm_wait %sum pending 0 : !tile.buffer<[1, 8], f32, fragment>
    tile.pipe_drain %pipe
    tile.copy %sum to %B : !tile.buffer<[1, 8], f32, fragment>, !tile.buffer<[8], f32, global>
)");
}

TEST(ReferenceProgram, ProducerAndConsumersMeetThroughAPipe) {
  for (std::string release :
       {"tile.pipe_release %pipe, %slot", "tile.pipe_release %pipe, %slot {previous}"}) {
    Program program(pipeProgram(release));
    Values a(DType::F32, {32}), b(DType::F32, {8});
    a.fill([](int64_t i) { return i; });
    program.tensor("A", a).tensor("B", b);
    ASSERT_EQ(program.run(), "");
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(b.at(i), 1 + 4 * i + 8 + 16 + 24);
  }
}

TEST(ReferenceProgram, PipesThatHang) {
  Values a(DType::F32, {32}), b(DType::F32, {8});
  {
    Program program(pipeProgram("")); // nobody releases
    program.tensor("A", a).tensor("B", b);
    std::string error = program.run();
    EXPECT_TRUE(contains(error, "waits for slot 0, which the producer does not fill")) << error;
  }
  {
    Program program(pipeProgram("tile.pipe_release %pipe, %slot", "%c8")); // too many rounds
    program.tensor("A", a).tensor("B", b);
    EXPECT_TRUE(contains(program.run(), "which the producer does not fill"));
  }
  {
    Program program(pipeProgram("", "%c1")); // the producer is left behind
    program.tensor("A", a).tensor("B", b);
    std::string error = program.run();
    EXPECT_TRUE(contains(error, "waits for a slot that no consumer releases")) << error;
  }
}

TEST(ReferenceProgram, UninitialisedTilesShow) {
  Program program(oneBlock(tensor("A", "[2], f32") + tensor("B", "[2], i32"), R"(
    %s = tile.alloc "s" : !tile.buffer<[2], f32, shared>
    %i = tile.alloc "i" : !tile.buffer<[2], i32, fragment>
    tile.copy %s to %A : !tile.buffer<[2], f32, shared>, !tile.buffer<[2], f32, global>
    tile.copy %i to %B : !tile.buffer<[2], i32, fragment>, !tile.buffer<[2], i32, global>
)"));
  Values a(DType::F32, {2}), b(DType::I32, {2});
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_TRUE(std::isnan(a.at(0)) && std::isnan(a.at(1)));
  EXPECT_EQ(b.bits(1), 0xA5A5A5A5u);
}

TEST(ReferenceProgram, PadOfALoad) {
  Program program(oneBlock(tensor("A", "[2], f32") + tensor("B", "[2], f32"), R"(
    %x = tile.load %A[%c3] : !tile.buffer<[2], f32, global> -> f32
    tile.store %x, %B[%c0] : f32, !tile.buffer<[2], f32, global>
    %y = tile.load %A[%c3] pad -1.5 : !tile.buffer<[2], f32, global> -> f32
    tile.store %y, %B[%c1] : f32, !tile.buffer<[2], f32, global>
)"));
  Values a(DType::F32, {2}, 7), b(DType::F32, {2}, 7);
  program.tensor("A", a).tensor("B", b);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(b.all(), (std::vector<double>{0, -1.5}));
}

TEST(ReferenceProgram, Prints) {
  Program program(oneBlock(tensor("A", "[2, 2], f16"), R"(
    %x = arith.constant 1.5 : f32
    tile.print %x, "x =" : f32
    tile.print %A, "A:" : !tile.buffer<[2, 2], f16, global>
)"));
  Values a(DType::F16, {2, 2});
  a.fill([](int64_t i) { return i + 0.5; });
  program.tensor("A", a);
  std::vector<std::string> lines;
  program.options.print = [&](const std::string &line) { lines.push_back(line); };
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(lines, (std::vector<std::string>{"block (0, 0, 0): x = 1.5",
                                             "block (0, 0, 0): A: [0.5, 1.5; 2.5, 3.5]"}));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

// Every thread writes its own place, reads its neighbour's, and has its own local buffer.
TEST(ReferenceLockstep, ThreadsAndLocals) {
  Program program(R"(
tile.program @threads {
  %R = tile.tensor "R"[] : !tile.buffer<[64], i32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(64) attributes {lockstep} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %i100 = arith.constant 100 : i32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[64], i32, shared>
    %l = tile.alloc "l" : !tile.buffer<[2], i32, local>
    %ti = arith.index_cast %t : index to i32
    tile.store %ti, %s[%t] : i32, !tile.buffer<[64], i32, shared>
    tile.sync_threads
    %other = arith.subi %c63, %t : index
    %o = tile.load %s[%other] : !tile.buffer<[64], i32, shared> -> i32
    tile.fill %o, %l : i32, !tile.buffer<[2], i32, local>
    %low = arith.cmpi ult, %t, %c32 : index
    scf.if %low {
      tile.store %i100, %l[%c0] : i32, !tile.buffer<[2], i32, local>
    }
    %c2 = arith.constant 2 : index
    tile.parallel (%j) in (%c2) {
      %v = tile.load %l[%j] : !tile.buffer<[2], i32, local> -> i32
      %w = arith.addi %v, %v : i32
      tile.store %w, %l[%j] : i32, !tile.buffer<[2], i32, local>
    }
    %a = tile.load %l[%c0] : !tile.buffer<[2], i32, local> -> i32
    %b = tile.load %l[%c1] : !tile.buffer<[2], i32, local> -> i32
    %sum = arith.addi %a, %b : i32
    tile.store %sum, %R[%t] : i32, !tile.buffer<[64], i32, global>
  }
})");
  Values r(DType::I32, {64});
  program.tensor("R", r);
  ASSERT_EQ(program.run(), "");
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(r.at(t), 2 * (t < 32 ? 100 : 63 - t) + 2 * (63 - t)) << t;
}

// A tile op runs once although 64 threads reach it; a loop's trip count may differ per thread.
TEST(ReferenceLockstep, TileOpsOnceAndDivergentLoops) {
  Program program(R"(
tile.program @threads {
  %A = tile.tensor "A"[] : !tile.buffer<[1, 1], f32, global>
  %C = tile.tensor "C"[] : !tile.buffer<[1, 1], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64], i32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(64) attributes {lockstep} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %t = tile.thread_id
    tile.gemm %A, %A, %C : !tile.buffer<[1, 1], f32, global>, !tile.buffer<[1, 1], f32, global>, !tile.buffer<[1, 1], f32, global>
    tile.for %i = %c0 to %t step %c1 {
      %a = tile.load %R[%t] : !tile.buffer<[64], i32, global> -> i32
      %b = arith.addi %a, %i1 : i32
      tile.store %b, %R[%t] : i32, !tile.buffer<[64], i32, global>
    }
  }
})");
  Values a(DType::F32, {1, 1}, 3), c(DType::F32, {1, 1}), r(DType::I32, {64});
  program.tensor("A", a).tensor("C", c).tensor("R", r);
  ASSERT_EQ(program.run(), "");
  EXPECT_EQ(c.at(0), 9);
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(r.at(t), t);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string errorOf(const std::string &body) {
  Program program(oneBlock(tensor("A", "[4], f32"), body));
  Values a(DType::F32, {4});
  program.tensor("A", a);
  program.options.maxSteps = 100000;
  return program.run();
}

TEST(ReferenceError, OutsideOfASharedBuffer) {
  std::string error = errorOf(R"(
    %s = tile.alloc "s" : !tile.buffer<[3], f32, shared>
    %x = tile.load %s[%c3] : !tile.buffer<[3], f32, shared> -> f32
)");
  EXPECT_EQ(error,
            "test.mlir:12:10: tile.load: index 3 of dimension 0 is outside of its 3 elements "
            "in block (0, 0, 0)");
  error = errorOf(R"(
    %z = arith.constant 0.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[100], f32, fragment>
    %n = arith.constant 101 : index
    tile.parallel (%i) in (%n) {
      tile.store %z, %s[%i] : f32, !tile.buffer<[100], f32, fragment>
    }
)");
  EXPECT_TRUE(contains(error, "tile.store: index 100 of dimension 0 is outside of its 100"))
      << error;
  error = errorOf(R"(
    %s = tile.alloc "s" : !tile.buffer<[4, 4], f32, shared>
    %v = tile.subview %s[%c2, %c3] : !tile.buffer<[4, 4], f32, shared> to !tile.buffer<[2, 2], f32, shared>
    %z = arith.constant 0.0 : f32
    tile.fill %z, %v : f32, !tile.buffer<[2, 2], f32, shared>
)");
  EXPECT_TRUE(contains(error, "takes elements 3 to 4 of dimension 1, which has 4")) << error;
  error = errorOf(R"(
    %s = tile.alloc "s" : !tile.buffer<[4, 4], f32, shared>
    %v = tile.subview %s[%c0, %c0] : !tile.buffer<[4, 4], f32, shared> to !tile.buffer<[2, 2], f32, shared>
    %x = tile.load %v[%c0, %c2] : !tile.buffer<[2, 2], f32, shared> -> f32
)");
  EXPECT_TRUE(contains(error, "index 2 of dimension 1 is outside of its 2 elements")) << error;
}

// The guarded lanes are off and do not trap.
TEST(ReferenceError, GuardedAccessIsFine) {
  EXPECT_EQ(errorOf(R"(
    %z = arith.constant 0.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[100], f32, fragment>
    %n = arith.constant 200 : index
    %limit = arith.constant 100 : index
    tile.parallel (%i) in (%n) {
      %in = arith.cmpi slt, %i, %limit : index
      scf.if %in {
        tile.store %z, %s[%i] : f32, !tile.buffer<[100], f32, fragment>
        %d = arith.subi %i, %limit : index
        %q = arith.divsi %i, %d : index
      }
    }
)"),
            "");
}

TEST(ReferenceError, AssertAssumeDivisionSteps) {
  EXPECT_TRUE(
      contains(errorOf("    %f = arith.constant false\n    tile.assert %f, \"n is even\"\n"),
               "tile.assert: n is even in block (0, 0, 0)"));
  EXPECT_TRUE(contains(errorOf("    %f = arith.constant false\n    tile.assume %f\n"),
                       "what is assumed does not hold"));
  EXPECT_TRUE(contains(errorOf("    %q = arith.divsi %c1, %c0 : index\n"), "divides by zero"));
  EXPECT_TRUE(contains(errorOf("    tile.while {\n      %t = arith.constant true\n      "
                               "tile.condition %t\n    } do {\n      %x = arith.addi %c1, %c1 : "
                               "index\n    }\n"),
                       "gives up after 100000 steps"));
  EXPECT_TRUE(contains(errorOf("    %big = arith.constant 4000000000000000000 : index\n"
                               "    tile.parallel (%i, %j) in (%big, %big) {\n    }\n"),
                       "more iterations than fit"));
}

TEST(ReferenceError, WhatHasNoMeaning) {
  EXPECT_TRUE(contains(errorOf("    %t = tile.thread_id\n"), "no lockstep kernel"));
  EXPECT_TRUE(contains(errorOf("    %s = tile.alloc \"s\" : !tile.buffer<[1000000, 1000000], f32, "
                               "shared>\n"),
                       "more than 4 GiB"));
  EXPECT_TRUE(contains(errorOf("    %v = arith.constant dense<1.0> : vector<4xf32>\n"),
                       "is no scalar that the cpu device knows"));
  EXPECT_TRUE(contains(errorOf("    scf.for %i = %c0 to %c3 step %c1 {\n    }\n"),
                       "has no meaning on the cpu device"));
}

TEST(ReferenceProgram, KnowsTranscendentals) {
  Program with(oneBlock(tensor("A", "[4], f32"), "    %x = arith.constant 1.0 : f32\n"
                                                 "    %y = math.exp2 %x : f32\n"));
  EXPECT_TRUE(usesTranscendentals(with.op()));
  Program without(oneBlock(tensor("A", "[4], f32"), "    %x = arith.constant 1.0 : f32\n"
                                                    "    %y = math.sqrt %x : f32\n"));
  EXPECT_FALSE(usesTranscendentals(without.op()));
}

} // namespace
