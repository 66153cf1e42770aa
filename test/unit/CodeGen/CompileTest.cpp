//===- CompileTest.cpp - modules to images, facts and errors --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

Image compileOrFail(const std::string &file, const CodeGenOptions &options) {
  OwnedModule owned = parseFile(file, options.arch);
  auto image = compileModule(*owned.module, options);
  if (!image) {
    ADD_FAILURE() << toString(image.takeError());
    return {};
  }
  return std::move(*image);
}

TEST(Compile, AmdCopyBecomesAnHsacoWithItsFacts) {
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950}) {
    Image image = compileOrFail("amd-copy", optionsFor(arch));
    EXPECT_EQ(image.kind, ImageKind::Hsaco);
    const KernelFacts *copy = image.kernel("copy");
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->vgprs, 2u);
    EXPECT_EQ(copy->agprs, 0u);
    EXPECT_EQ(copy->kernargBytes, 16u);
    EXPECT_EQ(copy->maxThreads, 64u);
    EXPECT_GT(copy->codeBytes, 0u);
    EXPECT_FALSE(copy->hasSpills());
  }
}

TEST(Compile, NvidiaCopyBecomesPtxWithoutAnAssembler) {
  CodeGenOptions options = optionsFor(Arch::Sm90a);
  options.ptxAssembler = PtxAssembler::None;
  Image image = compileOrFail("nv-copy", options);
  EXPECT_EQ(image.kind, ImageKind::Ptx);
  EXPECT_NE(image.ptx.find(".target sm_90a"), std::string::npos);
  EXPECT_EQ(image.bytes.back(), 0);
}

TEST(Compile, NvidiaCopyBecomesACubinByPtxas) {
  for (Arch arch : {Arch::Sm80, Arch::Sm90, Arch::Sm90a}) {
    Image image = compileOrFail("nv-copy", optionsFor(arch));
    if (image.kind == ImageKind::Ptx)
      // CUDA is optional (docs/reference/dependencies.md): with neither assembler the image is PTX,
      // which has no such facts.
      GTEST_SKIP() << "neither ptxas nor NVRTC here";
    const KernelFacts *copy = image.kernel("copy");
    ASSERT_NE(copy, nullptr);
    EXPECT_GT(copy->registers, 0u);
    EXPECT_GE(copy->sharedBytes, 1536u);
    EXPECT_EQ(copy->maxThreads, 384u);
    EXPECT_FALSE(copy->hasSpills());
  }
}

TEST(Compile, TensorCoreInstructionsReachThePtxAndTheCubin) {
  for (Arch arch : {Arch::Sm80, Arch::Sm90a}) {
    Image image = compileOrFail("nv-mma", optionsFor(arch));
    for (const char *instruction :
         {"cp.async.cg.shared.global", "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"})
      EXPECT_NE(image.ptx.find(instruction), std::string::npos) << instruction;
    // Shared pointers are 32 bits wide.
    EXPECT_NE(image.ptx.find("cp.async.cg.shared.global [%r"), std::string::npos);
  }
}

TEST(Compile, NvrtcGivesTheCodeOfPtxas) {
  CodeGenOptions options = optionsFor(Arch::Sm90a);
  options.ptxAssembler = PtxAssembler::Nvrtc;
  for (const char *file : {"nv-copy", "nv-mma"}) {
    OwnedModule owned = parseFile(file, options.arch);
    auto byNvrtc = compileModule(*owned.module, options);
    if (!byNvrtc) {
      std::string text = toString(byNvrtc.takeError());
      ASSERT_NE(text.find("NVRTC was not found"), std::string::npos) << text;
      // CUDA is optional: the comparison needs both assemblers, and NVRTC is not installed.
      GTEST_SKIP() << "no NVRTC here";
    }
    Image byPtxas = compileOrFail(file, optionsFor(Arch::Sm90a));
    if (byPtxas.kind != ImageKind::Cubin)
      // CUDA is optional: this is about what ptxas says or makes, and it is not installed.
      GTEST_SKIP() << "no ptxas here";
    std::string section = ".text." + byPtxas.kernels[0].name;
    EXPECT_EQ(sectionOf(byNvrtc->bytes, section), sectionOf(byPtxas.bytes, section)) << file;
    EXPECT_EQ(byNvrtc->kernels[0].registers, byPtxas.kernels[0].registers);
  }
}

TEST(Compile, HandPlacedWaitsStayAndNoOthersAppear) {
  OwnedModule owned = parseFile("amd-dma-loop", Arch::Gfx950);
  CodeGenOptions options = optionsFor(Arch::Gfx950);
  options.keepOrder = true;
  auto assembly = emitAssembly(*owned.module, options);
  ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
  std::string loop = assembly->substr(assembly->find(".LBB0_1:"));
  loop = loop.substr(0, loop.find("s_cbranch"));
  EXPECT_NE(loop.find("s_waitcnt vmcnt(2)\n"), std::string::npos) << loop;
  EXPECT_EQ(loop.find("vmcnt(0)"), std::string::npos) << loop;
}

