//===- ProgramTest.cpp - scalar code, control flow, launches, bad objects -===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace tilec;
using namespace tilec::sim;
using namespace tilec::sim::testing;

namespace {

/// s10 after `body`.
uint32_t scalar(const std::string &body) { return evaluate(body + "\nv_mov_b32 v10, s10", {})[0]; }

TEST(Sop, Arithmetic) {
  EXPECT_EQ(scalar("s_mov_b32 s11, -1\ns_add_u32 s12, s11, 5\ns_addc_u32 s10, 0, 7"), 8u);
  EXPECT_EQ(scalar("s_sub_u32 s12, 3, 5\ns_subb_u32 s10, 9, 1"), 7u);
  EXPECT_EQ(scalar("s_mov_b32 s11, 0x7fffffff\ns_add_i32 s11, s11, 1\ns_cselect_b32 s10, 1, 2"),
            1u);
  EXPECT_EQ(scalar("s_mov_b32 s11, 0xabcdef12\ns_bfe_u32 s10, s11, 0xc0008"), 0xdefu);
  EXPECT_EQ(scalar("s_mov_b32 s11, 0xabcdef12\ns_bfe_i32 s10, s11, 0x40008"), 0xffffffffu);
  EXPECT_EQ(scalar("s_mov_b32 s11, 0x80000000\ns_mul_hi_i32 s10, s11, 4"), 0xfffffffeu);
  EXPECT_EQ(scalar("s_movk_i32 s10, 0x8000"), 0xffff8000u);
  EXPECT_EQ(scalar("s_movk_i32 s10, 100\ns_addk_i32 s10, 0xfff0"), 84u);
  EXPECT_EQ(scalar("s_lshl2_add_u32 s10, 5, 3"), 23u);
  EXPECT_EQ(scalar("s_mov_b64 s[12:13], 0x80000000\ns_mov_b32 s10, s13"), 0u);
  EXPECT_EQ(scalar("s_mov_b64 s[12:13], -1\ns_bcnt1_i32_b64 s10, s[12:13]"), 64u);
  EXPECT_EQ(scalar("s_mov_b64 s[12:13], 0x100\ns_ff1_i32_b64 s10, s[12:13]"), 8u);
  EXPECT_EQ(scalar("s_bfm_b64 s[12:13], 40, 0\ns_mov_b32 s10, s13"), 0xffu);
  EXPECT_EQ(scalar("s_mov_b32 s11, 0x12345678\ns_pack_hh_b32_b16 s10, s11, s11"), 0x12341234u);
}

TEST(Sop, LoopsBranchesAndCalls) {
  EXPECT_EQ(scalar("s_mov_b32 s10, 0\ns_mov_b32 s11, 10\n.Lloop:\ns_add_i32 s10, s10, s11\n"
                   "s_sub_i32 s11, s11, 1\ns_cmp_lg_i32 s11, 0\ns_cbranch_scc1 .Lloop"),
            55u);
  EXPECT_EQ(
      scalar(
          "s_mov_b32 s10, 1\ns_getpc_b64 s[12:13]\ns_add_u32 s12, s12, 16\ns_addc_u32 s13, s13, 0\n"
          "s_setpc_b64 s[12:13]\ns_mov_b32 s10, 2\ns_nop 0"),
      1u);
  EXPECT_EQ(
      scalar(
          "s_mov_b64 vcc, 0\ns_mov_b32 s10, 1\ns_cbranch_vccz .Lskip\ns_mov_b32 s10, 2\n.Lskip:"),
      1u);
}

TEST(Sop, MinAndMaxTellWhichInScc) {
  EXPECT_EQ(scalar("s_max_i32 s11, 3, 7\ns_cselect_b32 s12, 1, 2\ns_lshl4_add_u32 s10, s11, s12"),
            7u * 16 + 2);
  EXPECT_EQ(scalar("s_max_u32 s11, 7, 3\ns_cselect_b32 s12, 1, 2\ns_lshl4_add_u32 s10, s11, s12"),
            7u * 16 + 1);
  EXPECT_EQ(scalar("s_min_i32 s11, -3, 7\ns_cselect_b32 s10, s11, 2"), 0xfffffffdu);
  EXPECT_EQ(scalar("s_mov_b32 s11, 0x10\ns_bitcmp1_b32 s11, 4\ns_cselect_b32 s10, 1, 0"), 1u);
}

TEST(Sop, SaveExec) {
  Lanes r = evaluate("v_mov_b32 v10, 0\ns_mov_b64 vcc, 0xff\ns_and_saveexec_b64 s[12:13], vcc\n"
                     "v_mov_b32 v10, 1\ns_andn2_saveexec_b64 s[14:15], s[12:13]\nv_mov_b32 v10, "
                     "2\ns_mov_b64 exec, -1",
                     {});
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r[i], i < 8 ? 1u : 2u);
}

