//===- ErrorTest.cpp - what cannot be compiled is an Error ----------------===//
//
// Several of these end the process in LLVM's own tools.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

/// Compiles and returns the error's text; "" when it worked.
std::string errorOf(const std::string &text, const CodeGenOptions &options) {
  OwnedModule owned = parseText(text, options.arch);
  auto image = compileModule(*owned.module, options);
  return image ? "" : toString(image.takeError());
}

#define EXPECT_CONTAINS(text, part)                                                                \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

constexpr const char *wantsGfx950 = R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p, <8 x bfloat> %a) {
  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf16(<8 x bfloat> %a, <8 x bfloat> %a, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  store <4 x float> %d, ptr addrspace(1) %p
  ret void
})";

TEST(Error, AnIntrinsicOfAnotherChip) {
  std::string text = errorOf(wantsGfx950, optionsFor(Arch::Gfx942));
  EXPECT_CONTAINS(text, "gfx942: code generation failed");
  EXPECT_CONTAINS(text, "mfma.f32.16x16x32.bf16");
  // The process is fine: the same module compiles for the chip that has it, and the next one too.
  EXPECT_EQ(errorOf(wantsGfx950, optionsFor(Arch::Gfx950)), "");
}

TEST(Error, AnIntrinsicOfAnotherGpu) {
  std::string text = errorOf(R"(
define ptx_kernel void @k() {
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  ret void
})",
                             optionsFor(Arch::Sm80));
  EXPECT_CONTAINS(text, "sm_80: code generation failed");
  EXPECT_CONTAINS(text, "wgmma");
}

TEST(Error, MoreSharedMemoryThanThereIs) {
  std::string kernel = R"(
@lds = internal addrspace(3) global [70000 x i8] poison, align 16
define amdgpu_kernel void @k(i32 %i) {
  %p = getelementptr i8, ptr addrspace(3) @lds, i32 %i
  store volatile i8 1, ptr addrspace(3) %p
  ret void
})";
  std::string text = errorOf(kernel, optionsFor(Arch::Gfx942));
  EXPECT_CONTAINS(text, "local memory");
  EXPECT_CONTAINS(text, "70000");
  EXPECT_EQ(errorOf(kernel, optionsFor(Arch::Gfx950)), "");
}

TEST(Error, ALibraryCallThatDoesNotExist) {
  std::string text = errorOf(R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p, float %x) {
  %y = call float @llvm.tanh.f32(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
})",
                             optionsFor(Arch::Gfx950));
  EXPECT_CONTAINS(text, "tanh");
}

TEST(Error, AnUndefinedFunction) {
  std::string text = errorOf(R"(
declare void @nowhere()
define amdgpu_kernel void @k() {
  call void @nowhere()
  ret void
})",
                             optionsFor(Arch::Gfx950));
  EXPECT_CONTAINS(text, "nowhere");
}

TEST(Error, InvalidIr) {
  OwnedModule owned = parseFile("amd-copy", Arch::Gfx950);
  Function &copy = *owned.module->getFunction("copy");
  copy.getEntryBlock().getTerminator()->eraseFromParent();
  auto image = compileModule(*owned.module, optionsFor(Arch::Gfx950));
  ASSERT_FALSE(bool(image));
  EXPECT_CONTAINS(toString(image.takeError()), "invalid LLVM IR");
}

TEST(Error, AModuleThatWasNotPrepared) {
  LLVMContext context;
  Module module("test", context);
  auto image = compileModule(module, optionsFor(Arch::Gfx950));
  ASSERT_FALSE(bool(image));
  EXPECT_CONTAINS(toString(image.takeError()), "prepareModule");
}

TEST(Error, PtxThatPtxasRefuses) {
  CodeGenOptions options = optionsFor(Arch::Sm90a);
  options.ptxAssembler = PtxAssembler::Ptxas;
  std::string text = errorOf(R"(
define ptx_kernel void @k() {
  call void asm sideeffect "no.such.instruction;", ""()
  ret void
})",
                             options);
  if (text.find("ptxas was not found") != std::string::npos)
    // CUDA is optional: this is about what ptxas says or makes, and it is not installed.
    GTEST_SKIP() << "no ptxas here";
  EXPECT_CONTAINS(text, "ptxas refused the PTX");
  EXPECT_CONTAINS(text, "Not a name of any known instruction");
}

