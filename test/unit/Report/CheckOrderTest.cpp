//===- CheckOrderTest.cpp - kept orders pass, planted changes do not ------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Report/CheckOrder.h"
#include "../CodeGen/RandomOrder.h"
#include "../CodeGen/TestModules.h"
#include "TestCode.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <random>

using namespace llvm;
using tilec::codegen::test::LoopShape;
using tilec::codegen::test::OwnedModule;

namespace tilec::report::test {

namespace {

codegen::CodeGenOptions orderedFor(Arch arch) {
  codegen::CodeGenOptions options;
  options.arch = arch;
  options.keepOrder = true;
  return options;
}

std::vector<OrderDifference> check(ArrayRef<uint8_t> image,
                                   ArrayRef<codegen::KernelOrder> planned) {
  auto object = disassemble(image);
  if (!object) {
    ADD_FAILURE() << toString(object.takeError());
    return {};
  }
  return checkOrder(*object, planned);
}

OwnedModule randomLoop(Arch arch, uint32_t seed) {
  LoopShape shape;
  return codegen::test::parseText(
      codegen::test::loopKernel(codegen::test::randomOrder(shape, seed), shape, arch), arch);
}

class KeptOrder : public ::testing::TestWithParam<std::tuple<Arch, uint32_t>> {};

TEST_P(KeptOrder, HasNoDifference) {
  auto [arch, seed] = GetParam();
  OwnedModule owned = randomLoop(arch, seed);
  auto image = codegen::compileModule(*owned.module, orderedFor(arch));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  ASSERT_EQ(image->order.size(), 1u);
  ASSERT_EQ(image->order[0].loops.size(), 1u);
  EXPECT_GT(image->order[0].loops[0].ops.size(), 80u);
  EXPECT_EQ(describe(check(image->bytes, image->order)), "");
}

INSTANTIATE_TEST_SUITE_P(CheckOrder, KeptOrder,
                         ::testing::Combine(::testing::Values(Arch::Gfx942, Arch::Gfx950),
                                            ::testing::Range(100u, 108u)));

bool isOrdered(StringRef line) {
  StringRef text = line.trim();
  return text.starts_with("v_mfma") || text.starts_with("ds_read") || text.contains(" lds") ||
         text.starts_with("s_barrier") || text.starts_with("s_setprio");
}

/// Swaps two different ordered lines of the loop, at random.
std::string swapTwo(const std::string &assembly, uint32_t seed, std::string &what) {
  SmallVector<StringRef> lines;
  StringRef(assembly).split(lines, '\n');
  std::vector<size_t> places;
  bool inLoop = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    inLoop |= lines[i].starts_with(".LBB0_1:");
    if (inLoop && isOrdered(lines[i]))
      places.push_back(i);
    if (inLoop && lines[i].contains("s_cbranch"))
      break;
  }
  std::mt19937 random(seed);
  for (;;) {
    size_t a = places[random() % places.size()], b = places[random() % places.size()];
    if (lines[a].trim() == lines[b].trim())
      continue;
    what = (lines[a].trim() + " <-> " + lines[b].trim()).str();
    std::swap(lines[a], lines[b]);
    return join(lines, "\n");
  }
}

class PlantedSwap : public ::testing::TestWithParam<uint32_t> {};

TEST_P(PlantedSwap, IsReported) {
  Arch arch = GetParam() % 2 ? Arch::Gfx950 : Arch::Gfx942;
  OwnedModule owned = randomLoop(arch, GetParam());
  auto image = codegen::compileModule(*owned.module, orderedFor(arch));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  auto assembly = codegen::emitAssembly(*owned.module, orderedFor(arch));
  ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
  std::string what, swapped = swapTwo(*assembly, GetParam(), what);
  std::vector<uint8_t> object = assembleFile(swapped, std::string(tilec::nameOf(arch)));
  std::vector<OrderDifference> differences = check(object, image->order);
  ASSERT_FALSE(differences.empty()) << what;
  EXPECT_NE(differences[0].text.find("planned: "), std::string::npos);
  EXPECT_NE(differences[0].text.find("emitted: "), std::string::npos);
  // The text that was not changed passes: the swap is what was found.
  EXPECT_EQ(
      describe(check(assembleFile(*assembly, std::string(tilec::nameOf(arch))), image->order)), "");
}

INSTANTIATE_TEST_SUITE_P(CheckOrder, PlantedSwap, ::testing::Range(1u, 21u));

/// The DMA loop with `from` replaced by `to` in its assembly; the differences.
std::string differencesAfter(const std::string &from, const std::string &to) {
  OwnedModule owned = codegen::test::parseFile("amd-dma-loop", Arch::Gfx950);
  auto image = codegen::compileModule(*owned.module, orderedFor(Arch::Gfx950));
  EXPECT_TRUE(bool(image));
  auto assembly = codegen::emitAssembly(*owned.module, orderedFor(Arch::Gfx950));
  EXPECT_TRUE(bool(assembly));
  size_t loop = assembly->find(".LBB0_1:"), at = assembly->find(from, loop);
  EXPECT_NE(at, std::string::npos) << from << " in " << assembly->substr(loop);
  assembly->replace(at, from.size(), to);
  return describe(check(assembleFile(*assembly, "gfx950"), image->order));
}

TEST(CheckOrder, AWaitThatIsStrongerWeakerOrGone) {
  EXPECT_EQ(differencesAfter("s_waitcnt vmcnt(2)", "s_waitcnt vmcnt(2)"), "");
  for (const char *instead : {"s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(3)", "s_nop 0"}) {
    std::string text = differencesAfter("s_waitcnt vmcnt(2)", instead);
    EXPECT_NE(text.find("planned: s_waitcnt vmcnt(2)"), std::string::npos) << instead << text;
  }
}

TEST(CheckOrder, AddedWaitsForLgkmAreLlvmsButNotForVmcnt) {
  EXPECT_EQ(differencesAfter("s_waitcnt vmcnt(2)", "s_waitcnt vmcnt(2) lgkmcnt(0)"), "");
  std::string text = differencesAfter("ds_read_b128", "s_waitcnt vmcnt(1)\n\tds_read_b128");
  EXPECT_NE(text.find("emitted: s_waitcnt vmcnt(1)"), std::string::npos) << text;
}

TEST(CheckOrder, ADmaThatGoesElsewhere) {
  // The second DMA of the loop takes the place of the first.
  std::string text = differencesAfter("offset:3072 lds", "offset:2048 lds");
  EXPECT_NE(text.find("that is not the planned one"), std::string::npos) << text;
}

// The IR computes the second target anew; LLVM adds a constant to the first. The sum is the same.
TEST(CheckOrder, AddressesAreComparedAsSums) {
  const char *text = R"(
@lds = internal addrspace(3) global [65536 x i8] poison, align 1024
define amdgpu_kernel void @k(ptr addrspace(1) inreg %src, i32 inreg %n) #0 {
entry:
  %lane = call range(i32 0, 512) i32 @llvm.amdgcn.workitem.id.x()
  %voff = shl i32 %lane, 4
  %rsrc = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %src, i16 0, i64 1048576, i32 159744)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %parity = and i32 %i, 1
  %stage = shl i32 %parity, 13
  %a = getelementptr i8, ptr addrspace(3) @lds, i32 %stage
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr addrspace(3) %a, i32 16, i32 %voff, i32 %i, i32 0, i32 0)
  %upper = getelementptr i8, ptr addrspace(3) @lds, i32 32768
  %b = getelementptr i8, ptr addrspace(3) %upper, i32 %stage
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr addrspace(3) %b, i32 16, i32 %voff, i32 %i, i32 64, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="512,512" "uniform-work-group-size"="true" }
)";
  OwnedModule owned = codegen::test::parseText(text, Arch::Gfx950);
  auto image = codegen::compileModule(*owned.module, orderedFor(Arch::Gfx950));
  ASSERT_TRUE(bool(image)) << llvm::toString(image.takeError());
  ASSERT_EQ(image->order[0].loops.size(), 1u);
  EXPECT_EQ(describe(check(image->bytes, image->order)), "");
}

