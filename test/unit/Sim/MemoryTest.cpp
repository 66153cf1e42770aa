//===- MemoryTest.cpp - LDS, buffer, global, scratch and scalar memory ----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

const Lanes index64 = lanes([](uint32_t i) { return i; });

Snippet withLds(const std::string &body, std::vector<std::string> out) {
  Snippet s;
  s.kernel.ldsBytes = 4096;
  s.in = {{"v1", index64}, {"v2", lanes([](uint32_t i) { return i * 100; })}};
  s.body = body;
  s.out = std::move(out);
  return s;
}
void expectClean(const Snippet &s) {
  EXPECT_TRUE(s.result.findings.empty()) << llvm::toString(s.result.toError());
}
uint32_t word(const std::vector<uint8_t> &bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, &bytes[at], 4);
  return value;
}

TEST(Lds, WidthsPairsAndStrides) {
  Snippet s = withLds("v_lshlrev_b32 v3, 3, v1\nv_mov_b32 v6, v1\nv_mov_b32 v7, v2\nds_write_b64 "
                      "v3, v[6:7]\ns_waitcnt lgkmcnt(0)\n"
                      "ds_read2_b32 v[10:11], v3 offset0:1 offset1:0\n"
                      "v_mov_b32 v4, 0\nds_read2st64_b32 v[12:13], v4 offset0:0 offset1:1\n"
                      "ds_read_u16 v14, v3 offset:4\nds_read_b128 v[16:19], v4 offset:8\n"
                      "s_waitcnt lgkmcnt(0)",
                      {"v10", "v11", "v13", "v14", "v18"});
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return i * 100; }));
  EXPECT_EQ(r["v11"], index64);
  EXPECT_EQ(r["v13"], all(32)); // byte 256 is element 32 of 8 bytes
  EXPECT_EQ(r["v14"], lanes([](uint32_t i) { return i * 100; }));
  EXPECT_EQ(r["v18"], all(2));
}

TEST(Lds, AtomicsReturnTheOldValue) {
  Snippet s =
      withLds("v_mov_b32 v3, 0\nv_mov_b32 v4, 5\nds_write_b32 v3, v4\ns_waitcnt lgkmcnt(0)\n"
              "v_mov_b32 v5, 1\nds_add_rtn_u32 v10, v3, v5\nds_read_b32 v11, v3\n"
              "ds_cmpst_rtn_b32 v12, v3, v2, v1\ns_waitcnt lgkmcnt(0)",
              {"v10", "v11"});
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return 5 + i; }));
  EXPECT_EQ(r["v11"], all(69));
}

TEST(Lds, PermutesAndSwizzles) {
  Snippet s =
      withLds("v_xor_b32 v3, 1, v1\nv_lshlrev_b32 v3, 2, v3\nds_bpermute_b32 v10, v3, v2\n"
              "ds_permute_b32 v11, v3, v2\nds_swizzle_b32 v12, v2 offset:swizzle(SWAP,16)\n"
              "ds_swizzle_b32 v13, v2 offset:swizzle(QUAD_PERM,3,2,1,0)\ns_waitcnt lgkmcnt(0)",
              {"v10", "v11", "v12", "v13"});
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return (i ^ 1) * 100; }));
  EXPECT_EQ(r["v11"], lanes([](uint32_t i) { return (i ^ 1) * 100; }));
  EXPECT_EQ(r["v12"], lanes([](uint32_t i) { return (i ^ 16) * 100; }));
  EXPECT_EQ(r["v13"], lanes([](uint32_t i) { return (i ^ 3) * 100; }));
}

// 16 lanes load a 4 x 16 tile of 16-bit elements; lane j receives column j.
TEST(Lds, TransposedReadGivesColumns) {
  Snippet s =
      withLds("v_lshlrev_b32 v3, 3, v1\nv_lshlrev_b32 v4, 2, v1\nv_add_u32 v5, 1, v4\n"
              "v_lshl_or_b32 v6, v5, 16, v4\nv_add_u32 v4, 2, v4\nv_add_u32 v5, 2, v5\n"
              "v_lshl_or_b32 v7, v5, 16, v4\nds_write_b64 v3, v[6:7]\ns_waitcnt lgkmcnt(0)\n"
              "ds_read_b64_tr_b16 v[10:11], v3\ns_waitcnt lgkmcnt(0)",
              {"v10", "v11"});
  auto r = s.run();
  expectClean(s);
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t tile = i / 16 * 64, column = tile + i % 16;
    EXPECT_EQ(r["v10"][i], column | (column + 16) << 16);
    EXPECT_EQ(r["v11"][i], (column + 32) | (column + 48) << 16);
  }
}