TEST(Error, AToolThatDoesNotExist) {
  setenv("TILEC_PTXAS", "/nowhere/ptxas", 1);
  CodeGenOptions options = optionsFor(Arch::Sm80);
  options.ptxAssembler = PtxAssembler::Ptxas;
  std::string text = errorOf("define ptx_kernel void @k() { ret void }", options);
  unsetenv("TILEC_PTXAS");
  EXPECT_CONTAINS(text, "/nowhere/ptxas");
}

TEST(Error, NoAssemblerLeavesThePtx) {
  setenv("TILEC_PTXAS", "none", 1);
  setenv("TILEC_NVRTC", "none", 1);
  OwnedModule owned = parseFile("nv-copy", Arch::Sm80);
  auto image = compileModule(*owned.module, optionsFor(Arch::Sm80));
  unsetenv("TILEC_PTXAS");
  unsetenv("TILEC_NVRTC");
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  EXPECT_EQ(image->kind, ImageKind::Ptx);
  ASSERT_EQ(image->notes.size(), 1u);
  EXPECT_CONTAINS(image->notes[0].text, "the driver compiles");
}

// 100 live values in the 32 registers that the kernel is given.
std::string spillingKernel() {
  std::string body, sums = "  %s0 = fadd float 0.0, 0.0\n";
  for (int i = 0; i < 100; ++i) {
    std::string n = std::to_string(i);
    body += "  %p" + n + " = getelementptr float, ptr addrspace(1) %a, i32 " +
            std::to_string(i * 64) + "\n  %v" + n + " = load volatile float, ptr addrspace(1) %p" +
            n + "\n";
    sums += "  %s" + std::to_string(i + 1) + " = fadd float %s" + n + ", %v" +
            std::to_string(99 - i) + "\n";
  }
  return "define ptx_kernel void @k(ptr addrspace(1) %a) #0 {\n" + body + sums +
         "  store float %s100, ptr addrspace(1) %a\n  ret void\n}\n"
         "attributes #0 = { \"nvvm.maxntid\"=\"128\" \"nvvm.maxnreg\"=\"32\" }\n";
}

TEST(Error, SpillsAreARemarkAndStrictlyAnError) {
  CodeGenOptions options = optionsFor(Arch::Sm80);
  OwnedModule owned = parseText(spillingKernel(), Arch::Sm80);
  auto image = compileModule(*owned.module, options);
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  if (image->kind == ImageKind::Ptx)
    // CUDA is optional (docs/reference/dependencies.md): with neither assembler the image is PTX,
    // which has no such facts.
    GTEST_SKIP() << "neither ptxas nor NVRTC here";
  EXPECT_GT(image->kernels[0].spillStoreBytes, 0u);
  EXPECT_GT(image->kernels[0].scratchBytesPerLane, 0u);
  ASSERT_FALSE(image->notes.empty());
  EXPECT_CONTAINS(image->notes.back().text, "kernel `k` spills");
  options.strict = true;
  EXPECT_CONTAINS(errorOf(spillingKernel(), options), "kernel `k` spills");
}

// Without a block size ptxas ignores setmaxnreg and says so (C7508); the wgmma then waits (C75xx).
TEST(Error, IgnoredSetmaxnregIsARemarkAndStrictlyAnError) {
  const char *text = "define ptx_kernel void @k() {\n"
                     "  call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 40)\n"
                     "  ret void\n}\n";
  CodeGenOptions options = optionsFor(Arch::Sm90a);
  OwnedModule owned = parseText(text, options.arch);
  auto image = compileModule(*owned.module, options);
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  if (image->kind == ImageKind::Ptx)
    // CUDA is optional (docs/reference/dependencies.md): with neither assembler the image is PTX,
    // which has no such facts.
    GTEST_SKIP() << "neither ptxas nor NVRTC here";
  ASSERT_FALSE(image->notes.empty());
  EXPECT_CONTAINS(image->notes[0].text, "C7508");
  options.strict = true;
  EXPECT_CONTAINS(errorOf(text, options), "C7508");
}

} // namespace

} // namespace tilec::codegen::test
