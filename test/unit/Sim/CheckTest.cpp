//===- CheckTest.cpp - planted bugs are found, right code is not accused --===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

Snippet snippet(const std::string &body, const std::string &cpu = "gfx950") {
  Snippet s;
  s.cpu = cpu;
  s.kernel.ldsBytes = 8192;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}, {"v2", all(1)}, {"v3", all(2)}};
  s.body = body;
  s.run();
  return s;
}
/// The kinds found, in order, by name.
std::vector<std::string> kinds(const RunResult &result) {
  std::vector<std::string> names;
  for (const Finding &f : result.findings)
    names.push_back(nameOf(f.kind).str() + (f.cls == FindingClass::Lint ? " (lint)" : ""));
  return names;
}
using Names = std::vector<std::string>;
Names found(const std::string &body, const std::string &cpu = "gfx950") {
  return kinds(snippet(body, cpu).result);
}

const std::string srd = "s_mov_b32 s12, s8\ns_and_b32 s13, s9, 0xffff\ns_movk_i32 s14, "
                        "0x1000\ns_mov_b32 s15, 0x20000\n";

TEST(MissingWait, OnGlobalLoads) {
  EXPECT_EQ(found("global_load_dword v10, v1, s[8:9]\nv_add_u32 v11, v10, v2"),
            Names{"missing-wait"});
  EXPECT_EQ(found("global_load_dword v10, v1, s[8:9]\ns_waitcnt vmcnt(0)\nv_add_u32 v11, v10, v2"),
            Names{});
  // Overwriting the destination is as wrong as reading it; another load of the same kind is in
  // order.
  EXPECT_EQ(found("global_load_dword v10, v1, s[8:9]\nv_mov_b32 v10, 0"), Names{"missing-wait"});
  EXPECT_EQ(found("global_load_dword v10, v1, s[8:9]\nglobal_load_dword v10, v1, s[8:9] offset:4"),
            Names{});
}
TEST(MissingWait, CountsInOrder) {
  const std::string two = "global_load_dword v10, v1, s[8:9]\nglobal_load_dword v11, v1, s[8:9] "
                          "offset:4\ns_waitcnt vmcnt(1)\n";
  EXPECT_EQ(found(two + "v_add_u32 v12, v10, v2"), Names{});
  EXPECT_EQ(found(two + "v_add_u32 v12, v11, v2"), Names{"missing-wait"});
}
// vmcnt counts to 63: the 64th load is not issued before the first has completed, but the second
// may still be outstanding.
TEST(MissingWait, MoreLoadsThanTheCounterHolds) {
  std::string loads;
  for (int i = 0; i < 64; ++i)
    loads += "global_load_dword v" + std::to_string(10 + i % 32) +
             ", v1, s[8:9] offset:" + std::to_string(4 * i) + "\n";
  const std::string first = "global_load_dword v50, v1, s[8:9]\n";
  EXPECT_EQ(found(first + loads + "v_add_u32 v51, v50, v2\ns_waitcnt vmcnt(0)"), Names{});
  EXPECT_EQ(found(first + first + "v_mov_b32 v52, 0\nv_add_u32 v51, v50, v2\ns_waitcnt vmcnt(0)"),
            Names{"missing-wait"});
}
// The same of what the load brings, in the mode that brings it as late as can be.
TEST(MissingWait, TheCounterBringsTheOldestLoad) {
  std::string body = "global_store_dword v1, v3, s[8:9]\ns_waitcnt vmcnt(0)\nv_mov_b32 v50, 0\n";
  for (int i = 0; i < 64; ++i)
    body += "global_load_dword v" + std::to_string(i == 0 ? 50 : 52) + ", v1, s[8:9]\n";
  Snippet s;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}, {"v3", all(2)}};
  s.out = {"v51"};
  s.launch.memoryMode = MemoryMode::Strict;
  s.body = body + "v_mov_b32 v51, v50\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(s.run1(), all(2));
}
TEST(MissingWait, ScalarLoadsNeedZero) {
  const std::string two = "s_load_dword s10, s[8:9], 0x0\ns_load_dword s11, s[8:9], 0x4\n";
  EXPECT_EQ(found(two + "s_waitcnt lgkmcnt(1)\ns_add_u32 s16, s10, 1"), Names{"missing-wait"});
  EXPECT_EQ(found(two + "s_waitcnt lgkmcnt(0)\ns_add_u32 s16, s10, 1"), Names{});
}
TEST(MissingWait, OnLdsReadsAndMfmaOperands) {
  const std::string write = "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v12, "
                            "0\nv_mov_b32 v13, 0\nv_mov_b32 v14, 0\nv_mov_b32 v15, 0\n"
                            "ds_read_b32 v10, v1\ns_nop 1\n";
  EXPECT_EQ(found(write + "v_mfma_f32_16x16x4_f32 v[12:15], v10, v2, v[12:15]"),
            Names{"missing-wait"});
  EXPECT_EQ(
      found(write + "s_waitcnt lgkmcnt(0)\nv_mfma_f32_16x16x4_f32 v[12:15], v10, v2, v[12:15]"),
      Names{});
}
TEST(MissingWait, NamesTheLoad) {
  Snippet s = snippet("global_load_dword v10, v1, s[8:9]\nv_add_u32 v11, v10, v2");
  ASSERT_EQ(s.result.findings.size(), 1u);
  const std::string &m = s.result.findings[0].message;
  EXPECT_NE(m.find("v_add_u32_e32 v11, v10, v2"), std::string::npos) << m;
  EXPECT_NE(m.find("global_load_dword v10, v1, s[8:9]"), std::string::npos) << m;
  EXPECT_NE(m.find("vmcnt"), std::string::npos) << m;
}
TEST(MissingWait, CanBeALint) {
  Snippet s;
  s.in = {{"v1", all(0)}, {"v2", all(1)}};
  s.launch.timingHazardsAreLints = true;
  s.body = "global_load_dword v10, v1, s[8:9]\nv_add_u32 v11, v10, v2";
  s.run();
  EXPECT_EQ(kinds(s.result), Names{"missing-wait (lint)"});
  EXPECT_TRUE(s.result.ok());
}

