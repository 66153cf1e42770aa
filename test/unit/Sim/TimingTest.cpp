//===- TimingTest.cpp - micro-kernels whose clocks are known --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Timing.h"

#include "../../../lib/Sim/Timing/Constants.h"

#include "SimTesting.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

struct Kernel {
  std::string cpu = "gfx942", body;
  unsigned threads = 64, groups = 1;
  KernelOptions options = {};
  double latencyScale = 1;

  TimingResult time() const {
    auto object = CodeObject::load(assemble(cpu, kernelText(cpu, body + "\ns_endpgm", options)));
    if (!object) {
      ADD_FAILURE() << llvm::toString(object.takeError());
      return {};
    }
    Memory memory;
    uint64_t buffer = llvm::cantFail(memory.allocate(1 << 20, "buffer"));
    uint64_t args[8] = {buffer};
    TimingOptions timingOptions;
    timingOptions.latencyScale = latencyScale;
    auto timing = timeKernel(**object, "k", {groups, 1, 1}, {threads, 1, 1},
                             llvm::ArrayRef(reinterpret_cast<uint8_t *>(args), 64), memory, {},
                             timingOptions);
    if (!timing) {
      ADD_FAILURE() << llvm::toString(timing.takeError());
      return {};
    }
    return std::move(*timing);
  }
};

std::string repeat(unsigned times, const std::string &text) {
  std::string result;
  for (unsigned i = 0; i < times; ++i)
    result += text + "\n";
  return result;
}

/// Clocks between the first and the last issue of an instruction whose text has `what`.
uint64_t span(const TimingResult &timing, const std::string &what, size_t wave = 0) {
  uint64_t first = ~0ull, last = 0;
  for (const TimingEvent &event : timing.trace.waves[wave].events)
    if (timing.trace.instructions[event.instruction].text.find(what) != std::string::npos) {
      first = std::min(first, event.issueClk);
      last = std::max(last, event.issueClk);
    }
  return last - first;
}

const TimedInstruction &instruction(const TimingResult &timing, const std::string &what) {
  for (const TimedInstruction &instr : timing.trace.instructions)
    if (instr.text.find(what) != std::string::npos)
      return instr;
  ADD_FAILURE() << what;
  return timing.trace.instructions[0];
}

const char *const mfma16 = "v_mfma_f32_16x16x16_bf16 v[8:11], v[0:1], v[2:3], v[8:11]";

// ROCm's matrix calculator: 16x16x16 takes 16 clocks, and C = D runs at that rate.
TEST(Timing, DependentMatrixChainRunsAtItsPasses) {
  TimingResult timing = Kernel{.body = repeat(9, mfma16)}.time();
  EXPECT_EQ(span(timing, "v_mfma"), 8 * 16u);
  EXPECT_EQ(instruction(timing, "v_mfma").kind, TimedKind::Mfma);
}
TEST(Timing, IndependentMatrixInstructionsShareThePipe) {
  TimingResult timing = Kernel{.body = repeat(4, std::string(mfma16) + "\nv_mfma_f32_16x16x16_bf16 "
                                                                       "v[12:15], v[0:1], v[2:3], "
                                                                       "v[12:15]")}
                            .time();
  EXPECT_EQ(span(timing, "v_mfma"), 7 * 16u);
}
// LLVM's hazard recognizer: seven wait states behind four passes on gfx942.
TEST(Timing, AnotherUseOfAMatrixResultWaits) {
  TimingResult timing = Kernel{.body = std::string(mfma16) + "\nv_mov_b32 v20, v8"}.time();
  const auto &events = timing.trace.waves[0].events;
  EXPECT_EQ(events[1].issueClk - events[0].issueClk, 4 * (7 + 1u));
  EXPECT_EQ(events[1].reason, StallReason::MatrixData);
}