TEST(Sop, IndexModeMovesRegisterNumbers) {
  Lanes r = evaluate(
      "v_mov_b32 v4, 40\nv_mov_b32 v5, 50\ns_mov_b32 s10, 1\ns_set_gpr_idx_on s10, gpr_idx(SRC0)\n"
      "v_mov_b32 v10, v4\ns_set_gpr_idx_off",
      {});
  EXPECT_EQ(r, all(50));
}

TEST(Sop, SkippedVectorInstructionsDoNothing) {
  EXPECT_EQ(evaluate("v_mov_b32 v10, 1\ns_setvskip 1, 0\nv_mov_b32 v10, 2\ns_setvskip 0, 0", {}),
            all(1));
}

struct Launched {
  llvm::Expected<RunResult> result = RunResult();
  std::vector<uint32_t> out;
};
/// Runs kernel text whose only argument is a buffer of `outWords` words.
Launched launch(const std::string &body, Dim3 grid, Dim3 block, size_t outWords,
                const KernelOptions &kernel = {}, const LaunchOptions &options = {}) {
  Launched launched;
  auto object = CodeObject::load(assemble("gfx950", kernelText("gfx950", body, kernel)));
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return launched;
  }
  Memory memory;
  uint64_t address = llvm::cantFail(memory.allocate(outWords * 4, "out"));
  std::memset(memory.hostPointerForWriting(address, outWords * 4), 0, outWords * 4);
  std::vector<uint8_t> kernarg(64);
  std::memcpy(kernarg.data(), &address, 8);
  launched.result = sim::run(**object, "k", grid, block, kernarg, memory, options);
  launched.out.resize(outWords);
  std::memcpy(launched.out.data(), memory.hostPointer(address, outWords * 4), outWords * 4);
  return launched;
}
const std::string storeV10 = // out[global id] = v10; work-groups of 128 in x
    "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_and_b32 v1, 0x3ff, v0\ns_lshl_b32 s3, s2, 7\nv_add_u32 "
    "v1, s3, v1\n"
    "v_lshlrev_b32 v1, 2, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v10, s[4:5]\ns_endpgm";

TEST(Launch, IdsAndPartialWaves) {
  Launched l =
      launch("v_mov_b32 v10, v0\nv_add_u32 v10, s2, v10\n" + storeV10, {3, 1, 1}, {100, 1, 1}, 384);
  ASSERT_TRUE(bool(l.result));
  ASSERT_TRUE(l.result->ok()) << llvm::toString(l.result->toError());
  for (uint32_t i = 0; i < 384; ++i)
    EXPECT_EQ(l.out[i], i % 128 < 100 ? i % 128 + i / 128 : 0);
  EXPECT_EQ(l.result->counters.waves, 6u);
}

