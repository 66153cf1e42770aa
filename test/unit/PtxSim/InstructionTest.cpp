//===- InstructionTest.cpp - what one instruction computes ----------------===//
//
// Expected values by hand from PTX ISA 9.0.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

#include <set>

using namespace tilec::ptx;
using namespace tilec::ptx::test;

namespace {

struct Scalar {
  const char *instruction; ///< of %r1, %r2, %r3 to %r0, or of %q1, %q2 to %q0
  uint64_t a, b, c, expected;
};

std::string mov64(const char *reg, uint64_t value) {
  return std::string("mov.b64 ") + reg + ", " + std::to_string(int64_t(value)) + ";\n";
}

class Scalars : public ::testing::TestWithParam<Scalar> {};

} // namespace

TEST_P(Scalars, GiveTheValueOfTheManual) {
  const Scalar &s = GetParam();
  PtxRun run;
  run.body = mov64("%q1", s.a) + mov64("%q2", s.b) + mov64("%q3", s.c) +
             "cvt.u32.u64 %r1, %q1;\ncvt.u32.u64 %r2, %q2;\ncvt.u32.u64 %r3, %q3;\n"
             "cvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\nsetp.ne.b32 %p1, %r3, 0;\n"
             "mov.b64 %q0, 0;\nmov.b32 %r0, 0;\nmov.b16 %h0, 0;\nmov.pred %p0, 0;\n" +
             s.instruction +
             ";\ncvt.u64.u32 %q9, %r0;\nor.b64 %q0, %q0, %q9;\ncvt.u64.u16 %q9, %h0;\n"
             "or.b64 %q0, %q0, %q9;\nselp.b64 %q9, 1, 0, %p0;\nor.b64 %q0, %q0, %q9;\n"
             "st.global.b64 [%out], %q0;";
  run.words = 2;
  run.threads = 1;
  const std::vector<uint32_t> &out = run.results();
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(uint64_t(out[1]) << 32 | out[0], s.expected) << s.instruction;
}