TEST(Global, WidthsOffsetsAndHalves) {
  Snippet s;
  s.in = {{"v1", index64}, {"v2", all(0xaabbccdd)}};
  s.body = "v_lshlrev_b32 v3, 4, v1\nv_mov_b32 v4, v1\nv_mov_b32 v5, v2\nv_mov_b32 v6, "
           "7\nv_mov_b32 v7, 9\n"
           "global_store_dwordx4 v3, v[4:7], s[8:9] offset:16\n"
           "global_store_short_d16_hi v3, v2, s[8:9] offset:24\ns_waitcnt vmcnt(0)\n"
           "global_load_ubyte v10, v3, s[8:9] offset:21\nv_mov_b32 v11, -1\n"
           "global_load_short_d16 v11, v3, s[8:9] offset:24\nglobal_load_sbyte v12, v3, s[8:9] "
           "offset:20\n"
           "s_waitcnt vmcnt(0)";
  s.out = {"v10", "v11", "v12"};
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(r["v10"], all(0xcc));
  EXPECT_EQ(r["v11"], all(0xffffaabb));
  EXPECT_EQ(r["v12"], all(0xffffffdd));
  EXPECT_EQ(word(s.buffer, 16 + 16 * 5), 5u);
}

TEST(Global, AtomicsWithAndWithoutResult) {
  Snippet s;
  s.in = {{"v1", index64}, {"v2", allF(0.5f)}};
  s.body = "v_mov_b32 v3, 0\nglobal_atomic_add v3, v1, s[8:9]\nglobal_atomic_add_f32 v10, v3, v2, "
           "s[8:9] offset:8 sc0\n"
           "s_waitcnt vmcnt(0)";
  s.out = {"v10"};
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(word(s.buffer, 0), 64u * 63 / 2);
  EXPECT_EQ(asFloat(word(s.buffer, 8)), 32.0f);
  EXPECT_EQ(asFloat(r["v10"][4]), 2.0f);
}

/// s[12:15] describes the first `records` bytes of the scratch buffer.
std::string descriptor(unsigned records) {
  return "s_mov_b32 s12, s8\ns_and_b32 s13, s9, 0xffff\ns_mov_b32 s14, " + std::to_string(records) +
         "\ns_mov_b32 s15, 0x20000\n";
}

TEST(Buffer, RangeCheckIsPerDwordAndReadsZero) {
  Snippet s;
  s.in = {{"v1", index64}, {"v2", all(5)}};
  s.body =
      descriptor(100) +
      "v_lshlrev_b32 v3, 2, v1\nbuffer_store_dword v2, v3, s[12:15], 0 offen\ns_waitcnt vmcnt(0)\n"
      "v_lshlrev_b32 v3, 4, v1\nbuffer_load_dwordx4 v[10:13], v3, s[12:15], 0 offen\ns_waitcnt "
      "vmcnt(0)";
  s.out = {"v10", "v11"};
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(word(s.buffer, 96), 5u);
  EXPECT_EQ(word(s.buffer, 100), 0u); // dropped
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return i <= 6 ? 5 : 0; }));
  EXPECT_EQ(r["v11"], lanes([](uint32_t i) { return i <= 5 ? 5 : 0; })); // dword at 100 is out
}

TEST(Buffer, WhetherSoffsetCountsIsAnOption) {
  for (bool counts : {true, false}) {
    Snippet s;
    s.launch.soffsetInRangeCheck = counts;
    s.body = descriptor(100) +
             "s_movk_i32 s16, 0x80\nv_mov_b32 v2, 5\nglobal_store_dword v0, v2, s[8:9] offset:128\n"
             "s_waitcnt vmcnt(0)\nbuffer_load_dword v10, off, s[12:15], s16\ns_waitcnt vmcnt(0)";
    s.out = {"v10"};
    EXPECT_EQ(s.run1(), all(counts ? 0 : 5));
  }
}

TEST(Buffer, StructuredIndexing) {
  Snippet s;
  s.in = {{"v1", index64}};
  s.body =
      descriptor(10) +
      "s_or_b32 s13, s13, 0x80000\n" // stride 8
      "v_mov_b32 v6, v1\nv_mov_b32 v7, 4\nglobal_store_dword v0, v1, s[8:9]\ns_waitcnt vmcnt(0)\n"
      "buffer_load_dword v10, v[6:7], s[12:15], 0 idxen offen\ns_waitcnt vmcnt(0)";
  s.out = {"v10"};
  EXPECT_EQ(s.run1(), lanes([](uint32_t i) { return i < 10 ? 2 * i + 1 : 0; }));
}

