//===- ProgressTest.cpp - endless loops, deadlocks, divergent barriers ----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

struct Outcome {
  RunResult result;
  std::vector<uint32_t> words; ///< of the buffer
  /// "kind: message" of the first finding; empty without one.
  std::string first() const { return result.findings.empty() ? "" : result.findings[0].message; }
};

/// Every body starts with s[4:5] the address of a buffer of 64 words, v1 = 0, s6 = wave number and
/// s2 = work-group number.
Outcome runBody(const std::string &body, uint32_t groups, uint32_t threads,
                const LaunchOptions &options = {}) {
  KernelOptions kernel;
  kernel.ldsBytes = 1024;
  std::string text = "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_mov_b32 v1, 0\nv_and_b32 v2, 0x3ff, "
                     "v0\nv_lshrrev_b32 v4, 6, v2\ns_nop 0\nv_readfirstlane_b32 s6, v4\n"
                     "s_waitcnt lgkmcnt(0)\n" +
                     body + "\ns_endpgm";
  auto object = CodeObject::load(assemble("gfx950", kernelText("gfx950", text, kernel)));
  Memory memory;
  uint64_t address = llvm::cantFail(memory.allocate(256, "flags"));
  std::memset(memory.hostPointerForWriting(address, 256), 0, 256);
  std::vector<uint8_t> kernarg(64);
  std::memcpy(kernarg.data(), &address, 8);
  Outcome run;
  run.result = llvm::cantFail(
      tilec::sim::run(**object, "k", {groups, 1, 1}, {threads, 1, 1}, kernarg, memory, options));
  run.words.resize(64);
  std::memcpy(run.words.data(), memory.hostPointer(address, 256), 256);
  return run;
}

#define EXPECT_FOUND(Got, Kind, ...)                                                               \
  do {                                                                                             \
    const auto &r = (Got);                                                                         \
    ASSERT_EQ(r.result.findings.size(), 1u) << r.first();                                          \
    EXPECT_EQ(r.result.findings[0].kind, CheckKind::Kind) << r.first();                            \
    EXPECT_FALSE(r.result.completed);                                                              \
    for (const char *part : {__VA_ARGS__})                                                         \
      EXPECT_NE(r.first().find(part), std::string::npos) << part << " in " << r.first();           \
  } while (false)

const std::string spin = // until the first word of the buffer is not zero
    ".Lspin:\nglobal_load_dword v3, v1, s[4:5] sc1\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s7, "
    "v3\ns_cmp_eq_u32 s7, 0\ns_cbranch_scc1 .Lspin\n";

TEST(EndlessLoop, RegistersThatComeBack) {
  EXPECT_FOUND(runBody(".Lx:\ns_branch .Lx", 1, 64), EndlessLoop, "error: endless-loop: k+0x",
               "`s_branch", "wave 0 repeats k+0x");
  // The state has a period of two rounds; vector registers and EXEC belong to it.
  EXPECT_FOUND(runBody("s_mov_b64 s[8:9], -1\nv_mov_b32 v5, 1\n.Lx:\nv_not_b32 v5, v5\ns_not_b64 "
                       "exec, exec\ns_nop 3\ns_branch .Lx",
                       1, 64),
               EndlessLoop, "`s_branch");
  // A store of what is there already changes nothing.
  EXPECT_FOUND(runBody("v_mov_b32 v5, 7\n.Lx:\nglobal_store_dword v1, v5, s[4:5]\ns_waitcnt "
                       "vmcnt(0)\nds_write_b32 v1, v5\ns_waitcnt lgkmcnt(0)\ns_branch .Lx",
                       1, 64),
               EndlessLoop, "`s_branch");
}