// pyhip, mfma-valu-coissue.md (MI308X): three plain instructions hide behind a 16-clock matrix
// instruction, a fourth costs 4; v_exp 4, 20, 36; packed f32 never overlaps.
struct CoissueCase {
  const char *op;
  unsigned count, clk;
};
class TimingCoissue : public ::testing::TestWithParam<CoissueCase> {};
TEST_P(TimingCoissue, CostsWhatHardwareTakes) {
  auto [op, count, clk] = GetParam();
  TimingResult timing = Kernel{.body = repeat(9, mfma16 + ("\n" + repeat(count, op)))}.time();
  EXPECT_EQ(span(timing, "v_mfma"), 8 * clk);
}
INSTANTIATE_TEST_SUITE_P(
    All, TimingCoissue,
    ::testing::Values(CoissueCase{"v_add_f32 v20, v21, v22", 3, 16},
                      CoissueCase{"v_add_f32 v20, v21, v22", 4, 20},
                      CoissueCase{"v_exp_f32 v20, v21", 1, 20},
                      CoissueCase{"v_exp_f32 v20, v21", 2, 36},
                      CoissueCase{"v_pk_mul_f32 v[20:21], v[22:23], v[24:25]", 1, 28},
                      CoissueCase{"v_pk_mul_f32 v[20:21], v[22:23], v[24:25]", 4, 40}));

// Lanes 4 bytes apart on gfx942: 4 clocks of transfer; all on one bank: 64 clocks of data.
TEST(Timing, BankConflictsTakeTheirClocks) {
  auto clkEach = [](unsigned shift) {
    Kernel kernel{.body = "v_and_b32 v0, 63, v0\nv_lshlrev_b32 v1, " + std::to_string(shift) +
                          ", v0\n" + repeat(13, "ds_read_b32 v2, v1")};
    kernel.options.ldsBytes = 32768;
    return kernel.time();
  };
  TimingResult free = clkEach(2), conflicting = clkEach(7);
  EXPECT_EQ(span(free, "ds_read"), 12 * 4u);
  for (const TimedInstruction &instr : conflicting.trace.instructions)
    if (instr.kind == TimedKind::LdsRead)
      EXPECT_EQ(instr.ldsDataClk, 64u);
  EXPECT_EQ(conflicting.ldsConflictClk, 13 * 62u);
  // Eight requests wait in the queue, so the last issues when the fourth before it starts.
  EXPECT_GE(span(conflicting, "ds_read"), 4 * 64u);
}

TEST(Timing, WaitsAreWhatTheirLoadsTake) {
  TimingResult timing = Kernel{.body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                                       "v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\n"
                                       "s_waitcnt vmcnt(0)\nv_add_f32 v2, v2, v2"}
                            .time();
  const TimedInstruction &wait = instruction(timing, "vmcnt(0)");
  EXPECT_EQ(wait.stallClk, wait.stallByReason[unsigned(StallReason::Vmcnt)]);
  EXPECT_GT(wait.stallClk, 300u); // beyond the L2's latency
  EXPECT_GT(instruction(timing, "lgkmcnt(0)").stallByReason[unsigned(StallReason::Lgkmcnt)], 600u);
}

// Waits for memory scale with its latencies; matrix instructions do not.
TEST(Timing, LatenciesMayBeOthers) {
  auto waitOf = [](double scale) {
    Kernel kernel{.body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                          "v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\n"
                          "s_waitcnt vmcnt(0)\nv_add_f32 v2, v2, v2"};
    kernel.latencyScale = scale;
    return double(instruction(kernel.time(), "vmcnt(0)").stallClk);
  };
  double usual = waitOf(1);
  EXPECT_NEAR(waitOf(0.5), 0.5 * usual, 0.1 * usual);
  EXPECT_NEAR(waitOf(1.5), 1.5 * usual, 0.1 * usual);
}

TEST(Timing, NopsAndSleepHoldTheWave) {
  TimingResult timing =
      Kernel{.body = "s_nop 7\nv_mov_b32 v1, 0\ns_sleep 2\nv_mov_b32 v2, 0"}.time();
  const auto &events = timing.trace.waves[0].events;
  EXPECT_EQ(events[1].issueClk - events[0].issueClk, 8 * 4u);
  EXPECT_EQ(events[3].issueClk - events[2].issueClk, 128u);
  EXPECT_EQ(events[3].reason, StallReason::Nop);
}