TEST(CheckOrder, ALoopThatIsNotThere) {
  OwnedModule owned = randomLoop(Arch::Gfx950, 1);
  auto image = codegen::compileModule(*owned.module, orderedFor(Arch::Gfx950));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  image->order[0].loops.push_back(image->order[0].loops[0]);
  std::string text = describe(check(image->bytes, image->order));
  EXPECT_NE(text.find("planned: 2 innermost loops"), std::string::npos) << text;
  image->order[0].loops.pop_back();
  image->order[0].kernel = "other";
  text = describe(check(image->bytes, image->order));
  EXPECT_NE(text.find("no kernel of this name"), std::string::npos) << text;
}

/// Two loops with the same operations in another order, the ids of whose instructions are 1 and 2.
CodeObject twoLoops() {
  CodeObject object;
  object.kernels.push_back(decode(R"(
first:
  ds_read_b128 v[0:3], v20
  v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]
  s_cbranch_scc1 first
second:
  v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]
  ds_read_b128 v[0:3], v20
  s_cbranch_scc1 second
  s_endpgm
)"));
  KernelCode &kernel = object.kernels[0];
  for (auto [n, loop] : enumerate(kernel.loops))
    for (unsigned block : loop.blocks)
      for (unsigned i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
        kernel.instructions[i].sourceLoop = n + 1;
  return object;
}

