//===- ClusterTest.cpp - blocks of a cluster, launches in a row -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Runner.h"

using namespace tilec::ptx;
using namespace tilec::ptx::test;

// Two blocks of a cluster: each arrives at the other's mbarrier and reads the other's memory.
TEST(Clusters, ReachEachOthersSharedMemory) {
  PtxRun run;
  run.threads = 32;
  run.blocks = run.cluster = 2;
  run.words = 2;
  run.body =
      "mov.u32 %r1, %cluster_ctarank;\nxor.b32 %r2, %r1, 1;\nsetp.ne.b32 %p1, %tid, 0;\n"
      "@%p1 bra READY;\nmov.b32 %r3, 1;\nmbarrier.init.shared.b64 [smem+64], %r3;\n"
      "fence.mbarrier_init.release.cluster;\nREADY:\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n@%p1 bra MET;\n"
      "add.s32 %r4, %r1, 70;\nst.shared.b32 [smem], %r4;\nmov.b32 %r5, smem;\n"
      "mapa.shared::cluster.u32 %r6, %r5, %r2;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6+64];\nmov.b32 %r7, 0;\nWAIT:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r5+64], %r7;\n"
      "not.pred %p2, %p2;\n@%p2 bra WAIT;\nld.shared::cluster.b32 %r8, [%r6];\n"
      "mul.wide.u32 %q1, %r1, 4;\nadd.s64 %q1, %out, %q1;\nst.global.b32 [%q1], %r8;\nMET:\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    run.seed = seed;
    EXPECT_EQ(run.results(), (std::vector<uint32_t>{71, 70}));
  }
  // Without the last meeting a block may return while the other still reads its memory: found
  // whether it has or not.
  size_t at = run.body.find("MET:\n");
  run.body.erase(at + 5);
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    run.seed = seed;
    run.go();
    bool isFound =
        run.fault.find("the cluster has no such block, or it has returned") != std::string::npos ||
        run.fault.find("nothing says that this is over") != std::string::npos;
    EXPECT_TRUE(isFound) << run.fault;
  }
}

namespace {

/// Two blocks of 32 threads, whose lane 0 runs `body` with %r1, the block's rank.
PtxRun pairOfBlocks(const std::string &body) {
  PtxRun run;
  run.blocks = run.cluster = 2;
  run.words = 2;
  run.body = "mov.u32 %r1, %cluster_ctarank;\nmul.wide.u32 %q1, %r1, 4;\nadd.s64 %q1, %out, %q1;\n"
             "setp.ne.b32 %p1, %tid, 0;\n@%p1 bra MEET;\n" +
             body + "\nMEET:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";
  return run;
}

} // namespace

// What ptxas makes of `mov %r2, smem` in a kernel with clusters.
TEST(Clusters, HaveTheirRankInSharedAddresses) {
  PtxRun run = pairOfBlocks("mov.b32 %r2, smem+8;\nst.global.b32 [%q1], %r2;");
  EXPECT_EQ(run.results(), (std::vector<uint32_t>{1032, 1032 + (1 << 24)}));
  run = pairOfBlocks(
      "mov.b32 %r2, smem+8;\nmov.b32 %r3, 0;\nmapa.shared::cluster.u32 %r2, %r2, %r3;\n"
      "getctarank.shared::cluster.u32 %r4, %r2;\nadd.s32 %r2, %r2, %r4;\n"
      "st.global.b32 [%q1], %r2;");
  EXPECT_EQ(run.results(), (std::vector<uint32_t>{1032, 1032}));
}

TEST(Clusters, DoNotTakeAnothersAddressForTheirOwn) {
  // The rank cut off: right in block 0 alone.
  expectFault(
      pairOfBlocks("mov.b32 %r2, smem;\nand.b32 %r2, %r2, 262143;\nst.shared.b32 [%r2], %r1;"),
      "st.shared.b32", "0x400 for a place of its own block, number 1 of the cluster");
}

namespace {

/// A launch that may begin before the one before it has ended; two warps.
PtxRun earlyLaunch(const std::string &body) {
  PtxRun run;
  run.threads = 64;
  run.words = 64;
  run.early = true;
  run.body = "griddepcontrol.launch_dependents;\nsetp.gt.u32 %p1, %tid, 31;\n" + body +
             "\nst.global.b32 [%mine], %tid;";
  return run;
}

} // namespace

TEST(Launches, WaitForTheOneBefore) {
  EXPECT_EQ(earlyLaunch("griddepcontrol.wait;").results()[63], 63u);
  // One warp waits and tells the other.
  EXPECT_EQ(earlyLaunch("@%p1 griddepcontrol.wait;\nbar.sync 0;").results()[0], 0u);
  expectFault(earlyLaunch("@%p1 griddepcontrol.wait;"), "st.global.b32",
              "griddepcontrol.wait comes first");
  expectFault(earlyLaunch("ld.global.b32 %r1, [%in];\ngriddepcontrol.wait;"), "ld.global.b32",
              "griddepcontrol.wait comes first");
  PtxRun none = earlyLaunch("bra END;");
  none.body += "\nEND:\n";
  none.go();
  EXPECT_NE(none.fault.find("no thread waits for that (griddepcontrol.wait)"), std::string::npos)
      << none.fault;
  none.early = false;
  none.go();
  EXPECT_EQ(none.fault, "");
}
