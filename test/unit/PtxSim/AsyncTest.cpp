//===- AsyncTest.cpp - barriers, copies, order ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

using namespace tilec::ptx;
using namespace tilec::ptx::test;

namespace {

/// Two warps: warp 0 writes a word, `between` happens, warp 1 reads it.
PtxRun handOver(const std::string &writer, const std::string &reader) {
  PtxRun run;
  run.threads = 64;
  run.body = "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra READY;\nmov.b32 %r1, 1;\n"
             "mbarrier.init.shared.b64 [smem+64], %r1;\nREADY:\nbar.sync 0;\n"
             "setp.gt.u32 %p1, %tid, 31;\n@%p1 bra READ;\n"
             "setp.eq.b32 %p2, %tid, 0;\nmov.b32 %r2, 42;\n@%p2 st.shared.b32 [smem], %r2;\n" +
             writer + "\nbra DONE;\nREAD:\n" + reader +
             "\nld.shared.b32 %r3, [smem];\nsetp.eq.b32 %p3, %tid, 32;\n"
             "@%p3 st.global.b32 [%out], %r3;\nDONE:\n";
  run.words = 1;
  return run;
}

const std::string arrive = "@%p2 mbarrier.arrive.shared::cta.b64 _, [smem+64];";
std::string waitFor(int parity) {
  return "mov.b32 %r5, " + std::to_string(parity) +
         ";\nmov.b32 %r6, smem;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p4, [%r6+64], %r5;\n"
         "not.pred %p4, %p4;\n@%p4 bra WAIT;";
}

} // namespace

TEST(Order, BarriersAndMbarriersHandOver) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    PtxRun run = handOver("bar.sync 1, 64;", "bar.sync 1, 64;");
    run.seed = seed;
    EXPECT_EQ(run.results(), std::vector<uint32_t>{42});
    run = handOver("bar.arrive 1, 64;", "bar.sync 1, 64;");
    run.seed = seed;
    EXPECT_EQ(run.results(), std::vector<uint32_t>{42});
    run = handOver(arrive, waitFor(0));
    run.seed = seed;
    EXPECT_EQ(run.results(), std::vector<uint32_t>{42});
  }
}

// Whatever the seed: it does not take an unlucky order. Who reads first finds no value.
TEST(Order, WithoutABarrierTheReadIsAFault) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    PtxRun run = handOver("", "");
    run.seed = seed;
    run.go();
    auto isFound = [&] {
      return run.fault.find("nothing says") != std::string::npos ||
             run.fault.find("stores a value that nothing has written") != std::string::npos;
    };
    EXPECT_TRUE(isFound()) << run.fault;
    // Parity 1 of a fresh mbarrier has passed already.
    run = handOver(arrive, waitFor(1));
    run.seed = seed;
    run.go();
    EXPECT_NE(run.fault, ""); // or it waits for a second phase
  }
}

TEST(Order, AWaitThatNeverComesTrueIsNamed) {
  PtxRun run = handOver("", waitFor(0));
  expectFault(run, "mbarrier.try_wait", "nothing moves any more:\n  1 warp at PTX line");
  run = handOver("bar.sync 1, 64;", "");
  run.checkOrder = false;
  expectFault(run, "bar.sync 1, 64", "nothing moves any more");
}

// `.loc` holds for the instructions behind it; line 0 is none of the script's.
TEST(Order, FaultsNameTheLineOfTheScript) {
  PtxRun run = handOver("", ".loc 1 27 9\n" + waitFor(0) + ".loc 1 0 9\n");
  run.body += "\n.file 1 \"kernel.py\"\n";
  expectFault(run, "mbarrier.try_wait", " (kernel.py:27): `mbarrier.try_wait");
  run = handOver(".file 1 \"kernel.py\"\n.loc 1 27 9\n.loc 1 0 9\n"
                 "mbarrier.arrive.shared::cta.b64 _, [smem+72];",
                 waitFor(0));
  run.go();
  EXPECT_EQ(run.fault.find("kernel.py"), std::string::npos) << run.fault;
}

TEST(Order, MbarriersCountArrivals) {
  PtxRun run = handOver("mbarrier.arrive.shared::cta.b64 _, [smem+64];\n", waitFor(0));
  run.body = "mov.b32 %r20, 0;\n" + run.body;
  // 32 lanes arrive at a barrier of one: each ends a phase; that many are odd phases at the end.
  run.checkOrder = false;
  run.go();
  EXPECT_EQ(run.fault.find("arrives more often"), std::string::npos) << run.fault;
  run = handOver("mov.b32 %r8, 2;\nmbarrier.arrive.shared::cta.b64 _, [smem+64], %r8;", waitFor(0));
  expectFault(run, "mbarrier.arrive", "arrives more often than the mbarrier's count of 1");
  run = handOver("mbarrier.arrive.shared::cta.b64 _, [smem+72];", waitFor(0));
  expectFault(run, "mbarrier.arrive", "there is no mbarrier at shared address 1096");
}

