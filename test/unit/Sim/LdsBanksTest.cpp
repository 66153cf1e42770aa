//===- LdsBanksTest.cpp - bank conflicts against hardware counters --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Sim/LdsBanks.h"

#include "SimTesting.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

LdsCost strided(Arch arch, bool write, unsigned bytes, unsigned strideBytes) {
  uint64_t addr[64];
  for (unsigned lane = 0; lane < 64; ++lane)
    addr[lane] = lane * strideBytes;
  return ldsCost(arch, write, bytes, ~0ull, addr);
}

// SQ_LDS_BANK_CONFLICT on MI300X for 64 reads, lanes at the given byte stride (SHARK's
// empirical-lds notes, cdna3info.md).
TEST(LdsBanks, ReproducesTheCountersOfMi300x) {
  struct Row {
    unsigned bytes, stride, conflicts;
  };
  const Row rows[] = {
      {4, 4, 0},       {4, 8, 128},     {4, 16, 384},   {4, 32, 896}, {4, 64, 1920}, {4, 128, 3968},
      {4, 256, 3968},  {4, 512, 3968},  {8, 8, 0},      {8, 16, 256}, {8, 32, 768},  {8, 64, 1792},
      {8, 128, 3840},  {8, 256, 3840},  {8, 512, 3840}, {16, 16, 0},  {16, 32, 512}, {16, 64, 1536},
      {16, 128, 3584}, {16, 256, 3584}, {16, 512, 3584}};
  for (const Row &row : rows)
    EXPECT_EQ(64 * strided(Arch::Gfx942, false, row.bytes, row.stride).conflicts, row.conflicts)
        << row.bytes << " bytes, stride " << row.stride;
}

// HipKittens on MI355X: all lanes of a ds_write_b64 on one bank give 60.
TEST(LdsBanks, ReproducesTheWriteCounterOfMi355x) {
  EXPECT_EQ(strided(Arch::Gfx950, true, 8, 256).conflicts, 60u);
}
// SHARK's latencies of gfx950 b64 reads are linear in these data cycles.
TEST(LdsBanks, DataCyclesOfStridedReadsOnMi355x) {
  const unsigned strides[] = {8, 16, 32, 64, 128, 256, 512}, cycles[] = {2, 4, 8, 16, 32, 64, 64};
  for (unsigned i = 0; i < 7; ++i) {
    LdsCost cost = strided(Arch::Gfx950, false, 8, strides[i]);
    EXPECT_EQ(cost.phases + cost.conflicts, cycles[i]) << strides[i];
  }
}
TEST(LdsBanks, TheSameDwordIsBroadcast) {
  EXPECT_EQ(strided(Arch::Gfx942, false, 4, 0).conflicts, 0u);
}

TEST(LdsBanks, AreCountedByInstruction) {
  Snippet s;
  s.cpu = "gfx942";
  s.kernel.ldsBytes = 32768;
  s.launch.countLdsConflicts = true;
  s.body = "v_lshlrev_b32 v1, 5, v0\nds_write_b32 v0, v0\ns_waitcnt lgkmcnt(0)\nds_write_b32 v1, "
           "v0\ns_waitcnt lgkmcnt(0)";
  s.run(); // v0 = 4 * lane: strides of 4 and 128 bytes
  ASSERT_EQ(s.result.ldsUse.size(), 2u);
  EXPECT_EQ(s.result.ldsUse[0].conflicts, 0u);
  EXPECT_EQ(s.result.ldsUse[0].dataCycles, 2u);
  EXPECT_EQ(s.result.ldsUse[1].conflicts, 62u);
  EXPECT_NE(s.result.ldsUse[1].text.find("ds_write_b32"), std::string::npos);
}

} // namespace