INSTANTIATE_TEST_SUITE_P(
    Integers, Scalars,
    ::testing::Values(
        Scalar{"add.s32 %r0, %r1, %r2", 0xffffffff, 2, 0, 1},
        Scalar{"sub.s16 %h0, %h1, %h2", 1, 2, 0, 0xffff},
        Scalar{"mul.hi.u32 %r0, %r1, %r2", 0x80000000, 6, 0, 3},
        Scalar{"mul.hi.s32 %r0, %r1, %r2", 0x80000000, 4, 0, 0xfffffffe},
        Scalar{"mul.wide.s32 %q0, %r1, %r2", 0xffffffff, 3, 0, uint64_t(-3)},
        Scalar{"mul.wide.u16 %r0, %h1, %h2", 0xffff, 0xffff, 0, 0xfffe0001},
        Scalar{"mad.lo.s32 %r0, %r1, %r2, %r3", 7, 6, 5, 47},
        Scalar{"add.cc.u32 %r0, %r1, %r2;\naddc.u32 %r0, %r3, 0", 0xffffffff, 1, 7, 8},
        Scalar{"add.cc.u32 %r0, %r1, %r2;\naddc.u32 %r0, %r3, 0", 0xfffffffe, 1, 7, 7},
        Scalar{"sub.cc.u32 %r0, %r1, %r2;\nsubc.u32 %r0, %r3, 1", 1, 2, 9, 7},
        Scalar{"sub.cc.s32 %r0, %r1, %r2;\nsubc.s32 %r0, %r3, 1", 2, 1, 9, 8},
        Scalar{"add.cc.u64 %q0, %q1, %q2;\naddc.cc.u64 %q0, %q1, %q2;\naddc.u64 %q0, %q3, 0",
               uint64_t(-1), uint64_t(-1), 5, 6},
        Scalar{"mad.lo.cc.u32 %r0, %r1, %r2, %r1;\nmadc.hi.u32 %r0, %r1, %r2, %r3", 0xffffffff,
               0xffffffff, 0, 0xffffffff},
        Scalar{"mad.lo.cc.u32 %r0, %r1, %r2, %r3;\nmadc.hi.s32 %r0, %r1, %r2, 0", uint32_t(-2), 3,
               6, 0},
        Scalar{"fma.rm.f32 %r0, %r1, %r2, %r3", 0x3f800000, 0x3f800000, 0x30800000, 0x3f800000},
        Scalar{"fma.rp.f32 %r0, %r1, %r2, %r3", 0x3f800000, 0x3f800000, 0x30800000, 0x3f800001},
        Scalar{"add.rz.f32 %r0, %r1, %r2", 0xbf800000, 0xb0800000, 0, 0xbf800000},
        Scalar{"add.rm.f32 %r0, %r1, %r2", 0xbf800000, 0xb0800000, 0, 0xbf800001},
        Scalar{"mul.rp.f64 %q0, %q1, %q2", 0x3ff0000000000001, 0x3ff0000000000001, 0,
               0x3ff0000000000003},
        Scalar{"div.s32 %r0, %r1, %r2", uint32_t(-7), 2, 0, uint32_t(-3)},
        Scalar{"rem.s32 %r0, %r1, %r2", uint32_t(-7), 2, 0, uint32_t(-1)},
        Scalar{"shl.b32 %r0, %r1, %r2", 1, 32, 0, 0},
        Scalar{"shr.s32 %r0, %r1, %r2", 0x80000000, 40, 0, 0xffffffff},
        Scalar{"shf.l.wrap.b32 %r0, %r1, %r2, %r3", 0x80000000, 0x1, 4, 0x18},
        Scalar{"shf.r.clamp.b32 %r0, %r1, %r2, %r3", 0x1, 0x2, 40, 0x2},
        Scalar{"bfe.u32 %r0, %r1, 4, 8", 0xabcd, 0, 0, 0xbc},
        Scalar{"bfe.s32 %r0, %r1, 4, 4", 0xab, 0, 0, 0xfffffffa},
        Scalar{"bfi.b32 %r0, %r1, %r2, 8, 4", 0xf5, 0xffff, 0, 0xf5ff},
        Scalar{"prmt.b32 %r0, %r1, %r2, 0x5410U", 0x33221100, 0x77665544, 0, 0x55441100},
        Scalar{"prmt.b32 %r0, %r1, %r2, 0xba98U", 0x80017f00, 0, 0, 0xff000000},
        Scalar{"lop3.b32 %r0, %r1, %r2, %r3, 0x96", 0xc, 0xa, 0x9, 0xf},
        Scalar{"popc.b32 %r0, %r1", 0xf0f1, 0, 0, 9}, Scalar{"clz.b32 %r0, %r1", 1, 0, 0, 31},
        Scalar{"brev.b32 %r0, %r1", 1, 0, 0, 0x80000000},
        Scalar{"dp4a.s32.s32 %r0, %r1, %r2, %r3", 0x01ff02fe, 0x01010101, 10, 10},
        Scalar{"selp.b32 %r0, %r1, %r2, %p1", 5, 6, 0, 6},
        Scalar{"setp.lt.s32 %p0, %r1, %r2", 0xffffffff, 0, 0, 1},
        Scalar{"setp.lt.u32 %p0, %r1, %r2", 0xffffffff, 0, 0, 0},
        Scalar{"mov.b64 %q0, {%r1, %r2}", 0x11, 0x22, 0, 0x2200000011},
        Scalar{"max.s16 %h0, %h1, %h2", 0xffff, 1, 0, 1},
        Scalar{"max.relu.s32 %r0, %r1, %r2", uint32_t(-5), uint32_t(-7), 0, 0},
        Scalar{"min.relu.s32 %r0, %r1, %r2", 7, 5, 0, 5},
        Scalar{"min.relu.s32 %r0, %r1, %r2", uint32_t(-5), 5, 0, 0}));

