//===- GlobalTest.cpp - the order of global memory, register counts -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

using namespace tilec::ptx;
using namespace tilec::ptx::test;

namespace {

/// `body` in lane 0 of two blocks; %r1 is the block's number.
PtxRun twoBlocks(const std::string &body) {
  PtxRun run;
  run.blocks = 2;
  run.words = 2;
  run.input = {7, 8};
  run.body = "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %q1, %r1, 4;\nadd.s64 %q1, %out, %q1;\n"
             "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra END;\nsetp.eq.b32 %p2, %r1, 0;\n" +
             body + "\nEND:\n";
  return run;
}

/// Whatever the order was.
void expectFaults(const PtxRun &program, const std::string &part) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    PtxRun run = program; // with its input as it was
    run.seed = seed;
    run.go();
    EXPECT_NE(run.fault.find(part), std::string::npos) << run.fault;
  }
}

} // namespace

TEST(Global, BlocksDoNotWriteTheSameWord) {
  expectFaults(twoBlocks("add.s32 %r2, %r1, 1;\nst.global.b32 [%out], %r2;"),
               "which another block writes too");
  EXPECT_EQ(twoBlocks("mov.b32 %r2, 5;\nst.global.b32 [%out], %r2;\nst.global.b32 [%q1], %r2;")
                .results()[0],
            5u); // the same value
  EXPECT_EQ(twoBlocks("mul.wide.u32 %q2, %r1, 2;\nadd.s64 %q2, %out, %q2;\ncvt.u16.u32 %h1, %r1;\n"
                      "st.global.b16 [%q2], %h1;")
                .results()[0],
            1u << 16); // halves of a word
  EXPECT_EQ(twoBlocks("mov.b32 %r2, 5;\nst.global.b32 [%q1], %r2;\nred.global.add.u32 [%in], 1;")
                .results()[1],
            5u);
}

TEST(Global, BlocksDoNotReadWhatAnotherWrites) {
  const std::string body = "@%p2 st.global.b32 [%in], %tid;\n@%p2 bra END;\n"
                           "ld.global.b32 %r2, [%in];\nst.global.b32 [%out], %r2;";
  expectFaults(twoBlocks(body), "another block");
  // Fences may order them: not looked at.
  PtxRun fenced = twoBlocks("membar.gl;\n" + body);
  fenced.go();
  EXPECT_EQ(fenced.fault, "");
}

TEST(Global, WarpsOfABlockNeedABarrier) {
  PtxRun run;
  run.threads = 64;
  run.words = 64;
  const std::string write = "st.global.b32 [%mine], %tid;\n", barrier = "bar.sync 0;\n",
                    read = "xor.b32 %r1, %tid, 32;\nmul.wide.u32 %q1, %r1, 4;\n"
                           "add.s64 %q1, %out, %q1;\nld.global.b32 %r2, [%q1];\n" +
                           barrier + write;
  run.body = write + barrier + read;
  EXPECT_EQ(run.results()[63], 63u);
  run.body = write + read;
  for (run.seed = 1; run.seed <= 5; ++run.seed) {
    run.go();
    EXPECT_NE(run.fault.find("nothing says that the"), std::string::npos) << run.fault;
  }
}

TEST(Global, BytesThatAreNotUsedAreNotRead) {
  PtxRun run;
  run.words = 1;
  run.input = {7, 8, 9};
  const std::string gaps = ".pragma \"used_bytes_mask 0xf0f\";\n",
                    load = "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%in];\n";
  run.body = gaps + load + "add.s32 %r5, %r1, %r3;\nst.global.b32 [%out], %r5;";
  EXPECT_EQ(run.results()[0], 16u);
  // The mask is the next instruction's only.
  run.body = gaps + load + load;
  expectFault(run, "ld.global.v4", "reads 16 bytes");
  // What is not used has no value, what is used lies in an allocation.
  run.body = gaps + load + "st.global.b32 [%out], %r2;";
  expectFault(run, "st.global", "that nothing has written");
  run.body = ".pragma \"used_bytes_mask 0xff0f\";\n" + load;
  expectFault(run, "ld.global.v4", "reads 4 bytes");
  run.body = ".pragma \"used_bytes_mask 0x130f\";\n" + load;
  expectFault(run, "ld.global.v4", "reads 1 bytes");
  run.body = "add.s64 %in, %in, 8;\n" + gaps + load;
  expectFault(run, "ld.global.v4", "no multiple of 16");
}

TEST(Global, ConstantsAreNotWritten) {
  PtxRun run;
  run.words = 64;
  run.body = "st.global.b32 [%mine], %tid;\nld.global.nc.b32 %r1, [%mine];";
  expectFault(run, "ld.global.nc", "as a constant (.nc), which this launch has written");
}

// 384 threads begin with 168 registers each, and none are left over.
TEST(Registers, MoveBetweenWarps) {
  PtxRun run;
  run.threads = 384;
  run.words = 384;
  const std::string split = "setp.gt.u32 %p1, %tid, 255;\n@%p1 bra LESS;\n",
                    more = "setmaxnreg.inc.sync.aligned.u32 232;\nbra DONE;\nLESS:\n",
                    less = "setmaxnreg.dec.sync.aligned.u32 40;\n", done = "DONE:\n";
  run.body = split + more + less + done;
  EXPECT_EQ((run.go(), run.fault), "");
  run.body = split + more + done;
  run.go();
  EXPECT_NE(run.fault.find("nothing moves any more"), std::string::npos) << run.fault;
  run.body = "setmaxnreg.dec.sync.aligned.u32 20;\n";
  expectFault(run, "setmaxnreg.dec", "a multiple of 8 from 24 to 256");
  run.body = "setmaxnreg.inc.sync.aligned.u32 40;\n";
  expectFault(run, "setmaxnreg.inc", "has 168 registers already");
}