TEST(LdsDma, MustBeWaitedFor) {
  const std::string dma =
      srd + "s_mov_b32 m0, 0\ns_nop 0\nbuffer_load_dword v1, s[12:15], 0 offen lds\n";
  EXPECT_EQ(found(dma + "ds_read_b32 v10, v1\ns_waitcnt lgkmcnt(0)"), Names{"lds-dma-not-waited"});
  EXPECT_EQ(found(dma + "s_waitcnt vmcnt(0)\nds_read_b32 v10, v1\ns_waitcnt lgkmcnt(0)"), Names{});
}
TEST(LdsDma, M0JustBeforeIsALint) {
  const std::string dma = "buffer_load_dword v1, s[12:15], 0 offen lds\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(found(srd + "s_mov_b32 m0, 0\n" + dma), Names{"wait-states (lint)"});
  EXPECT_EQ(found(srd + "s_mov_b32 m0, 0\ns_nop 0\n" + dma), Names{});
}
TEST(LdsDma, StrictModeShowsTheOldBytes) {
  Snippet s;
  s.kernel.ldsBytes = 1024;
  s.launch.memoryMode = MemoryMode::Strict;
  s.launch.checks = Checks::None;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}, {"v2", all(7)}};
  s.body = srd + "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v1, "
                 "s[8:9]\ns_waitcnt vmcnt(0)\ns_mov_b32 m0, 0\ns_nop 0\n"
                 "buffer_load_dword v1, s[12:15], 0 offen lds\nds_read_b32 v10, v1\ns_waitcnt "
                 "lgkmcnt(0)\ns_waitcnt vmcnt(0)\n"
                 "ds_read_b32 v11, v1\ns_waitcnt lgkmcnt(0)";
  s.out = {"v10", "v11"};
  auto r = s.run();
  EXPECT_EQ(r["v10"], all(7));
  EXPECT_EQ(r["v11"], lanes([](uint32_t i) { return 4 * i; }));
}

/// Two waves; each body starts with v1 = 4 * work-item id, v2 = id, s6 = wave number.
RunResult twoWaves(const std::string &body, uint64_t seed = 0) {
  KernelOptions kernel;
  kernel.ldsBytes = 1024;
  std::string text = "v_and_b32 v2, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v2\nv_xor_b32 v3, 0x100, "
                     "v1\nv_lshrrev_b32 v4, 6, v2\n"
                     "s_nop 0\nv_readfirstlane_b32 s6, v4\ns_nop 4\n" +
                     body + "\ns_endpgm";
  auto object = CodeObject::load(assemble("gfx950", kernelText("gfx950", text, kernel)));
  Memory memory;
  LaunchOptions options;
  options.interleaveSeed = seed;
  auto result = tilec::sim::run(**object, "k", {1, 1, 1}, {128, 1, 1}, std::vector<uint8_t>(64),
                                memory, options);
  return llvm::cantFail(std::move(result));
}

TEST(LdsRace, WithoutBarrier) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    Names names = kinds(twoWaves(
        "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\nds_write_b32 v3, v2\ns_waitcnt lgkmcnt(0)",
        seed));
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names[0], "lds-race");
  }
  EXPECT_EQ(kinds(twoWaves("ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v5, "
                           "v3\ns_waitcnt lgkmcnt(0)")),
            Names{});
}
// Half-words at 2 * id + 2: wave 0 writes bytes 2 to 129, wave 1 from 130, which is in the same
// dword.
TEST(LdsRace, NeighboursInOneDword) {
  const std::string places = "v_lshlrev_b32 v7, 1, v2\nv_add_u32 v7, 2, v7\n";
  const std::string store = "ds_write_b16 v7, v2\ns_waitcnt lgkmcnt(0)\n";
  const std::string read = "s_barrier\nds_read_b32 v5, v6\ns_waitcnt lgkmcnt(0)";
  EXPECT_EQ(kinds(twoWaves(places + store)), Names{});
  // Wave 1 begins a half-word earlier: at the last one of wave 0.
  EXPECT_EQ(kinds(twoWaves(places + "s_lshl_b32 s7, s6, 1\nv_subrev_u32 v7, s7, v7\n" + store)),
            Names{"lds-race"});
  EXPECT_EQ(kinds(twoWaves(places + "v_mov_b32 v6, 0x80\n" + store + read)), Names{});
  // Nothing has written bytes 0 and 1.
  Names unset =
      kinds(twoWaves(places + "v_mov_b32 v6, 0\n" + store + read + "\nv_cmp_eq_u32 vcc, v5, v5"));
  ASSERT_FALSE(unset.empty());
  EXPECT_EQ(unset[0], "uninitialized");
}
TEST(LdsRace, OverwritingWhatAnotherWaveStillReads) {
  const std::string start = "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v5, "
                            "v3\ns_waitcnt lgkmcnt(0)\n";
  EXPECT_EQ(kinds(twoWaves(start + "ds_write_b32 v1, v2")), (Names{"lds-race", "lds-race"}));
  EXPECT_EQ(kinds(twoWaves(start + "s_barrier\nds_write_b32 v1, v2")), Names{});
}
TEST(LdsRace, WriteNotWaitedForBeforeTheBarrier) {
  EXPECT_EQ(
      kinds(twoWaves("ds_write_b32 v1, v2\ns_barrier\nds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)")),
      Names{"lds-race"});
}
TEST(LdsRace, AtomicsOfSeveralWavesAreFine) {
  EXPECT_EQ(
      kinds(twoWaves("ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_mov_b32 v6, "
                     "0\nds_add_u32 v6, v2\n"
                     "s_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v5, v6\ns_waitcnt lgkmcnt(0)")),
      Names{});
}

