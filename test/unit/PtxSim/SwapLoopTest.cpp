//===- SwapLoopTest.cpp - elements within a word of compare-and-swap ------===//
//
// The loops are those that LLVM makes of atomics of 16 bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

using namespace tilec::ptx;
using namespace tilec::ptx::test;

namespace {

/// Adds 1 to the 16-bit element at byte 2 * `half` of the word at `address`.
std::string addToHalf(int half, const std::string &space, const std::string &address) {
  static int count = 0;
  const std::string label = "LOOP" + std::to_string(count++), addend = half ? "65536" : "1",
                    mask = half ? "-65536" : "65535", kept = half ? "65535" : "-65536";
  return "ld." + space + ".b32 %r50, " + address + ";\n" + label + ":\nadd.s32 %r51, %r50, " +
         addend + ";\nand.b32 %r51, %r51, " + mask + ";\nand.b32 %r52, %r50, " + kept +
         ";\nor.b32 %r53, %r52, %r51;\natom.relaxed." + space + ".cas.b32 %r54, " + address +
         ", %r50, %r53;\nsetp.ne.b32 %p9, %r54, %r50;\nmov.b32 %r50, %r54;\n@%p9 bra " + label +
         ";\n";
}

const std::string base = "mov.b32 %r1, smem;\nmov.b16 %h1, 0;\n", barrier = "bar.sync 0;\n",
                  setLow = "st.shared.b16 [%r1], %h1;\n" + barrier,
                  storeLow = "ld.shared.b16 %h2, [%r1];\ncvt.u32.u16 %r2, %h2;\n"
                             "st.global.b32 [%mine], %r2;\n";

PtxRun inShared(const std::string &body) {
  PtxRun run;
  run.threads = run.words = 64;
  run.body = base + body;
  return run;
}

/// Block 0 adds to the low half of %in's word, after `before`, and block 1 does `other`.
PtxRun besideAdd(const std::string &other, const std::string &before = "") {
  PtxRun run;
  run.blocks = 2;
  run.words = 1;
  run.input = {0};
  run.body =
      "mov.u32 %r1, %ctaid.x;\nmov.b16 %h1, 7;\nsetp.ne.b32 %p1, %r1, 0;\n@%p1 bra OTHER;\n" +
      before + addToHalf(0, "global", "[%in]") + "bra END;\nOTHER:\n" + other + "\nEND:\n";
  return run;
}

} // namespace

// Bytes without a value may be put back, but not changed.
TEST(SwapLoops, PutBackWhatHasNoValue) {
  EXPECT_EQ(inShared(setLow + addToHalf(0, "shared", "[%r1]") + barrier + storeLow).results()[5],
            64u);
  const std::string unwritten = "an atomic on memory that nothing has written";
  expectFault(inShared(setLow + addToHalf(1, "shared", "[%r1]")), "atom.relaxed.shared.cas",
              unwritten);
  expectFault(inShared(addToHalf(0, "shared", "[%r1]")), "atom.relaxed.shared.cas", unwritten);
  // What is put back has no value still.
  expectFault(inShared(setLow + addToHalf(0, "shared", "[%r1]") + barrier +
                       "ld.shared.b16 %h2, [%r1+2];\ncvt.u32.u16 %r2, %h2;\n"
                       "st.global.b32 [%mine], %r2;\n"),
              "st.global", "that nothing has written");
  // A load that no swap judges.
  expectFault(inShared(setLow + "ld.shared.b32 %r2, [%r1];\n" + barrier +
                       addToHalf(0, "shared", "[%r1]") + "st.global.b32 [%mine], %r2;\n"),
              "st.global", "that nothing has written");
}

TEST(SwapLoops, HaveNeighbours) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    PtxRun run = besideAdd("st.global.b16 [%in+2], %h1;");
    run.seed = seed;
    run.go();
    EXPECT_EQ(run.fault, "");
    EXPECT_EQ(run.input[0], 7u << 16 | 32);
    // A word of which the swap has changed a part.
    run = besideAdd("st.global.b32 [%in], %r1;");
    run.seed = seed;
    run.go();
    EXPECT_NE(run.fault.find("another block"), std::string::npos) << run.fault;
  }
  // A load that no swap judges, without the swap behind it: one reader of a word is remembered.
  PtxRun run = besideAdd("st.global.b16 [%in+2], %h1;", "ld.global.b32 %r2, [%in];\nbra END;\n");
  run.go();
  EXPECT_NE(run.fault.find("another block"), std::string::npos) << run.fault;
}
