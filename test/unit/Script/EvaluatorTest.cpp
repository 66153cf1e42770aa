// SPDX-License-Identifier: Apache-2.0
#include "ScriptTesting.h"

#include "gtest/gtest.h"

using tilec::script::testing::eval;

namespace {

// The expected texts are what CPython 3.11 prints for the same expressions.

TEST(Evaluator, IntegerDivisionFloors) {
  EXPECT_EQ(eval("[7 // 2, -7 // 2, 7 // -2, -7 // -2]"), "[3, -4, -4, 3]");
  EXPECT_EQ(eval("[7 % 3, -7 % 3, 7 % -3, -7 % -3]"), "[1, 2, -2, -1]");
  EXPECT_EQ(eval("divmod(-7, 2)"), "(-4, 1)");
}

TEST(Evaluator, FloatDivisionFloorsToo) {
  EXPECT_EQ(eval("[7.5 // 2, -7.5 // 2, 7.5 % -2, -7.5 % 2]"), "[3.0, -4.0, -0.5, 0.5]");
  EXPECT_EQ(eval("[0.0 % -2, 1e308 * 10, 5 / 2, 4 / 2]"), "[-0.0, inf, 2.5, 2.0]");
}

TEST(Evaluator, IntegersAreUnbounded) {
  EXPECT_EQ(eval("2 ** 100"), "1267650600228229401496703205376");
  EXPECT_EQ(eval("9223372036854775807 + 1"), "9223372036854775808");
  EXPECT_EQ(eval("-9223372036854775808 - 1"), "-9223372036854775809");
  EXPECT_EQ(eval("(1 << 70) // 3 % 1000"), "141"); // 393530540239137101141
  EXPECT_EQ(eval("-(1 << 64) // 10"), "-1844674407370955162");
  EXPECT_EQ(eval("(1 << 64) >> 60"), "16");
  EXPECT_EQ(eval("4294967296 * 4294967296 == 2 ** 64"), "True");
  EXPECT_EQ(eval("int('123456789012345678901234567890') & 0xFF"), "210");
  EXPECT_EQ(eval("-1 ** 2, (-2) ** 3, 2 ** -1"), "(-1, -8, 0.5)");
  EXPECT_EQ(eval("[(-5) >> 1, ~5, -5 & 3, 5 ^ -1]"), "[-3, -6, 3, -6]");
}

TEST(Evaluator, FloatsPrintShortest) {
  EXPECT_EQ(eval("[0.1, 1e16, 123456789.0, 1e-5, 0.0001, 1/3, 2.5e10]"),
            "[0.1, 1e+16, 123456789.0, 1e-05, 0.0001, 0.3333333333333333, 25000000000.0]");
  EXPECT_EQ(eval("[round(2.5), round(3.5), round(-0.5), round(2.675, 2), round(1234, -2)]"),
            "[2, 4, 0, 2.67, 1200]");
  EXPECT_EQ(eval("[int(-3.9), int('0b101', 2) if False else 5, int('ff', 16)]"), "[-3, 5, 255]");
}

TEST(Evaluator, BooleansAreIntegers) {
  EXPECT_EQ(eval("[True + True, True and 0, 0 or 'x', not '', None is None]"),
            "[2, 0, 'x', True, True]");
  EXPECT_EQ(eval("[1 == True, 1 is True, 3 > 2 > 1, 3 > 2 > 2]"), "[True, False, True, False]");
}

TEST(Evaluator, Strings) {
  EXPECT_EQ(eval("'a,b'.split(',') + ['-'.join(['x', 'y'])]"), "['a', 'b', 'x-y']");
  EXPECT_EQ(eval("'float8_e4m3'.startswith(('int', 'float8'))"), "True");
  EXPECT_EQ(eval("int(''.join(c for c in 'int8' if c.isdigit()))"), "8");
  EXPECT_EQ(eval("'abc'[::-1] + 'abc'[-2] + 'ab' * 2"), "'cbababab'");
  EXPECT_EQ(eval("'{}-{k:>3}'.format(1, k=2)"), "'1-  2'");
  EXPECT_EQ(eval("[\"it's\", 'q\"', '\\n']"), "[\"it's\", 'q\"', '\\n']");
}

TEST(Evaluator, FormatSpecifications) {
  EXPECT_EQ(eval("f'{3.14159:.2f}|{42:>5}|{42:<5}|{42:^5}|{42:05d}|{-42:+d}'"),
            "'3.14|   42|42   | 42  |00042|-42'");
  EXPECT_EQ(eval("f'{255:x} {255:#X} {5:08b} {1234567:,} {0.5:%} {1e10:g} {12.5:e}'"),
            "'ff 0XFF 00000101 1,234,567 50.000000% 1e+10 1.250000e+01'");
  EXPECT_EQ(eval("f'{\"s\":>4}|{\"abc\":.2}|{True}|{None!r}|{1.0}'"), "'   s|ab|True|None|1.0'");
}

TEST(Evaluator, Collections) {
  EXPECT_EQ(eval("[i * i for i in range(10, 0, -3) if i != 7]"), "[100, 16, 1]");
  EXPECT_EQ(eval("{k: v for k, v in zip('ab', (1, 2))}"), "{'a': 1, 'b': 2}");
  EXPECT_EQ(eval("[(i, c) for i, c in enumerate('ab', 1)]"), "[(1, 'a'), (2, 'b')]");
  EXPECT_EQ(eval("sorted([3, 1, 2], key=lambda x: -x) + list(reversed((1, 2)))"),
            "[3, 2, 1, 2, 1]");
  EXPECT_EQ(eval("[min(3, 1), max([1, 5, 2]), sum((1, 2), 3), any([0, 1]), all([])]"),
            "[1, 5, 6, True, True]");
  EXPECT_EQ(eval("[1, 2, 3, 4][1:-1] + [len({1, 1, 2}), (1, 2) < (1, 3)]"), "[2, 3, 2, True]");
  EXPECT_EQ(eval("list(map(lambda x: x + 1, filter(lambda x: x > 1, [1, 2, 3])))"), "[3, 4]");
  EXPECT_EQ(eval("{'a': 1}.get('b', 2), 'a' in {'a': 1}, 3 not in [1, 2]"), "(2, True, True)");
  EXPECT_EQ(eval("[*range(3), *(7, 8)]"), "[0, 1, 2, 7, 8]");
}

TEST(Evaluator, MathAndLibraries) {
  EXPECT_EQ(
      eval("[math.ceil(2.1), math.floor(-2.1), math.gcd(12, 18), math.log2(8)]", "import math\n"),
      "[3, -3, 6, 3.0]");
  EXPECT_EQ(eval("list(itertools.product([1, 2], 'ab'))", "import itertools\n"),
            "[(1, 'a'), (1, 'b'), (2, 'a'), (2, 'b')]");
  EXPECT_EQ(eval("functools.partial(f, 1, c=3)(2)",
                 "import functools\ndef f(a, b, c):\n  return (a, b, c)\n"),
            "(1, 2, 3)");
  EXPECT_EQ(eval("[T.float16.bits, T.float8_e4m3fn.bytes, T.float == 'float32', T.float16]",
                 "import tilelang.language as T\n"),
            "[16, 1, True, float16]");
  EXPECT_EQ(eval("T.ceildiv(-7, 2), T.ceildiv(7, 2), T.truncdiv(-7, 2), T.truncmod(-7, 2)",
                 "import tilelang.language as T\n"),
            "(-3, 4, -3, -1)");
  EXPECT_EQ(eval("torch.float16 == 'float16'", "import torch\n"), "True");
}

TEST(Evaluator, FunctionsCloseOverTheirScope) {
  EXPECT_EQ(eval("f(1)(10), f(2, b=5)(10)", "def f(a, b=2, *rest, **more):\n"
                                            "  def g(x, y=a):\n"
                                            "    return x + y + b + len(rest) + len(more)\n"
                                            "  return g\n"),
            "(13, 17)");
  EXPECT_EQ(eval("f(1, 2, 3, 4, z=5)[1:]", "def f(a, b=2, *rest, **more):\n"
                                           "  return a, rest, more\n"),
            "((3, 4), {'z': 5})");
  EXPECT_EQ(eval("count()", "def count():\n"
                            "  n = 0\n"
                            "  def up():\n"
                            "    nonlocal n\n"
                            "    n += 1\n"
                            "  up()\n"
                            "  up()\n"
                            "  return n\n"),
            "2");
}

TEST(Evaluator, GlobalsAreBoundLate) {
  EXPECT_EQ(eval("f()", "def f():\n  return N * 2\nN = 21\n"), "42");
  EXPECT_EQ(eval("(a, n)", "n = 1\na = n\nn = 2\n"), "(1, 2)");
  EXPECT_EQ(eval("n", "n = 1\nn = n + 1\nfor i in range(3):\n  n += i\n"), "5");
  EXPECT_EQ(eval("c", "c = []\nfor x in (1, 2):\n  c.append(x * x)\n"), "[1, 4]");
}

TEST(Evaluator, WhatIsNotNeededMayFail) {
  EXPECT_EQ(eval("f()", "import torch\n"
                        "x = torch.randn(3) + 1\n"
                        "print(undefined)\n"
                        "1 / 0\n"
                        "def f():\n  return 1\n"
                        "if __name__ == '__main__':\n  x = undefined\n"),
            "1");
  EXPECT_EQ(eval("x", "import torch\ny = torch.load(3)\nx = y + 1\n"),
            "t.py:3:5: error: the value of `torch.load(...)` is needed here, but it comes from a "
            "module that tilec does not evaluate; pass a plain value instead, or give it with "
            "`--define 'torch.load()=...'` [OpaqueValue]\n"
            "x = y + 1\n"
            "    ^\n");
  EXPECT_EQ(eval("f()", "x = 1 // 0\ndef f():\n  return x\n"),
            "t.py:1:10: error: division by zero; this divisor must not be 0 [DivisionByZero]\n"
            "x = 1 // 0\n"
            "         ^\n"
            "t.py:3:10: note: `x` is needed here\n"
            "  return x\n"
            "         ^\n"
            "<entry>:1:1: note: `f` is called here\n"
            "f()\n"
            "^~~\n");
}

TEST(Evaluator, ControlFlow) {
  EXPECT_EQ(eval("f(10)", "def f(n):\n"
                          "  out = []\n"
                          "  while True:\n"
                          "    n -= 1\n"
                          "    if n % 2: continue\n"
                          "    if n < 4: break\n"
                          "    out.append(n)\n"
                          "  else:\n"
                          "    out.append('never')\n"
                          "  for x in out: pass\n"
                          "  else:\n"
                          "    out.append('end')\n"
                          "  return out\n"),
            "[8, 6, 4, 'end']");
  EXPECT_EQ(eval("f()", "def f():\n"
                        "  try:\n    return 1 // 0\n"
                        "  except ZeroDivisionError:\n    return 'caught'\n"),
            "'caught'");
  EXPECT_EQ(eval("[y := 3, y + 1]"), "[3, 4]");
}

TEST(Evaluator, ImportsOfRemovedNamesWork) {
  EXPECT_EQ(eval("[f is g, h(1025), cdiv(7, 2)]",
                 "from tilelang.intrinsics import make_mma_swizzle_layout as f\n"
                 "from tilelang.layout import make_swizzled_layout as g\n"
                 "from tilelang.math import next_power_of_2 as h\n"
                 "from tilelang import cdiv, Profiler\n"),
            "[True, 2048, 4]");
}

TEST(Evaluator, NothingRunsForEver) {
  EXPECT_NE(eval("f()", "def f():\n  while True: pass\n").find("[TooManySteps]"),
            std::string::npos);
  EXPECT_NE(eval("f(1)", "def f(n):\n  return f(n)\n").find("[CallsTooDeep]"), std::string::npos);
  EXPECT_NE(eval("10 ** 10 ** 10").find("[IntegerTooLarge]"), std::string::npos);
  EXPECT_NE(eval("[0] * 10 ** 12").find("[TooManySteps]"), std::string::npos);
  EXPECT_NE(eval("'x' * 10 ** 9").find("error: "), std::string::npos);
  EXPECT_NE(eval("list(range(10 ** 15))").find("[TooManySteps]"), std::string::npos);
  EXPECT_NE(eval("a", "a = b\nb = a\n").find("error: "), std::string::npos);
  EXPECT_NE(eval("f'{1:>99999999}'").find("[BadFormatSpec]"), std::string::npos);
}

} // namespace
