//===- Grammar.cpp - random pieces of scripts -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Grammar.h"

namespace tilec::fuzz {
namespace {

struct Function {
  const char *name, *signature;
};
// The functions of `T.`, as the front end knows them.
constexpr Function tileFunctions[] = {
#define TILEC_INTRINSIC(Id, Name, Kind, Signature) {Name, Signature},
#define TILEC_INTRINSIC_ALIAS(Name, Target) {Name, "a, b"},
#include "tilec/Script/Intrinsics.def"
#define TILEC_INTRINSIC_REFUSED(Name, Instead) {Name, "a"},
#include "tilec/Script/Refused.def"
};
constexpr Function mathFunctions[] = {
#define TILEC_MATH(Id, Name, Arity) {Name, Arity == 1 ? "x" : Arity == 2 ? "x, y" : "x, y, z"},
#include "tilec/Script/Math.def"
};
// What kernels are made of most: drawn as often as all the others together.
constexpr Function commonFunctions[] = {
    {"copy", "src, dst"},
    {"gemm", "A, B, C, transpose_A=False, transpose_B=False, clear_accum=False"},
    {"clear", "buffer"},
    {"fill", "buffer, value"},
    {"reduce_sum", "buffer, out, dim=-1, clear=True"},
    {"reduce_max", "buffer, out, dim=-1, clear=True"},
    {"alloc_shared", "shape, dtype"},
    {"alloc_fragment", "shape, dtype"},
    {"alloc_local", "shape, dtype"},
    {"alloc_var", "dtype, init=None"},
    {"if_then_else", "cond, t, f"},
    {"cast", "value, dtype"},
    {"ceildiv", "lhs, rhs"},
    {"max", "a, b"},
    {"atomic_add", "dst, value, return_prev=False"},
    {"view", "src, shape=None, dtype=None"},
    {"Tensor", "shape, dtype='float32'"},
    {"annotate_layout", "layout_map"},
};
constexpr const char *builtins[] = {
    "range", "len",    "min",   "max",       "abs",      "int",        "float", "str",
    "bool",  "sum",    "round", "list",      "dict",     "tuple",      "set",   "sorted",
    "any",   "all",    "zip",   "enumerate", "reversed", "print",      "map",   "repr",
    "slice", "divmod", "pow",   "filter",    "hex",      "isinstance", "chr",   "ord",
    "bin",   "type",   "hash",  "iter",      "getattr",  "callable"};
constexpr const char *modules[] = {
    "math.ceil",         "math.floor",    "math.log2",         "math.sqrt",          "math.pow",
    "math.gcd",          "math.prod",     "functools.partial", "functools.reduce",   "math.isqrt",
    "itertools.product", "tilelang.cdiv", "math.exp",          "functools.lru_cache"};
constexpr const char *methods[] = {
    "append", "extend", "pop",    "index",   "count", "sort",       "keys",     "values",
    "items",  "get",    "update", "join",    "split", "replace",    "strip",    "upper",
    "format", "zfill",  "astype", "insert",  "find",  "startswith", "as_torch", "scope",
    "title",  "remove", "clear",  "reverse", "ljust", "center"};
constexpr const char *attributes[] = {"shape", "dtype", "bits", "ndim", "strides", "name", "data"};
constexpr const char *numbers[] = {"0",
                                   "1",
                                   "2",
                                   "3",
                                   "4",
                                   "5",
                                   "7",
                                   "8",
                                   "16",
                                   "17",
                                   "31",
                                   "32",
                                   "33",
                                   "63",
                                   "64",
                                   "65",
                                   "96",
                                   "100",
                                   "127",
                                   "128",
                                   "255",
                                   "256",
                                   "1000",
                                   "1024",
                                   "-1",
                                   "-2",
                                   "0.5",
                                   "1.5",
                                   "1e-5",
                                   "2147483647",
                                   "2147483648",
                                   "4294967296",
                                   "1e9",
                                   "1e30",
                                   "0x7f",
                                   "0b11",
                                   "-0.0",
                                   "1e308",
                                   "1_000",
                                   "9223372036854775807",
                                   "99999999999999999999",
                                   "18446744073709551615"};
constexpr const char *strings[] = {"'float16'",
                                   "'float32'",
                                   "'int32'",
                                   "\"bfloat16\"",
                                   "'float8_e4m3fn'",
                                   "'int8'",
                                   "'bool'",
                                   "'shared'",
                                   "'local'",
                                   "'local.fragment'",
                                   "''",
                                   "'a'",
                                   "'{}'",
                                   "'{0:>{1}}'",
                                   "'abc def'",
                                   "r'\\n'",
                                   "'\\x41'",
                                   "'int64'",
                                   "'float64'",
                                   "'uint8'",
                                   "'float4_e2m1fn'",
                                   "'sum'",
                                   "'max'",
                                   "'%d'",
                                   "b'x'",
                                   "'''x'''",
                                   "'M, N'",
                                   "'float32x4'",
                                   "'\\u20ac'"};
constexpr const char *dtypes[] = {"T.float16",  "T.float32", "T.int32",         "T.bool",
                                  "T.bfloat16", "T.int8",    "T.float8_e4m3fn", "T.uint32",
                                  "T.int64",    "T.float64"};
constexpr const char *operators[] = {"+",  "-",  "*",  "/",   "//", "%",      "**",    "<<", ">>",
                                     "&",  "|",  "^",  "@",   "==", "!=",     "<",     "<=", ">",
                                     ">=", "in", "is", "and", "or", "not in", "is not"};
constexpr const char *specs[] = {":d", ":.3f", ":>10", ":08x", ":,",  ":e", "!r", ":b",
                                 ":%", ":<5",  ":+",   ":_",   ":^9", "=",  ":g", ":.2"};

} // namespace

Grammar::Grammar(uint64_t seed, std::vector<std::string> names)
    : state(seed * 0x9E3779B97F4A7C15ull + 1), names(std::move(names)) {}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t Grammar::below(uint64_t bound) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return (z ^ (z >> 31)) % bound;
}

