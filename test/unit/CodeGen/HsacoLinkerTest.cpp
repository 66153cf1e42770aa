//===- HsacoLinkerTest.cpp - our linker against ld.lld, byte for byte -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/HsacoLinker.h"
#include "TestModules.h"

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

} // namespace

} // namespace tilec::codegen::test