// Each wave fills its half of LDS from the kernel arguments and reads the other's.
TEST(LdsDma, MustBePublishedByABarrier) {
  const std::string fill =
      "s_mov_b32 s12, s0\ns_and_b32 s13, s1, 0xffff\ns_movk_i32 s14, 64\ns_mov_b32 s15, 0x20000\n"
      "s_lshl_b32 s16, s6, 8\ns_mov_b32 m0, s16\nv_and_b32 v7, 63, v2\nv_lshlrev_b32 v7, 2, v7\n"
      "s_nop 4\nbuffer_load_dword v7, s[12:15], 0 offen lds\n";
  const std::string wait = "s_waitcnt vmcnt(0)\n", barrier = "s_barrier\n",
                    read = "ds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)";
  EXPECT_EQ(kinds(twoWaves(fill + wait + barrier + read)), Names{});
  EXPECT_EQ(kinds(twoWaves(fill + barrier + read)), Names{"lds-dma-not-waited"});
  for (uint64_t seed : {0, 1, 2, 3}) {
    Names names = kinds(twoWaves(fill + wait + read, seed));
    EXPECT_TRUE(llvm::is_contained(names, "lds-race")) << seed;
  }
}

TEST(Barrier, AWaveThatEndedEarlierIsALint) {
  EXPECT_EQ(kinds(twoWaves("s_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lend2\ns_barrier\n.Lend2:")),
            Names{"barrier (lint)"});
}

