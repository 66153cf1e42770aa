//===- ProgramCacheTest.cpp - what is kept of a program, and for what -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/ProgramCache.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilec;

namespace {

CompiledProgram program() {
  CompiledProgram made;
  made.manifest.kernel = "copy";
  made.manifest.target = "sm_90a";
  rt::Launch launch;
  launch.symbol = "copy";
  for (rt::DimExpr &extent : launch.grid)
    extent = *rt::DimExpr::parse("4");
  launch.block = {128, 1, 1};
  made.manifest.launches = {launch};
  made.image.kind = codegen::ImageKind::Cubin;
  made.image.arch = Arch::Sm90a;
  made.image.bytes = {0, 1, '\n', 255};
  made.image.ptx = "// PTX\n.version 8.8\n";
  made.image.log = "ptxas info : 0 bytes spill stores\n";
  codegen::KernelFacts facts;
  facts.name = "copy";
  facts.registers = 168;
  facts.spillLoadBytes = 8;
  facts.codeBytes = uint64_t(1) << 40;
  made.image.kernels = {facts};
  made.diagnostics = {{DiagId::IrRemark, Severity::Remark, Span{0, 3, 9}, "slow \xff but right"},
                      {DiagId::IrNote, Severity::Note, Span(), "here"}};
  return made;
}

TEST(ProgramCache, GivesBackWhatItWasGiven) {
  CompiledProgram before = program();
  std::optional<CompiledProgram> after = unpackProgram(packProgram(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->manifest.kernel, "copy");
  ASSERT_EQ(after->manifest.launches.size(), 1u);
  EXPECT_EQ(after->manifest.launches[0].block[0], 128);
  EXPECT_EQ(after->image.kind, codegen::ImageKind::Cubin);
  EXPECT_EQ(after->image.arch, Arch::Sm90a);
  EXPECT_EQ(after->image.bytes, before.image.bytes);
  EXPECT_EQ(after->image.ptx, before.image.ptx);
  EXPECT_EQ(after->image.log, before.image.log);
  ASSERT_EQ(after->image.kernels.size(), 1u);
  EXPECT_EQ(after->image.kernels[0].name, "copy");
  EXPECT_EQ(after->image.kernels[0].registers, 168u);
  EXPECT_EQ(after->image.kernels[0].spillLoadBytes, 8u);
  EXPECT_EQ(after->image.kernels[0].codeBytes, uint64_t(1) << 40);
  ASSERT_EQ(after->diagnostics.size(), 2u);
  EXPECT_EQ(after->diagnostics[0].span.end, 9u);
  EXPECT_FALSE(after->diagnostics[1].span.isValid());
  EXPECT_NE(after->diagnostics[0].message.find("but right"), std::string::npos);
}

TEST(ProgramCache, DoesNotTakeWhatItDoesNotUnderstand) {
  std::string entry = packProgram(program());
  for (std::string bad : {std::string(), std::string("{}\n"), std::string("[1]\n"), entry.substr(1),
                          std::string("{\"kind\": 1}\n"), entry.substr(0, entry.find('\n'))})
    EXPECT_FALSE(unpackProgram(bad)) << bad;
  size_t number = entry.find("\"numbers\":[");
  ASSERT_NE(number, std::string::npos);
  std::string shorter = entry;
  shorter.erase(number + 11, shorter.find(',', number) + 1 - (number + 11));
  EXPECT_FALSE(unpackProgram(shorter)) << "another list of facts";
}

TEST(ProgramCache, WhatDecidesTheResultIsInTheKey) {
  CompileOptions options;
  std::set<std::string> keys;
  auto add = [&] { keys.insert(programKey(options, "a.py", "text").hex()); };
  add();
  add();
  EXPECT_EQ(keys.size(), 1u);
  options.entry = "f(1)", add();
  options.arch = Arch::Gfx942, add();
  options.strict = true, add();
  options.checkBounds = true, add();
  options.lineTables = false, add();
  options.schedule = "single", add();
  options.strictSchedule = false, add();
  options.strictSchedule = true, add();
  options.ptxAssembler = codegen::PtxAssembler::None, add();
  EXPECT_EQ(keys.size(), 10u);
  keys.insert(programKey(options, "b.py", "text").hex());
  keys.insert(programKey(options, "a.py", "text2").hex());
  EXPECT_EQ(keys.size(), 12u);
  options.saveTempsPrefix = "x"; // says how to work, not what comes out
  keys.insert(programKey(options, "a.py", "text").hex());
  EXPECT_EQ(keys.size(), 12u);
}

} // namespace
