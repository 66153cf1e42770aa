//===- ScorecardTest.cpp - the metrics of small loops, by hand ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestCode.h"
#include "tilec/Report/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::report::test {

namespace {

// Two K tiles of two DMAs each. Between the DMAs of a tile: one scalar instruction (and a wait and
// a nop, which do not count); at the first tile's end three; over the back edge two behind the last
// DMA and two before the first.
constexpr const char *loopText = R"(
  s_mov_b32 s20, 0
loop:
  s_add_u32 s20, s20, 1
  s_mov_b32 m0, s21
  s_nop 0
  buffer_load_dwordx4 v40, s[8:11], 0 offen lds
  v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], v[0:3]
  v_mfma_f32_16x16x32_bf16 v[4:7], v[16:19], v[24:27], v[4:7]
  s_mov_b32 m0, s22
  s_waitcnt lgkmcnt(0)
  buffer_load_dwordx4 v40, s[8:11], 0 offen offset:128 lds
  s_waitcnt vmcnt(2) lgkmcnt(0)
  s_barrier
  v_readfirstlane_b32 s30, v50
  v_pk_mul_f32 v[60:61], v[60:61], v[62:63]
  s_mov_b32 m0, s23
  v_mfma_f32_16x16x32_bf16 v[8:11], v[16:19], v[20:23], v[8:11]
  buffer_load_dwordx4 v40, s[8:11], 0 offen lds
  ds_read_b128 v[16:19], v41
  s_mov_b32 m0, s24
  s_setprio 1
  buffer_load_dwordx4 v40, s[8:11], 0 offen lds
  s_waitcnt vmcnt(2) lgkmcnt(0)
  v_add_u32_e32 v40, 64, v40
  s_cmp_lt_u32 s20, s25
  s_cbranch_scc1 loop
  s_waitcnt vmcnt(0)
)";

KernelCard cardOf(const std::string &text, const ScorecardOptions &options = {}) {
  auto object = disassemble(assemble(text));
  EXPECT_TRUE(bool(object));
  Scorecard card = makeScorecard(*object, options);
  return card.kernels.at(0);
}

TEST(Scorecard, CountsAndRatios) {
  KernelCard kernel = cardOf(loopText);
  ASSERT_EQ(kernel.loops.size(), 1u);
  ASSERT_EQ(kernel.hotLoop, std::optional(0u));
  const LoopCard &loop = kernel.loops[0];
  EXPECT_EQ(loop.instructions, 24u);
  EXPECT_EQ(loop.mfmas(), 3u);
  EXPECT_EQ(loop.count(InstrKind::SharedDma), 4u);
  EXPECT_EQ(loop.count(InstrKind::SharedRead), 1u);
  EXPECT_EQ(loop.count(InstrKind::Wait), 3u);
  EXPECT_EQ(loop.count(InstrKind::Barrier), 1u);
  EXPECT_EQ(loop.count(InstrKind::Priority), 1u);
  EXPECT_EQ(loop.count(InstrKind::Nop), 1u);
  EXPECT_EQ(loop.count(InstrKind::Vector), 3u);
  EXPECT_EQ(loop.count(InstrKind::Scalar), 6u);
  EXPECT_EQ(loop.count(InstrKind::Branch), 1u);
  EXPECT_DOUBLE_EQ(loop.otherPerMfma(), 7.0);
  EXPECT_EQ(loop.nopsAfterM0Write, 1u);
  EXPECT_EQ(loop.readFirstLanes, 1u);
  EXPECT_EQ(loop.packedMath, 1u);
  EXPECT_EQ(loop.longestMfmaRun, 2u);
  EXPECT_EQ(loop.longestRunWithoutMfma, 9u);
}

TEST(Scorecard, GapsBetweenDmas) {
  KernelCard kernel = cardOf(loopText, {/*kTilesPerRound=*/2});
  const LoopCard &loop = kernel.loops[0];
  ASSERT_EQ(loop.dmaGaps.size(), 2u);
  EXPECT_EQ(loop.dmaGaps[0].scalarOrVector, 1u);
  EXPECT_EQ(loop.dmaGaps[0].mfmas, 2u);
  EXPECT_FALSE(loop.dmaGaps[0].crossesBarrier);
  EXPECT_EQ(loop.dmaGaps[1].scalarOrVector, 1u);
  EXPECT_EQ(loop.maxGap, 1u);
  EXPECT_DOUBLE_EQ(loop.meanGap, 1.0);
  ASSERT_EQ(loop.kTileEndGaps.size(), 1u);
  EXPECT_EQ(loop.kTileEndGaps[0].scalarOrVector, 3u);
  EXPECT_TRUE(loop.kTileEndGaps[0].crossesBarrier);
  EXPECT_EQ(loop.backEdgeGap.scalarOrVector, 4u);
  EXPECT_EQ(loop.minMfmasPerDma, 0u);
  EXPECT_EQ(loop.maxMfmasPerDma, 2u);
  // Without knowing the K tiles, all three are alike.
  EXPECT_EQ(cardOf(loopText).loops[0].maxGap, 3u);
}

TEST(Scorecard, WaitsOfTheLoopOnly) {
  const LoopCard loop = cardOf(loopText).loops[0];
  ASSERT_EQ(loop.waits.size(), 2u);
  EXPECT_EQ(toString(loop.waits[0].counts), "lgkmcnt(0)");
  EXPECT_EQ(loop.waits[1].times, 2u);
  EXPECT_EQ(loop.smallestVmcnt, std::optional(2u));
  EXPECT_EQ(loop.vmcntZeros, 0u);
}