TEST(Launch, WorkItemIdsArePacked) {
  Launched l = launch(
      "v_mov_b32 v10, v0\nv_bfe_u32 v2, v0, 10, 10\nv_bfe_u32 v3, v0, 20, 10\n"
      "v_and_b32 v4, 0x3ff, v0\nv_lshl_add_u32 v4, v2, 3, v4\nv_lshl_add_u32 v0, v3, 5, v4\n" +
          storeV10,
      {1, 1, 1}, {8, 4, 2}, 128);
  ASSERT_TRUE(l.result && l.result->ok());
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(l.out[i], i % 8 | (i / 8 % 4) << 10 | (i / 32) << 20);
}

TEST(Launch, BarriersOrderWavesWithAnyInterleave) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    KernelOptions kernel;
    kernel.ldsBytes = 1024;
    LaunchOptions options;
    options.interleaveSeed = seed;
    // Each lane reads what the lane 64 further wrote.
    Launched l =
        launch("v_and_b32 v1, 0x3ff, v0\nv_lshlrev_b32 v2, 2, v1\nds_write_b32 v2, v1\ns_waitcnt "
               "lgkmcnt(0)\n"
               "s_barrier\nv_xor_b32 v3, 0x100, v2\nds_read_b32 v10, v3\ns_waitcnt lgkmcnt(0)\n" +
                   storeV10,
               {1, 1, 1}, {128, 1, 1}, 128, kernel, options);
    ASSERT_TRUE(l.result && l.result->ok()) << llvm::toString(l.result->toError());
    for (uint32_t i = 0; i < 128; ++i)
      EXPECT_EQ(l.out[i], i ^ 64);
  }
}

TEST(Launch, WorkGroupsMayWaitForLaterOnes) {
  // Group 0 spins until group 1 has stored; one host thread runs both.
  LaunchOptions options;
  options.threads = 1;
  Launched l = launch(
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_mov_b32 v1, 0\ns_waitcnt lgkmcnt(0)\ns_cmp_eq_u32 s2, "
      "0\n"
      "s_cbranch_scc0 .Lstore\n.Lspin:\nglobal_load_dword v2, v1, s[4:5] sc1\ns_waitcnt vmcnt(0)\n"
      "v_readfirstlane_b32 s6, v2\ns_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lspin\nv_mov_b32 v3, 2\n"
      "global_store_dword v1, v3, s[4:5] offset:4\ns_endpgm\n.Lstore:\nv_mov_b32 v3, 1\n"
      "global_store_dword v1, v3, s[4:5]\ns_endpgm",
      {2, 1, 1}, {1, 1, 1}, 2);
  ASSERT_TRUE(l.result && l.result->ok());
  EXPECT_EQ(l.out, (std::vector<uint32_t>{1, 2}));
}

TEST(Launch, RefusesWhatHardwareCannotDo) {
  auto message = [](Launched l) {
    return l.result ? std::string("ran") : llvm::toString(l.result.takeError());
  };
  EXPECT_NE(message(launch("s_endpgm", {0, 1, 1}, {64, 1, 1}, 1)).find("at least 1"),
            std::string::npos);
  EXPECT_NE(message(launch("s_endpgm", {1, 1, 1}, {64, 32, 1}, 1)).find("1024"), std::string::npos);
  EXPECT_NE(message(launch("s_endpgm", {~0u, ~0u, ~0u}, {64, 1, 1}, 1)).find("too large"),
            std::string::npos);
  KernelOptions kernel;
  kernel.ldsBytes = 200000;
  EXPECT_NE(message(launch("s_endpgm", {1, 1, 1}, {64, 1, 1}, 1, kernel)).find("LDS"),
            std::string::npos);
}

CheckKind fatalKind(const std::string &body, LaunchOptions options = {}) {
  Launched l = launch(body, {1, 1, 1}, {64, 1, 1}, 64, {}, options);
  EXPECT_TRUE(bool(l.result));
  EXPECT_FALSE(l.result->ok()) << body;
  EXPECT_FALSE(l.result->completed);
  return l.result->findings.empty() ? CheckKind::OutOfBounds : l.result->findings[0].kind;
}

