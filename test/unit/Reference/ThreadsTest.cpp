// SPDX-License-Identifier: Apache-2.0
//
// Warps and blocks of lockstep kernels, against their definitions written out per thread.
#include "RunHelper.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

/// One block of `threads` threads in warps of `lanes`; X and R have one i32 a thread.
std::string threadsProgram(int threads, int lanes, const std::string &body) {
  std::string n = std::to_string(threads);
  return "tile.program @threads {\n"
         "  %X = tile.tensor \"X\"[] : !tile.buffer<[" +
         n +
         "], i32, global>\n"
         "  %R = tile.tensor \"R\"[] : !tile.buffer<[" +
         n +
         "], i32, global>\n"
         "  %c1 = arith.constant 1 : index\n"
         "  tile.kernel \"k\" grid(%c1) threads(" +
         n + ") attributes {lockstep, warp_lanes = " + std::to_string(lanes) +
         "} {\n"
         "  ^bb0(%bx: index):\n"
         "    %zero = arith.constant 0 : i32\n"
         "    %c3 = arith.constant 3 : index\n"
         "    %c20 = arith.constant 20 : index\n"
         "    %t = tile.thread_id\n"
         "    %x = tile.load %X[%t] : !tile.buffer<[" +
         n +
         "], i32, global> -> i32\n"
         "    %p = arith.cmpi sgt, %x, %zero : i32\n" +
         body + "    tile.store %r, %R[%t] : i32, !tile.buffer<[" + n +
         "], i32, global>\n"
         "  }\n}\n";
}

/// Runs with X[t] = (7 t) mod 11 - 5 and compares R[t] with `expected(X, t)`.
void expectThreads(int threads, int lanes, const std::string &body,
                   const std::function<int64_t(const std::vector<int64_t> &, int)> &expected) {
  Program program(threadsProgram(threads, lanes, body));
  Values x(DType::I32, {threads}), r(DType::I32, {threads});
  std::vector<int64_t> in;
  for (int t = 0; t < threads; ++t) {
    in.push_back(7 * t % 11 - 5);
    x.set(t, in.back());
  }
  program.tensor("X", x).tensor("R", r);
  ASSERT_EQ(program.run(), "") << body;
  for (int t = 0; t < threads; ++t)
    EXPECT_EQ(r.at(t), expected(in, t)) << "thread " << t << " of\n" << body;
}

TEST(ReferenceThreads, ShufflesStayInTheirSegment) {
  expectThreads(96, 32, "%r = tile.shuffle idx %x, %c20 width(16) : i32\n",
                [](auto &x, int t) { return x[t / 16 * 16 + 4]; });
  expectThreads(128, 64, "%r = tile.shuffle idx %x, %c20 width(64) : i32\n",
                [](auto &x, int t) { return x[t / 64 * 64 + 20]; });
  expectThreads(64, 32, "%r = tile.shuffle xor %x, %c3 width(32) : i32\n",
                [](auto &x, int t) { return x[t ^ 3]; });
  expectThreads(64, 32, "%r = tile.shuffle up %x, %c3 width(8) : i32\n",
                [](auto &x, int t) { return t % 8 < 3 ? x[t] : x[t - 3]; });
  expectThreads(64, 64, "%r = tile.shuffle down %x, %c20 width(32) : i32\n",
                [](auto &x, int t) { return t % 32 + 20 > 31 ? x[t] : x[t + 20]; });
  // Across segments xor reaches earlier lanes only.
  expectThreads(64, 32, "%r = tile.shuffle xor %x, %c20 width(4) : i32\n", [](auto &x, int t) {
    int from = t % 32 ^ 20;
    return from > (t % 32 | 3) ? x[t] : x[t / 32 * 32 + from];
  });
}

TEST(ReferenceThreads, AnAbsentThreadHasNoValue) {
  // 40 threads: the second warp has 8.
  expectThreads(40, 32, "%r = tile.shuffle down %x, %c20 width(32) : i32\n", [](auto &x, int t) {
    if (t % 32 + 20 > 31)
      return x[t];
    return t < 32 ? x[t + 20] : int64_t(int32_t(0xa5a5a5a5));
  });
}

TEST(ReferenceThreads, VotesAndBallots) {
  auto warp = [](auto &x, int t, int lanes, auto fn) {
    for (int l = t / lanes * lanes; l < std::min<int>(x.size(), (t / lanes + 1) * lanes); ++l)
      fn(l % lanes, x[l]);
  };
  expectThreads(80, 32,
                "%b = tile.ballot %p : i32\n"
                "%r = arith.addi %b, %zero : i32\n",
                [&](auto &x, int t) {
                  uint32_t mask = 0;
                  warp(x, t, 32, [&](int lane, int64_t v) { mask |= uint32_t(v > 0) << lane; });
                  return int64_t(int32_t(mask));
                });
  expectThreads(100, 64,
                "%m = arith.constant 4 : i32\n"
                "%low = arith.cmpi ult, %t, %c20 : index\n"
                "%q = arith.cmpi slt, %x, %m : i32\n"
                "%a = tile.vote any %p active(%low)\n"
                "%l = tile.vote all %q active(%low)\n"
                "%i = arith.extui %a : i1 to i32\n"
                "%j = arith.extui %l : i1 to i32\n"
                "%k = arith.addi %j, %j : i32\n"
                "%r = arith.addi %i, %k : i32\n",
                [&](auto &x, int t) {
                  bool any = false, all = true;
                  for (int l = t / 64 * 64; l < std::min(20, (t / 64 + 1) * 64); ++l) {
                    any |= x[l] > 0;
                    all &= x[l] < 4;
                  }
                  return int64_t(any) + 2 * int64_t(all);
                });
  expectThreads(64, 32, "%r = tile.match any %x : i32 -> i32\n", [&](auto &x, int t) {
    uint32_t mask = 0;
    warp(x, t, 32, [&](int lane, int64_t v) { mask |= uint32_t(v == x[t]) << lane; });
    return int64_t(int32_t(mask));
  });
  expectThreads(64, 32,
                "%c32 = arith.constant 32 : index\n"
                "%w = arith.divui %t, %c32 : index\n"
                "%v = arith.index_cast %w : index to i32\n"
                "%same = tile.match all %v active(%p) : i32 -> i32\n"
                "%other = tile.match all %x : i32 -> i32\n"
                "%r = arith.addi %same, %other : i32\n",
                [&](auto &x, int t) {
                  uint32_t mask = 0;
                  warp(x, t, 32, [&](int lane, int64_t v) { mask |= uint32_t(v > 0) << lane; });
                  return x[t] > 0 ? int64_t(int32_t(mask)) : 0;
                });
}