// A phase ends when no arrival and no byte is missing.
TEST(Order, MbarriersCountBytes) {
  PtxRun run;
  run.threads = 32;
  run.words = 4;
  run.body = "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra DONE;\nmov.b32 %r1, 1;\nmov.b32 %r2, smem;\n"
             "mbarrier.init.shared.b64 [%r2], %r1;\nmov.b32 %r3, 96;\nmov.b32 %r4, 0;\n"
             "mbarrier.arrive.expect_tx.shared.b64 %q1, [%r2], %r3;\n"
             "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], %r4;\nselp.b32 %r10, 1, 0, %p2;\n"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 64;\n"
             "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], %r4;\nselp.b32 %r11, 1, 0, %p2;\n"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 32;\n"
             "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], %r4;\nselp.b32 %r12, 1, 0, %p2;\n"
             "mbarrier.test_wait.shared.b64 %p2, [%r2], %q1;\nselp.b32 %r13, 1, 0, %p2;\n"
             "st.global.v4.b32 [%out], {%r10, %r11, %r12, %r13};\nDONE:\n";
  EXPECT_EQ(run.results(), (std::vector<uint32_t>{0, 0, 1, 1}));
}

namespace {

const std::string copyIn =
    "mov.b32 %r1, smem;\nshl.b32 %r2, %tid, 4;\nadd.s32 %r1, %r1, %r2;\ncvt.u64.u32 %q1, %r2;\n"
    "add.s64 %q1, %in, %q1;\ncp.async.cg.shared.global [%r1], [%q1], 16;\n"
    "cp.async.commit_group;\n";
const std::string readNeighbour =
    "add.s32 %r5, %tid, 1;\nand.b32 %r5, %r5, 31;\nshl.b32 %r5, %r5, 4;\nmov.b32 %r6, smem;\n"
    "add.s32 %r6, %r6, %r5;\nld.shared.b32 %r7, [%r6];\nst.global.b32 [%mine], %r7;\n";

PtxRun copyRun(const std::string &wait) {
  PtxRun run;
  run.input.resize(128);
  for (unsigned i = 0; i < 128; ++i)
    run.input[i] = i;
  run.body = copyIn + wait + readNeighbour;
  return run;
}

} // namespace

TEST(Copies, LandAtTheirWait) {
  PtxRun run = copyRun("cp.async.wait_group 0;\nbar.sync 0;\n");
  const std::vector<uint32_t> &out = run.results();
  EXPECT_EQ(out[3], 16u);
  EXPECT_EQ(out[31], 0u);
  expectFault(copyRun("cp.async.wait_group 1;\nbar.sync 0;\n"), "ld.shared.b32",
              "to which a copy is still on its way");
  expectFault(copyRun("bar.sync 0;\n"), "ld.shared.b32", "to which a copy is still on its way");
}

TEST(Copies, FillWithZerosAndStayInBounds) {
  PtxRun run = copyRun("cp.async.wait_all;\n");
  size_t at = run.body.find("[%q1], 16;");
  run.body.replace(at, 10, "[%q1], 16, %r9;");
  run.body = "mov.b32 %r9, 0;\n" + run.body;
  EXPECT_EQ(run.results()[3], 0u);
  run = copyRun("cp.async.wait_all;\n");
  run.input.resize(120);
  expectFault(run, "cp.async.cg", "byte 480 of `in`, which has 480");
}

TEST(Memory, AccessesOutsideAreNamed) {
  PtxRun run;
  run.body = "st.global.b32 [%mine+4], %tid;";
  expectFault(run, "st.global", "writes 4 bytes at");
  run.body = "ld.global.b32 %r1, [%in+2];\nst.global.b32 [%mine], %r1;";
  run.input = {1, 2};
  expectFault(run, "ld.global", "which is no multiple of 4");
  run.body = "ld.shared.b32 %r1, [smem+65536];";
  expectFault(run, "ld.shared", "is outside of the block's");
  run.body = "ld.shared.b32 %r1, [smem];\nst.global.b32 [%mine], %r1;";
  expectFault(run, "st.global", "stores a value that nothing has written");
}

TEST(Memory, AtomicsAddUp) {
  PtxRun run;
  run.threads = 128;
  run.blocks = 3;
  run.words = 1;
  run.input = {5};
  run.body = "atom.global.add.u32 %r1, [%in], 1;\nsetp.eq.b32 %p1, %tid, 0;\n"
             "@%p1 st.global.b32 [%out], %tid;";
  run.results();
  EXPECT_EQ(run.input[0], 5u + 3 * 128);
}

// The lanes of one warp wait in different places for each other.
TEST(Lanes, ThatNeverMeetAreStuck) {
  PtxRun run;
  run.body = "setp.eq.b32 %p1, %tid, 3;\n@%p1 bra OTHER;\nshfl.sync.idx.b32 %r1, %tid, 0, 31, -1;\n"
             "bra END;\nOTHER:\nshfl.sync.idx.b32 %r1, %tid, 1, 31, -1;\nEND:\n";
  expectFault(run, "shfl.sync", "nothing moves any more");
}

TEST(Parser, NamesTheLineOfWhatItDoesNotKnow) {
  auto failure = [](const char *text) {
    auto module = Module::parse(text);
    return module ? std::string() : llvm::toString(module.takeError());
  };
  EXPECT_EQ(failure(".version 8.0\n!\n"), "PTX line 2: `!` is no PTX");
  EXPECT_EQ(failure(".entry k()\n{\nadd.s32 %r1, 1, 2;\n}"), "PTX line 3: `%r1` is not declared");
  EXPECT_EQ(failure(".entry k()\n{\nbra X;\n}"), "PTX line 3: `X` is not declared");
  EXPECT_EQ(failure(".entry k()\n{\nret;\n"), "PTX line 4: the kernel has no end");
  PtxRun run;
  run.body = "suq.width.b32 %r1, [%q1];";
  run.go();
  EXPECT_NE(run.fault.find("`suq.width.b32 %r1, [%q1]` is not known here"), std::string::npos)
      << run.fault;
}