INSTANTIATE_TEST_SUITE_P(
    Conversions, Scalars,
    ::testing::Values(
        Scalar{"cvt.s32.s8 %r0, %r1", 0x80, 0, 0, 0xffffff80},
        Scalar{"cvt.rzi.s32.f32 %r0, %r1", 0xc0200000 /* -2.5 */, 0, 0, uint32_t(-2)},
        Scalar{"cvt.rni.s32.f32 %r0, %r1", 0x40200000 /* 2.5 */, 0, 0, 2},
        Scalar{"cvt.rzi.u32.f32 %r0, %r1", 0xbf800000 /* -1 */, 0, 0, 0},
        Scalar{"cvt.rzi.s32.f32 %r0, %r1", 0x7fc00000 /* NaN */, 0, 0, 0},
        Scalar{"cvt.rn.f32.s32 %r0, %r1", 0x01000001, 0, 0, 0x4b800000},
        Scalar{"cvt.rn.bf16x2.f32 %r0, %r1, %r2", 0x3f800000, 0x40000000, 0, 0x3f804000},
        Scalar{"cvt.rn.f16x2.f32 %r0, %r1, %r2", 0x3f800000, 0x40000000, 0, 0x3c004000},
        // 1 + 2^-8 lies half-way between two bf16: to the even one.
        Scalar{"cvt.rn.bf16.f32 %h0, %r1", 0x3f808000, 0, 0, 0x3f80},
        Scalar{"cvt.f32.f16 %r0, %h1", 0x3c00, 0, 0, 0x3f800000},
        Scalar{"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2", 0x44000000 /* 512 */, 0x3f800000, 0,
               0x7e38},
        Scalar{"cvt.rn.f16x2.e5m2x2 %r0, %h1", 0x3c40, 0, 0, 0x3c004000},
        Scalar{"cvt.u16.u32 %h0, %r1", 0x12345, 0, 0, 0x2345}));

