//===- AuditWaitsTest.cpp - covered and uncovered loads -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/AuditWaits.h"
#include "../CodeGen/RandomOrder.h"
#include "../CodeGen/TestModules.h"
#include "TestCode.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::report::test {

namespace {

/// The mnemonics of the instructions that touch something too early.
std::string early(const std::string &body) {
  std::string text;
  for (const WaitFinding &finding : auditWaits(decode(body)))
    text += (text.empty() ? "" : "; ") + finding.instruction;
  return text;
}

TEST(AuditWaits, AReadNeedsItsWait) {
  EXPECT_EQ(early("ds_read_b32 v0, v1\nv_add_u32_e32 v2, v0, v0"), "v_add_u32_e32 v2, v0, v0");
  EXPECT_EQ(early("ds_read_b32 v0, v1\ns_waitcnt lgkmcnt(0)\nv_add_u32_e32 v2, v0, v0"), "");
  EXPECT_EQ(early("ds_read_b32 v0, v1\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, v0"),
            "v_mov_b32_e32 v2, v0");
  EXPECT_EQ(early("global_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, v0"),
            "");
}

TEST(AuditWaits, CountsTheOperationsBehind) {
  const std::string three = "ds_read_b32 v0, v9\nds_read_b32 v1, v9\nds_write_b32 v9, v8\n";
  EXPECT_EQ(early(three + "s_waitcnt lgkmcnt(2)\nv_mov_b32_e32 v5, v0"), "");
  EXPECT_EQ(early(three + "s_waitcnt lgkmcnt(2)\nv_mov_b32_e32 v5, v1"), "v_mov_b32_e32 v5, v1");
  EXPECT_EQ(early(three + "s_waitcnt lgkmcnt(3)\nv_mov_b32_e32 v5, v0"), "v_mov_b32_e32 v5, v0");
  // DMAs count for vmcnt.
  const std::string dma = "global_load_dword v0, v[2:3], off\n"
                          "buffer_load_dwordx4 v4, s[8:11], 0 offen lds\n";
  EXPECT_EQ(early(dma + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v5, v0"), "");
}

TEST(AuditWaits, ScalarLoadsComeInAnyOrder) {
  const std::string two = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n";
  EXPECT_EQ(early(two + "s_waitcnt lgkmcnt(1)\ns_add_i32 s6, s4, 1"), "s_add_i32 s6, s4, 1");
  EXPECT_EQ(early(two + "s_waitcnt lgkmcnt(0)\ns_add_i32 s6, s4, s5"), "");
}

TEST(AuditWaits, OverwritingWhatIsLoading) {
  EXPECT_EQ(early("ds_read_b32 v0, v1\nv_mov_b32_e32 v0, 0"), "v_mov_b32_e32 v0, 0");
  // The second load comes after the first one anyway.
  EXPECT_EQ(early("ds_read_b32 v0, v1\nds_read_b32 v0, v2"), "");
  EXPECT_EQ(early("ds_read_b32 v0, v1\nds_read_b32 v0, v0"), "ds_read_b32 v0, v0");
  EXPECT_EQ(early("ds_read_b32 v0, v1\nglobal_load_dword v0, v[2:3], off"),
            "global_load_dword v0, v[2:3], off");
}

TEST(AuditWaits, OnEveryPath) {
  // One path around the wait.
  EXPECT_EQ(early("ds_read_b32 v0, v1\ns_cbranch_scc1 skip\ns_waitcnt lgkmcnt(0)\n"
                  "skip:\nv_mov_b32_e32 v2, v0"),
            "v_mov_b32_e32 v2, v0");
  // Loaded at a loop's end, used at its start.
  const std::string loop = "loop:\n%sv_mov_b32_e32 v2, v0\nds_read_b32 v0, v1\n"
                           "s_cbranch_scc1 loop\ns_waitcnt lgkmcnt(0)";
  auto with = [&](const std::string &wait) {
    std::string text = loop;
    return early(text.replace(text.find("%s"), 2, wait));
  };
  EXPECT_EQ(with(""), "v_mov_b32_e32 v2, v0");
  EXPECT_EQ(with("s_waitcnt lgkmcnt(0)\n"), "");
}

TEST(AuditWaits, SaysBothInstructions) {
  std::string text = describe(auditWaits(decode("ds_read_b64 v[4:5], v1\nv_mov_b32_e32 v2, v5")));
  EXPECT_NE(text.find(": v_mov_b32_e32 v2, v5"), std::string::npos) << text;
  EXPECT_NE(text.find("touches v5, which "), std::string::npos) << text;
  EXPECT_NE(text.find(": ds_read_b64 v[4:5], v1"), std::string::npos) << text;
}

// LLVM's waits are right; without them the audit finds each kernel wrong.
TEST(AuditWaits, CompiledLoopsAreCovered) {
  codegen::test::LoopShape shape;
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      auto owned = codegen::test::parseText(
          codegen::test::loopKernel(codegen::test::randomOrder(shape, seed), shape, arch), arch);
      codegen::CodeGenOptions options;
      options.arch = arch;
      options.keepOrder = true;
      auto assembly = codegen::emitAssembly(*owned.module, options);
      ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
      std::string chip(tilec::nameOf(arch));
      auto object = disassemble(assembleFile(*assembly, chip));
      ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
      EXPECT_EQ(describe(auditWaits(object->kernels.at(0))), "");

      std::string without = *assembly;
      for (size_t at; (at = without.find("s_waitcnt lgkmcnt")) != std::string::npos;)
        without.replace(at, strlen("s_waitcnt lgkmcnt"), "s_nop 0 ; no wait");
      auto wrong = disassemble(assembleFile(without, chip));
      ASSERT_TRUE(bool(wrong)) << llvm::toString(wrong.takeError());
      EXPECT_FALSE(auditWaits(wrong->kernels.at(0)).empty());
    }
}

} // namespace

} // namespace tilec::report::test