TEST(Uninitialized, RegistersWhereTheyDecide) {
  EXPECT_EQ(found("global_store_dword v1, v20, s[8:9]"), Names{"uninitialized"});
  EXPECT_EQ(found("v_add_u32 v21, v20, v2\nglobal_store_dword v1, v21, s[8:9]"),
            Names{"uninitialized"});
  EXPECT_EQ(found("s_add_u32 s20, s21, 1\ns_cbranch_scc1 .Lx\n.Lx:"), Names{"uninitialized"});
  EXPECT_EQ(found("v_mov_b32 v12, 0\nv_mfma_f32_16x16x4_f32 v[12:15], v20, v2, 0"),
            Names{"uninitialized"});
  EXPECT_EQ(found("v_add_u32 v21, v20, v2"), Names{}); // never used
}
TEST(Uninitialized, ByLane) {
  const std::string half = "s_mov_b64 exec, 0xff\nv_mov_b32 v20, 1\n";
  EXPECT_EQ(found(half + "global_store_dword v1, v20, s[8:9]\ns_mov_b64 exec, -1"), Names{});
  EXPECT_EQ(found(half + "s_mov_b64 exec, -1\nglobal_store_dword v1, v20, s[8:9]"),
            Names{"uninitialized"});
}
// Half of the lanes have an offset beyond the end of a buffer: nothing is stored there.
TEST(Uninitialized, LanesBeyondTheEndOfABuffer) {
  auto stored = [](const std::string &offset) {
    return found("s_mov_b64 exec, 0xff\nv_mov_b32 v20, 1\nv_mov_b32 v21, 0\ns_mov_b64 exec, -1\n"
                 "s_mov_b64 s[12:13], s[8:9]\ns_mov_b32 s14, 16\ns_mov_b32 s15, 0x27000\n"
                 "v_mbcnt_lo_u32_b32 v22, -1, 0\nv_cmp_gt_u32 vcc, 8, v22\n"
                 "v_mov_b32 v23, " +
                 offset +
                 "\nv_mov_b32 v24, 0\n"
                 "v_cndmask_b32 v22, v23, v24, vcc\nbuffer_store_byte v20, v22, s[12:15], 0 offen");
  };
  EXPECT_EQ(stored("-16"), Names{});
  EXPECT_EQ(stored("16"), Names{});
  EXPECT_EQ(stored("15"), Names{"uninitialized"});
}
// What a select leaves out may be anything.
TEST(Uninitialized, ScalarSelects) {
  const std::string branch = "\ns_cmp_eq_u32 s22, 0\ns_cbranch_scc1 .Lx\n.Lx:";
  auto chosen = [&](const char *scc, const std::string &select) {
    return found("s_mov_b64 s[24:25], 5\ns_cmp_eq_u32 s24, " + std::string(scc) + "\n" + select +
                 branch);
  };
  EXPECT_EQ(chosen("5", "s_cselect_b32 s22, s24, s20"), Names{});
  EXPECT_EQ(chosen("5", "s_cselect_b32 s22, s20, s24"), Names{"uninitialized"});
  EXPECT_EQ(chosen("6", "s_cselect_b32 s22, s20, s24"), Names{});
  EXPECT_EQ(chosen("6", "s_cselect_b64 s[22:23], s[24:25], s[20:21]"), Names{"uninitialized"});
  EXPECT_EQ(chosen("5", "s_cselect_b64 s[22:23], s[24:25], s[20:21]"), Names{});
  EXPECT_EQ(chosen("5", "s_cmov_b32 s22, s24"), Names{});
  EXPECT_EQ(chosen("6", "s_cmov_b32 s22, s24"), Names{"uninitialized"});
  EXPECT_EQ(chosen("6", "s_mov_b32 s22, 1\ns_cmov_b32 s22, s20"), Names{});
  // The condition itself.
  EXPECT_EQ(found("s_cmp_eq_u32 s20, 0\ns_cselect_b32 s22, 1, 2" + branch), Names{"uninitialized"});
}
TEST(Uninitialized, UnusedHalvesAreNotAccused) {
  // The high half of the addend never reaches the low half of the result.
  EXPECT_EQ(found("v_mov_b32 v20, 1\nv_mad_u64_u32 v[22:23], s[10:11], v2, v3, "
                  "v[20:21]\nglobal_store_dword v1, v22, s[8:9]"),
            Names{});
  EXPECT_EQ(found("v_mov_b32 v20, 1\nv_mad_u64_u32 v[22:23], s[10:11], v2, v3, "
                  "v[20:21]\nglobal_store_dword v1, v23, s[8:9]"),
            Names{"uninitialized"});
}
TEST(Uninitialized, BytesMergedByAMask) {
  auto merged = [](const std::string &byte, const std::string &store) {
    std::string merge = "v_bitop3_b16 v22, v21, " + byte + ", ";
    std::string rest = " bitop3:0xec\nglobal_store_" + store + " v1, v22, s[8:9]";
    Names result = found("s_movk_i32 s20, 0xff00\n" + merge + "s20" + rest);
    EXPECT_EQ(found("v_mov_b32 v23, 0xff00\n" + merge + "v23" + rest), result);
    return result;
  };
  EXPECT_EQ(merged("v2", "byte"), Names{});
  EXPECT_EQ(merged("v20", "byte"), Names{"uninitialized"});
  EXPECT_EQ(merged("v2", "short"), Names{"uninitialized"}); // the other byte is v21's
}
TEST(Uninitialized, HalvesWrittenOneByOne) {
  // v22 has a low half and no high one, v23 has both, v24 the high one twice.
  auto used = [](const std::string &use) {
    return found("s_mov_b32 s20, 0xffff\nv_bfi_b32 v22, s20, v2, v20\ns_mov_b32 s21, "
                 "0x05040100\nv_perm_b32 v23, v2, v22, s21\nv_lshrrev_b32 v24, 16, v22\n" +
                 use);
  };
  const std::string at = ", s[8:9]", uninitialized = "uninitialized";
  EXPECT_EQ(used("global_store_short v1, v22" + at), Names{});
  EXPECT_EQ(used("global_store_dword v1, v23" + at), Names{});
  EXPECT_EQ(used("v_cvt_f32_f16 v25, v22\nglobal_store_dword v1, v25" + at), Names{});
  EXPECT_EQ(used("v_pk_add_f16 v25, v22, v2\nglobal_store_short v1, v25" + at), Names{});
  EXPECT_EQ(used("v_and_b32 v25, s20, v22\nglobal_store_dword v1, v25" + at), Names{});
  EXPECT_EQ(used("v_mov_b64 v[26:27], v[22:23]\nglobal_store_short v1, v26" + at), Names{});
  EXPECT_EQ(used("v_mov_b64 v[26:27], v[22:23]\nglobal_store_dword v1, v26" + at),
            Names{uninitialized});
  EXPECT_EQ(used("global_store_short_d16_hi v1, v22" + at), Names{uninitialized});
  EXPECT_EQ(used("global_store_dword v1, v22" + at), Names{uninitialized});
  EXPECT_EQ(used("global_store_byte v1, v24" + at), Names{uninitialized});
  EXPECT_EQ(used("v_pk_add_f16 v25, v22, v2\nglobal_store_short_d16_hi v1, v25" + at),
            Names{uninitialized});
  EXPECT_EQ(used("v_add_u32 v25, v22, v2\nglobal_store_short v1, v25" + at),
            Names{uninitialized}); // not followed by bytes
  EXPECT_EQ(used("v_perm_b32 v25, v22, v2, s21\nv_perm_b32 v25, v2, v20, s21\n"
                 "global_store_dword v1, v25" +
                 at),
            Names{uninitialized});
}
TEST(Uninitialized, BytesWrittenOneByOne) {
  // The first byte of v22 is v2's, the second one nobody's.
  auto used = [](const std::string &use) {
    return found("v_lshlrev_b16 v22, 8, v20\nv_or_b32_sdwa v22, v2, v22 dst_sel:DWORD "
                 "dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD\n" +
                 use + "\nglobal_store_dword v1, v23, s[8:9]");
  };
  EXPECT_EQ(used("v_cvt_f32_bf8_sdwa v23, v22 src0_sel:BYTE_0"), Names{});
  EXPECT_EQ(used("v_cvt_f32_bf8_sdwa v23, v22 src0_sel:BYTE_1"), Names{"uninitialized"});
  EXPECT_EQ(used("v_lshl_or_b32 v23, v22, 24, v2"), Names{});
  const std::string toByte1 = "v_mov_b32 v24, 8\nv_lshrrev_b32_sdwa v23, v24, v22 dst_sel:BYTE_1 "
                              "dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD\n";
  EXPECT_EQ(used(toByte1 + "v_and_b32 v23, 0xff, v23"), Names{});
  EXPECT_EQ(used(toByte1 + "v_and_b32 v23, 0xff00, v23"), Names{"uninitialized"});
  EXPECT_EQ(used("v_lshl_or_b32 v23, v22, 20, v2"), Names{"uninitialized"});
  // Pairs: a byte of the upper dword comes beside those of the lower one, or goes up.
  const std::string pair = "v_mov_b32 v26, v2\nv_mov_b32 v27, v22\n";
  for (std::string shift :
       {"v_lshrrev_b64 v[28:29], 24, v[26:27]\nv_and_b32 v23, ",
        "v_lshlrev_b64 v[30:31], 8, v[26:27]\nv_mov_b32 v28, v31\nv_and_b32 v23, "}) {
    EXPECT_EQ(used(pair + shift + "0xff00ffff, v28"), Names{});
    EXPECT_EQ(used(pair + shift + "0xff0000, v28"), Names{"uninitialized"});
  }
  // Ones that SDWA does not choose hide nothing.
  EXPECT_EQ(used("v_mov_b32 v24, 0xff00\nv_or_b32_sdwa v23, v24, v22 dst_sel:DWORD "
                 "dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD"),
            Names{"uninitialized"});
  // The result takes the place of the distance.
  const std::string inPlace = "v_mov_b32 v23, 8\nv_lshlrev_b32 v23, v23, v22\n";
  EXPECT_EQ(used(inPlace + "v_and_b32 v23, 0xffff, v23"), Names{});
  EXPECT_EQ(used(inPlace + "v_and_b32 v23, 0xff0000, v23"), Names{"uninitialized"});
}
// Elements of four bits are shifted by less than a byte and taken out by a mask (program 27572 of
// tilec-diff).
TEST(Uninitialized, BitsTakenOutByAMask) {
  // Of v22 the first byte is v2's, the second one nobody's.
  auto used = [](const std::string &use) {
    return found("v_lshlrev_b16 v22, 8, v20\nv_or_b32_sdwa v22, v2, v22 dst_sel:DWORD "
                 "dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD\n" +
                 use + "\nglobal_store_dword v1, v23, s[8:9]");
  };
  const Names uninitialized = {"uninitialized"};
  const std::string left = "v_lshlrev_b32 v23, 22, v22\n", right = "v_lshrrev_b32 v23, 6, v22\n";
  EXPECT_EQ(used(left + "v_and_b32 v23, 0x3fc00000, v23"), Names{});
  EXPECT_EQ(used(left + "v_and_b32 v23, 0x40000000, v23"), uninitialized);
  EXPECT_EQ(used(right + "v_and_b32 v23, 3, v23"), Names{});
  EXPECT_EQ(used(right + "v_and_b32 v23, 4, v23"), uninitialized);
  EXPECT_EQ(used("v_lshl_or_b32 v23, v22, 26, v2\nv_and_b32 v23, 0x7fffffff, v23"), Names{});
  // The sign of a byte, and distances and masks that differ from lane to lane.
  EXPECT_EQ(used("s_mov_b32 s20, 0x0c0c080c\nv_perm_b32 v23, v2, v22, s20"), uninitialized);
  EXPECT_EQ(used("v_and_b32 v24, 1, v2\nv_lshrrev_b32 v23, v24, v22\nv_and_b32 v23, 0x7f, v23"),
            Names{});
  EXPECT_EQ(used("v_and_b32 v24, 1, v2\nv_lshrrev_b32 v23, v24, v22\nv_and_b32 v23, 0xff, v23"),
            uninitialized);
  EXPECT_EQ(used("v_and_b32 v23, v1, v22"), Names{}); // four times the lane
  // Fields (program 89836): their own bits, and the sign's.
  EXPECT_EQ(used("v_bfe_u32 v23, v22, 1, 7"), Names{});
  EXPECT_EQ(used("v_bfe_u32 v23, v22, 1, 8"), uninitialized);
  EXPECT_EQ(used("v_bfe_i32 v23, v22, 4, 4"), Names{});
  EXPECT_EQ(used("v_bfe_i32 v23, v22, 4, 5"), uninitialized);
  EXPECT_EQ(used("v_bfe_u32 v23, v2, v20, 8"), uninitialized);
  // There and back through an accumulator register (program 102632).
  const std::string through = "v_accvgpr_write_b32 a3, v22\ns_nop 4\nv_accvgpr_read_b32 v23, a3\n";
  EXPECT_EQ(used(through + "v_and_b32 v23, 0xff, v23"), Names{});
  EXPECT_EQ(used(through + "v_and_b32 v23, 0x1ff, v23"), uninitialized);
  EXPECT_EQ(used("v_lshlrev_b32 v24, 1, v1\nv_and_b32 v23, v24, v22"), uninitialized);
}
TEST(Uninitialized, Lds) {
  EXPECT_EQ(found("ds_read_b32 v10, v1\ns_waitcnt lgkmcnt(0)"), Names{"uninitialized"});
}
// What reads of bytes were joined to may take in bytes that nobody uses.
TEST(Uninitialized, LdsBytesWhereTheyDecide) {
  const std::string wait = "\ns_waitcnt lgkmcnt(0)\n", written = "ds_write_b16 v1, v2" + wait;
  auto used = [&](const std::string &read, const std::string &use) {
    return found(written + read + wait + use);
  };
  auto stored = [&](const std::string &bits, const std::string &read, const std::string &reg) {
    return used(read, "v_bfe_u32 v12, " + reg + bits + "\nglobal_store_dword v1, v12, s[8:9]");
  };
  const Names bad = {"uninitialized"};
  EXPECT_EQ(used("ds_read_b32 v10, v1", ""), Names{});
  EXPECT_EQ(used("ds_read_b32 v10, v1", "global_store_dword v1, v10, s[8:9]"), bad);
  EXPECT_EQ(used("ds_read_u8 v10, v1 offset:2", ""), bad);
  EXPECT_EQ(stored(", 8, 8", "ds_read_b32 v10, v1", "v10"), Names{});
  EXPECT_EQ(stored(", 16, 8", "ds_read_b32 v10, v1", "v10"), bad);
  const std::string front = "v_mov_b32 v4, 0\n";
  EXPECT_EQ(stored(", 8, 8", front + "ds_read_b64 v[10:11], v4", "v11"), Names{});
  EXPECT_EQ(stored(", 16, 8", front + "ds_read_b64 v[10:11], v4", "v11"), bad);
  EXPECT_EQ(stored(", 24, 8", front + "ds_read2_b32 v[10:11], v4 offset1:2", "v11"), bad);
  EXPECT_EQ(stored(", 8, 8", front + "ds_read2_b32 v[10:11], v4 offset1:2", "v11"), Names{});
  EXPECT_EQ(stored(", 24, 8", "ds_write_b8 v1, v2 offset:3" + wait + "ds_read_b32 v10, v1", "v10"),
            Names{});
}