TEST(Scorecard, RegistersAndOccupancy) {
  KernelCard kernel = cardOf(loopText);
  EXPECT_EQ(kernel.vgprsUsed, 64u); // v63 of the packed multiply
  EXPECT_EQ(kernel.agprsUsed, 0u);
  EXPECT_EQ(kernel.sgprsUsed, 31u); // s30
  // 224 registers: 2 waves. One block of 8 waves fits in 160 KiB: 2 waves on each of 4 SIMDs.
  EXPECT_EQ(kernel.residency.wavesPerSimd, 2u);
  EXPECT_EQ(kernel.residency.blocks, 1u);
}

TEST(Residency, TheScarcestResourceDecides) {
  auto of = [](Arch arch, unsigned registers, unsigned sharedBytes, unsigned threads) {
    return describe(residencyOf(arch, {registers, 0, sharedBytes, threads}));
  };
  EXPECT_EQ(of(Arch::Gfx950, 32, 0, 256), "8 waves a SIMD, 8 blocks a compute unit (limit: waves)");
  EXPECT_EQ(of(Arch::Gfx950, 129, 0, 256),
            "3 waves a SIMD, 3 blocks a compute unit (limit: registers)");
  EXPECT_EQ(of(Arch::Gfx950, 257, 16384, 256),
            "1 wave a SIMD, 1 block a compute unit (limit: registers)");
  // 64 KiB twice; shared memory goes in steps of 1280 bytes, so that 80 KiB fit twice, and not a
  // byte more does.
  EXPECT_EQ(of(Arch::Gfx950, 64, 65536, 256),
            "2 waves a SIMD, 2 blocks a compute unit (limit: shared memory)");
  EXPECT_EQ(of(Arch::Gfx950, 64, 81920, 512),
            "4 waves a SIMD, 2 blocks a compute unit (limit: shared memory)");
  EXPECT_EQ(of(Arch::Gfx950, 64, 81921, 512),
            "2 waves a SIMD, 1 block a compute unit (limit: shared memory)");
  EXPECT_EQ(of(Arch::Gfx942, 64, 32768, 256),
            "2 waves a SIMD, 2 blocks a compute unit (limit: shared memory)");
  // Blocks of one wave share the SIMDs; of five waves, one SIMD has two.
  EXPECT_EQ(of(Arch::Gfx942, 128, 0, 64),
            "4 waves a SIMD, 16 blocks a compute unit (limit: registers)");
  EXPECT_EQ(of(Arch::Gfx942, 128, 0, 320),
            "3 waves a SIMD, 2 blocks a compute unit (limit: registers)");
  EXPECT_EQ(of(Arch::Gfx942, 128, 0, 0), "4 waves a SIMD (limit: registers)");
  // 73 + 128 with the accumulators at 76.
  EXPECT_EQ(residencyOf(Arch::Gfx942, {73, 180, 0, 256}).blocks, 2u);
  EXPECT_EQ(residencyOf(Arch::Gfx942, {77, 180, 0, 256}).blocks, 1u);
}

TEST(Scorecard, JsonSaysTheSame) {
  std::string text;
  raw_string_ostream os(text);
  ReportOptions options;
  options.json = true;
  Error error = writeReport(os, assemble(loopText), options);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  auto parsed = json::parse(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const json::Object &root = *parsed->getAsObject();
  EXPECT_EQ(root.getString("arch"), "gfx950");
  const json::Object &kernel = *(*root.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getString("name"), "k");
  EXPECT_EQ(kernel.getInteger("waves_per_simd"), 2);
  EXPECT_EQ(kernel.getInteger("blocks_per_unit"), 1);
  const json::Object &loop = *(*kernel.getArray("loops"))[0].getAsObject();
  EXPECT_EQ(loop.getObject("counts")->getInteger("mfma"), 3);
  EXPECT_EQ(loop.getNumber("other_per_mfma"), 7.0);
  EXPECT_EQ(loop.getInteger("smallest_vmcnt"), 2);
}

TEST(Scorecard, LoadsThatAreNotWaitedFor) {
  std::vector<WaitFinding> findings = cardOf(loopText).waitFindings;
  EXPECT_TRUE(findings.empty()) << describe(findings);
  findings = cardOf("ds_read_b32 v0, v1\nv_mov_b32_e32 v2, v0").waitFindings;
  EXPECT_EQ(findings.size(), 1u);
}

TEST(Scorecard, TextNamesTheHotLoop) {
  std::string text;
  raw_string_ostream os(text);
  Error error = writeReport(os, assemble(loopText), {});
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_NE(text.find("(hot): 24 instructions"), std::string::npos) << text;
  EXPECT_NE(text.find("other per MFMA 7.000"), std::string::npos) << text;
  EXPECT_NE(text.find("2 x vmcnt(2) lgkmcnt(0)"), std::string::npos) << text;
}

TEST(Report, WhatIsNoImageIsAnError) {
  std::string text;
  raw_string_ostream os(text);
  for (const char *bytes : {"", "not an object at all, but long enough to look at"}) {
    Error error = writeReport(os, arrayRefFromStringRef(bytes), {});
    EXPECT_TRUE(bool(error));
    consumeError(std::move(error));
  }
  EXPECT_EQ(text, "");
}

} // namespace

} // namespace tilec::report::test