std::string Grammar::name() {
  if (!names.empty() && !oneIn(6))
    return pick(names);
  constexpr const char *usual[] = {"A", "B", "C", "x", "y", "i", "j", "k", "bx", "by", "s", "f"};
  return pick(usual);
}
std::string Grammar::number() { return pick(numbers); }
std::string Grammar::string() { return pick(strings); }
std::string Grammar::operatorText() { return pick(operators); }

std::string Grammar::expression(unsigned depth) {
  if (depth == 0 || oneIn(5)) {
    switch (below(8)) {
    case 0:
    case 1:
      return number();
    case 2:
      return string();
    case 3:
      return pick(dtypes);
    case 4: {
      constexpr const char *constants[] = {"None", "True", "False", "...", "()", "[]", "{}"};
      return pick(constants);
    }
    default:
      return name();
    }
  }
  auto sub = [&] { return expression(depth - 1); };
  switch (below(15)) {
  case 0:
  case 1:
    return sub() + " " + operatorText() + " " + sub();
  case 2:
    return "(" + sub() + " " + operatorText() + " " + sub() + ")";
  case 3:
    return sub() + " < " + sub() + " <= " + sub();
  case 4: {
    constexpr const char *unary[] = {"-", "~", "not ", "+"};
    return pick(unary) + sub();
  }
  case 5:
    return "(" + sub() + " if " + sub() + " else " + sub() + ")";
  case 6:
  case 7:
    return call(depth - 1);
  case 8:
  case 9:
    return tileCall(depth - 1);
  case 10:
    return name() + index(depth - 1);
  case 11:
    return oneIn(3) ? name() + "." + pick(attributes) : method(depth - 1);
  case 12:
    return display(depth - 1);
  case 13:
    return comprehension(depth - 1);
  default:
    return oneIn(3) ? "(lambda x, y=1: " + sub() + ")" : formatted(depth - 1);
  }
}

std::string Grammar::index(unsigned depth) {
  std::string out = "[";
  for (uint64_t i = 0, n = 1 + below(3); i < n; ++i) {
    out += i ? ", " : "";
    if (oneIn(3))
      out += (oneIn(3) ? "" : expression(depth)) + ":" + (oneIn(3) ? "" : expression(depth)) +
             (oneIn(5) ? ":" + expression(depth) : "");
    else
      out += expression(depth);
  }
  return out + "]";
}

std::string Grammar::call(unsigned depth) {
  std::string callee = oneIn(3) ? pick(modules) : oneIn(4) ? name() : std::string(pick(builtins));
  std::string out = callee + "(";
  for (uint64_t i = 0, n = below(4); i < n; ++i)
    out += (i ? ", " : "") + std::string(oneIn(12) ? "*" : "") + expression(depth);
  return out + ")";
}

/// Arguments for a Python parameter list: nearly always the required ones, some of the others.
std::string Grammar::arguments(std::string_view signature, unsigned depth) {
  std::string out;
  bool keywords = false;
  while (!signature.empty()) {
    size_t comma = signature.find(", ");
    std::string_view parameter = signature.substr(0, comma);
    signature = comma == std::string_view::npos ? "" : signature.substr(comma + 2);
    if (parameter == "*") {
      keywords = true;
      continue;
    }
    size_t equal = parameter.find('=');
    bool optional = equal != std::string_view::npos;
    bool variadic = parameter.front() == '*';
    if (optional ? !oneIn(4) : oneIn(25)) {
      keywords |= optional;
      continue;
    }
    for (uint64_t n = variadic ? 1 + below(3) : 1; n > 0; --n) {
      bool named = !variadic && (keywords || oneIn(12));
      keywords |= named;
      out += (out.empty() ? "" : ", ") +
             (named ? std::string(parameter.substr(0, equal)) + "=" : "") + expression(depth);
    }
  }
  return out;
}

std::string Grammar::tileCall(unsigned depth) {
  Function f = oneIn(2)   ? pick(commonFunctions)
               : oneIn(4) ? pick(mathFunctions)
                          : pick(tileFunctions);
  return "T." + std::string(f.name) + "(" + arguments(f.signature, depth) + ")";
}

