//===- TimingGridTest.cpp - grids, memory beyond the caches, peaks --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Sim/CodeObjectImpl.h"
#include "../../../lib/Sim/Timing/ControlSlice.h"
#include "../../../lib/Sim/Timing/Grid.h"
#include "../../../lib/Sim/Timing/Kinds.h"
#include "../../../lib/Sim/Timing/Peaks.h"

#include "tilec/Sim/Timing.h"

#include "SimTesting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

struct Kernel {
  std::string cpu = "gfx950", body;
  unsigned groups = 1, threads = 256;
  uint64_t bufferBytes = 1 << 20;
  KernelOptions options = {};
  TimingOptions timing = {};

  std::unique_ptr<CodeObject> object() const {
    auto object = CodeObject::load(assemble(cpu, kernelText(cpu, body + "\ns_endpgm", options)));
    if (!object)
      ADD_FAILURE() << llvm::toString(object.takeError());
    return object ? std::move(*object) : nullptr;
  }
  TimingResult time() const {
    auto loaded = object();
    Memory memory;
    uint64_t buffer = llvm::cantFail(memory.allocate(bufferBytes, "buffer"));
    std::memset(memory.hostPointerForWriting(buffer, 4096), 0, 4096);
    uint64_t args[8] = {buffer};
    auto result =
        timeKernel(*loaded, "k", {groups, 1, 1}, {threads, 1, 1},
                   llvm::ArrayRef(reinterpret_cast<uint8_t *>(args), 64), memory, {}, timing);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return std::move(*result);
  }
};

std::string repeat(unsigned times, const std::string &text) {
  std::string result;
  for (unsigned i = 0; i < times; ++i)
    result += text + "\n";
  return result;
}

constexpr unsigned matrixOfRound = 64;
/// s4 rounds of 64 matrix instructions.
std::string rounds(const std::string &count) {
  return count + "\n.Lloop:\n" +
         repeat(matrixOfRound, "v_mfma_f32_16x16x32_bf16 v[8:11], v[0:3], v[4:7], v[8:11]") +
         "s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lloop";
}
constexpr double roundClk = matrixOfRound * 16;

double gridClk(const TimingResult &timing, const std::string &cpu = "gfx950") {
  return timing.kernelClk -
         timingConstants(*parseArch(cpu)).launchMicroseconds * 1000 * timing.clockGhz;
}

// ---- unequal work-groups

// Work of 1 to 64 rounds on 64 CUs: the longest decides, wherever it is in the grid.
TEST(TimingGrid, TheLongestWorkGroupDecidesWhereverItIs) {
  TimingResult up = Kernel{.body = rounds("s_add_u32 s4, s2, 1"), .groups = 64}.time();
  TimingResult down = Kernel{.body = rounds("s_sub_u32 s4, 64, s2"), .groups = 64}.time();
  EXPECT_FALSE(up.equalWork);
  EXPECT_NEAR(gridClk(up), 64 * roundClk, 2500);
  EXPECT_NEAR(gridClk(down), gridClk(up), 100);
  EXPECT_EQ(up.groupsOnCu, 1u);
  EXPECT_EQ(up.trace.waves[0].group, 63u);
  EXPECT_EQ(down.trace.waves[0].group, 0u);
}

