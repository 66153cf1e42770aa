//===- PlanFileTest.cpp - files of plans are printed and parsed -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/PlanFile.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

/// The file, or what is said about it.
std::pair<std::optional<PlanFile>, std::string> parsed(const std::string &text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  uint32_t file = sources.add("x.plan", text);
  std::optional<PlanFile> plans = PlanFile::parse(sources, file, diags);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  diags.print(os);
  return {plans, messages};
}

const char *const header = "plan small for gfx950 model 01234567\n";
const char *const loopLine = "loop gemm graph 0123456789abcdef\n";

} // namespace

TEST(PlanFile, RoundTrips) {
  PlanFile file;
  file.name = "small";
  file.target = "gfx950";
  file.model = "01234567";
  file.comments = {"how it was found"};
  file.layouts = {"small", 2};
  file.loops = {{"gemm", 0x123456789abcdef, "schedule x tiles 2 stagger 0\n  barrier\n", 0, 0},
                {"fa", 1, "order kept\n  exp2 0..3\n", 0, 0}};
  auto [again, messages] = parsed(file.str());
  ASSERT_TRUE(again.has_value()) << messages;
  EXPECT_EQ(again->name, "small");
  EXPECT_EQ(again->target, "gfx950");
  EXPECT_EQ(again->model, "01234567");
  EXPECT_EQ(again->layouts, file.layouts);
  ASSERT_EQ(again->loops.size(), 2U);
  EXPECT_EQ(again->loops[0].graph, file.loops[0].graph);
  EXPECT_EQ(again->loops[1].kernel, "fa");
  again->comments = file.comments;
  EXPECT_EQ(again->str(), file.str());
}

TEST(PlanFile, WhatIsWrongHasItsLine) {
  std::string start = std::string(header) + loopLine;
  for (auto [text, place] : {
           std::pair<std::string, const char *>{"", "x.plan:1:"},
           {"# only a comment\nplan small\n", "x.plan:2:"},
           {std::string(header) + "\nbarrier\n", "x.plan:3:"},
           {std::string(header) + "loop gemm graph 123\n", "x.plan:2:"},
           {std::string(header) + "atoms huge\n", "x.plan:2:"},
           {std::string(header) + "swizzle -1\n", "x.plan:2:"},
           {start + "schedule x tiles 2 stagger 0\n  barrier\natoms small\n", "x.plan:5:"},
           {start, "x.plan:2:"}, // a loop without a plan
           {start + "barrier\n", "x.plan:3:"},
           {start + "\nschedule x tiles 2 stagger 0\n\n# c\nbarier\n", "x.plan:7:"},
           {start + "order kept\nexp2 0\n\nexp2 x\n", "x.plan:6:"},
           {start + "order kept\n" + loopLine + "order\n", "x.plan:5:"},
       }) {
    auto [plans, messages] = parsed(text);
    EXPECT_FALSE(plans.has_value()) << text;
    EXPECT_EQ(messages.find(place), 0U) << text << messages;
    EXPECT_NE(messages.find("error:"), std::string::npos) << messages;
  }
}

TEST(PlanFile, TheModelsVersionIsAHash) {
  EXPECT_EQ(modelVersion().size(), 8U);
  EXPECT_EQ(modelVersion(), modelVersion());
}