TEST(EndlessLoop, WhateverTheInterleaveAndTheMemoryMode) {
  for (uint64_t seed = 0; seed < 4; ++seed)
    for (MemoryMode mode : {MemoryMode::Eager, MemoryMode::Strict}) {
      LaunchOptions options;
      options.interleaveSeed = seed;
      options.memoryMode = mode;
      EXPECT_FOUND(runBody("v_mov_b32 v5, 3\nv_lshlrev_b32 v1, 2, v2\n.Lx:\nds_write_b32 v1, v5\n"
                           "ds_read_b32 v6, v1\ns_waitcnt lgkmcnt(0)\ns_branch .Lx",
                           1, 128, options),
                   EndlessLoop, "wave 0 repeats", "wave 1 repeats");
    }
}

// A counter, memory that counts and the time are progress, however long it takes.
TEST(EndlessLoop, WhatGetsOnIsNotAccused) {
  Outcome counted = runBody("s_mov_b32 s8, 400000\n.Lx:\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, "
                            "0\ns_cbranch_scc1 .Lx",
                            1, 64);
  EXPECT_TRUE(counted.result.ok()) << counted.first();
  Outcome inMemory =
      runBody("v_mov_b32 v5, 1\n.Lx:\nv_mov_b32 v6, 0\nglobal_atomic_add v6, v1, v5, "
              "s[4:5] sc0\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s7, v6\nv_mov_b32 "
              "v6, 0\ns_cmp_lt_u32 s7, 0x8000\ns_mov_b32 s7, 0\ns_cbranch_scc1 .Lx",
              1, 1);
  EXPECT_TRUE(inMemory.result.ok()) << inMemory.first();
  EXPECT_EQ(inMemory.words[0], 0x8001u);
  Outcome timed =
      runBody("s_memtime s[8:9]\ns_waitcnt lgkmcnt(0)\ns_add_u32 s8, s8, 0x60000\n.Lx:\n"
              "s_memtime s[10:11]\ns_waitcnt lgkmcnt(0)\ns_cmp_lt_u32 s10, "
              "s8\ns_cbranch_scc1 .Lx",
              1, 64);
  EXPECT_TRUE(timed.result.ok()) << timed.first();
  // Two registers that never come back: only the limit ends it.
  LaunchOptions options;
  options.maxInstructionsPerGroup = 200000;
  EXPECT_FOUND(runBody(".Lx:\ns_add_u32 s8, s8, 1\ns_branch .Lx", 1, 64, options), Limit,
               "error: limit: k+0x", "raise the limit");
}

TEST(Deadlock, ABarrierThatALoopNeverReaches) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    LaunchOptions options;
    options.interleaveSeed = seed;
    EXPECT_FOUND(runBody("s_cmp_eq_u32 s6, 1\ns_cbranch_scc1 .Lx\ns_barrier\ns_endpgm\n.Lx:\ns_nop "
                         "0\ns_branch .Lx",
                         1, 192, options),
                 Deadlock, "error: deadlock: k+0x", "wave 0 waits at the s_barrier k+0x",
                 "wave 1 repeats k+0x", "wave 2 waits at the s_barrier k+0x");
  }
}

// Waves of one work-group that wait for a flag in LDS that the other one sets behind the barrier.
TEST(Deadlock, AFlagInLds) {
  EXPECT_FOUND(
      runBody("s_cmp_eq_u32 s6, 1\ns_cbranch_scc1 .Ljoin\nds_write_b32 v1, v1\ns_waitcnt "
              "lgkmcnt(0)\n.Ljoin:\ns_barrier\ns_cmp_eq_u32 s6, 1\ns_cbranch_scc1 "
              ".Lset\n.Lx:\nds_read_b32 v3, v1\ns_waitcnt lgkmcnt(0)\n"
              "v_readfirstlane_b32 s7, v3\ns_cmp_eq_u32 s7, 0\ns_cbranch_scc1 "
              ".Lx\ns_barrier\ns_endpgm\n.Lset:\ns_barrier\nv_mov_b32 v3, 1\nds_write_b32 v1, v3",
              1, 128),
      Deadlock, "wave 0 repeats", "wave 1 waits at the s_barrier");
}