// 16 groups a CU, four at once: 2 to 32 rounds, light or heavy ones first. No CU is idle for long.
TEST(TimingGrid, WorkGroupsAreDispatchedInOrderToCusThatAreFree) {
  auto time = [&](const std::string &count) {
    Kernel kernel{.body = rounds(count), .groups = 16 * 256};
    kernel.options.ldsBytes = 40 << 10;
    kernel.timing.cacheSampleInstructions = 10;
    return kernel.time();
  };
  TimingResult light = time("s_lshr_b32 s4, s2, 8\ns_lshl_b32 s4, s4, 1\ns_add_u32 s4, s4, 2"),
               heavy = time("s_lshr_b32 s4, s2, 8\ns_lshl_b32 s4, s4, 1\ns_sub_u32 s4, 32, s4"),
               equal = time("s_mov_b32 s4, 17");
  EXPECT_TRUE(equal.equalWork);
  EXPECT_EQ(light.groupsPerCu, 4u);
  EXPECT_EQ(heavy.groupsPerCu, 4u);
  double balanced = 16 * 17 * roundClk; // of a CU whose four SIMDs share four groups
  EXPECT_NEAR(gridClk(equal), balanced, 0.03 * balanced);
  EXPECT_NEAR(gridClk(light), balanced, 0.08 * balanced);
  EXPECT_NEAR(gridClk(heavy), balanced, 0.05 * balanced);
  EXPECT_GE(gridClk(heavy), 0.99 * balanced);
  EXPECT_GE(gridClk(light), 0.99 * balanced);
}

// The count comes from memory, as in grouped products and tensors of several lengths.
TEST(TimingGrid, WorkThatIsReadFromMemoryIsKnown) {
  Kernel kernel{.body =
                    rounds("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                           "v_mov_b32 v1, 0\nglobal_load_dword v1, v1, s[4:5]\n"
                           "s_waitcnt vmcnt(0)\nv_readfirstlane_b32 s5, v1\n"
                           "s_cmp_eq_u32 s2, 0x1f3\ns_cselect_b32 s4, 50, 2\ns_add_u32 s4, s4, s5"),
                .groups = 500};
  TimingResult timing = kernel.time(); // memory is zero
  EXPECT_FALSE(timing.equalWork);
  EXPECT_NEAR(gridClk(timing), 50 * roundClk, 5000);
}

// What cannot be known is said.
TEST(TimingGrid, WorkThatDependsOnOtherWorkGroupsIsTakenAsEqual) {
  Kernel kernel{.body =
                    rounds("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                           "v_mov_b32 v1, 0\nv_mov_b32 v2, 1\n"
                           "global_atomic_add v1, v1, v2, s[4:5] sc0\ns_waitcnt vmcnt(0)\n"
                           "v_readfirstlane_b32 s4, v1\ns_and_b32 s4, s4, 1\ns_add_u32 s4, s4, 1")};
  TimingResult timing = kernel.time();
  EXPECT_TRUE(timing.equalWork);
  EXPECT_NE(timing.workAssumed.find("global_atomic_add"), std::string::npos) << timing.workAssumed;
  std::string text;
  llvm::raw_string_ostream os(text);
  timing.print(os);
  EXPECT_NE(text.find("taken as equal: branches depend on `global_atomic_add"), std::string::npos);
}

// A walk executes what branches need and counts the rest: registers, masks, lanes.
TEST(ControlSlice, KeepsWhatBranchesNeed) {
  Kernel kernel{.body =
                    "v_lshrrev_b32 v1, 6, v0\nv_mov_b32 v9, 1.0\nv_readfirstlane_b32 s5, v1\n"
                    "s_mov_b32 s6, 7\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 .Lout\n"
                    "v_cmp_gt_u32 vcc, 5, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v3, v9\n"
                    "s_cbranch_execz .Lout\nv_mov_b32 v4, 0\n.Lout:"};
  auto object = kernel.object();
  const CodeObjectImpl &impl = object->impl();
  const Program &program = impl.programFor(impl.setups[0]);
  ControlSlice slice(program, impl.setups[0].entryPc);
  ASSERT_EQ(slice.whyNot(), "");
  std::string kept;
  for (uint32_t pc = impl.setups[0].entryPc;; pc = program.at(pc)->next) {
    const auto *instr = static_cast<const Decoded *>(program.at(pc));
    if (!slice.skippedFrom(pc).count)
      kept += std::string(instr->op->name) + ' ';
    if (llvm::StringRef(instr->op->name) == "s_endpgm")
      break;
  }
  EXPECT_EQ(kept, "v_lshrrev_b32 v_readfirstlane_b32 s_cmp_lg_u32 s_cbranch_scc1 v_cmp_gt_u32 "
                  "s_and_saveexec_b64 s_cbranch_execz s_endpgm ");
}

