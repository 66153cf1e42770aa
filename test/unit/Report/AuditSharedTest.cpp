//===- AuditSharedTest.cpp - DMAs and reads, apart and not ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/AuditShared.h"
#include "TestCode.h"

#include <gtest/gtest.h>

namespace tilec::report::test {

namespace {

/// Eight waves; v1 is the place of the lane in the wave's own 1 KiB, v3 in that of the wave beside
/// it, m0 the wave's own.
const std::string start = "v_readfirstlane_b32 s4, v0\n"
                          "s_lshl_b32 s4, s4, 4\n"
                          "s_mov_b32 m0, s4\n"
                          "v_lshlrev_b32_e32 v1, 4, v0\n"
                          "v_xor_b32_e32 v3, 0x400, v1\n";
const std::string dma = "buffer_load_dwordx4 v2, s[8:11], 0 offen lds\n";
const std::string other = "buffer_load_dwordx4 v2, s[8:11], 0 offen offset:2048 lds\n";
const std::string landed = "s_waitcnt vmcnt(0)\n";
const std::string barrier = "s_barrier\n";
const std::string readOwn = "ds_read_b128 v[4:7], v1\n";
const std::string readBeside = "ds_read_b128 v[4:7], v3\n";
const std::string served = "s_waitcnt lgkmcnt(0)\n";

SharedAudit audit(const std::string &body) { return auditShared(decode(start + body)); }

/// The kinds of the findings: `r`ead, `o`verwritten, `t`wo DMAs; "?" when nothing is proved.
std::string kinds(const std::string &body) {
  SharedAudit result = audit(body);
  std::string text = result.unproved.empty() ? "" : "?";
  for (const SharedFinding &finding : result.findings)
    text += "rot"[finding.kind];
  return text;
}

TEST(AuditShared, AReadNeedsAWaitAndABarrier) {
  EXPECT_EQ(kinds(dma + landed + barrier + readBeside), "");
  EXPECT_EQ(kinds(dma + barrier + readBeside), "r");
  EXPECT_EQ(kinds(dma + landed + readBeside), "r");
  EXPECT_EQ(kinds(dma + barrier + landed + readBeside), "r");
  EXPECT_EQ(kinds(readBeside + dma), "o");
}

TEST(AuditShared, ItsOwnDataTakesNoBarrier) {
  EXPECT_EQ(kinds(dma + landed + readOwn), "");
  EXPECT_EQ(kinds(dma + readOwn), "r");
}

TEST(AuditShared, CountsTheOperationsBehind) {
  const std::string load = "global_load_dword v9, v[10:11], off\n";
  EXPECT_EQ(kinds(dma + load + "s_waitcnt vmcnt(1)\n" + barrier + readBeside), "");
  EXPECT_EQ(kinds(dma + load + "s_waitcnt vmcnt(2)\n" + barrier + readBeside), "r");
  EXPECT_EQ(kinds(load + dma + "s_waitcnt vmcnt(1)\n" + barrier + readBeside), "r");
}

TEST(AuditShared, BytesThatMeetAreCompared) {
  // 2048 bytes on: the place of the wave after the next, not of the one beside.
  EXPECT_EQ(kinds(other + readOwn), "r");
  EXPECT_EQ(kinds(dma + landed + barrier + readBeside + "s_add_u32 m0, s4, 0x8000\n" + dma), "");
}

TEST(AuditShared, ReadsOfTwoPlaces) {
  // The second place is that of the wave beside: 1024 bytes on.
  const std::string two = "ds_read2st64_b32 v[4:5], v1 offset1:4\n";
  const std::string own = "ds_read2_b32 v[4:5], v1 offset1:3\n";
  EXPECT_EQ(kinds(dma + landed + two), "r");
  EXPECT_EQ(kinds(dma + landed + barrier + two), "");
  EXPECT_EQ(kinds(dma + landed + own), "");
}

TEST(AuditShared, OverwritingWaitsForTheReads) {
  const std::string first = dma + landed + barrier + readBeside;
  EXPECT_EQ(kinds(first + served + barrier + dma), "");
  EXPECT_EQ(kinds(first + barrier + dma), "o");
  EXPECT_EQ(kinds(first + served + dma), "o");
}

TEST(AuditShared, TwoDmasToOnePlace) {
  EXPECT_EQ(kinds(dma + dma), "t");
  EXPECT_EQ(kinds(dma + landed + dma), "");
}

TEST(AuditShared, WavesThatAreABarrierBehind) {
  // The second half of the waves passes one barrier more; the first half needs one more, too,
  // before it may read what the second half has copied.
  const std::string behind = "s_cmp_lt_u32 s4, 0x1000\ns_cbranch_scc1 go\ns_barrier\ngo:\n";
  const std::string beside = "v_xor_b32_e32 v3, 0x1000, v1\n"; // four waves on
  EXPECT_EQ(kinds(behind + beside + dma + landed + barrier + readBeside), "r");
  EXPECT_EQ(kinds(behind + beside + dma + landed + barrier + barrier + readBeside), "");
}

std::string loop(const std::string &count, const std::string &wait) {
  // Two slots, 32 KiB apart, in turn; `count` sets the loop's condition.
  return "s_mov_b32 s5, 0\n" + dma + "loop:\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" + barrier +
         "s_add_i32 s5, s5, 1\ns_and_b32 s6, s5, 1\ns_lshl_b32 s6, s6, 15\ns_add_u32 m0, s4, s6\n" +
         "s_sub_u32 s7, 0x8000, s6\nv_add_u32_e32 v8, s7, v3\n" + wait + dma +
         "ds_read_b128 v[4:7], v8\n" + count + "s_cbranch_scc1 loop\n";
}

TEST(AuditShared, SlotsInTurn) {
  EXPECT_EQ(kinds(loop("s_cmp_lt_u32 s5, 9\n", "")), "");
  // A loop of a length that an argument gives is followed for some rounds.
  SharedAudit open = audit(loop("s_cmp_lt_u32 s5, s20\n", ""));
  EXPECT_TRUE(open.isProved()) << describe(open);
  EXPECT_EQ(open.assumedRounds, (std::vector<unsigned>{1, 2, 3, 6}));
  EXPECT_EQ(open.dmas, 2u);
  EXPECT_EQ(open.reads, 1u);
  // The slot that is being read is written.
  std::string wrong = loop("s_cmp_lt_u32 s5, s20\n", "s_sub_u32 m0, m0, s6\n");
  EXPECT_NE(kinds(wrong), "");
}

// The slot by a bit of the counter, as the expansion of loops without a plan has it.
TEST(AuditShared, SlotsByABit) {
  auto with = [&](const std::string &bit) {
    return dma + "s_mov_b32 s5, 0\nloop:\n" + landed + served + barrier +
           "s_add_i32 s5, s5, 1\ns_bitcmp1_b32 s5, 0\ns_cselect_b32 s6, 0x8000, 0\n"
           "s_add_u32 m0, s4, s6\n" +
           dma + "s_" + bit + "_b32 s5, 0\n" +
           "s_cselect_b32 s7, 0x8000, 0\nv_add_u32_e32 v8, s7, v3\nds_read_b128 v[4:7], v8\n"
           "s_cmp_lt_u32 s5, 9\ns_cbranch_scc1 loop\n";
  };
  EXPECT_EQ(kinds(with("bitcmp0")), "");
  EXPECT_NE(kinds(with("bitcmp1")), "");
}

TEST(AuditShared, LanesThatAreOffDoNotCount) {
  // The load between may not have been issued: vmcnt(1) covers the DMA only when it was.
  const std::string some = "v_cmp_gt_u32_e32 vcc, 32, v9\ns_and_saveexec_b64 s[12:13], vcc\n"
                           "global_load_dword v9, v[10:11], off\ns_mov_b64 exec, s[12:13]\n";
  EXPECT_EQ(kinds(dma + some + "s_waitcnt vmcnt(1)\n" + barrier + readBeside), "r");
  EXPECT_EQ(kinds(dma + some + "s_waitcnt vmcnt(0)\n" + barrier + readBeside), "");
}

// Where LLVM keeps an address when registers are short.
TEST(AuditShared, AddressesInOddPlaces) {
  const std::string first = dma + landed + barrier;
  const std::string read = "ds_read_b128 v[4:7], v8\n";
  // Each gives v8 the place of the wave beside; without a barrier that is wrong.
  const std::string ways[] = {
      "v_accvgpr_write_b32 a3, v3\nv_accvgpr_read_b32 v8, a3\n",
      "v_mul_i32_i24_e32 v8, -1, v3\nv_mul_i32_i24_e32 v8, -1, v8\n",
      "v_mad_u64_u32 v[8:9], s[14:15], v3, 1, v[10:11]\nv_mov_b32_e32 v10, 0\n"
      "v_mad_u64_u32 v[8:9], s[14:15], v3, 1, v[10:11]\n",
      "v_writelane_b32 v20, s4, 7\ns_mov_b32 s4, 0\nv_readlane_b32 s9, v20, 7\n"
      "v_sub_u32_e32 v8, v3, v1\nv_add_u32_e32 v8, v1, v8\ns_mov_b32 s4, s9\n",
      "v_mov_b32_e32 v9, v3\nscratch_store_dwordx2 off, v[8:9], off offset:16\nv_mov_b32_e32 v9, "
      "0\n"
      "scratch_load_dword v8, off, off offset:20\n",
      "s_add_i32 vcc_hi, s4, 0x400\ns_mov_b32 vcc_lo, 5\ns_sub_u32 s9, vcc_hi, s4\n"
      "v_xor_b32_e32 v8, s9, v1\n"};
  for (const std::string &way : ways) {
    EXPECT_EQ(kinds(first + way + read), "") << way;
    EXPECT_EQ(kinds(dma + landed + way + read), "r") << way;
  }
}

TEST(AuditShared, UnknownNumbersCancel) {
  // s20 is an argument: what is added and taken away again leaves the address known.
  const std::string there =
      "s_add_i32 s9, s20, 64\nv_add_u32_e32 v8, s9, v3\n"
      "s_lshl_b32 s10, s20, 2\ns_mul_i32 s11, s20, 3\ns_sub_u32 s10, s10, s11\n"
      "s_add_i32 s10, s10, 64\nv_subrev_u32_e32 v8, s10, v8\n";
  const std::string read = "ds_read_b128 v[4:7], v8\n";
  EXPECT_EQ(kinds(dma + landed + barrier + there + read), "");
  EXPECT_EQ(kinds(dma + landed + there + read), "r");
  // Another value of the same register does not.
  EXPECT_EQ(kinds(dma + landed + barrier + "s_add_i32 s9, s20, 0\nv_add_u32_e32 v8, s9, v3\n" +
                  "s_load_dword s20, s[0:1], 0x0\nv_subrev_u32_e32 v8, s20, v8\n" + read),
            "?");
}

TEST(AuditShared, LanesThatCameBackCount) {
  // An if and an else on an unknown condition: behind them all lanes are on again.
  const std::string branch = "v_cmp_gt_u32_e32 vcc, 32, v9\ns_and_saveexec_b64 s[12:13], vcc\n"
                             "s_xor_b64 s[12:13], exec, s[12:13]\ns_cbranch_execz past\n"
                             "v_mov_b32_e32 v9, 0\npast:\n";
  const std::string end = "s_or_b64 exec, exec, s[12:13]\n";
  const std::string read = "v_mov_b32_e32 v8, v3\nds_read_b128 v[4:7], v8\n";
  EXPECT_EQ(kinds(dma + landed + barrier + branch + end + read), "");
  EXPECT_EQ(kinds(dma + landed + barrier + branch + read), "?");
}

TEST(AuditShared, LanesThatWereOffKeepTheirs) {
  // Half of the lanes lose what v8 held and get it back; the others have it all the time.
  const std::string some = "v_mov_b32_e32 v8, v3\nv_and_b32_e32 v9, 63, v0\n"
                           "v_cmp_gt_u32_e32 vcc, 32, v9\ns_and_saveexec_b64 s[12:13], vcc\n"
                           "v_mov_b32_e32 v8, v20\n";
  const std::string again = "v_mov_b32_e32 v8, v3\n";
  const std::string end = "s_or_b64 exec, exec, s[12:13]\nds_read_b128 v[4:7], v8\n";
  EXPECT_EQ(kinds(dma + landed + barrier + some + again + end), "");
  EXPECT_EQ(kinds(dma + landed + barrier + some + end), "?");
}

TEST(AuditShared, WhatIsNotKnownIsSaid) {
  EXPECT_EQ(kinds("s_load_dword s4, s[0:1], 0x0\ns_mov_b32 m0, s4\n" + dma), "?");
  EXPECT_EQ(kinds(dma + landed + barrier + "ds_read_b128 v[4:7], v20\n"), "?");
  EXPECT_NE(describe(audit("s_mov_b32 m0, s21\n" + dma)).find("does not follow"),
            std::string::npos);
  EXPECT_NE(
      describe(
          audit("s_load_dword s21, s[0:1], 0x0\ns_mul_i32 s22, s21, 3\ns_mov_b32 m0, s22\n" + dma))
          .find("(unknown since 0x"),
      std::string::npos);
  // Without DMAs there is nothing to prove.
  EXPECT_EQ(kinds("ds_read_b128 v[4:7], v20\n"), "");
}

// Which element of a table is read is in memory, but within which bytes it lies is known.
TEST(AuditShared, PlacesThatMemoryNames) {
  auto table = [](const std::string &bound, const std::string &offset) {
    return "ds_read_u8 v20, v30\ns_waitcnt lgkmcnt(0)\n" + bound +
           "ds_read_u16 v21, v20 offset:" + offset + "\n" + served;
  };
  const std::string far = "v_mov_b32_e32 v30, 0x8000\n", byte = "v_lshlrev_b32_e32 v20, 1, v20\n";
  EXPECT_EQ(kinds(far + dma + table(byte, "32768") + landed + barrier), "");
  // The table ends where the DMA writes, or it is not known where it ends.
  EXPECT_EQ(kinds(far + dma + table(byte, "0") + landed + barrier), "r");
  EXPECT_EQ(kinds(far + dma + table("v_and_b32_e32 v20, 30, v20\n", "0") + landed), "r");
  EXPECT_EQ(kinds(far + dma + table("v_not_b32_e32 v20, v20\n", "32768") + landed), "?");
}

TEST(AuditShared, SaysBothInstructions) {
  std::string text = describe(audit(dma + barrier + readBeside));
  EXPECT_NE(text.find("ds_read_b128 v[4:7], v3\n  of wave "), std::string::npos) << text;
  EXPECT_NE(text.find("may read before it has landed: "), std::string::npos) << text;
  EXPECT_NE(text.find("offen lds of wave "), std::string::npos) << text;
}

} // namespace

} // namespace tilec::report::test
