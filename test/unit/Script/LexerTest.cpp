// SPDX-License-Identifier: Apache-2.0
#include "tilec/Script/Lexer.h"

#include "ScriptTesting.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::script;
using tilec::script::testing::messages;

namespace {

/// Tokens as words: names and operators as they are, structure in capitals.
std::string lexed(llvm::StringRef text) {
  SourceManager sources;
  uint32_t file = sources.add("t.py", text.str());
  DiagnosticEngine diags(sources);
  auto tokens = lex(sources, file, 0, text.size(), false, diags);
  if (!tokens)
    return messages(diags);
  std::string out;
  for (const Token &t : *tokens) {
    switch (t.kind) {
    case TokenKind::Newline:
      out += "NL ";
      break;
    case TokenKind::Indent:
      out += "IN ";
      break;
    case TokenKind::Dedent:
      out += "DE ";
      break;
    case TokenKind::End:
      out += "END";
      break;
    default:
      out += t.text.str() + " ";
    }
  }
  return out;
}

TEST(Lexer, BlocksBecomeIndentsAndDedents) {
  EXPECT_EQ(lexed("if a:\n  b\n\n  # c\n  d\ne\n"), "if a : NL IN b NL d NL DE e NL END");
}

TEST(Lexer, ABracketJoinsLines) {
  EXPECT_EQ(lexed("f(a,\n      b)\nc"), "f ( a , b ) NL c NL END");
}

TEST(Lexer, ABackslashJoinsLines) { EXPECT_EQ(lexed("a + \\\n  b"), "a + b NL END"); }

TEST(Lexer, OperatorsMatchLongestFirst) {
  EXPECT_EQ(lexed("a **= b // c := d >>= e ..."), "a **= b // c := d >>= e ... NL END");
}

TEST(Lexer, NumbersKeepTheirSpelling) {
  EXPECT_EQ(lexed("1_000 0xFf 1. .5 1e-3 0b01"), "1_000 0xFf 1. .5 1e-3 0b01 NL END");
}

TEST(Lexer, StringsMayHoldQuotesAndNewlines) {
  EXPECT_EQ(lexed("'a\\'b' \"\"\"x\ny\"\"\" rb'\\d'"), "'a\\'b' \"\"\"x\ny\"\"\" rb'\\d' NL END");
}

TEST(Lexer, AnFStringMayReuseItsQuoteInAHole) {
  EXPECT_EQ(lexed("f'{d['k']}' + 1"), "f'{d['k']}' + 1 NL END");
}

TEST(Lexer, WindowsLineEnds) { EXPECT_EQ(lexed("a\r\n  \r\nb\r\n"), "a NL b NL END"); }

TEST(Lexer, AnUnclosedBracketIsFoundWhereItOpens) {
  EXPECT_EQ(lexed("f(a\ng = 1\n"),
            "t.py:1:2: error: `(` is never closed; add `)` [UnclosedBracket]\n"
            "f(a\n"
            " ^\n");
}

TEST(Lexer, AWrongBracketIsFoundWhereItStands) {
  EXPECT_EQ(lexed("f(a]\n"), "t.py:1:4: error: `]` closes no bracket of its kind; remove it, or "
                             "open one before it [UnmatchedBracket]\nf(a]\n   ^\n");
}

TEST(Lexer, AnUnterminatedString) {
  EXPECT_EQ(lexed("x = 'abc\ny"),
            "t.py:1:5: error: the string is never closed; end it with the quote it began with "
            "[UnterminatedString]\nx = 'abc\n    ^\n");
}

TEST(Lexer, ADedentToNowhere) {
  EXPECT_NE(lexed("if a:\n    b\n  c\n").find("t.py:3:1: error: the indentation matches no line"),
            std::string::npos);
}

TEST(Lexer, TabsAndSpacesDoNotMix) {
  EXPECT_NE(lexed("if a:\n \tb\n").find("[MixedIndentation]"), std::string::npos);
}

TEST(Lexer, StrayCharactersAndNumbers) {
  EXPECT_NE(lexed("a = $b").find("t.py:1:5: error: unexpected character `$`"), std::string::npos);
  EXPECT_NE(lexed("a = 12abc").find("t.py:1:5: error: `12abc` is no number"), std::string::npos);
  EXPECT_NE(lexed("a = 007").find("[BadNumber]"), std::string::npos);
  EXPECT_NE(lexed(llvm::StringRef("a\0b", 3)).find("with code 0"), std::string::npos);
}

TEST(Lexer, NestingIsBounded) {
  EXPECT_NE(lexed(std::string(5000, '(')).find("[NestedTooDeep]"), std::string::npos);
}

} // namespace