// The frame's output buffer, s[6:7], is uninitialized; the one at s[8:9] holds zeros.
TEST(Uninitialized, GlobalMemory) {
  const std::string wait = "\ns_waitcnt vmcnt(0) lgkmcnt(0)\n";
  Snippet s;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}, {"v2", all(1)}};
  s.out = {"v2"};
  auto finds = [&](const std::string &body) {
    s.body = body + wait;
    s.run();
    return kinds(s.result);
  };
  EXPECT_EQ(finds("global_load_dword v10, v1, s[8:9]"), Names{});
  EXPECT_EQ(finds("global_load_dword v10, v1, s[6:7]"), Names{"uninitialized"});
  EXPECT_EQ(finds("global_load_ubyte v10, v1, s[6:7] offset:3"), Names{"uninitialized"});
  EXPECT_EQ(finds("s_load_dwordx2 s[20:21], s[6:7], 0x8"), Names{"uninitialized"});
  EXPECT_EQ(finds("global_atomic_add v1, v2, s[6:7]"), Names{"uninitialized"});
  EXPECT_EQ(finds("global_atomic_swap v1, v2, s[6:7]"), Names{});
  // Without their results, `and` clears bits whatever was there, and `or` sets bits of what is: how
  // an element of 4 bits is written. The other bytes are not named.
  EXPECT_EQ(finds("global_atomic_or v1, v2, s[6:7]"), Names{"uninitialized"});
  EXPECT_EQ(finds("v_mov_b32 v3, -2\nglobal_atomic_and v1, v3, s[6:7]" + wait +
                  "global_atomic_or v1, v2, s[6:7]" + wait + "global_load_ubyte v10, v1, s[6:7]"),
            Names{});
  EXPECT_EQ(finds("v_mov_b32 v3, -2\nglobal_atomic_and v1, v3, s[6:7]" + wait +
                  "global_load_ubyte v10, v1, s[6:7] offset:1"),
            Names{"uninitialized"});
  EXPECT_EQ(finds("global_store_dword v1, v2, s[6:7]" + wait + "global_load_dword v10, v1, s[6:7]"),
            Names{});
  // Half of the dword was written: the report names the first byte that was not.
  EXPECT_EQ(finds("global_store_short v1, v2, s[6:7]" + wait + "global_load_dword v10, v1, s[6:7]"),
            Names{"uninitialized"});
  const std::string &message = s.result.findings[0].message;
  EXPECT_NE(message.find("lane 0: byte 0x"), std::string::npos) << message;
  EXPECT_NE(message.find(", 2 of `out`"), std::string::npos) << message;
  EXPECT_NE(message.find("global_load_dword v10, v1, s[6:7]"), std::string::npos) << message;
}
TEST(Uninitialized, GlobalMemoryThroughLdsDma) {
  Snippet s;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}};
  s.out = {"v1"};
  s.kernel.ldsBytes = 1024;
  s.body = "s_mov_b32 s12, s6\ns_and_b32 s13, s7, 0xffff\ns_movk_i32 s14, 0x100\n"
           "s_mov_b32 s15, 0x20000\ns_mov_b32 m0, 0\ns_nop 0\n"
           "buffer_load_dword v1, s[12:15], 0 offen lds\ns_waitcnt vmcnt(0)";
  s.run();
  EXPECT_EQ(kinds(s.result), Names{"uninitialized"});
}
// Reloading what was never spilled is a mistake only where the value matters.
TEST(Uninitialized, ScratchWhereItsValueDecides) {
  Snippet s;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}, {"v2", all(1)}};
  s.kernel.scratchBytes = 16;
  for (MemoryMode mode : {MemoryMode::Eager, MemoryMode::Strict}) {
    s.launch.memoryMode = mode;
    const std::string reload = "scratch_store_dword off, v2, off offset:4\ns_waitcnt vmcnt(0)\n"
                               "scratch_load_dwordx2 v[10:11], off, off\ns_waitcnt vmcnt(0)\n";
    s.body = reload + "v_add_u32 v12, v10, v11";
    s.run();
    EXPECT_EQ(kinds(s.result), Names{});
    s.body = reload + "global_store_dword v1, v11, s[8:9]";
    s.run();
    EXPECT_EQ(kinds(s.result), Names{});
    s.body = reload + "global_store_dword v1, v10, s[8:9]";
    s.run();
    EXPECT_EQ(kinds(s.result), Names{"uninitialized"});
  }
}