TEST(Deadlock, MemoryThatNobodyChanges) {
  for (unsigned threads : {1u, 2u, 3u}) {
    LaunchOptions options;
    options.threads = threads;
    EXPECT_FOUND(runBody(spin, 1, 64, options), Deadlock,
                 "waiting for another value of byte 0 of `flags`");
    // The last of three groups sets another flag than the one that the others wait for.
    EXPECT_FOUND(runBody("s_cmp_lg_u32 s2, 2\ns_cbranch_scc1 .Lspin\nv_mov_b32 v3, "
                         "1\nglobal_store_dword v1, v3, s[4:5] offset:4\ns_endpgm\n" +
                             spin,
                         3, 64, options),
                 Deadlock, "(and 1 more work-groups)");
    // A lock that is taken and never given back; a failing compare-and-swap changes nothing.
    EXPECT_FOUND(runBody("v_mov_b32 v10, 1\nv_mov_b32 v11, 0\n.Lx:\nglobal_atomic_cmpswap v3, v1, "
                         "v[10:11], s[4:5] sc0\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s7, "
                         "v3\ns_cmp_lg_u32 s7, 0\ns_cbranch_scc1 .Lx",
                         3, 1, options),
                 Deadlock, "byte 0 of `flags`");
  }
}

TEST(Deadlock, AWaveThatHaltsItself) {
  EXPECT_FOUND(runBody("s_cmp_eq_u32 s6, 1\ns_cbranch_scc1 .Lx\ns_barrier\ns_endpgm\n.Lx:\n"
                       "s_sethalt 1",
                       1, 128),
               Deadlock, "wave 0 waits at the s_barrier", "wave 1 has halted itself");
}

// Two groups that answer each other 300 times: each waits, and neither for ever.
TEST(Deadlock, GroupsThatTakeTurnsAreNotAccused) {
  for (unsigned threads : {1u, 2u}) {
    LaunchOptions options;
    options.threads = threads;
    Outcome run =
        runBody("s_mov_b32 s8, s2\n.Lround:\n.Lx:\nglobal_load_dword v3, v1, s[4:5] "
                "sc1\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s7, v3\ns_cmp_lg_u32 s7, "
                "s8\ns_cbranch_scc1 .Lx\ns_add_u32 s7, s7, 1\nv_mov_b32 v3, "
                "s7\nglobal_store_dword v1, v3, s[4:5] sc1\ns_waitcnt vmcnt(0)\ns_add_u32 s8, "
                "s8, 2\ns_cmp_lt_u32 s8, 600\ns_cbranch_scc1 .Lround",
                2, 1, options);
    EXPECT_TRUE(run.result.ok()) << run.first();
    EXPECT_EQ(run.words[0], 600u);
  }
}

Outcome divergent(const std::string &body, uint32_t threads) { return runBody(body, 1, threads); }

TEST(Barrier, InsideABranchOfLanes) {
  Outcome run =
      divergent("v_cmp_gt_u32 vcc, 32, v2\ns_and_saveexec_b64 s[8:9], vcc\ns_barrier\ns_or_b64 "
                "exec, exec, s[8:9]",
                128);
  ASSERT_EQ(run.result.findings.size(), 1u) << run.first();
  EXPECT_EQ(run.result.findings[0].kind, CheckKind::Barrier);
  EXPECT_EQ(run.result.findings[0].cls, FindingClass::Lint);
  EXPECT_NE(
      run.first().find("wave 0 lane 32: the barrier is inside a branch that this lane has not "
                       "taken: EXEC is 0xffffffff"),
      std::string::npos)
      << run.first();
  EXPECT_EQ(run.result.findings[0].count, 2u); // once a wave
  EXPECT_TRUE(run.result.ok());
}

// Lanes that a short last wave does not have are not missed, nor lanes that have come back.
TEST(Barrier, OfAllLanesIsNotAccused) {
  Outcome run = divergent("v_cmp_gt_u32 vcc, 32, v2\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v5, "
                          "1\ns_or_b64 exec, exec, s[8:9]\ns_barrier",
                          100);
  EXPECT_TRUE(run.result.findings.empty()) << run.first();
}

} // namespace