// Waves 0 and 4 share a SIMD. Both want the vector port all the time; the one with the higher
// priority is through when the other has barely started.
TEST(Timing, PriorityDecidesWhoIssues) {
  TimingResult timing =
      Kernel{.body = "v_readfirstlane_b32 s4, v0\ns_cmp_lt_u32 s4, 0x100\ns_cbranch_scc1 .Llow\n"
                     "s_setprio 3\n.Llow:\ns_barrier\n" +
                     repeat(100, "v_add_f32 v20, v21, v22"),
             .threads = 512}
          .time();
  ASSERT_EQ(timing.trace.waves.size(), 8u);
  EXPECT_EQ(timing.trace.waves[0].simd, timing.trace.waves[4].simd);
  EXPECT_EQ(span(timing, "v_add", 4), 99 * 4u);
  EXPECT_GE(timing.trace.waves[0].endClk, timing.trace.waves[4].endClk + 99 * 4u);
}

TEST(Timing, EarlyWavesWaitAtTheBarrier) {
  TimingResult timing =
      Kernel{.body = "v_readfirstlane_b32 s4, v0\ns_cmp_lt_u32 s4, 0x40\ns_cbranch_scc1 .Lfirst\n" +
                     repeat(100, "v_add_f32 v20, v21, v22") + ".Lfirst:\ns_barrier",
             .threads = 128}
          .time();
  auto stall = [&](size_t wave) {
    for (const TimingEvent &event : timing.trace.waves[wave].events)
      if (event.reason == StallReason::Barrier)
        return event.stallClk();
    return uint64_t(0);
  };
  EXPECT_NEAR(static_cast<double>(stall(0)), 400, 30);
  EXPECT_LT(stall(1), 30u);
}

// SHARK on MI350X: each clock of conflict beyond the phases takes two.
TEST(Timing, ConflictsTakeTwiceAsLongOnGfx950) {
  Kernel kernel{.cpu = "gfx950",
                .body = "v_and_b32 v0, 63, v0\nv_lshlrev_b32 v1, 8, v0\n" +
                        repeat(13, "ds_read_b64 v[2:3], v1")};
  kernel.options.ldsBytes = 32768;
  TimingResult timing = kernel.time();
  EXPECT_EQ(timing.ldsConflictClk, 13 * 2 * 62u); // 64 dwords of a bank, two phases
}

// The data of an LDS DMA takes the LDS when it arrives, not when it is asked for.
TEST(Timing, ReadsGoAheadOfLdsDmaThatIsUnderWay) {
  Kernel kernel{.cpu = "gfx950",
                .body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s6, 0x10000\n"
                        "s_mov_b32 s7, 0x20000\ns_mov_b32 m0, 0\nv_lshlrev_b32 v1, 4, v0\n"
                        "s_waitcnt lgkmcnt(0)\n" +
                        repeat(16, "buffer_load_dwordx4 v1, s[4:7], 0 offen lds") +
                        "ds_read_b32 v2, v1 offset:32768\ns_waitcnt lgkmcnt(0)\ns_nop 0\n"
                        "s_waitcnt vmcnt(0)"};
  kernel.options.ldsBytes = 65536;
  TimingResult timing = kernel.time();
  uint64_t read = instruction(timing, "ds_read").firstIssueClk;
  EXPECT_LT(instruction(timing, "s_nop").firstIssueClk - read, 80u);
  EXPECT_GT(instruction(timing, "vmcnt(0)").stallClk, 300u);
}

// Two work-groups of an XCD that read the same bytes: the second costs no traffic beyond the L2. A
// third one, on another XCD, reads it again.
TEST(Timing, WorkGroupsOfAnXcdShareTheirL2) {
  auto hits = [](unsigned groups, const char *address) {
    Kernel kernel{.body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_lshlrev_b32 v1, 4, v0\n" +
                          std::string(address) +
                          "\nv_add_u32 v1, s3, v1\ns_waitcnt lgkmcnt(0)\n"
                          "global_load_dwordx4 v[4:7], v1, s[4:5]\ns_waitcnt vmcnt(0)",
                  .groups = groups};
    return kernel.time().l2HitRate;
  };
  EXPECT_NEAR(hits(8, "s_mov_b32 s3, 0"), 0, 1e-9);        // one work-group an XCD
  EXPECT_NEAR(hits(16, "s_mov_b32 s3, 0"), 0.5, 1e-9);     // two
  EXPECT_NEAR(hits(16, "s_lshl_b32 s3, s2, 10"), 0, 1e-9); // each its own bytes
}

