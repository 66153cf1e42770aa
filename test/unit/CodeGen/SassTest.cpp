//===- SassTest.cpp - loops, moves and spills in SASS ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/Sass.h"
#include "TestModules.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

/// A loop of one mma.sync. `between` goes between the mma and the end of the loop, over the results
/// %r0 to %r3; it defines %s0 to %s3, which the next round accumulates on.
std::string mmaLoop(const std::string &between) {
  return R"(
define ptx_kernel void @loop(ptr addrspace(1) %p, i32 %n, i32 %a) #0 {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %c0 = phi float [ 0.0, %entry ], [ %s0, %body ]
  %c1 = phi float [ 0.0, %entry ], [ %s1, %body ]
  %c2 = phi float [ 0.0, %entry ], [ %s2, %body ]
  %c3 = phi float [ 0.0, %entry ], [ %s3, %body ]
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a, i32 %i, i32 %a, i32 %a, i32 %a, i32 %a, float %c0, float %c1, float %c2, float %c3)
  %r0 = extractvalue { float, float, float, float } %r, 0
  %r1 = extractvalue { float, float, float, float } %r, 1
  %r2 = extractvalue { float, float, float, float } %r, 2
  %r3 = extractvalue { float, float, float, float } %r, 3
)" + between +
         R"(
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %exit, !llvm.loop !0
exit:
  %sum = fadd float %s0, %s1
  %sum2 = fadd float %s2, %s3
  %sum3 = fadd float %sum, %sum2
  store float %sum3, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "nvvm.maxntid"="32" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
)";
}

constexpr const char *plain = R"(
  %s0 = freeze float %r0
  %s1 = freeze float %r1
  %s2 = freeze float %r2
  %s3 = freeze float %r3
)";

// The fragment turns by one register every round, which costs moves: a planted fault.
constexpr const char *turned = R"(
  %s0 = freeze float %r1
  %s1 = freeze float %r2
  %s2 = freeze float %r3
  %s3 = freeze float %r0
)";

// Every round begins with one value in all four registers, which takes moves, but not of sums.
constexpr const char *filled = R"(
  %t0 = fadd float %r0, %r1
  %t1 = fadd float %r2, %r3
  %t2 = fadd float %t0, %t1
  store volatile float %t2, ptr addrspace(1) %p
  %loaded = load volatile float, ptr addrspace(1) %p
  %s0 = freeze float %loaded
  %s1 = freeze float %loaded
  %s2 = freeze float %loaded
  %s3 = freeze float %loaded
)";

class SassOf : public ::testing::TestWithParam<Arch> {};

TEST_P(SassOf, AnMmaLoopIsFound) {
  OwnedModule owned = parseText(mmaLoop(plain), GetParam());
  auto image = compileModule(*owned.module, optionsFor(GetParam()));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  if (image->kind == ImageKind::Ptx)
    // CUDA is optional (docs/reference/dependencies.md): with neither assembler the image is PTX,
    // which has no such facts.
    GTEST_SKIP() << "neither ptxas nor NVRTC here";
  auto kernels = readSass(image->bytes);
  ASSERT_TRUE(bool(kernels)) << toString(kernels.takeError());
  ASSERT_EQ(kernels->size(), 1u);
  const SassKernel &kernel = (*kernels)[0];
  EXPECT_EQ(kernel.facts.name, "loop");
  EXPECT_GT(kernel.mmas, 0u);
  EXPECT_GT(kernel.opcodes.at("HMMA"), 0u);
  unsigned mmaLoops = 0;
  for (const SassLoop &loop : kernel.loops)
    if (loop.isMmaLoop) {
      ++mmaLoops;
      EXPECT_EQ(loop.accumulatorMoves, 0u);
      EXPECT_LT(loop.beginAddress, loop.endAddress);
    }
  EXPECT_GT(mmaLoops, 0u);
  EXPECT_TRUE(image->notes.empty()) << image->notes[0].text;
}

TEST_P(SassOf, MovedAccumulatorsAreARemarkAndStrictlyAnError) {
  OwnedModule owned = parseText(mmaLoop(turned), GetParam());
  CodeGenOptions options = optionsFor(GetParam());
  auto image = compileModule(*owned.module, options);
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  if (image->kind == ImageKind::Ptx)
    // CUDA is optional (docs/reference/dependencies.md): with neither assembler the image is PTX,
    // which has no such facts.
    GTEST_SKIP() << "neither ptxas nor NVRTC here";
  ASSERT_EQ(image->notes.size(), 1u);
  EXPECT_NE(image->notes[0].text.find("kernel `loop` moves accumulators"), std::string::npos)
      << image->notes[0].text;
  options.strict = true;
  auto strictly = compileModule(*owned.module, options);
  ASSERT_FALSE(bool(strictly));
  EXPECT_NE(toString(strictly.takeError()).find("moves accumulators"), std::string::npos);
}

TEST_P(SassOf, FilledAccumulatorsAreNotMoved) {
  OwnedModule owned = parseText(mmaLoop(filled), GetParam());
  auto image = compileModule(*owned.module, optionsFor(GetParam()));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  if (image->kind == ImageKind::Ptx)
    GTEST_SKIP() << "neither ptxas nor NVRTC here";
  auto kernels = readSass(image->bytes);
  ASSERT_TRUE(bool(kernels)) << toString(kernels.takeError());
  unsigned moves = 0;
  for (const SassLoop &loop : (*kernels)[0].loops) {
    moves += loop.moves;
    EXPECT_EQ(loop.accumulatorMoves, 0u);
  }
  EXPECT_GE(moves, 3u);
}

INSTANTIATE_TEST_SUITE_P(Sass, SassOf, ::testing::Values(Arch::Sm80, Arch::Sm90a));

TEST(Sass, OfDamagedCubinsDoesNotCrash) {
  OwnedModule owned = parseFile("nv-mma", Arch::Sm90a);
  auto image = compileModule(*owned.module, optionsFor(Arch::Sm90a));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  if (image->kind == ImageKind::Ptx)
    // CUDA is optional (docs/reference/dependencies.md): with neither assembler the image is PTX,
    // which has no such facts.
    GTEST_SKIP() << "neither ptxas nor NVRTC here";
  for (size_t at = 0; at < image->bytes.size(); at += 5) {
    std::vector<uint8_t> damaged = image->bytes;
    damaged[at] ^= 0xff;
    auto kernels = readSass(damaged);
    if (!kernels)
      consumeError(kernels.takeError());
  }
}

} // namespace

} // namespace tilec::codegen::test
