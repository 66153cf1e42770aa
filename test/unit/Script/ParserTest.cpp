// SPDX-License-Identifier: Apache-2.0
#include "ScriptTesting.h"

#include "gtest/gtest.h"

using tilec::script::testing::parsed;

namespace {

TEST(Parser, PrecedenceIsPythons) {
  EXPECT_EQ(parsed("a + b * c ** -d ** e"), "(a + (b * (c ** (-(d ** e)))))\n");
  EXPECT_EQ(parsed("-a ** b"), "(-(a ** b))\n");
  EXPECT_EQ(parsed("a | b ^ c & d << e + f"), "(a | (b ^ (c & (d << (e + f)))))\n");
  EXPECT_EQ(parsed("not a in b and c or d"), "(((not (a in b)) and c) or d)\n");
  EXPECT_EQ(parsed("a < b <= c is not d not in e"), "(a < b <= c is not d not in e)\n");
  EXPECT_EQ(parsed("a // b % c / d"), "(((a // b) % c) / d)\n");
  EXPECT_EQ(parsed("a if b else c if d else e"), "(a if b else (c if d else e))\n");
}

TEST(Parser, CallsSubscriptsAndSlices) {
  EXPECT_EQ(parsed("f(a, *b, k=1, **d)[i, 0:n, ::2, ...].x"),
            "f(a, *b, k=1, **d)[(i, 0:n, ::2, ...)].x\n");
  EXPECT_EQ(parsed("f(x for x in y if x)"), "f((x for x in y if x))\n");
  EXPECT_EQ(parsed("a[i:j]"), "a[i:j]\n");
}

TEST(Parser, Displays) {
  EXPECT_EQ(parsed("(), (1,), [1, *a], {1, 2}, {}, {'k': v, **d}"),
            "((), (1,), [1, *a], {1, 2}, {}, {'k': v, **d})\n");
  EXPECT_EQ(parsed("[x + y for x in a for y in b if x if y]"),
            "[(x + y) for x in a for y in b if x if y]\n");
  EXPECT_EQ(parsed("{k: v for k, v in d}"), "{k: v for (k, v) in d}\n");
}

TEST(Parser, LambdasAndParameters) {
  EXPECT_EQ(parsed("lambda x, y=1, *a, k, **d: x"), "(lambda x, y=1, *a, k, **d: x)\n");
  EXPECT_EQ(parsed("def f(a: int, /, b='s', *, c=None) -> int:\n  return a\n"),
            "def f(a: int, b='s', *, c=None) -> int:\n  return a\n");
}

TEST(Parser, FStrings) {
  EXPECT_EQ(parsed("f'a{x}b{y!r:>{w}.2f}{{}}'"), "f'a{x}b{y!r:>{w}.2f}{}'\n");
  EXPECT_EQ(parsed("f\"{d['k']}\" 'tail'"), "f'{d['k']}tail'\n");
  EXPECT_EQ(parsed("f'{x=}'"), "f'x={x!r}'\n");
}

TEST(Parser, StringsAreDecodedAndJoined) {
  EXPECT_EQ(parsed(R"('a\n\x41' r'\n' "\u00e9")"), "'a\\nA\\\\n\\303\\251'\n");
}

TEST(Parser, Statements) {
  EXPECT_EQ(parsed("a = b = c; d += 1\nx: int = 3\ny: T.Tensor((M,), dt)\n"),
            "a = b = c\nd += 1\nx: int = 3\ny: T.Tensor((M,), dt)\n");
  EXPECT_EQ(parsed("for i, j in T.Parallel(4, 8):\n  x[i, j] = 0\nelse:\n  pass\n"),
            "for (i, j) in T.Parallel(4, 8):\n  x[(i, j)] = 0\nelse:\n  pass\n");
  EXPECT_EQ(parsed("if a:\n  b\nelif c:\n  d\nelse:\n  e\n"),
            "if a:\n  b\nelse:\n  if c:\n    d\n  else:\n    e\n");
  EXPECT_EQ(parsed("with T.Kernel(1) as (bx, by), f():\n  pass\n"),
            "with T.Kernel(1) as (bx, by), f():\n  pass\n");
  EXPECT_EQ(parsed("with (a() as b, c() as d):\n  pass\n"), "with a() as b, c() as d:\n  pass\n");
  EXPECT_EQ(parsed("try:\n  a\nexcept (E, F) as e:\n  b\nfinally:\n  c\n"),
            "try:\n  a\nexcept (E, F) as e:\n  b\nfinally:\n  c\n");
  EXPECT_EQ(parsed("from a.b import (c as d, e,)\nimport f.g as h, i\n"),
            "from a.b import c as d, e\nimport f.g as h, i\n");
  EXPECT_EQ(parsed("@a.b(c=1)\n@d\ndef f(): return 1, 2\n"),
            "@a.b(c=1)\n@d\ndef f():\n  return (1, 2)\n");
  EXPECT_EQ(parsed("assert a, 'm'\nraise E('x') from None\ndel a[0]\nglobal x, y\n"),
            "assert a, 'm'\nraise E('x')\ndel a[0]\nglobal x y\n");
  EXPECT_EQ(parsed("if (n := f()) > 1: pass"), "if ((n := f()) > 1):\n  pass\n");
  EXPECT_EQ(parsed("while True: break\n"), "while True:\n  break\n");
}

TEST(Parser, HostCodeMayYieldAndAwait) {
  EXPECT_EQ(parsed("def f():\n  x = yield 1, 2\n  return (yield)\n"),
            "def f():\n  x = <yield>\n  return <yield>\n");
  EXPECT_EQ(parsed("async def f():\n  async with a:\n    await b.c()\n"), "def f():\n  <async>\n");
}

TEST(Parser, ErrorsPointAtTheToken) {
  EXPECT_EQ(parsed("x = (1 +\n  * 2)\n"), "t.py:2:3: error: expected an expression, found `*` "
                                          "[UnexpectedToken]\n  * 2)\n  ^\n");
  EXPECT_EQ(parsed("if a\n  b\n"), "t.py:1:5: error: expected `:` after the head of the block, "
                                   "found the end of the line [UnexpectedToken]\nif a\n    ^\n");
  EXPECT_EQ(parsed("f(1) = 2\n"),
            "t.py:1:1: error: this is no target of an assignment; assign to a name, an attribute "
            "or an item [NotAssignable]\nf(1) = 2\n^~~~\n");
}

TEST(Parser, EveryErrorHasItsId) {
  struct {
    const char *text, *id;
  } const cases[] = {
      {"def f():\nx\n", "[ExpectedIndent]"},
      {"  x\n", "[UnexpectedIndent]"},
      {"f(a=1, a=2)", "[RepeatedKeyword]"},
      {"f(a=1, 2)", "[PositionalAfterKeyword]"},
      {"def f(a, a): pass", "[RepeatedParameter]"},
      {"def f(a=1, b): pass", "[DefaultOrder]"},
      {"'\\xZZ'", "[BadEscape]"},
      {"f'{'", "[UnterminatedString]"},
      {"f'{}'", "[BadFormatString]"},
      {"f'}'", "[BadFormatString]"},
      {"match x:\n  pass", "[UnsupportedSyntax]"},
      {"x = 1j", "[UnsupportedSyntax]"},
      {"a b", "[UnexpectedToken]"},
  };
  for (auto [text, id] : cases)
    EXPECT_NE(parsed(text).find(id), std::string::npos) << text << "\n" << parsed(text);
}

TEST(Parser, DeepInputIsRefusedWithoutRecursion) {
  std::string nots, sums = "a", minus(100000, '-');
  for (int i = 0; i < 20000; ++i) {
    nots += "not ";
    sums += "+a";
  }
  for (const std::string &text : {nots + "a", sums, minus + "a", std::string(80, '(') + "1"})
    EXPECT_NE(parsed(text).find("error: "), std::string::npos);
}

} // namespace