// ---- wait states
// ---------------------------------------------------------------------------------

/// The rule wants exactly `states`: one fewer is found, as many are not.
void exactly(const std::string &cpu, unsigned states, const std::string &first,
             const std::string &second) {
  SCOPED_TRACE(cpu + ": " + first + " / " + second + " wants " + std::to_string(states));
  auto pad = [](unsigned n) {
    std::string text;
    for (; n > 8; n -= 8)
      text += "s_nop 7\n";
    return n ? text + "s_nop " + std::to_string(n - 1) + "\n" : text;
  };
  const std::string setUp =
      "v_mov_b32 v10, 0\nv_mov_b32 v11, 0\nv_mov_b32 v12, 0\nv_mov_b32 v13, 0\nv_mov_b32 v14, 0\n"
      "v_mov_b32 v15, 0\nv_mov_b32 v16, 0\nv_mov_b32 v17, 0\ns_mov_b64 s[12:13], 0\ns_mov_b64 "
      "s[14:15], 0\ns_mov_b64 vcc, 0\ns_nop 7\n";
  EXPECT_EQ(
      found(setUp + first + "\n" + pad(states) + second + "\ns_waitcnt vmcnt(0) lgkmcnt(0)", cpu),
      Names{});
  if (states)
    EXPECT_EQ(
        found(setUp + first + "\n" + pad(states - 1) + second + "\ns_waitcnt vmcnt(0) lgkmcnt(0)",
              cpu),
        Names{"wait-states"});
}

