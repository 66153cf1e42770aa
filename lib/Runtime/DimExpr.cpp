//===- DimExpr.cpp - integer expressions over a kernel's dims -------------===//
//
// Takes the text of an expression over dimensions, gives its tree, its value, and the text again.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/DimExpr.h"
#include "tilec/Base/Math.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace tilec::rt {
namespace {

using Op = DimExpr::Op;

// Bounds on expressions from files. Each node takes at least one character, so the first also
// bounds the recursion of evaluate, str and the destructors.
constexpr size_t maxTextChars = 4096;
constexpr int maxNesting = 100;

std::optional<int64_t> apply(Op op, int64_t a, int64_t b) {
  int64_t result;
  switch (op) {
  case Op::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Op::Sub:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Op::Mul:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::And:
    return a & b;
  case Op::Xor:
    return a ^ b;
  case Op::Or:
    return a | b;
  default:
    break;
  }
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  if (op == Op::FloorDiv)
    return floorDiv(a, b);
  if (op == Op::Mod)
    return floorMod(a, b);
  int64_t down = floorDiv(a, b); // Base's ceilDiv wants a >= 0, b > 0
  return floorMod(a, b) == 0 ? down : down + 1;
}

const char *nameOfCall(Op op) {
  switch (op) {
  case Op::CeilDiv:
    return "ceildiv";
  case Op::Min:
    return "min";
  case Op::Max:
    return "max";
  default:
    return nullptr;
  }
}

const char *symbolOf(Op op) {
  switch (op) {
  case Op::Add:
    return " + ";
  case Op::Sub:
    return " - ";
  case Op::Mul:
    return " * ";
  case Op::FloorDiv:
    return " // ";
  case Op::And:
    return " & ";
  case Op::Xor:
    return " ^ ";
  case Op::Or:
    return " | ";
  default:
    return " % ";
  }
}

/// How tightly an operator binds; calls, names and constants most of all.
int precedenceOf(const DimExpr::Node &node) {
  switch (node.op) {
  case Op::Or:
    return 1;
  case Op::Xor:
    return 2;
  case Op::And:
    return 3;
  case Op::Add:
  case Op::Sub:
    return 4;
  case Op::Mul:
  case Op::FloorDiv:
  case Op::Mod:
    return 5;
  case Op::Constant:
    return node.value < 0 ? 0 : 6; // -3 in an operator needs parentheses
  default:
    return 6;
  }
}

void print(const DimExpr::Node &node, std::string &out);

void printOperand(const DimExpr::Node &operand, int leastPrecedence, std::string &out) {
  bool parenthesize = precedenceOf(operand) < leastPrecedence;
  if (parenthesize)
    out += '(';
  print(operand, out);
  if (parenthesize)
    out += ')';
}

void print(const DimExpr::Node &node, std::string &out) {
  if (node.op == Op::Constant) {
    out += std::to_string(node.value);
  } else if (node.op == Op::Name) {
    out += node.name;
  } else if (const char *call = nameOfCall(node.op)) {
    out += call;
    out += '(';
    print(*node.lhs, out);
    out += ", ";
    print(*node.rhs, out);
    out += ')';
  } else {
    int precedence = precedenceOf(node);
    printOperand(*node.lhs, precedence, out);
    out += symbolOf(node.op);
    printOperand(*node.rhs, precedence + 1, out); // all operators associate to the left
  }
}

Result<int64_t> eval(const DimExpr::Node &node, const DimValues &values) {
  if (node.op == Op::Constant)
    return node.value;
  if (node.op == Op::Name) {
    auto it = values.find(node.name);
    if (it == values.end())
      return Error{"`" + node.name + "` has no value"};
    return it->second;
  }
  Result<int64_t> lhs = eval(*node.lhs, values);
  if (!lhs)
    return lhs;
  Result<int64_t> rhs = eval(*node.rhs, values);
  if (!rhs)
    return rhs;
  if (std::optional<int64_t> result = apply(node.op, *lhs, *rhs))
    return *result;
  std::string text;
  print(node, text);
  bool divides = node.op == Op::FloorDiv || node.op == Op::Mod || node.op == Op::CeilDiv;
  if (divides && *rhs == 0)
    return Error{"division by zero in `" + text + "`"};
  return Error{"`" + text + "` does not fit in 64 bits"};
}

bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Recursive descent over the text; the first failure is kept and ends the parse.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<DimExpr> run() {
    if (text.size() > maxTextChars)
      return Error{"expression of " + std::to_string(text.size()) + " characters, at most " +
                   std::to_string(maxTextChars) + " are read"};
    DimExpr expr = either();
    skipSpace();
    if (message.empty() && at < text.size())
      fail("unexpected `" + std::string(1, text[at]) + "`");
    if (!message.empty())
      return Error{"in expression `" + std::string(text) + "`: " + message};
    return expr;
  }

private:
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
  }
  bool eat(std::string_view token) {
    skipSpace();
    if (!message.empty() || text.substr(at, token.size()) != token)
      return false;
    at += token.size();
    return true;
  }
  DimExpr fail(std::string what) {
    if (message.empty())
      message = std::move(what) + " at character " + std::to_string(at + 1);
    return {};
  }

  DimExpr either() {
    DimExpr lhs = differing();
    while (eat("|"))
      lhs = lhs | differing();
    return lhs;
  }

  DimExpr differing() {
    DimExpr lhs = both();
    while (eat("^"))
      lhs = lhs ^ both();
    return lhs;
  }

  DimExpr both() {
    DimExpr lhs = sum();
    while (eat("&"))
      lhs = lhs & sum();
    return lhs;
  }

  DimExpr sum() {
    DimExpr lhs = product();
    for (;;) {
      if (eat("+"))
        lhs = lhs + product();
      else if (eat("-"))
        lhs = lhs - product();
      else
        return lhs;
    }
  }

  DimExpr product() {
    DimExpr lhs = factor();
    for (;;) {
      if (eat("//"))
        lhs = floorDiv(lhs, factor());
      else if (eat("/"))
        return fail("`/` is no integer division: write `//`");
      else if (eat("*"))
        lhs = lhs * factor();
      else if (eat("%"))
        lhs = lhs % factor();
      else
        return lhs;
    }
  }

  DimExpr factor() {
    if (nesting >= maxNesting)
      return fail("more than " + std::to_string(maxNesting) + " levels of nesting");
    ++nesting;
    DimExpr expr = primary();
    --nesting;
    return expr;
  }

  DimExpr primary() {
    if (eat("-"))
      return DimExpr(0) - factor();
    if (eat("(")) {
      DimExpr inner = either();
      return eat(")") ? inner : fail("expected `)`");
    }
    skipSpace();
    if (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])))
      return number();
    if (at < text.size() && isNameStart(text[at]))
      return nameOrCall();
    return fail("expected a number, a name or `(`");
  }

  DimExpr number() {
    int64_t value = 0;
    for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text[at] - '0', &value))
        return fail("number does not fit in 64 bits");
    if (at < text.size() && isNamePart(text[at]))
      return fail("expected an integer");
    return DimExpr(value);
  }

  DimExpr nameOrCall() {
    size_t begin = at;
    while (at < text.size() && isNamePart(text[at]))
      ++at;
    std::string name(text.substr(begin, at - begin));
    for (Op op : {Op::CeilDiv, Op::Min, Op::Max})
      if (name == nameOfCall(op))
        return call(op);
    return DimExpr::name(std::move(name));
  }

  DimExpr call(Op op) {
    if (!eat("("))
      return fail(std::string("expected `(` after `") + nameOfCall(op) + "`");
    DimExpr lhs = either();
    if (!eat(","))
      return fail("expected `,`");
    DimExpr rhs = either();
    if (!eat(")"))
      return fail("expected `)`");
    return DimExpr::binary(op, lhs, rhs);
  }

  std::string_view text;
  size_t at = 0;
  int nesting = 0;
  std::string message;
};

} // namespace

