//===- BankConflictsTest.cpp - the rule against published counters --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/BankConflicts.h"
#include "TestCode.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::report::test {

namespace {

LaneValues strided(unsigned bytes) {
  LaneValues addresses;
  for (unsigned lane = 0; lane < waveLanes; ++lane)
    addresses[lane] = lane * bytes;
  return addresses;
}

struct CounterCase {
  unsigned bytesPerLane, strideBytes, conflictsOf64Reads;
};

// SQ_LDS_BANK_CONFLICT on an MI300X, 64 reads with all lanes at one stride: the table of
// nod-ai/amd-shark-ai docs/empirical-lds/cdna3info.md.
TEST(BankConflicts, CountersOfAnMi300x) {
  const CounterCase cases[] = {
      {4, 4, 0},       {4, 8, 128},     {4, 16, 384},   {4, 32, 896}, {4, 64, 1920}, {4, 128, 3968},
      {4, 256, 3968},  {4, 512, 3968},  {8, 8, 0},      {8, 16, 256}, {8, 32, 768},  {8, 64, 1792},
      {8, 128, 3840},  {8, 256, 3840},  {8, 512, 3840}, {16, 16, 0},  {16, 32, 512}, {16, 64, 1536},
      {16, 128, 3584}, {16, 256, 3584}, {16, 512, 3584}};
  for (const CounterCase &entry : cases)
    EXPECT_EQ(
        64 * bankConflicts(Arch::Gfx942, {true, entry.bytesPerLane}, strided(entry.strideBytes)),
        entry.conflictsOf64Reads)
        << entry.bytesPerLane << " bytes a lane, stride " << entry.strideBytes;
}

// The one absolute number for gfx950: a ds_write_b64 of all lanes to one bank counts 60.
TEST(BankConflicts, CounterOfAnMi350x) {
  EXPECT_EQ(bankConflicts(Arch::Gfx950, {false, 8}, strided(128)), 60u);
}

TEST(BankConflicts, TheSameDwordIsSharedAndAnOffsetChangesNothing) {
  EXPECT_EQ(bankConflicts(Arch::Gfx950, {true, 16}, strided(0)), 0u);
  LaneValues shifted = strided(64);
  for (uint32_t &lane : shifted)
    lane += 4096 + 16;
  EXPECT_EQ(bankConflicts(Arch::Gfx950, {true, 16}, shifted),
            bankConflicts(Arch::Gfx950, {true, 16}, strided(64)));
}

LoopConflicts conflictsOf(const std::string &body) {
  KernelCode kernel = decode(body);
  return loopConflicts(Arch::Gfx950, kernel).at(0);
}

// Sixteen rows of 128 bytes, four lanes a row as an MFMA wants them: without a swizzle all rows
// start at the same bank; with the row's number XORed into the 16-byte column none collide.
TEST(BankConflicts, OfALoopWithAndWithoutSwizzle) {
  const std::string rows = "v_and_b32_e32 v1, 15, v0\n"     // row
                           "v_bfe_u32 v2, v0, 4, 2\n"       // column of 16 bytes
                           "v_lshlrev_b32_e32 v3, 7, v1\n"; // row * 128
  const std::string swizzle = "v_and_b32_e32 v4, 7, v1\nv_xor_b32_e32 v2, v4, v2\n";
  const std::string loop = "v_lshl_or_b32 v5, v2, 4, v3\nv_add_u32_e32 v5, s20, v5\n"
                           "loop:\nds_read_b128 v[8:11], v5 offset:2048\n"
                           "ds_read_b128 v[8:11], v30\ns_cbranch_scc1 loop";
  LoopConflicts plain = conflictsOf(rows + loop), swizzled = conflictsOf(rows + swizzle + loop);
  EXPECT_EQ(plain.accesses, 2u);
  EXPECT_EQ(plain.known, 1u); // v30 comes from nowhere
  EXPECT_GT(plain.conflicts, 0u);
  EXPECT_EQ(swizzled.known, 1u);
  EXPECT_EQ(swizzled.conflicts, 0u);
}

// The same address by other instructions.
TEST(BankConflicts, AddressesByEveryOperation) {
  const char *same[] = {
      "v_lshlrev_b32_e32 v5, 4, v0",
      "v_mul_u32_u24_e32 v5, 16, v0",
      "v_mov_b32_e32 v6, 0\nv_lshl_add_u32 v5, v0, 4, v6",
      "v_mad_u32_u24 v5, v0, 16, s7",
      "v_mbcnt_lo_u32_b32 v6, -1, 0\nv_mbcnt_hi_u32_b32 v6, -1, v6\nv_lshlrev_b32_e32 v5, 4, v6",
      "v_lshlrev_b32_e32 v6, 6, v0\nv_lshrrev_b32_e32 v5, 2, v6",
      // Of the upper half nothing is left.
      "v_lshlrev_b32_e32 v6, 6, v0\nv_or_b32_e32 v6, 0x70000, v6\nv_lshrrev_b16_e32 v5, 2, v6",
      "v_lshlrev_b32_e32 v6, 3, v0\nv_add3_u32 v5, v6, v6, s9",
      "v_lshlrev_b32_e32 v6, 4, v0\nv_bitop3_b32 v5, v6, 0, 0 bitop3:0xf0",
      "s_bfe_u32 s5, 64, 0x30004\nv_lshlrev_b32_e32 v5, s5, v0", // bits 4 to 6 of 64: 4
      "s_mov_b32 s5, 5\ns_bitset0_b32 s5, 0\nv_lshlrev_b32_e32 v5, s5, v0",
      "s_mov_b32 s5, 0\ns_bitset1_b32 s5, 2\nv_lshlrev_b32_e32 v5, s5, v0",
      // The bits of 0.5 the other way round are 252.
      "v_bfrev_b32_e32 v7, 0.5\nv_and_b32_e32 v7, 4, v7\nv_lshlrev_b32_e32 v5, v7, v0",
      "s_brev_b32 s5, 0.5\ns_and_b32 s5, s5, 4\nv_lshlrev_b32_e32 v5, s5, v0",
  };
  for (const char *text : same) {
    LoopConflicts found =
        conflictsOf(std::string(text) + "\nloop:\nds_read_b128 v[8:11], v5\ns_cbranch_scc1 loop");
    EXPECT_EQ(found.known, 1u) << text;
    EXPECT_EQ(found.conflicts, 0u) << text;
  }
  // A bit operation on an unknown scalar, and a value that was loaded.
  for (const char *text : {"v_xor_b32_e32 v5, s7, v0", "ds_read_b32 v5, v0\ns_waitcnt lgkmcnt(0)"})
    EXPECT_EQ(
        conflictsOf(std::string(text) + "\nloop:\nds_read_b128 v[8:11], v5\ns_cbranch_scc1 loop")
            .known,
        0u)
        << text;
}

} // namespace

} // namespace tilec::report::test