TEST(WaitStates, GeneralRules) {
  for (const char *cpu : {"gfx942", "gfx950"}) {
    exactly(cpu, 5, "v_readfirstlane_b32 s12, v10",
            "buffer_load_dword v14, v11, s[12:15], 0 offen");
    exactly(cpu, 4, "v_readfirstlane_b32 s12, v10", "v_readlane_b32 s13, v11, s12");
    exactly(cpu, 4, "v_cmp_eq_u32 vcc, 0, v10", "v_div_fmas_f32 v12, v10, v10, v10");
    exactly(cpu, 2, "v_mov_b32 v10, v2",
            "v_mov_b32_dpp v11, v10 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf");
    exactly(cpu, 1, "v_exp_f32 v10, v11", "v_add_f32 v12, v10, v10");
    exactly(cpu, 1, "v_mov_b32 v10, v2", "v_readfirstlane_b32 s12, v10");
    exactly(cpu, 2, "v_readfirstlane_b32 s12, v10", "v_add_u32 v12, s12, v10");
    exactly(cpu, 2, "v_cmp_eq_u32 vcc, 0, v10", "v_cndmask_b32 v12, v10, v11, vcc");
  }
  exactly("gfx950", 2, "v_mov_b32 v10, v2", "v_permlane32_swap_b32 v10, v11");
}

// Every row of LLVM's own table whose shape fits small registers.
TEST(WaitStates, MatrixRulesMatchLlvm) {
  auto buffer =
      llvm::MemoryBuffer::getFile(std::string(TILEC_TEST_DATA) + "/hazards/llvm_hazards.json");
  ASSERT_TRUE(bool(buffer));
  auto parsed = llvm::json::parse((*buffer)->getBuffer());
  ASSERT_TRUE(bool(parsed));
  struct Form {
    const char *name, *mnemonic;
    unsigned operandRegs;
  };
  const Form forms[] = {{"f32_16x16x16_f16", "v_mfma_f32_16x16x16_f16", 2},
                        {"f32_16x16x16_bf16", "v_mfma_f32_16x16x16_bf16", 2},
                        {"i32_16x16x32_i8", "v_mfma_i32_16x16x32_i8", 2},
                        {"f32_4x4x4_16b_f16", "v_mfma_f32_4x4x4_16b_f16", 2},
                        {"f32_16x16x4_f32", "v_mfma_f32_16x16x4_f32", 1},
                        {"f32_16x16x32_f16", "v_mfma_f32_16x16x32_f16", 4}};
  unsigned checked = 0;
  for (const auto &[key, value] : *parsed->getAsObject()) {
    auto [cpu, name] = llvm::StringRef(key).split('|');
    for (const Form &form : forms) {
      if (name != form.name)
        continue;
      std::string d = "v[20:23]",
                  a = form.operandRegs == 1   ? "v10"
                      : form.operandRegs == 2 ? "v[10:11]"
                                              : "v[10:13]",
                  b = form.operandRegs == 1   ? "v14"
                      : form.operandRegs == 2 ? "v[14:15]"
                                              : "v[14:17]",
                  newA = form.operandRegs == 1   ? "v20"
                         : form.operandRegs == 2 ? "v[20:21]"
                                                 : "v[20:23]";
      std::string op = form.mnemonic, first = op + " " + d + ", " + a + ", " + b + ", 0";
      auto states = [&](const char *rule) {
        return static_cast<unsigned>(*value.getAsObject()->getInteger(rule));
      };
      std::string target = cpu.str();
      exactly(target, states("VALU reads D"), first, "v_add_u32 v30, v20, v1");
      exactly(target, states("VALU overwrites D"), first, "v_mov_b32 v21, 0");
      exactly(target, states("global_store D"), first, "global_store_dword v1, v20, s[8:9]");
      exactly(target, states("ds_write D"), first, "ds_write_b32 v1, v20");
      exactly(target, states("MFMA A=D"), first, op + " v[24:27], " + newA + ", " + b + ", 0");
      exactly(target, states("MFMA C=D same"), first,
              op + " " + d + ", " + a + ", " + b + ", " + d);
      exactly(target, states("VALU writes A, then MFMA"), "v_mov_b32 v10, v2", first);
      ++checked;
    }
  }
  EXPECT_GE(checked, 10u);
}