std::string Grammar::method(unsigned depth) {
  std::string out = (oneIn(3) ? string() : name()) + "." + pick(methods) + "(";
  for (uint64_t i = 0, n = below(3); i < n; ++i)
    out += (i ? ", " : "") + expression(depth);
  return out + ")";
}

std::string Grammar::display(unsigned depth) {
  uint64_t kind = below(4), count = below(5);
  std::string out(1, "[({{"[kind]);
  for (uint64_t i = 0; i < count; ++i) {
    out += (kind == 3 ? expression(depth) + ": " : oneIn(12) ? "*" : "") + expression(depth);
    out += i + 1 < count || kind == 1 ? ", " : "";
  }
  return out + "])}}"[kind];
}

std::string Grammar::comprehension(unsigned depth) {
  uint64_t kind = below(4);
  constexpr std::string_view open = "[{({", close = "]})}";
  std::string out(1, open[kind]);
  out += expression(depth) + (kind == 3 ? ": " + expression(depth) : "");
  for (uint64_t i = 0, n = 1 + oneIn(4); i < n; ++i)
    out += " for " + target() + " in " + iterable(depth);
  if (oneIn(3))
    out += " if " + expression(depth);
  return out + close[kind];
}

std::string Grammar::formatted(unsigned depth) {
  std::string inner = name();
  if (depth > 0 && oneIn(2))
    for (inner = expression(0); inner.find_first_of("'\"{}\\") != std::string::npos;)
      inner = number();
  return "f'v {" + inner + (oneIn(3) ? "" : pick(specs)) + "}'";
}

std::string Grammar::target() {
  constexpr const char *targets[] = {"i", "j", "k", "x", "i, j", "(i, j)", "a, *b", "_", "k, v"};
  return oneIn(4) ? name() : pick(targets);
}

std::string Grammar::iterable(unsigned depth) {
  switch (below(9)) {
  case 0:
    return "range(" + expression(0) + ")";
  case 1:
    return "T.serial(" + expression(0) + ")";
  case 2:
    return "T.Parallel(" + number() + (oneIn(2) ? ", " + number() : "") + ")";
  case 3:
    return "T.Pipelined(" + expression(0) + ", num_stages=" + number() + ")";
  case 4:
    return "enumerate(" + expression(depth) + ")";
  case 5:
    return "zip(" + expression(depth) + ", " + expression(depth) + ")";
  case 6:
    return "T.vectorized(" + number() + ")";
  case 7:
    return name();
  default:
    return expression(depth);
  }
}

std::string Grammar::simple(unsigned depth) {
  switch (below(16)) {
  case 0:
  case 1:
    return name() + " = " + expression(depth);
  case 2: {
    constexpr const char *updates[] = {"+=", "-=", "*=", "//=", "%=", "**=", "|=", "<<=", "/="};
    return name() + (oneIn(2) ? index(1) : "") + " " + pick(updates) + " " + expression(depth);
  }
  case 3:
    return name() + index(depth) + " = " + expression(depth);
  case 4:
    return target() + " = " + expression(depth);
  case 5:
    return "assert " + expression(depth) + (oneIn(2) ? ", " + expression(1) : "");
  case 6:
    return "return " + expression(depth);
  case 7: {
    constexpr const char *words[] = {"break",
                                     "continue",
                                     "pass",
                                     "return",
                                     "raise",
                                     "import math",
                                     "from math import *",
                                     "import torch",
                                     "from tilelang import schedule",
                                     "import functools"};
    return pick(words);
  }
  case 8:
    return name() + ": " + expression(depth) + (oneIn(2) ? " = " + expression(depth) : "");
  case 9:
    return "raise ValueError(" + expression(1) + ")";
  case 10:
    return (oneIn(2) ? "del " : oneIn(2) ? "global " : "nonlocal ") + name();
  default:
    return tileCall(depth);
  }
}

std::string Grammar::block(unsigned indent, unsigned depth) {
  std::string out;
  for (uint64_t i = 0, n = 1 + below(3); i < n; ++i)
    out += statement(indent, depth);
  return out;
}

std::string Grammar::statement(unsigned indent, unsigned depth) {
  std::string space(indent, ' ');
  if (depth == 0 || !oneIn(3))
    return space + simple(2) + "\n";
  auto body = [&] { return block(indent + 4, depth - 1); };
  switch (below(8)) {
  case 0:
  case 1:
    return space + "for " + target() + " in " + iterable(1) + ":\n" + body() +
           (oneIn(8) ? space + "else:\n" + body() : "");
  case 2:
  case 3:
    return space + "if " + expression(2) + ":\n" + body() +
           (oneIn(2) ? space + "else:\n" + body() : "");
  case 4:
    return space + "while " + expression(2) + ":\n" + body();
  case 5:
    return space + "def " + name() + "(x, y=" + expression(1) + ", *a, **k):\n" + body();
  case 6:
    return space + "with T.Kernel(" + expression(1) + ", threads=" + number() + ") as " + target() +
           ":\n" + body();
  default:
    return space + "try:\n" + body() + space + "except Exception:\n" + body();
  }
}

} // namespace tilec::fuzz