TEST(Faults, AreReportedNotGuessed) {
  EXPECT_EQ(fatalKind("s_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm"), CheckKind::BadInstruction);
  EXPECT_EQ(fatalKind("v_mov_b32 v1, 0\nv_mov_b32 v2, 0\ns_nop 1\nv_mfma_f32_16x16x4_f32 v[4:7], "
                      "v1, v2, 0 cbsz:7\ns_endpgm"),
            CheckKind::BadInstruction);
  EXPECT_EQ(fatalKind("s_trap 2\ns_endpgm"), CheckKind::Trap);
  EXPECT_EQ(fatalKind("s_mov_b64 s[4:5], 0x1000\ns_setpc_b64 s[4:5]"), CheckKind::BadProgram);
  EXPECT_EQ(fatalKind("s_nop 0"), CheckKind::BadProgram); // runs off the end
  EXPECT_EQ(fatalKind(".long 0xffffffff\ns_endpgm"), CheckKind::BadProgram);
  EXPECT_EQ(fatalKind("v_mov_b32 v200, 0\ns_endpgm"), CheckKind::BadInstruction); // not allocated
  LaunchOptions options;
  options.maxInstructionsPerGroup = 1000;
  EXPECT_EQ(fatalKind(".Lx: s_branch .Lx", options), CheckKind::Limit);
}

// LLVM's disassembler dies of these: v_add_f32_e64 and an MFMA with a literal constant, a
// comparison that gives one.
TEST(Faults, LiteralsInVop3AreNoInstruction) {
  for (const char *words : {".long 0xd1010004, 0x000208ff", ".long 0xd1010004, 0x0001fe05",
                            ".long 0xd3d70010, 0x04ddffd9", ".long 0xd04623ff, 0x0478a96c"})
    EXPECT_EQ(fatalKind(std::string(words) + "\n.long 0\ns_endpgm"), CheckKind::BadProgram)
        << words;
}

TEST(Faults, AnUnknownInstructionIsNamedWithItsPlace) {
  Launched l =
      launch("s_nop 0\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm", {1, 1, 1}, {64, 1, 1}, 1);
  ASSERT_FALSE(l.result->findings.empty());
  EXPECT_NE(l.result->findings[0].message.find("k+0x4: `s_sendmsg"), std::string::npos)
      << l.result->findings[0].message;
}

// ---- code objects
// --------------------------------------------------------------------------------

std::vector<uint8_t> goodObject() {
  return assemble("gfx942", kernelText("gfx942", "v_mov_b32 v1, 0\ns_endpgm", {}));
}

TEST(CodeObject, TellsResources) {
  KernelOptions options;
  options.ldsBytes = 4096;
  options.scratchBytes = 16;
  auto object = CodeObject::load(assemble("gfx942", kernelText("gfx942", "s_endpgm", options)));
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  EXPECT_EQ((*object)->arch(), Arch::Gfx942);
  ASSERT_EQ((*object)->kernels().size(), 1u);
  const KernelInfo &k = (*object)->kernels()[0];
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.vgprs, 128u);
  EXPECT_EQ(k.firstAgpr, 64u);
  EXPECT_EQ(k.ldsBytes, 4096u);
  EXPECT_EQ(k.scratchBytes, 16u);
  EXPECT_EQ(k.kernargBytes, 64u);
  EXPECT_EQ((*object)->findKernel("nothing"), nullptr);
}

TEST(CodeObject, OtherChipsAndOtherFilesAreRefused) {
  auto message = [](const std::vector<uint8_t> &bytes) {
    auto object = CodeObject::load(bytes);
    return object ? std::string() : llvm::toString(object.takeError());
  };
  EXPECT_NE(message({1, 2, 3}).find("ELF"), std::string::npos);
  EXPECT_NE(message(assemble("gfx90a", kernelText("gfx90a", "s_endpgm", {}))).find("another chip"),
            std::string::npos);
  EXPECT_NE(message(assemble("gfx942", ".text\ns_endpgm\n")).find("no kernel"), std::string::npos);
}