// A branch on what LDS holds, over code that comes back to where the branch goes: no part of where
// waves go. One that changes the count of a loop is.
TEST(ControlSlice, PassesOverDetours) {
  auto whyNot = [](const char *detour) {
    Kernel kernel{.body = std::string("s_mov_b32 s6, 3\nv_mov_b32 v1, 0\ns_branch .Lloop\n"
                                      ".Lnext:\ns_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\n"
                                      "s_cbranch_scc0 .Lout\n.Lloop:\nds_read_b32 v2, v1\n"
                                      "s_waitcnt lgkmcnt(0)\nv_cmp_lt_u32 vcc, 5, v2\n"
                                      "s_cbranch_vccz .Lnext\nv_mov_b32 v3, 1.0\n") +
                          detour + "s_branch .Lnext\n.Lout:"};
    auto object = kernel.object();
    const CodeObjectImpl &impl = object->impl();
    return ControlSlice(impl.programFor(impl.setups[0]), impl.setups[0].entryPc).whyNot();
  };
  EXPECT_NE(whyNot("s_mov_b32 s6, 1\n"), "");
  EXPECT_NE(whyNot("s_barrier\n"), "");
  EXPECT_EQ(whyNot("v_add_f32 v3, v3, v3\n"), "");
}

// Groups of 10 and 30 clocks, alone or sharing: two places give 1.5 times the speed of one.
TEST(TimingGrid, GroupsThatShareACuSlowEachOther) {
  Durations durations({{30, 30, 20}, {10, 10, 20. / 3}});
  EXPECT_DOUBLE_EQ(durations.at(20).alone, 20);
  EXPECT_DOUBLE_EQ(durations.at(40).shared, 80. / 3);
  EXPECT_DOUBLE_EQ(durations.at(5).alone, 5);
  double instructions[] = {10, 30};
  auto two = [&](uint64_t i) { return durations.at(instructions[i]); };
  // 10 at three quarters of the speed: 13.3 clocks; then 20 of the other's are left.
  EXPECT_NEAR(dispatch({2, 1, 1, 2}, two, 0).clk, 10 / 0.75 + 20, 1e-9);
  EXPECT_NEAR(dispatch({2, 1, 1, 1}, two, 5).clk, 10 + 5 + 30, 1e-9);
  // Work-groups 0 and 2 are on the first XCD.
  Dispatch xcds =
      dispatch({4, 2, 2, 1}, [&](uint64_t i) { return durations.at(i % 2 ? 10 : 30); }, 0);
  EXPECT_NEAR(xcds.clk, 60, 1e-9);
  EXPECT_EQ(xcds.lastCu, (std::vector<uint64_t>{0, 2}));
  // A free CU takes the next group of its XCD: 30 + 10 against 10 + 10 + 10 + 10.
  auto mixed = [&](uint64_t i) { return durations.at(i == 0 ? 30 : 10); };
  EXPECT_NEAR(dispatch({5, 2, 1, 1}, mixed, 0).clk, 40, 1e-9);
}

// ---- memory

/// Every work-group reads its own `bytes` of the buffer.
TimingResult stream(const std::string &cpu, uint64_t footprint) {
  unsigned groups = 4096;
  uint64_t bytesEach = footprint / groups;
  std::string body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s8, " +
                     std::to_string(bytesEach) +
                     "\ns_mul_i32 s6, s2, s8\ns_mul_hi_u32 s7, s2, s8\nv_lshlrev_b32 v1, 4, v0\n"
                     "s_waitcnt lgkmcnt(0)\ns_add_u32 s4, s4, s6\ns_addc_u32 s5, s5, s7\n";
  for (uint64_t at = 0; at < bytesEach; at += 4096)
    body += "global_load_dwordx4 v[4:7], v1, s[4:5]\nv_add_u32 v1, 0x1000, v1\n";
  return Kernel{
      .cpu = cpu, .body = body + "s_waitcnt vmcnt(0)", .groups = groups, .bufferBytes = footprint}
      .time();
}

