//===- OrderTest.cpp - the code generator keeps a planned order -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "RandomOrder.h"
#include "TestModules.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

EmittedLoop emitLoop(const std::vector<Op> &ops, const LoopShape &shape,
                     const CodeGenOptions &options) {
  OwnedModule owned = parseText(loopKernel(ops, shape, options.arch), options.arch);
  auto assembly = emitAssembly(*owned.module, options);
  if (!assembly) {
    ADD_FAILURE() << toString(assembly.takeError());
    return {};
  }
  return readLoop(*assembly);
}

/// The first place where the two differ, for the message.
std::string difference(const std::vector<Op> &wanted, const std::vector<Op> &got) {
  for (size_t i = 0; i < std::max(wanted.size(), got.size()); ++i) {
    std::string left = i < wanted.size() ? describe(wanted[i]) : "nothing";
    std::string right = i < got.size() ? describe(got[i]) : "nothing";
    if (left != right)
      return "operation " + std::to_string(i) + ": wanted " + left + ", got " + right;
  }
  return "";
}

class KeepOrder : public ::testing::TestWithParam<std::tuple<Arch, uint32_t>> {};

TEST_P(KeepOrder, TheIsaHasTheOrderOfTheIr) {
  auto [arch, seed] = GetParam();
  LoopShape shape;
  std::vector<Op> ops = randomOrder(shape, seed);
  CodeGenOptions options = optionsFor(arch);
  options.keepOrder = true;
  options.verifyMachineCode = true;
  EmittedLoop loop = emitLoop(ops, shape, options);
  EXPECT_EQ(difference(ops, loop.ops), "");
  EXPECT_EQ(loop.accumulatorMoves, 0u);
  EXPECT_EQ(loop.vectorMoves, 0u);
  EXPECT_EQ(loop.scratch, 0u);
  EXPECT_EQ(loop.nops, 0u) << "a wait state behind an m0 write was not filled";
}

INSTANTIATE_TEST_SUITE_P(Order, KeepOrder,
                         ::testing::Combine(::testing::Values(Arch::Gfx942, Arch::Gfx950),
                                            ::testing::Range(1u, 13u)));

// One wave a SIMD has 512 registers: 256 accumulators fill the accumulator file.
TEST(Order, OfOneWaveASimd) {
  LoopShape shape{/*reads=*/32,        /*dmas=*/16,   /*mfmas=*/256,
                  /*accumulators=*/64, /*window=*/24,
                  /*isOneWave=*/true};
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    std::vector<Op> ops = randomOrder(shape, seed);
    CodeGenOptions options = optionsFor(Arch::Gfx950);
    options.keepOrder = true;
    EmittedLoop loop = emitLoop(ops, shape, options);
    EXPECT_EQ(difference(ops, loop.ops), "");
    EXPECT_EQ(loop.accumulatorMoves, 0u);
    EXPECT_EQ(loop.mfmasElsewhere, 0u);
    EXPECT_EQ(loop.scratch, 0u);
  }
}

// The checker can see a difference: LLVM's own schedulers move things.
TEST(Order, TheSchedulersWouldChangeIt) {
  LoopShape shape;
  unsigned different = 0;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    std::vector<Op> ops = randomOrder(shape, seed);
    different += !difference(ops, emitLoop(ops, shape, optionsFor(Arch::Gfx950)).ops).empty();
  }
  EXPECT_GT(different, 0u);
}

TEST(Order, HoistingM0RemovesTheWaitStates) {
  LoopShape shape;
  std::vector<Op> ops = randomOrder(shape, 1);
  CodeGenOptions options = optionsFor(Arch::Gfx950);
  options.keepOrder = true;
  options.machinePasses = false;
  EmittedLoop plain = emitLoop(ops, shape, options);
  options.machinePasses = true;
  EmittedLoop hoisted = emitLoop(ops, shape, options);
  EXPECT_EQ(plain.nops, shape.dmas);
  EXPECT_EQ(hoisted.nops, 0u);
}

// LLVM alone gives some results other registers than their accumulators have, which costs registers
// (13 spills in the 256x256x64 loop of docs/machine-code/codegen.md).
TEST(Order, MfmasAccumulateInPlace) {
  LoopShape shape{/*reads=*/48, /*dmas=*/16, /*mfmas=*/128, /*accumulators=*/32, /*window=*/40};
  unsigned elsewhere = 0;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    std::vector<Op> ops = randomOrder(shape, seed);
    CodeGenOptions options = optionsFor(Arch::Gfx950);
    options.keepOrder = true;
    EXPECT_EQ(emitLoop(ops, shape, options).mfmasElsewhere, 0u);
    options.machinePasses = false;
    elsewhere += emitLoop(ops, shape, options).mfmasElsewhere;
  }
  EXPECT_GT(elsewhere, 0u);
}

unsigned countOf(const std::string &text, const std::string &what) {
  unsigned count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// A planned wait counts instructions, so what the IR loads apart stays apart: LLVM would make one
// ds_read2_b64 of the two reads, and one load of the two from global memory.
TEST(Order, NeighbouringAccessesAreNotMerged) {
  OwnedModule owned = parseText(R"(
@lds = internal addrspace(3) global [4096 x i8] poison, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %i) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %off = shl i32 %tid, 3
  %a = getelementptr i8, ptr addrspace(3) @lds, i32 %off
  %b = getelementptr i8, ptr addrspace(3) %a, i32 512
  %x = load <2 x i32>, ptr addrspace(3) %a, align 8
  %y = load <2 x i32>, ptr addrspace(3) %b, align 8
  %s = add <2 x i32> %x, %y
  %q = getelementptr i8, ptr addrspace(1) %p, i32 %off
  %r = getelementptr i8, ptr addrspace(1) %q, i32 8
  %u = load <2 x i32>, ptr addrspace(1) %q, align 16
  %v = load <2 x i32>, ptr addrspace(1) %r, align 8
  %t = add <2 x i32> %u, %v
  %w = add <2 x i32> %s, %t
  store <2 x i32> %w, ptr addrspace(1) %q
  ret void
})",
                                Arch::Gfx942);
  CodeGenOptions options = optionsFor(Arch::Gfx942);
  auto merged = emitAssembly(*owned.module, options);
  ASSERT_TRUE(bool(merged)) << toString(merged.takeError());
  EXPECT_EQ(countOf(*merged, "ds_read_b64") + countOf(*merged, "global_load_dwordx2"), 0u);
  options.keepOrder = true;
  auto kept = emitAssembly(*owned.module, options);
  ASSERT_TRUE(bool(kept)) << toString(kept.takeError());
  EXPECT_EQ(countOf(*kept, "ds_read_b64"), 2u);
  EXPECT_EQ(countOf(*kept, "global_load_dwordx2"), 2u);
}

// A wait for vmcnt(2) means the DMAs before the last two of the IR: asked for or not, they stay.
TEST(Order, CountedWaitsKeepTheOrder) {
  OwnedModule owned = parseFile("amd-dma-loop", Arch::Gfx950);
  auto image = compileModule(*owned.module, optionsFor(Arch::Gfx950));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  EXPECT_EQ(image->order.size(), 1u);
  OwnedModule plain = parseFile("amd-copy", Arch::Gfx950);
  auto other = compileModule(*plain.module, optionsFor(Arch::Gfx950));
  ASSERT_TRUE(bool(other)) << toString(other.takeError());
  EXPECT_TRUE(other->order.empty());
}

} // namespace

} // namespace tilec::codegen::test
