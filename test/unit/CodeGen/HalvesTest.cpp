//===- HalvesTest.cpp - pairs of f16 by mixed products --------------------===//
//
// A chip that converts one f32 at a time makes a pair of f16 with two mixed products; the machine
// verifier looks at them. What is used as f32's half alone, too, keeps its conversion.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include <gtest/gtest.h>

namespace tilec::codegen::test {
namespace {

/// Assembly of a kernel that narrows two powers; `more`: what follows, with %h, the low half.
std::string narrowed(Arch arch, const std::string &more, bool machinePasses = true) {
  OwnedModule owned = parseText(R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %from = getelementptr <2 x float>, ptr addrspace(1) %p, i32 %tid
  %to = getelementptr <2 x half>, ptr addrspace(1) %q, i32 %tid
  %x = load <2 x float>, ptr addrspace(1) %from
  %a = extractelement <2 x float> %x, i32 0
  %b = extractelement <2 x float> %x, i32 1
  %c = call float @llvm.amdgcn.exp2.f32(float %a)
  %d = call float @llvm.amdgcn.exp2.f32(float %b)
  %h = fptrunc float %c to half
  %i = fptrunc float %d to half
  %low = insertelement <2 x half> poison, half %h, i32 0
  %both = insertelement <2 x half> %low, half %i, i32 1
  store <2 x half> %both, ptr addrspace(1) %to
)" + more + R"(
  ret void
})",
                                arch);
  CodeGenOptions options;
  options.arch = arch;
  options.verifyMachineCode = true;
  options.machinePasses = machinePasses;
  auto text = emitAssembly(*owned.module, options);
  EXPECT_TRUE(bool(text));
  return text ? *text : llvm::toString(text.takeError());
}

TEST(MixedHalves, ArePairs) {
  std::string text = narrowed(Arch::Gfx942, "");
  EXPECT_EQ(text.find("v_cvt_f16_f32"), std::string::npos) << text;
  EXPECT_EQ(text.find("v_pack_b32_f16"), std::string::npos) << text;
  size_t low = text.find("v_fma_mixlo_f16"), high = text.find("v_fma_mixhi_f16");
  EXPECT_TRUE(low != std::string::npos && high != std::string::npos && low < high) << text;
}

TEST(MixedHalves, LlvmAloneConvertsAndPacks) {
  std::string text = narrowed(Arch::Gfx942, "", /*machinePasses=*/false);
  EXPECT_NE(text.find("v_pack_b32_f16"), std::string::npos) << text;
}

TEST(MixedHalves, AHalfWithAnotherUseStays) {
  std::string text =
      narrowed(Arch::Gfx942, "  %at = getelementptr half, ptr addrspace(1) %q, i32 4096\n"
                             "  store half %h, ptr addrspace(1) %at");
  EXPECT_NE(text.find("v_cvt_f16_f32"), std::string::npos) << text;
  EXPECT_EQ(text.find("v_fma_mix"), std::string::npos) << text;
}

TEST(MixedHalves, TwoAreConvertedAtOnceWhereThatIsAnInstruction) {
  std::string text = narrowed(Arch::Gfx950, "");
  EXPECT_NE(text.find("v_cvt_pk_f16_f32"), std::string::npos) << text;
}

} // namespace
} // namespace tilec::codegen::test