// A stream that is larger than the Infinity Cache finds none of itself there (least recently used
// goes first) and is no faster than HBM; a smaller one finds all.
TEST(TimingMemory, StreamsLargerThanTheCachesRunAtHbmsSpeed) {
  for (const char *cpu : {"gfx942", "gfx950"}) {
    const TimingConstants &c = timingConstants(*parseArch(cpu));
    uint64_t large = 320ull << 20, small = 128ull << 20;
    TimingResult fromHbm = stream(cpu, large), fromCache = stream(cpu, small);
    auto rate = [](uint64_t bytes, const TimingResult &timing) {
      return static_cast<double>(bytes) / timing.kernelMicroseconds() / 1000; // GB/s
    };
    EXPECT_LE(rate(large, fromHbm), c.hbmGBs) << cpu;
    EXPECT_GE(rate(large, fromHbm), 0.6 * c.hbmGBs) << cpu;
    EXPECT_GT(rate(small, fromCache), rate(large, fromHbm)) << cpu;
    EXPECT_LE(rate(small, fromCache), c.infinityCacheGBs) << cpu;
  }
}

/// Clocks from the first atomic to the end of the wait for the last.
uint64_t atomics(unsigned count, const char *address, unsigned groups = 1) {
  TimingResult timing = Kernel{.body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_mov_b32 v2, 1.0\n" +
                                       std::string(address) + "\ns_waitcnt lgkmcnt(0)\n" +
                                       repeat(count, "global_atomic_add_f32 v1, v2, s[4:5]") +
                                       "s_waitcnt vmcnt(0)\ns_nop 0",
                               .groups = groups,
                               .threads = 64}
                            .time();
  uint64_t first = ~0ull, last = 0;
  for (const TimedInstruction &instr : timing.trace.instructions) {
    if (instr.kind == TimedKind::Atomic)
      first = std::min(first, instr.firstIssueClk);
    if (instr.text.find("s_nop") != std::string::npos)
      last = instr.lastIssueClk;
  }
  return last - first;
}

TEST(TimingMemory, AtomicsAreDoneAtTheL2) {
  const TimingConstants &c = timingConstants(Arch::Gfx950);
  const char *apart = "v_lshlrev_b32 v1, 2, v0", *one = "v_mov_b32 v1, 0";
  EXPECT_GE(atomics(1, apart), c.l2LatencyClk);
  // Lanes on one address take turns, and so do instructions.
  EXPECT_GE(atomics(1, one), c.l2LatencyClk + 64 * c.atomicTurnClk);
  EXPECT_GE(atomics(8, one), c.l2LatencyClk + 8 * 64 * c.atomicTurnClk);
  EXPECT_LT(atomics(8, apart), c.l2LatencyClk + 8 * 64 * c.atomicTurnClk);
  // Those of other CUs as well.
  EXPECT_GE(atomics(8, one, 256), 256 / 32 * 8 * 64 * c.atomicTurnClk);
}