/// Assembles text with llvm-mc, as a user would.
std::string assembleText(const std::string &assembly, Arch arch) {
  SmallString<128> input, output;
  int descriptor = -1;
  EXPECT_FALSE(sys::fs::createTemporaryFile("tilec", "s", descriptor, input));
  raw_fd_ostream(descriptor, true) << assembly;
  EXPECT_FALSE(sys::fs::createTemporaryFile("tilec", "o", output));
  FileRemover removeInput(input), removeOutput(output);
  std::string chip = "-mcpu=" + std::string(tilec::nameOf(arch));
  std::string tool = std::string(TILEC_LLVM_TOOLS) + "/llvm-mc";
  EXPECT_EQ(sys::ExecuteAndWait(tool, {tool, "-triple=amdgcn-amd-amdhsa", chip, "-filetype=obj",
                                       input, "-o", output}),
            0);
  auto buffer = MemoryBuffer::getFile(output, false, false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(Compile, AssemblyTextAssemblesToTheObject) {
  for (Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (const char *file : {"amd-copy", "amd-two-kernels", "amd-dma-loop"}) {
      if (arch == Arch::Gfx942 && StringRef(file) == "amd-dma-loop")
        continue; // 16-byte DMAs are gfx950's
      OwnedModule owned = parseFile(file, arch);
      auto object = emitObject(*owned.module, optionsFor(arch));
      ASSERT_TRUE(bool(object)) << toString(object.takeError());
      auto assembly = emitAssembly(*owned.module, optionsFor(arch));
      ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
      std::string assembled = assembleText(*assembly, arch);
      std::string text = sectionOf(arrayRefFromStringRef(assembled), ".text");
      EXPECT_FALSE(text.empty());
      EXPECT_EQ(text, sectionOf(*object, ".text")) << file;
    }
}

// An atomic that changes nothing goes when nobody reads it, and only then.
TEST(Compile, IdleAtomicsAreDropped) {
  auto atomicsOf = [](const std::string &atomic) {
    OwnedModule owned = parseText("define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr "
                                  "addrspace(1) %q) {\n" +
                                      atomic + "\nret void\n}",
                                  Arch::Gfx942);
    EXPECT_FALSE(bool(optimizeModule(*owned.module, Arch::Gfx942)));
    std::string text;
    raw_string_ostream(text) << *owned.module;
    return StringRef(text).count("atomicrmw");
  };
  const std::string on = " ptr addrspace(1) %p, i32 ",
                    relaxed = " syncscope(\"agent\") monotonic\n";
  EXPECT_EQ(atomicsOf("%x = atomicrmw or" + on + "0" + relaxed), 0u);
  EXPECT_EQ(atomicsOf("%x = atomicrmw and" + on + "-1" + relaxed), 0u);
  EXPECT_EQ(atomicsOf("%x = atomicrmw or" + on + "1" + relaxed), 1u);
  EXPECT_EQ(atomicsOf("%x = atomicrmw and" + on + "0" + relaxed), 1u);
  EXPECT_EQ(atomicsOf("%x = atomicrmw or" + on + "0 syncscope(\"agent\") acq_rel"), 1u);
  EXPECT_EQ(
      atomicsOf("%x = atomicrmw or" + on + "0" + relaxed + "store i32 %x, ptr addrspace(1) %q"),
      1u);
}

// LLVM 22 converts the bit without its sign where it comes from another block (LlvmFaults.h).
TEST(Compile, ABitOfAnotherBlockHasASign) {
  OwnedModule owned = parseText(R"(
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = load volatile i32, ptr addrspace(1) %p
  %y = load volatile i32, ptr addrspace(1) %p
  %a = icmp ne i32 %x, 123
  %b = icmp ne i32 %y, 456
  %c = and i1 %a, %b
  %d = icmp sgt i32 %x, 0
  br i1 %d, label %then, label %end
then:
  %f = sitofp i1 %c to bfloat
  store bfloat %f, ptr addrspace(1) %q
  br label %end
end:
  ret void
})",
                                Arch::Sm90a);
  CodeGenOptions options = optionsFor(Arch::Sm90a);
  auto text = emitAssembly(*owned.module, options);
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  EXPECT_NE(text->find("0xBF80"), std::string::npos) << *text;
  EXPECT_EQ(text->find("cvt.rn.bf16"), std::string::npos) << *text;
}

TEST(Compile, EveryStageHasItsTime) {
  Image image = compileOrFail("amd-copy", optionsFor(Arch::Gfx950));
  std::vector<std::string> stages;
  for (const StageTime &time : image.times) {
    stages.push_back(time.stage);
    EXPECT_GE(time.ms, 0.0);
  }
  EXPECT_EQ(stages, (std::vector<std::string>{"copy", "optimize", "codegen", "link"}));
}

TEST(Compile, TheModuleOfTheCallerStaysAsItWas) {
  OwnedModule owned = parseFile("amd-two-kernels", Arch::Gfx942);
  std::string before, after;
  raw_string_ostream(before) << *owned.module;
  ASSERT_TRUE(bool(compileModule(*owned.module, optionsFor(Arch::Gfx942))));
  raw_string_ostream(after) << *owned.module;
  EXPECT_EQ(before, after);
}

} // namespace

} // namespace tilec::codegen::test