DimExpr::DimExpr(int64_t value)
    : root(std::make_shared<const Node>(Node{Op::Constant, value, {}, nullptr, nullptr})) {}

DimExpr DimExpr::name(std::string name) {
  return DimExpr(
      std::make_shared<const Node>(Node{Op::Name, 0, std::move(name), nullptr, nullptr}));
}

DimExpr DimExpr::binary(Op op, const DimExpr &lhs, const DimExpr &rhs) {
  auto a = lhs.constant(), b = rhs.constant();
  if (a && b)
    if (auto folded = apply(op, *a, *b))
      return DimExpr(*folded);
  if (b && *b == 0 && (op == Op::Add || op == Op::Sub))
    return lhs;
  if (b && *b == 1 && (op == Op::Mul || op == Op::FloorDiv || op == Op::CeilDiv))
    return lhs;
  return DimExpr(std::make_shared<const Node>(Node{op, 0, {}, lhs.root, rhs.root}));
}

Result<DimExpr> DimExpr::parse(std::string_view text) { return Parser(text).run(); }

Result<int64_t> DimExpr::evaluate(const DimValues &values) const { return eval(*root, values); }

std::optional<int64_t> DimExpr::constant() const {
  if (root->op == Op::Constant)
    return root->value;
  return std::nullopt;
}

std::optional<std::string> DimExpr::asName() const {
  if (root->op == Op::Name)
    return root->name;
  return std::nullopt;
}

void DimExpr::collectNames(std::set<std::string> &names) const {
  if (root->op == Op::Name)
    names.insert(root->name);
  if (root->lhs)
    DimExpr(root->lhs).collectNames(names);
  if (root->rhs)
    DimExpr(root->rhs).collectNames(names);
}

std::string DimExpr::str() const {
  std::string out;
  print(*root, out);
  return out;
}

} // namespace tilec::rt