// C of another is D: AMD asks for the same number of passes, not for the same opcode (CDNA4 ISA,
// table 38), and of another unit for more.
TEST(WaitStates, MatrixResultAsCOfAnotherShape) {
  const std::string d = " v[20:23], ", c = ", v[20:23]";
  const std::string f16x16 = "v_mfma_f32_16x16x16_f16" + d + "v[10:11], v[14:15]",
                    f16x32 = "v_mfma_f32_16x16x32_f16" + d + "v[10:13], v[14:17]",
                    fp8x32 = "v_mfma_f32_16x16x32_fp8_fp8" + d + "v[10:11], v[14:15]",
                    f32x4 = "v_mfma_f32_16x16x4_f32" + d + "v10, v14",
                    f32Blocks = "v_mfma_f32_4x4x1_16b_f32" + d + "v10, v14",
                    fp8x128 = "v_mfma_f32_16x16x128_f8f6f4" + d + "v[10:17], v[10:17]";
  exactly("gfx950", 0, f16x32 + ", 0", f16x16 + c);
  exactly("gfx950", 0, f16x16 + ", 0", f16x32 + c);
  exactly("gfx950", 0, fp8x32 + ", 0", f16x32 + c);
  exactly("gfx942", 0, fp8x32 + ", 0", f16x16 + c);
  // Four passes and eight, and the other way round.
  exactly("gfx950", 6, f16x32 + ", 0", fp8x128 + c);
  exactly("gfx950", 10, fp8x128 + ", 0", f16x32 + c);
  // f32 after XDL and before it.
  exactly("gfx950", 6, f16x16 + ", 0", f32x4 + c);
  exactly("gfx942", 5, f16x16 + ", 0", f32x4 + c);
  exactly("gfx942", 0, f32x4 + ", 0", f16x16 + c);
  exactly("gfx942", 8, f32x4 + ", 0", f32Blocks + c);
}

// ---- what a report says

/// A compile unit for the `.loc` lines of kernel `k`, as a compiler writes one (DWARF 4, 7.5).
const std::string compileUnit = R"(
.section .debug_abbrev,"",@progbits
.byte 1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0, 0
.section .debug_info,"",@progbits
.long .Lunit_end - .Lunit
.Lunit:
.short 4
.long 0
.byte 8, 1
.long 0
.quad k
.long .Lend - k
.Lunit_end:
.text
.file 1 "/src" "kernel.hip"
)";

TEST(Reports, NameInstructionPlaceWaveLaneAddressAndSourceLine) {
  Snippet s;
  s.in = {{"v1", lanes([](uint32_t i) { return 4 * i; })}, {"v2", all(1)}};
  // Lane 40 is the first beyond the buffer's 64 KiB.
  s.body = compileUnit +
           ".loc 1 7 3\nv_add_u32 v3, 0xff60, v1\n"
           ".loc 1 8 5\nglobal_store_dword v3, v2, s[8:9]\n.loc 1 9 1\ns_waitcnt vmcnt(0)";
  s.run();
  ASSERT_EQ(s.result.findings.size(), 1u);
  const Finding &f = s.result.findings[0];
  EXPECT_EQ(f.kind, CheckKind::OutOfBounds);
  EXPECT_NE(f.where.find("kernel.hip:8)"), std::string::npos) << f.where;
  for (const char *part : {"error: out-of-bounds: k+0x", "`global_store_dword v3, v2, s[8:9]`",
                           "work-group (0,0,0) wave 0 lane 40", "store of 4 bytes at 0x1000",
                           "0 bytes past the end of `scratch buffer`"})
    EXPECT_NE(f.message.find(part), std::string::npos) << f.message;
}
// Both instructions of a conflict have their lines.
TEST(Reports, NameTheOtherInstructionsLine) {
  Snippet s;
  s.in = {{"v1", all(0)}, {"v2", all(1)}};
  s.body = compileUnit + ".loc 1 21 0\nglobal_load_dword v10, v1, s[8:9]\n"
                         ".loc 1 22 0\nv_add_u32 v11, v10, v2\n.loc 1 23 0\ns_waitcnt vmcnt(0)";
  s.run();
  ASSERT_EQ(s.result.findings.size(), 1u);
  EXPECT_NE(s.result.findings[0].message.find("kernel.hip:21)"), std::string::npos)
      << s.result.findings[0].message;
  EXPECT_NE(s.result.findings[0].message.find("kernel.hip:22)"), std::string::npos);
}

} // namespace