// A second round of work-groups counts as much as the first; the grid is cut at 304 CUs.
TEST(Timing, TheGridIsScaledFromOneUnit) {
  Kernel kernel{.body = repeat(2000, "v_add_f32 v20, v21, v22"), .threads = 256, .groups = 304};
  kernel.options.vgprs = 512;
  kernel.options.accumOffset = 256;
  TimingResult one = kernel.time();
  EXPECT_EQ(one.groupsPerCu, 1u);
  EXPECT_EQ(one.groupsOnCu, 1u);
  kernel.groups = 304 * 5;
  TimingResult five = kernel.time();
  EXPECT_EQ(five.groupsOnCu, 5u);
  EXPECT_EQ(five.groupsTimed, 2u);
  EXPECT_NEAR((five.kernelClk - one.kernelClk) / 4, 2000 * 4 + 800, 100);
}

TEST(Timing, IsReproducible) {
  Kernel kernel{.body = repeat(20, std::string(mfma16) + "\nv_exp_f32 v20, v21\ns_barrier"),
                .threads = 512,
                .groups = 16};
  std::string first, second;
  llvm::raw_string_ostream firstOs(first), secondOs(second);
  kernel.time().writeJson(firstOs);
  kernel.time().writeJson(secondOs);
  EXPECT_EQ(first, second);
  auto json = llvm::json::parse(first);
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(json->getAsObject()->getString("kernel"), llvm::StringRef("k"));
  EXPECT_GT(json->getAsObject()->getNumber("mfma_utilisation").value_or(0), 0.05);
}

// docs/simulators/simulator.md quotes errors that hold for these numbers only. A change has to
// repeat the validation (test/bench/timing.py) and this digest, FNV-1a of the names and values.
TEST(TimingConstants, AreFrozen) {
  uint64_t digest = 0xcbf29ce484222325ull;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const TimingConstantRow &row : timingConstantRows) {
    os << row.name << '=' << llvm::format("%.6g,%.6g;", row.gfx942, row.gfx950);
    EXPECT_NE(std::string(row.source), "") << row.name;
  }
  for (char c : text)
    digest = (digest ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
  EXPECT_EQ(digest, 0xedb82f6b6cd38719ull) << text;
}

TEST(TimingConstants, AreInTheManual) {
  std::ifstream file(TILEC_TEST_DATA "/../../docs/simulators/simulator.md");
  std::string manual(std::istreambuf_iterator<char>(file), {});
  for (const TimingConstantRow &row : timingConstantRows) {
    std::string line;
    llvm::raw_string_ostream(line)
        << "| " << row.name << " | " << llvm::format("%.10g", row.gfx942) << " | "
        << llvm::format("%.10g", row.gfx950) << " | " << row.unit << " | " << row.source << " |\n";
    EXPECT_NE(manual.find(line), std::string::npos) << line;
  }
}

TEST(Timing, AFaultOfTheKernelIsAnError) {
  auto object =
      CodeObject::load(assemble("gfx942", kernelText("gfx942", "s_trap 2\ns_endpgm", {})));
  ASSERT_TRUE(bool(object));
  Memory memory;
  std::vector<uint8_t> args(64);
  auto timing = timeKernel(**object, "k", {1, 1, 1}, {64, 1, 1}, args, memory, {}, {});
  ASSERT_FALSE(bool(timing));
  EXPECT_NE(llvm::toString(timing.takeError()).find("trap"), std::string::npos);
  auto endless = CodeObject::load(
      assemble("gfx942", kernelText("gfx942", ".Lagain:\ns_barrier\ns_branch .Lagain", {})));
  ASSERT_TRUE(bool(endless));
  LaunchOptions limited;
  limited.maxInstructionsPerGroup = 10000;
  auto stopped = timeKernel(**endless, "k", {1, 1, 1}, {128, 1, 1}, args, memory, limited, {});
  ASSERT_FALSE(bool(stopped));
  EXPECT_NE(llvm::toString(stopped.takeError()).find("not ended"), std::string::npos);
  auto missing = timeKernel(**object, "none", {1, 1, 1}, {64, 1, 1}, args, memory, {}, {});
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(llvm::toString(missing.takeError()).find("no kernel"), std::string::npos);
}

} // namespace