// One per 11 clocks on gfx942 (P); gfx950 is faster. Sixteen bytes a lane take the L2's port.
TEST(TimingMemory, LdsDmaTakesItsClocks) {
  auto clkEach = [](const char *cpu, const char *width) {
    constexpr unsigned count = 40;
    Kernel kernel{
        .cpu = cpu,
        .body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s6, 0x10000\n"
                "s_mov_b32 s7, 0x20000\ns_mov_b32 m0, 0\nv_lshlrev_b32 v1, 2, v0\n"
                "s_waitcnt lgkmcnt(0)\n" +
                repeat(count, "buffer_load_" + std::string(width) + " v1, s[4:7], 0 offen lds"),
        .threads = 64};
    kernel.options.ldsBytes = 65536;
    TimingResult timing = kernel.time();
    uint64_t first = ~0ull, last = 0;
    for (const TimedInstruction &instr : timing.trace.instructions)
      if (instr.kind == TimedKind::LdsDma) {
        first = std::min(first, instr.firstIssueClk);
        last = std::max(last, instr.lastIssueClk);
      }
    // What waits in the address unit has been issued.
    double waiting = timingConstants(*parseArch(cpu)).vmemQueueClk;
    return (static_cast<double>(last - first) + waiting) / (count - 1);
  };
  EXPECT_NEAR(clkEach("gfx942", "dword"), timingConstants(Arch::Gfx942).ldsDmaDwordClk, 1);
  EXPECT_NEAR(clkEach("gfx950", "dword"), timingConstants(Arch::Gfx950).ldsDmaDwordClk, 1);
  EXPECT_LT(timingConstants(Arch::Gfx950).ldsDmaDwordClk,
            timingConstants(Arch::Gfx942).ldsDmaDwordClk);
}

// LLVM's hazard recognizer asks for no wait states between sparse instructions that add to the same
// registers, as for dense ones: a chain runs at its passes.
TEST(Timing, DependentSparseChainsRunAtTheirPasses) {
  struct {
    const char *text;
    unsigned clk;
  } cases[] = {{"v_smfmac_f32_16x16x64_bf16 v[8:11], v[0:3], v[12:19], v20", 16},
               {"v_smfmac_f32_32x32x32_bf16 v[24:39], v[0:3], v[12:19], v20", 32}};
  for (auto [text, clk] : cases) {
    TimingResult timing = Kernel{.body = repeat(9, text), .threads = 64}.time();
    uint64_t first = ~0ull, last = 0;
    for (const TimedInstruction &instr : timing.trace.instructions)
      if (instr.kind == TimedKind::Mfma) {
        first = std::min(first, instr.firstIssueClk);
        last = std::max(last, instr.lastIssueClk);
      }
    EXPECT_EQ(last - first, 8u * clk) << text;
  }
  // Their A is no accumulator: it waits for all of the result.
  TimingResult other = Kernel{.body = "v_smfmac_f32_16x16x64_bf16 v[8:11], v[0:3], v[12:19], v20\n"
                                      "v_smfmac_f32_16x16x64_bf16 v[4:7], v[8:11], v[12:19], v20",
                              .threads = 64}
                           .time();
  EXPECT_GE(other.trace.waves[0].events[1].issueClk - other.trace.waves[0].events[0].issueClk, 32u);
}

// ---- peaks

struct PeakCase {
  const char *id;
  void (*plant)(GridUse &);
};
class TimingPlanted : public ::testing::TestWithParam<PeakCase> {};

/// A use that stays below every peak: 1 million clocks at 1.7 GHz are 588 us.
GridUse honest() {
  GridUse use;
  use.clk = 1e6;
  use.clockGhz = 1.7;
  use.matrixClk = 0.99 * 1e6 * 4 * 256;
  use.flops[static_cast<unsigned>(MatrixType::Half)] = 0.99 * 1e6 * 4096 * 256;
  use.ldsClk = 0.99 * 1e6 * 256;
  use.l2Bytes = 0.99 * 1e6 * 256 * 64;
  use.hbmBytes = 0.99 * 8000e9 * 1e6 / 1.7e9;
  return use;
}

