//===- CompileTest.cpp - modules to images, facts and errors --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

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
      GTEST_SKIP() << "neither ptxas nor NVRTC here";
    const KernelFacts *copy = image.kernel("copy");
    ASSERT_NE(copy, nullptr);
    EXPECT_GT(copy->registers, 0u);
    EXPECT_GE(copy->sharedBytes, 512u);
    EXPECT_EQ(copy->maxThreads, 384u);
    EXPECT_FALSE(copy->hasSpills());
  }
}

} // namespace

} // namespace tilec::codegen::test