INSTANTIATE_TEST_SUITE_P(
    Floats, Scalars,
    ::testing::Values(
        Scalar{"add.rn.f32 %r0, %r1, %r2", 0x3f800000, 0x33800000 /* 2^-24: a tie */, 0,
               0x3f800000},
        // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24, which a rounded product would lose.
        Scalar{"fma.rn.f32 %r0, %r1, %r2, %r3", 0x3f800800, 0x3f800800, 0xbf800000, 0x3a000400},
        Scalar{"min.f32 %r0, %r1, %r2", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
        Scalar{"max.f32 %r0, %r1, %r2", 0x80000000, 0, 0, 0},
        Scalar{"mul.rn.ftz.f32 %r0, %r1, %r2", 0x00800000, 0x3f000000, 0, 0},
        Scalar{"mul.rn.f32 %r0, %r1, %r2", 0x00800000, 0x3f000000, 0, 0x00400000},
        Scalar{"ex2.approx.f32 %r0, %r1", 0x40400000, 0, 0, 0x41000000},
        Scalar{"copysign.f32 %r0, %r1, %r2", 0x80000000, 0x3f800000, 0, 0xbf800000},
        Scalar{"setp.neu.f32 %p0, %r1, %r2", 0x7fc00000, 0, 0, 1},
        Scalar{"setp.ne.f32 %p0, %r1, %r2", 0x7fc00000, 0, 0, 0},
        Scalar{"add.rn.bf16x2 %r0, %r1, %r2", 0x3f804000, 0x3f803f80, 0, 0x40004040},
        Scalar{"fma.rn.f16 %h0, %h1, %h2, %h2", 0x4000, 0x3c00, 0, 0x4200},
        Scalar{"mul.rn.f32x2 %q0, %q1, %q2", 0x400000003f800000, 0x40400000c0000000, 0,
               0x40c00000c0000000},
        Scalar{"fma.rn.f32x2 %q0, %q1, %q2, %q3", 0x400000003f800000, 0x40400000c0000000,
               0x3f8000003f800000, 0x40e00000bf800000},
        Scalar{"add.rn.f32.f16 %r0, %h1, %r2", 0x3c00, 0x40000000, 0, 0x40400000},
        Scalar{"sub.rn.f32.bf16 %r0, %h1, %r2", 0x4040, 0x3f800000, 0, 0x40000000},
        Scalar{"fma.rn.f32.f16 %r0, %h1, %h2, %r3", 0x4000, 0x3e00, 0x3f800000, 0x40800000}));

TEST(Lanes, ShufflesReadOtherLanes) {
  PtxRun run;
  run.body = "shfl.sync.bfly.b32 %r1, %tid, 3, 31, -1;\n"
             "shfl.sync.down.b32 %r2|%p1, %tid, 30, 31, -1;\n"
             "shfl.sync.idx.b32 %r3, %tid, 5, 0x181f, -1;\n" // segments of 8
             "shl.b32 %r2, %r2, 8;\nshl.b32 %r3, %r3, 16;\nselp.b32 %r4, 0x1000000, 0, %p1;\n"
             "or.b32 %r1, %r1, %r2;\nor.b32 %r1, %r1, %r3;\nor.b32 %r1, %r1, %r4;\n"
             "st.global.b32 [%mine], %r1;";
  const std::vector<uint32_t> &out = run.results();
  EXPECT_EQ(out[0], 3u | 30u << 8 | 5u << 16 | 1u << 24);
  EXPECT_EQ(out[1], 2u | 31u << 8 | 5u << 16 | 1u << 24);
  EXPECT_EQ(out[17], 18u | 17u << 8 | 21u << 16); // nothing 30 lanes further: its own
}

TEST(Lanes, VotesMatchesAndReductions) {
  PtxRun run;
  run.body = "and.b32 %r1, %tid, 3;\nsetp.eq.b32 %p1, %r1, 1;\n"
             "vote.sync.ballot.b32 %r2, %p1, -1;\nmatch.any.sync.b32 %r3, %r1, -1;\n"
             "redux.sync.max.s32 %r4, %r1, -1;\nadd.s32 %r3, %r3, %r4;\n"
             "setp.eq.s32 %p2, %tid, 0;\n@%p2 mov.b32 %r3, %r2;\nst.global.b32 [%mine], %r3;";
  const std::vector<uint32_t> &out = run.results();
  EXPECT_EQ(out[0], 0x22222222u);
  EXPECT_EQ(out[1], 0x22222222u + 3);
  EXPECT_EQ(out[2], 0x44444444u + 3);
}

// Any one, but the same one of the same lanes.
TEST(Lanes, OneIsElected) {
  PtxRun run;
  run.body = "elect.sync %r1|%p1, -1;\nelect.sync %r2|%p2, -1;\nselp.b32 %r3, 100, 0, %p1;\n"
             "@%p2 add.s32 %r3, %r3, %tid;\nst.global.b32 [%mine], %r3;";
  std::set<uint32_t> leaders;
  for (run.seed = 0; run.seed < 8; ++run.seed) {
    std::vector<uint32_t> out = run.results();
    uint32_t most = *std::max_element(out.begin(), out.end());
    leaders.insert(most - 100);
    EXPECT_EQ(out[most - 100], most);
    EXPECT_EQ(std::count(out.begin(), out.end(), 0), 31);
  }
  EXPECT_GT(leaders.size(), 1u);
}

// Lanes of two sides of a branch meet again; each does its own side only.
TEST(Lanes, BranchesSplitAndMeet) {
  PtxRun run;
  run.body = "setp.lt.u32 %p1, %tid, 10;\nmov.b32 %r1, 0;\n@%p1 bra LESS;\n"
             "add.s32 %r1, %r1, 100;\nbra MEET;\nLESS:\nadd.s32 %r1, %r1, 7;\nMEET:\n"
             "shfl.sync.idx.b32 %r2, %r1, 31, 31, -1;\nadd.s32 %r1, %r1, %r2;\n"
             "st.global.b32 [%mine], %r1;";
  const std::vector<uint32_t> &out = run.results();
  EXPECT_EQ(out[9], 107u);
  EXPECT_EQ(out[10], 200u);
}

TEST(Lanes, SomethingNotComputedMayBeMovedButNotUsed) {
  PtxRun run;
  run.body = "mov.b32 %r2, %r1;\nadd.s32 %r2, %r2, 1;\nst.global.b32 [%mine], %tid;";
  run.results();
  run.body = "mov.b32 %r2, %r1;\nst.global.b32 [%mine], %r2;";
  expectFault(run, "st.global", "stores a value that nothing has written");
  run.body = "setp.eq.b32 %p1, %r1, 0;\n@%p1 bra X;\nX:\n";
  expectFault(run, "@%p1 bra", "a predicate is taken from %p1");
}

// Elements of a byte in a register that nothing has written yet.
TEST(Lanes, BytesBecomeKnownOneByOne) {
  PtxRun run;
  run.body = "mov.b32 %r2, 5;\nbfi.b32 %r3, %r2, %r1, 8, 8;\nprmt.b32 %r4, %r3, 0, 0x7771;\n"
             "st.global.b32 [%mine], %r4;";
  EXPECT_EQ(run.results()[0], 5u);
  run.body = "mov.b32 %r2, 5;\nbfi.b32 %r3, %r2, %r1, 8, 7;\nprmt.b32 %r4, %r3, 0, 0x7771;\n"
             "st.global.b32 [%mine], %r4;";
  expectFault(run, "st.global", "stores a value that nothing has written");
  run.body = "mov.b32 %r2, 5;\nbfi.b32 %r3, %r2, %r1, 8, 24;\nbfi.b32 %r3, %r2, %r3, 0, 8;\n"
             "st.global.b32 [%mine], %r3;";
  EXPECT_EQ(run.results()[0], 0x505u);
}

// A pair of a tile's element and of its padding: only the element is stored.
TEST(Lanes, HalvesOfAPairAreKnownOneByOne) {
  PtxRun run;
  run.body = "mov.b32 %r2, 0f3F800000;\ncvt.rn.f16x2.f32 %r3, %r1, %r2;\n"
             "mov.b32 {%h1, _}, %r3;\ncvt.u32.u16 %r4, %h1;\nst.global.b32 [%mine], %r4;";
  EXPECT_EQ(run.results()[0], 0x3c00u);
  run.body = "mov.b32 %r2, 0f3F800000;\ncvt.rn.f16x2.f32 %r3, %r2, %r1;\n"
             "mov.b32 {%h1, _}, %r3;\ncvt.u32.u16 %r4, %h1;\nst.global.b32 [%mine], %r4;";
  expectFault(run, "st.global", "stores a value that nothing has written");
}

// A wider register knows of the same bytes, and what is above them.
TEST(Lanes, AWiderIntegerKnowsTheSameBytes) {
  PtxRun run;
  run.body = "mov.b32 %r2, 0f3F800000;\ncvt.rn.f16x2.f32 %r3, %r1, %r2;\n"
             "cvt.u64.u32 %q1, %r3;\ncvt.u16.u64 %h1, %q1;\ncvt.u32.u16 %r4, %h1;\n"
             "st.global.b32 [%mine], %r4;";
  EXPECT_EQ(run.results()[0], 0x3c00u);
  run.body = "mov.b32 %r2, 0f3F800000;\ncvt.rn.f16x2.f32 %r3, %r1, %r2;\n"
             "cvt.u64.u32 %q1, %r3;\nshr.u64 %q1, %q1, 32;\ncvt.u32.u64 %r4, %q1;\n"
             "st.global.b32 [%mine], %r4;";
  EXPECT_EQ(run.results()[0], 0u);
  run.body = "mov.b32 %r2, 0f3F800000;\ncvt.rn.f16x2.f32 %r3, %r1, %r2;\n"
             "cvt.s64.s32 %q1, %r3;\nshr.u64 %q1, %q1, 32;\ncvt.u32.u64 %r4, %q1;\n"
             "st.global.b32 [%mine], %r4;";
  expectFault(run, "st.global", "stores a value that nothing has written");
}

// So does a narrower one: of a 4-bit element only the low bits of its byte are used.
TEST(Lanes, ANarrowerIntegerKnowsTheSameBytes) {
  PtxRun run;
  run.body = "mov.b32 %r2, 0xd;\nbfi.b32 %r3, %r2, %r1, 0, 8;\ncvt.u16.u32 %h1, %r3;\n"
             "shl.b16 %h1, %h1, 12;\nshr.s16 %h1, %h1, 12;\ncvt.s32.s16 %r4, %h1;\n"
             "st.global.b32 [%mine], %r4;";
  EXPECT_EQ(run.results()[0], 0xfffffffdu);
  run.body = "mov.b32 %r2, 0xd;\nbfi.b32 %r3, %r2, %r1, 0, 8;\ncvt.u16.u32 %h1, %r3;\n"
             "shl.b16 %h1, %h1, 4;\ncvt.u32.u16 %r4, %h1;\nst.global.b32 [%mine], %r4;";
  expectFault(run, "st.global", "stores a value that nothing has written");
}

// What is used for its sign alone has any magnitude.
TEST(Lanes, ASignIsKnownWithoutAMagnitude) {
  PtxRun run;
  run.body = "mov.b32 %r2, 0x80000000;\ncopysign.f32 %r3, %r2, %r1;\nshr.u32 %r4, %r3, 24;\n"
             "and.b32 %r4, %r4, 128;\nst.global.b32 [%mine], %r4;";
  EXPECT_EQ(run.results()[0], 128u);
  run.body = "mov.b32 %r2, 0x80000000;\ncopysign.f32 %r3, %r2, %r1;\nst.global.b32 [%mine], %r3;";
  expectFault(run, "st.global", "stores a value that nothing has written");
  run.body = "mov.b32 %r2, 1;\ncopysign.f32 %r3, %r1, %r2;\nst.global.b32 [%mine], %r3;";
  expectFault(run, "st.global", "stores a value that nothing has written");
}

// Four 8x8 matrices whose element (row, column) of matrix m is 256 m + 16 row + column.
TEST(Matrices, LdmatrixGivesEachLaneItsPair) {
  PtxRun run;
  run.words = 256;
  run.body = "mov.b32 %r1, smem;\nmad.lo.s32 %r2, %tid, 16, %r1;\n" // a row a lane
             "shl.b32 %r3, %tid, 4;\n"
             "shr.u32 %r4, %tid, 3;\nand.b32 %r5, %tid, 7;\nshl.b32 %r4, %r4, 8;\n"
             "shl.b32 %r5, %r5, 4;\nadd.s32 %r4, %r4, %r5;\n" // 256 m + 16 row
             "mov.b32 %r6, 0;\nLOOP:\nadd.s32 %r7, %r4, %r6;\ncvt.u16.u32 %h1, %r7;\n"
             "st.shared.b16 [%r2], %h1;\nadd.s32 %r2, %r2, 2;\nadd.s32 %r6, %r6, 1;\n"
             "setp.lt.u32 %p1, %r6, 8;\n@%p1 bra LOOP;\nbar.sync 0;\nadd.s32 %r3, %r3, %r1;\n"
             "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r3];\n"
             "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r20, %r21, %r22, %r23}, [%r3];\n"
             "st.global.b32 [%mine], %r10;\nst.global.b32 [%mine+128], %r13;\n"
             "st.global.b32 [%mine+256], %r20;\nst.global.b32 [%mine+384], %r23;";
  const std::vector<uint32_t> &out = run.results();
  // Lane 9: row 2, columns 2 and 3.
  EXPECT_EQ(out[9], 0x00230022u);
  EXPECT_EQ(out[32 + 9], 0x03230322u);
  // Transposed: rows 2 and 3 of column 2.
  EXPECT_EQ(out[64 + 9], 0x00320022u);
  EXPECT_EQ(out[96 + 9], 0x03320322u);
}

// A has a 1 at (9, 5), B a 2 at (5, 3): C has a 2 at (9, 3), lane 4 * 1 + 1, register 3.
TEST(Matrices, MmaSyncPlacesAsTheManualDoes) {
  PtxRun run;
  run.words = 128;
  // A(9, 5): register 1 (row 9 = 1 + 8), lane 4 * 1 + 5 / 2, upper half. B(5, 3): register 0, lane
  // 4 * 3 + 2, upper half.
  run.body = "mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\n"
             "setp.eq.b32 %p1, %tid, 6;\nselp.b32 %r1, 0x3f800000, 0, %p1;\n"
             "mov.b32 %r4, 0;\nmov.b32 %r5, 0;\nsetp.eq.b32 %p2, %tid, 14;\n"
             "selp.b32 %r4, 0x40000000, 0, %p2;\n"
             "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.b32 %r13, 0;\n"
             "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r20, %r21, %r22, %r23}, "
             "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r10, %r11, %r12, %r13};\n"
             "st.global.b32 [%mine], %r20;\nst.global.b32 [%mine+128], %r21;\n"
             "st.global.b32 [%mine+256], %r22;\nst.global.b32 [%mine+384], %r23;";
  const std::vector<uint32_t> &out = run.results();
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i == 3 * 32 + 5 ? 0x40000000u : 0u) << i;
}

