//===- DiagnosticsTest.cpp - messages as text and as JSON -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/MessageJson.h"
#include "tilec/Support/DiagnosticsJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

std::string jsonOf(const DiagnosticEngine &diags, bool withRemarks = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printJson(os, diags, withRemarks);
  return text;
}

TEST(Diagnostics, FixIsBehindTheLastSemicolon) {
  EXPECT_EQ(fixOf("one; two; write three"), "write three");
  EXPECT_EQ(fixOf("nothing to do"), "");
  EXPECT_EQ(fixOf("`a; b` is wrong; write `c; d`"), "write `c; d`");
  EXPECT_EQ(fixOf("`a; b` is wrong"), "");
  EXPECT_EQ(fixOf("no driver (install one; or none)"), "");
  EXPECT_EQ(fixOf("`(` is never closed; add `)`"), "add `)`");
}

TEST(Diagnostics, JsonHasOneLineAMessage) {
  SourceManager sources;
  uint32_t file = sources.add("a \"b\".py", "x = \xff\ny\n");
  DiagnosticEngine diags(sources);
  diags.add({DiagId::UndefinedName, Severity::Error, {file, 6, 7}, "`\xff` is \"bad\"; do\nit"});
  diags.add({DiagId::AllocatedHere, Severity::Note, {file, 0, 1}, "here"});
  diags.add({DiagId::IrRemark, Severity::Remark, Span(), "slow"});
  diags.add({DiagId::IrNote, Severity::Note, Span(), "of the remark"});
  std::string text = jsonOf(diags);
  ASSERT_EQ(llvm::StringRef(text).count('\n'), 1u);
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object &message = *parsed->getAsObject();
  EXPECT_EQ(*message.getString("id"), "UndefinedName");
  EXPECT_EQ(*message.getString("fix"), "do\nit");
  EXPECT_EQ(*message.getString("file"), "a \"b\".py");
  EXPECT_EQ(*message.getInteger("line"), 2);
  EXPECT_EQ(*message.getInteger("end_column"), 2);
  EXPECT_EQ(message.getArray("notes")->size(), 1u);
  EXPECT_EQ(llvm::StringRef(jsonOf(diags, true)).count('\n'), 2u);
}

TEST(Diagnostics, TheIdStandsInTheFirstLine) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  diags.report(DiagId::PlanNotKept, Span(), "one\ntwo");
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.print(os);
  EXPECT_EQ(text, "tilec: error: the machine code does not keep the planned order: [PlanNotKept]\n"
                  "one\ntwo\n");
}

} // namespace
