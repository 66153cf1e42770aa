//===- HsacoLinkerTest.cpp - our linker against ld.lld, byte for byte -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/HsacoLinker.h"
#include "TestModules.h"

#include "llvm/Object/ELF.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

/// Links by both and compares whole files. Our .comment names our linker; with lld's text in it
/// nothing else differs.
void expectSameAsLld(const std::vector<uint8_t> &object) {
  auto theirs = linkHsacoWithLld(object);
  ASSERT_TRUE(bool(theirs)) << toString(theirs.takeError());
  std::string comment = sectionOf(*theirs, ".comment");
  ASSERT_FALSE(comment.empty());
  comment.pop_back(); // its NUL
  auto ours = linkHsaco(object, comment);
  ASSERT_TRUE(bool(ours)) << toString(ours.takeError());
  ASSERT_EQ(ours->size(), theirs->size());
  for (size_t i = 0; i < ours->size(); ++i)
    ASSERT_EQ((*ours)[i], (*theirs)[i]) << "first difference at byte " << i;
}

class LinkEveryKernel : public ::testing::TestWithParam<std::tuple<Arch, std::string>> {};

TEST_P(LinkEveryKernel, GivesTheBytesOfLld) {
  auto [arch, name] = GetParam();
  OwnedModule owned = parseFile(name, arch);
  auto object = emitObject(*owned.module, optionsFor(arch));
  ASSERT_TRUE(bool(object)) << toString(object.takeError());
  expectSameAsLld(*object);
}

INSTANTIATE_TEST_SUITE_P(HsacoLinker, LinkEveryKernel,
                         ::testing::Combine(::testing::Values(Arch::Gfx942, Arch::Gfx950),
                                            ::testing::Values("amd-copy", "amd-two-kernels")));

std::vector<uint8_t> objectOf(const std::string &text) {
  OwnedModule owned = parseText(text, Arch::Gfx950);
  auto object = emitObject(*owned.module, optionsFor(Arch::Gfx950));
  if (!object) {
    ADD_FAILURE() << toString(object.takeError());
    return {};
  }
  return std::move(*object);
}

/// A kernel whose code is `bytes` longer than that of an empty one.
std::string paddedKernel(unsigned bytes) {
  return "define amdgpu_kernel void @k() {\n  call void asm sideeffect \".fill " +
         std::to_string(bytes / 4) + ", 4, 0xbf800000\", \"\"()\n  ret void\n}\n";
}

// Where code ends decides how much of the last page is padding, and whether any is.
TEST(HsacoLinker, TheEndOfTheCodeMayBeAnywhereInAPage) {
  auto linked = linkHsaco(objectOf(paddedKernel(0)));
  ASSERT_TRUE(bool(linked)) << toString(linked.takeError());
  auto file = cantFail(object::ELFFile<object::ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(linked->data()), linked->size())));
  unsigned paddingBytes = 0;
  for (const auto &section : cantFail(file.sections()))
    if (section.sh_type == ELF::SHT_NOBITS)
      paddingBytes = section.sh_size;
  ASSERT_GT(paddingBytes, 64u);
  for (unsigned bytes : {4u, 60u, paddingBytes - 4, paddingBytes, paddingBytes + 4, 4096u, 40000u})
    expectSameAsLld(objectOf(paddedKernel(bytes)));
}

// The hash tables: several buckets, several words of the Bloom filter.
TEST(HsacoLinker, ManyKernels) {
  for (unsigned count : {1u, 2u, 5u, 8u, 60u}) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text +=
          "define amdgpu_kernel void @kernel_" + std::to_string(i * 7919) + "() {\n  ret void\n}\n";
    expectSameAsLld(objectOf(text));
  }
}

// Sections that are not loaded, with absolute relocations. (With more strings lld orders them by
// their hashes; ours stay.)
TEST(HsacoLinker, LineTables) {
  std::vector<uint8_t> object = objectOf(R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p) !dbg !5 {
  store i32 1, ptr addrspace(1) %p, !dbg !8
  ret void, !dbg !9
}
define amdgpu_kernel void @other() {
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, producer: "tilec", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, nameTableKind: None)
!1 = !DIFile(filename: "examples/gemm.py", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3, type: !6, scopeLine: 3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 4, column: 3, scope: !5)
!9 = !DILocation(line: 5, column: 3, scope: !5)
)");
  expectSameAsLld(object);
  auto linked = linkHsaco(object);
  ASSERT_TRUE(bool(linked)) << toString(linked.takeError());
  EXPECT_FALSE(sectionOf(*linked, ".debug_line").empty());
}

TEST(HsacoLinker, ADeviceVariableGoesToLld) {
  std::string text = "@counter = addrspace(1) global i32 7\n"
                     "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
                     "  %v = load i32, ptr addrspace(1) @counter\n"
                     "  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n";
  auto linked = linkHsaco(objectOf(text));
  ASSERT_FALSE(bool(linked));
  Error error = linked.takeError();
  EXPECT_TRUE(error.isA<NeedsFullLinker>());
  consumeError(std::move(error));
  OwnedModule owned = parseText(text, Arch::Gfx950);
  auto image = compileModule(*owned.module, optionsFor(Arch::Gfx950));
  ASSERT_TRUE(bool(image)) << toString(image.takeError());
  ASSERT_EQ(image->notes.size(), 1u);
  EXPECT_NE(image->notes[0].text.find("ld.lld did it"), std::string::npos);
  EXPECT_NE(image->kernel("k"), nullptr);
}

TEST(HsacoLinker, WhatIsNoObjectIsAnError) {
  std::vector<uint8_t> object = objectOf(paddedKernel(0));
  // Cut anywhere: an error, or at worst (past the last byte that matters) the same code object.
  for (size_t bytes = 0; bytes < object.size(); bytes += 61) {
    auto linked = linkHsaco(ArrayRef(object).take_front(bytes));
    EXPECT_FALSE(bool(linked)) << bytes << " of " << object.size();
    if (!linked)
      consumeError(linked.takeError());
  }
  // Damaged anywhere: no crash.
  for (size_t at = 0; at < object.size(); at += 3) {
    std::vector<uint8_t> damaged = object;
    damaged[at] ^= 0xff;
    auto linked = linkHsaco(damaged);
    if (!linked)
      consumeError(linked.takeError());
  }
}

TEST(KernelFacts, OfDamagedImagesDoNotCrash) {
  OwnedModule amd = parseFile("amd-two-kernels", Arch::Gfx950);
  OwnedModule nvidia = parseFile("nv-copy", Arch::Sm90a);
  std::vector<Image> images;
  images.push_back(cantFail(compileModule(*amd.module, optionsFor(Arch::Gfx950))));
  images.push_back(cantFail(compileModule(*nvidia.module, optionsFor(Arch::Sm90a))));
  for (const Image &image : images) {
    if (image.kind == ImageKind::Ptx)
      continue;
    for (size_t at = 0; at < image.bytes.size(); at += 3) {
      std::vector<uint8_t> damaged = image.bytes;
      damaged[at] ^= 0xff;
      auto facts = readKernelFacts(damaged);
      if (!facts)
        consumeError(facts.takeError());
    }
    for (size_t bytes = 0; bytes < image.bytes.size(); bytes += 61) {
      auto facts = readKernelFacts(ArrayRef(image.bytes).take_front(bytes));
      if (!facts)
        consumeError(facts.takeError());
    }
  }
}

} // namespace

} // namespace tilec::codegen::test