// A(9, 5) of tf32: register 1 + 2 (k of 4 and more), lane 4 * 1 + 1; B(5, 3): register 1, lane
// 4 * 3 + 1. The low 13 bits of both do not count.
TEST(Matrices, MmaSyncOfShortFloatsIgnoresLowBits) {
  PtxRun run;
  run.words = 128;
  run.body = "mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\n"
             "setp.eq.b32 %p1, %tid, 5;\nselp.b32 %r3, 0x3f801fff, 0, %p1;\n"
             "mov.b32 %r4, 0;\nmov.b32 %r5, 0;\nsetp.eq.b32 %p2, %tid, 13;\n"
             "selp.b32 %r5, 0x40001fff, 0, %p2;\n"
             "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.b32 %r13, 0;\n"
             "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r20, %r21, %r22, %r23}, "
             "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r10, %r11, %r12, %r13};\n"
             "st.global.b32 [%mine], %r20;\nst.global.b32 [%mine+128], %r21;\n"
             "st.global.b32 [%mine+256], %r22;\nst.global.b32 [%mine+384], %r23;";
  const std::vector<uint32_t> &out = run.results();
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i == 3 * 32 + 5 ? 0x40000000u : 0u) << i;
}

namespace {

constexpr const char *tableKernel = R"(.version 8.8
.target sm_90a
.address_size 64
.const .align 4 .u32 words[2] = {7, 9};
.global .align 8 .b8 table[20] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<9>;
.reg .b64 %q<9>;
ld.param.b64 %q1, [p];
mov.b64 %q2, table;
ld.global.nc.b32 %r1, [%q2+4];
ld.global.b32 %r2, [table+8];
ld.const.b32 %r3, [words+4];
ld.global.b32 %r4, [%q2+16];
mad.lo.u32 %r1, %r1, 10, %r2;
mad.lo.u32 %r1, %r1, 10, %r3;
add.u32 %r1, %r1, %r4;
st.global.b32 [%q1], %r1;
@%last
ret;
}
)";