TEST(ReferenceThreads, ReductionsOfWarpsAndBlocks) {
  auto fold = [](auto &x, int t, int lanes, int64_t start, auto fn) {
    int64_t sum = start;
    for (int l = t / lanes * lanes; l < std::min<int>(x.size(), (t / lanes + 1) * lanes); ++l)
      sum = fn(sum, x[l]);
    return sum;
  };
  expectThreads(100, 64, "%r = tile.warp_reduce sum %x : i32\n", [&](auto &x, int t) {
    return fold(x, t, 64, 0, [](int64_t a, int64_t b) { return a + b; });
  });
  expectThreads(64, 32, "%r = tile.warp_reduce max %x active(%p) : i32\n", [&](auto &x, int t) {
    return fold(x, t, 32, 0, [](int64_t a, int64_t b) { return std::max(a, b); });
  });
  expectThreads(64, 32, "%r = tile.warp_reduce min %x {is_unsigned} : i32\n", [&](auto &x, int t) {
    return int64_t(int32_t(fold(x, t, 32, 0xffffffff, [](int64_t a, int64_t b) {
      return std::min(a, int64_t(uint32_t(b)));
    })));
  });
  expectThreads(64, 32, "%r = tile.warp_reduce bitxor %x : i32\n", [&](auto &x, int t) {
    return fold(x, t, 32, 0, [](int64_t a, int64_t b) { return a ^ b; });
  });
  expectThreads(200, 64, "%r = tile.block_vote count %p\n", [&](auto &x, int) {
    return fold(x, 0, 200, 0, [](int64_t a, int64_t b) { return a + (b > 0); });
  });
  expectThreads(64, 64, "%r = tile.block_vote all %p active(%p)\n",
                [](auto &, int) { return int64_t(1); });
  expectThreads(64, 64, "%r = tile.block_vote all %p\n", [](auto &, int) { return int64_t(0); });
}

TEST(ReferenceThreads, Dp4aMultipliesBytes) {
  expectThreads(64, 64,
                "%w = arith.constant -2139062144 : i32\n" // 0x80808080
                "%s = tile.dp4a %x, %w, %zero\n"
                "%u = tile.dp4a %x, %w, %s {is_unsigned}\n"
                "%r = arith.addi %u, %zero : i32\n",
                [](auto &x, int t) {
                  int64_t sum = 0;
                  for (int i = 0; i < 4; ++i) {
                    uint8_t byte = uint32_t(x[t]) >> 8 * i;
                    sum += int64_t(int8_t(byte)) * -128 + int64_t(byte) * 128;
                  }
                  return sum;
                });
}

// A parallel over what is the same for all runs once; over a thread's own values, for each thread.
TEST(ReferenceThreads, WhatDiffersBelongsToTheThread) {
  expectThreads(32, 32,
                "%s = tile.alloc \"s\" : !tile.buffer<[1], i32, shared>\n"
                "%l = tile.alloc \"l\" : !tile.buffer<[1], i32, local>\n"
                "%c0 = arith.constant 0 : index\n"
                "%i1 = arith.constant 1 : i32\n"
                "tile.fill %zero, %s : i32, !tile.buffer<[1], i32, shared>\n"
                "tile.fill %i1, %l : i32, !tile.buffer<[1], i32, local>\n"
                "tile.parallel (%i) in (%c3) {\n"
                "  %v = tile.load %l[%c0] : !tile.buffer<[1], i32, local> -> i32\n"
                "  %o = tile.atomic add %v, %s[%c0] : i32, !tile.buffer<[1], i32, shared> -> i32\n"
                "}\n"
                "%m = tile.alloc \"m\" : !tile.buffer<[1], i32, local>\n"
                "tile.store %x, %m[%c0] : i32, !tile.buffer<[1], i32, local>\n"
                "tile.parallel (%i) in (%c3) {\n"
                "  %v = tile.load %m[%c0] : !tile.buffer<[1], i32, local> -> i32\n"
                "  %o = tile.atomic add %v, %s[%c0] : i32, !tile.buffer<[1], i32, shared> -> i32\n"
                "}\n"
                "%r = tile.load %s[%c0] : !tile.buffer<[1], i32, shared> -> i32\n",
                [](auto &x, int) {
                  int64_t sum = 3;
                  for (int64_t v : x)
                    sum += 3 * v;
                  return sum;
                });
}

} // namespace