// Whatever bytes are changed: an error or a run that ends, never a crash or a hang.
TEST(CodeObject, SurvivesDamage) {
  const std::vector<uint8_t> good = goodObject();
  std::mt19937 random(11);
  unsigned refused = 0, ran = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    std::vector<uint8_t> bytes = good;
    unsigned changes = 1 + random() % 4;
    for (unsigned i = 0; i < changes; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (round % 5 == 0)
      bytes.resize(random() % bytes.size());
    auto object = CodeObject::load(bytes);
    if (!object) {
      llvm::consumeError(object.takeError());
      ++refused;
      continue;
    }
    for (const KernelInfo &kernel : (*object)->kernels()) {
      Memory memory;
      memory.limitBytes = 1 << 20;
      LaunchOptions options;
      options.threads = 1;
      options.maxInstructionsPerGroup = 1000;
      std::vector<uint8_t> kernarg(std::min<uint32_t>(kernel.kernargBytes, 4096));
      auto result =
          sim::run(**object, kernel.name, {1, 1, 1}, {64, 1, 1}, kernarg, memory, options);
      if (!result)
        llvm::consumeError(result.takeError());
      ++ran;
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(ran, 100u);
}

// Every 32-bit pattern with random bits behind it decodes to something or is refused.
TEST(CodeObject, SurvivesRandomInstructions) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 300; ++round) {
    std::string body;
    for (unsigned i = 0; i < 20; ++i)
      body += ".long " + std::to_string(random()) + "\n";
    auto object = CodeObject::load(assemble("gfx950", kernelText("gfx950", body + "s_endpgm", {})));
    ASSERT_TRUE(bool(object));
    Memory memory;
    LaunchOptions options;
    options.threads = 1;
    options.maxInstructionsPerGroup = 1000;
    auto result =
        sim::run(**object, "k", {1, 1, 1}, {64, 1, 1}, std::vector<uint8_t>(64), memory, options);
    ASSERT_TRUE(bool(result));
  }
}

// The same with the fields of sources set to the codes that LLVM's disassembler treats on their
// own, a literal's among them.
TEST(CodeObject, SurvivesRareSources) {
  std::mt19937 random(7);
  constexpr uint32_t codes[] = {255, 249, 250, 253, 254, 235, 124, 128, 240};
  for (const char *chip : {"gfx942", "gfx950"}) {
    std::string body;
    for (unsigned i = 0; i < 100000; ++i) {
      uint32_t word = random(), shift = std::array{0, 9, 18, 24}[random() % 4];
      word = (word & ~(255u << shift)) | codes[random() % std::size(codes)] << shift;
      body += ".long " + std::to_string(i % 8 ? word : codes[random() % std::size(codes)]) + "\n";
    }
    auto object = CodeObject::load(assemble(chip, kernelText(chip, body + "s_endpgm", {})));
    ASSERT_TRUE(bool(object));
    EXPECT_GT((*object)->coverage((*object)->kernels()[0]).unsupported.size(), 1000u);
  }
}

TEST(Kernarg, PlacesArgumentsAndFillsHiddenOnes) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.kernargBytes = 32;
  kernel.args = {{"a", "global_buffer", 0, 8},
                 {"n", "by_value", 8, 4},
                 {"", "hidden_block_count_x", 12, 4},
                 {"", "hidden_group_size_y", 16, 2}};
  std::vector<std::vector<uint8_t>> args = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 0, 0, 0}};
  auto bytes = makeKernarg(kernel, args, {7, 1, 1}, {64, 3, 1});
  ASSERT_TRUE(bool(bytes));
  EXPECT_EQ((*bytes)[0], 1);
  EXPECT_EQ((*bytes)[8], 9);
  EXPECT_EQ((*bytes)[12], 7);
  EXPECT_EQ((*bytes)[16], 3);
  args.pop_back();
  EXPECT_TRUE(llvm::errorToBool(makeKernarg(kernel, args, {7, 1, 1}, {64, 3, 1}).takeError()));
}

} // namespace