TEST(CheckOrder, ALoopIsTheOneOfItsId) {
  CodeObject object = twoLoops();
  KernelCode &kernel = object.kernels[0];
  ASSERT_EQ(kernel.loops.size(), 2u);
  codegen::KernelOrder planned{kernel.facts.name, {}};
  for (const Loop &loop : kernel.loops)
    planned.loops.push_back(emittedOrder(kernel, loop));
  std::swap(planned.loops[0], planned.loops[1]); // LLVM may lay branches out as it likes
  EXPECT_EQ(describe(checkOrder(object, planned)), "");
  planned.loops[0].sourceLoop = 2;
  planned.loops[1].sourceLoop = 1;
  EXPECT_EQ(describe(checkOrder(object, planned)), "");
  // The first loop has become the second's code, and the other way round.
  planned.loops[0].sourceLoop = 1;
  planned.loops[1].sourceLoop = 2;
  std::vector<OrderDifference> differences = checkOrder(object, planned);
  ASSERT_FALSE(differences.empty());
  EXPECT_EQ(differences.front().sourceLoop, 1u);
  EXPECT_EQ(differences.back().sourceLoop, 2u);
  // Code without ids, as that without line tables.
  for (Instruction &instr : kernel.instructions)
    instr.sourceLoop = 0;
  EXPECT_EQ(describe(checkOrder(object, planned)), "");
}

TEST(SourceLoops, AnOuterLoopIsThatOfItsOwnInstructions) {
  KernelCode kernel = decode(R"(
outer:
  s_nop 1
inner:
  s_nop 2
  s_nop 3
  s_nop 4
  s_cbranch_scc1 inner
  s_cbranch_vccz outer
  s_endpgm
)");
  for (Instruction &instr : kernel.instructions)
    instr.sourceLoop = instr.kind == InstrKind::Nop ? (instr.immediate == 1 ? 1 : 2) : 0;
  ASSERT_EQ(kernel.loops.size(), 2u);
  for (const Loop &loop : kernel.loops)
    EXPECT_EQ(kernel.sourceLoopOf(loop), loop.isInnermost ? 2u : 1u);
}

} // namespace

} // namespace tilec::report::test