// The instruction's offset moves both addresses; LDS gets lane after lane from M0 on.
TEST(LdsDma, OffsetCountsOnBothSides) {
  Snippet s;
  s.kernel.ldsBytes = 4096;
  s.in = {{"v1", index64}};
  s.body = descriptor(4096) +
           "global_store_dword v0, v1, s[8:9]\ns_waitcnt vmcnt(0)\ns_movk_i32 m0, 0x100\ns_nop 0\n"
           "buffer_load_dword v0, s[12:15], 0 offen offset:16 lds\ns_waitcnt vmcnt(0)\n"
           "ds_read_b32 v10, v0 offset:272\ns_waitcnt lgkmcnt(0)";
  s.out = {"v10"};
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return i < 60 ? i + 4 : 0; }));
}

TEST(LdsDma, SixteenBytesALaneAndZerosOutOfRange) {
  Snippet s;
  s.kernel.ldsBytes = 4096;
  s.in = {{"v1", index64}};
  s.body = descriptor(40) + "global_store_dword v0, v1, s[8:9]\ns_waitcnt vmcnt(0)\ns_mov_b32 m0, "
                            "0\nv_lshlrev_b32 v2, 4, v1\n"
                            "buffer_load_dwordx4 v2, s[12:15], 0 offen lds\ns_waitcnt vmcnt(0)\n"
                            "ds_read_b32 v10, v0\ns_waitcnt lgkmcnt(0)";
  s.out = {"v10"};
  auto r = s.run();
  expectClean(s);
  EXPECT_EQ(r["v10"], lanes([](uint32_t i) { return i < 10 ? i : 0; }));
}

TEST(LdsDma, FromGlobalAddresses) {
  Snippet s;
  s.kernel.ldsBytes = 1024;
  s.in = {{"v1", index64}};
  s.body = "global_store_dword v0, v1, s[8:9]\ns_waitcnt vmcnt(0)\ns_mov_b32 m0, 0\ns_nop 0\n"
           "global_load_lds_dword v0, s[8:9]\ns_waitcnt vmcnt(0)\nds_read_b32 v10, v0\ns_waitcnt "
           "lgkmcnt(0)";
  s.out = {"v10"};
  EXPECT_EQ(s.run1(), index64);
  expectClean(s);
}

TEST(Scratch, IsPrivateToALane) {
  Snippet s;
  s.kernel.scratchBytes = 32;
  s.in = {{"v1", index64}};
  s.body = "s_mov_b32 s10, 8\nscratch_store_dword off, v1, s10 offset:4\ns_waitcnt vmcnt(0)\n"
           "v_mov_b32 v2, 12\nscratch_load_dword v10, v2, off\ns_waitcnt vmcnt(0)";
  s.out = {"v10"};
  EXPECT_EQ(s.run1(), index64);
  expectClean(s);
}

TEST(Flat, AperturesReachLdsAndScratch) {
  Snippet s;
  s.kernel.ldsBytes = 1024;
  s.kernel.scratchBytes = 32;
  s.in = {{"v1", index64}};
  s.body = "ds_write_b32 v0, v1\ns_waitcnt lgkmcnt(0)\ns_mov_b64 s[10:11], "
           "src_shared_base\nv_mov_b32 v2, v0\n"
           "v_mov_b32 v3, s11\nflat_load_dword v10, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)";
  s.out = {"v10"};
  EXPECT_EQ(s.run1(), index64);
  expectClean(s);
}

TEST(Scalar, LoadsStoresAndAtomics) {
  Snippet s;
  s.body = "s_movk_i32 s10, 77\ns_store_dword s10, s[8:9], 0x10\ns_waitcnt lgkmcnt(0)\n"
           "s_mov_b32 s11, 3\ns_atomic_add s11, s[8:9], 0x10 glc\ns_load_dwordx2 s[12:13], s[8:9], "
           "0x10\n"
           "s_waitcnt lgkmcnt(0)\nv_mov_b32 v10, s11\nv_mov_b32 v11, s12";
  s.out = {"v10", "v11"};
  auto r = s.run();
  EXPECT_EQ(r["v10"], all(77));
  EXPECT_EQ(r["v11"], all(80));
}