std::string runTable(std::string_view last, uint32_t &word) {
  std::string text = tableKernel;
  text.replace(text.find("@%last"), 6, last);
  auto module = Module::parse(text);
  if (!module)
    return llvm::toString(module.takeError());
  tilec::sim::Memory memory;
  uint64_t out = llvm::cantFail(memory.allocate(4, "out"));
  std::vector<uint8_t> params(8);
  std::memcpy(params.data(), &out, 8);
  auto result = run(*(*module)->find("k"), {}, params, memory, {});
  if (!result)
    return llvm::toString(result.takeError());
  std::memcpy(&word, memory.hostPointer(out, 4), 4);
  return result->fault;
}

} // namespace

TEST(Tables, AreRead) {
  uint32_t word = 0;
  EXPECT_EQ(runTable("", word), "");
  EXPECT_EQ(word, 239u);
}

TEST(Tables, AreNotWrittenNorLeft) {
  uint32_t word = 0;
  EXPECT_NE(runTable("st.global.b32 [table], 5;", word).find("tables do not have"),
            std::string::npos);
  EXPECT_NE(runTable("ld.global.b32 %r1, [table+20];", word).find("tables do not have"),
            std::string::npos);
  EXPECT_NE(runTable("ld.global.b32 %r1, [nowhere];", word).find("`nowhere` is not declared"),
            std::string::npos);
}