TEST(TimingPeaks, WhatTheChipCanDoPasses) {
  llvm::Error e = checkPeaks(honest(), Arch::Gfx950, "k");
  EXPECT_FALSE(bool(e)) << llvm::toString(std::move(e));
}
TEST_P(TimingPlanted, APlantedViolationIsAnInternalError) {
  GridUse use = honest();
  GetParam().plant(use);
  std::string text = llvm::toString(checkPeaks(use, Arch::Gfx950, "k"));
  EXPECT_NE(
      text.find("internal error of the timing model [" + std::string(GetParam().id) + "]: `k`"),
      std::string::npos)
      << text;
}
INSTANTIATE_TEST_SUITE_P(
    All, TimingPlanted,
    ::testing::Values(
        PeakCase{"timing-peak-matrix", [](GridUse &u) { u.matrixClk *= 1.05; }},
        PeakCase{"timing-peak-flops",
                 [](GridUse &u) { u.flops[unsigned(MatrixType::Half)] *= 1.05; }},
        PeakCase{"timing-peak-flops",
                 [](GridUse &u) { u.flops[unsigned(MatrixType::F64)] = 1e6 * 256 * 256; }},
        PeakCase{"timing-peak-flops", [](GridUse &u) { u.flops[unsigned(MatrixType::Xf32)] = 1; }},
        PeakCase{"timing-peak-lds", [](GridUse &u) { u.ldsClk *= 1.05; }},
        PeakCase{"timing-peak-l2", [](GridUse &u) { u.l2Bytes *= 1.05; }},
        PeakCase{"timing-peak-hbm", [](GridUse &u) { u.hbmBytes *= 1.05; }}));

// The table of passes against the data sheets: no instruction is faster than its type's peak.
TEST(TimingPeaks, NoInstructionExceedsThePeakOfItsType) {
  struct {
    const char *cpu, *text;
    MatrixType type;
    double share; ///< of the peak
  } cases[] = {
      {"gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", MatrixType::Half, 1},
      {"gfx942", "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]", MatrixType::Half, 1},
      {"gfx942", "v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[0:1], v[2:3], a[0:15]", MatrixType::Byte,
       1},
      {"gfx942", "v_mfma_i32_16x16x32_i8 a[0:3], v[0:1], v[2:3], a[0:3]", MatrixType::Byte, 1},
      {"gfx942", "v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]", MatrixType::Xf32, 1},
      {"gfx942", "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[0:15]", MatrixType::F32, 1},
      {"gfx942", "v_mfma_f32_16x16x1_4b_f32 a[0:15], v0, v1, a[0:15]", MatrixType::F32, 1},
      {"gfx942", "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]", MatrixType::F64, 1},
      {"gfx942", "v_smfmac_f32_16x16x32_bf16 v[8:11], v[0:1], v[12:15], v20", MatrixType::Half, 1},
      {"gfx950", "v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[4:7], a[0:3]", MatrixType::Half, 1},
      {"gfx950", "v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[2:3], a[0:15]", MatrixType::Byte,
       0.5},
      {"gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]", MatrixType::Byte,
       1},
      {"gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3] cbsz:4 blgp:4",
       MatrixType::Small, 1},
      {"gfx950", "v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[8:15], a[0:15] cbsz:4",
       MatrixType::Byte, 1},
      {"gfx950", "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]", MatrixType::F64, 1},
  };
  for (auto [cpu, text, type, share] : cases) {
    auto object = Kernel{.cpu = cpu, .body = text}.object();
    const CodeObjectImpl &impl = object->impl();
    const Instr &instr = *impl.programFor(impl.setups[0]).at(impl.setups[0].entryPc);
    MatrixType found{};
    bool sparse = false;
    double flops = matrixFlops(instr, found, sparse) / (sparse ? 2 : 1);
    EXPECT_EQ(found, type) << text;
    double aClock = 4 * flops / (4.0 * instr.passes); // four SIMDs, four clocks a pass
    EXPECT_NEAR(aClock / peakFlops(*parseArch(cpu), type), share, 1e-9) << cpu << ' ' << text;
  }
}

} // namespace