TEST(OutOfBounds, GlobalNamesInstructionLaneAndAllocation) {
  Snippet s;
  s.in = {{"v1", all(65536 - 8)}};
  s.body = "s_mov_b64 exec, 0x30\nglobal_load_dwordx4 v[10:13], v1, s[8:9]\ns_waitcnt "
           "vmcnt(0)\ns_mov_b64 exec, -1";
  s.run();
  ASSERT_EQ(s.result.findings.size(), 1u);
  const Finding &f = s.result.findings[0];
  EXPECT_EQ(f.kind, CheckKind::OutOfBounds);
  EXPECT_NE(f.message.find("global_load_dwordx4 v[10:13], v1, s[8:9]"), std::string::npos)
      << f.message;
  EXPECT_NE(f.message.find("lane 4"), std::string::npos) << f.message;
  EXPECT_NE(f.message.find("`scratch buffer`"), std::string::npos) << f.message;
  EXPECT_FALSE(s.result.ok());
}

TEST(OutOfBounds, Lds) {
  Snippet s = withLds("v_mov_b32 v3, 0x1000\nds_write_b32 v3, v1\ns_waitcnt lgkmcnt(0)", {});
  s.run();
  ASSERT_EQ(s.result.findings.size(), 1u);
  EXPECT_EQ(s.result.findings[0].kind, CheckKind::OutOfBounds);
  EXPECT_FALSE(s.result.ok());
}

/// The words behind a s_getpc_b64 are the kernel's own: constants of a code object.
TEST(Global, ACodeObjectIsReadAndNotWritten) {
  Snippet s;
  s.body = "s_getpc_b64 s[10:11]\nv_mov_b32 v3, 0\nv_mov_b32 v4, 0\n"
           "global_load_dword v4, v3, s[10:11]\ns_waitcnt vmcnt(0)";
  s.out = {"v4"};
  EXPECT_EQ(s.run()["v4"], all(0x7e060280)); // v_mov_b32 v3, 0
  expectClean(s);
  s.body += "\nglobal_store_dword v3, v4, s[10:11]\ns_waitcnt vmcnt(0)";
  s.run();
  ASSERT_FALSE(s.result.findings.empty());
  EXPECT_EQ(s.result.findings[0].kind, CheckKind::OutOfBounds);
}

TEST(Memory, WhatIsPlacedIsReadOnlyAndNamesNoReport) {
  Memory memory;
  std::vector<uint8_t> image(100, 7);
  constexpr uint64_t place = 1 << 20;
  EXPECT_FALSE(llvm::errorToBool(memory.place(place, image, "image")));
  EXPECT_TRUE(llvm::errorToBool(memory.place(place, image, "image"))); // something is there
  EXPECT_TRUE(llvm::errorToBool(memory.place(place + 8192 + 1, image, "image")));
  uint64_t a = llvm::cantFail(memory.allocate(100, "a"));
  EXPECT_EQ(memory.find(place + 99)->name, "image");
  EXPECT_TRUE(memory.find(place)->isReadOnly);
  EXPECT_FALSE(memory.find(a)->isReadOnly);
  EXPECT_EQ(*memory.hostPointer(place + 99, 1), 7);
  EXPECT_EQ(memory.nearest(place + 200)->name, "a");
  EXPECT_FALSE(llvm::errorToBool(memory.release(place)));
  EXPECT_EQ(memory.find(place), nullptr);
  EXPECT_EQ(memory.usedBytes(), 100u);
}

TEST(Memory, AllocationsAreApartAndChecked) {
  Memory memory;
  uint64_t a = llvm::cantFail(memory.allocate(100, "a")),
           b = llvm::cantFail(memory.allocate(0, "b"));
  EXPECT_GE(b, a + 65536);
  EXPECT_EQ(memory.hostPointer(a, 101), nullptr);
  EXPECT_NE(memory.hostPointer(a + 99, 1), nullptr);
  EXPECT_EQ(memory.find(b), nullptr);
  EXPECT_EQ(memory.nearest(a + 200)->name, "a");
  std::vector<uint8_t> bytes(101);
  EXPECT_TRUE(bool(llvm::errorToBool(memory.write(a, bytes))));
  EXPECT_TRUE(llvm::errorToBool(memory.release(a + 1)));
  EXPECT_FALSE(llvm::errorToBool(memory.release(a)));
  memory.limitBytes = 10;
  EXPECT_TRUE(llvm::errorToBool(memory.allocate(11).takeError()));
}

} // namespace
