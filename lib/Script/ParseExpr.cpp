//===- ParseExpr.cpp - expressions ----------------------------------------===//
//
// Takes tokens, gives expressions, by Python's precedences; assignment targets are checked here,
// too.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include <cmath>

namespace tilec::script {
using namespace ast;

namespace {
// A script that nests deeper than this is no kernel; the evaluator recurses over the tree.
constexpr unsigned maxDepth = 250;
// `a + b + c ...` and `f().g().h() ...` make left-deep trees without recursion here.
constexpr unsigned maxChain = 500;

struct BinaryRow {
  llvm::StringRef text;
  BinaryOp op;
  int precedence;
};
constexpr BinaryRow binaryRows[] = {
    {"|", BinaryOp::BitOr, 1},     {"^", BinaryOp::BitXor, 2}, {"&", BinaryOp::BitAnd, 3},
    {"<<", BinaryOp::Shl, 4},      {">>", BinaryOp::Shr, 4},   {"+", BinaryOp::Add, 5},
    {"-", BinaryOp::Sub, 5},       {"*", BinaryOp::Mul, 6},    {"/", BinaryOp::Div, 6},
    {"//", BinaryOp::FloorDiv, 6}, {"%", BinaryOp::Mod, 6},    {"@", BinaryOp::MatMul, 6},
};
} // namespace

Parser::Nest::Nest(Parser &parser) : parser(parser) {
  ok = ++parser.depth <= maxDepth;
  if (!ok)
    parser.fail(DiagId::NestedTooDeep, parser.here(), maxDepth);
}

const Expr *Parser::namedExpression() {
  if (tok().kind == TokenKind::Name && tok(1).is(":=")) {
    Span start = here();
    const auto *target = make<NameExpr>(start, tok().text);
    at += 2;
    const Expr *value = expression();
    return value ? make<NamedExpr>(since(start), target, value) : nullptr;
  }
  return expression();
}

const Expr *Parser::expression() {
  Nest nest(*this);
  if (!nest.ok)
    return nullptr;
  if (is("lambda"))
    return lambda();
  if (is("yield"))
    return yieldExpression();
  Span start = here();
  const Expr *value = disjunction();
  if (!value || !is("if"))
    return value;
  ++at;
  const Expr *condition = disjunction();
  if (!condition || !expect("else", "a conditional expression"))
    return nullptr;
  const Expr *otherwise = expression();
  if (!otherwise)
    return nullptr;
  return make<ConditionalExpr>(since(start), condition, value, otherwise);
}

const Expr *Parser::yieldExpression() {
  Span start = here();
  ++at;
  accept("from");
  bool ends = tok().kind == TokenKind::Newline || tok().kind == TokenKind::End || is(")") ||
              is(";") || is("]") || is("}");
  if (!ends && !expressionList(true))
    return nullptr;
  return make<UnsupportedExpr>(since(start), "yield");
}

const Expr *Parser::starred() {
  Span start = here();
  ++at;
  const Expr *value = binary(1);
  return value ? make<StarredExpr>(since(start), value) : nullptr;
}

const Expr *Parser::expressionList(bool allowStar, bool named) {
  Span start = here();
  llvm::SmallVector<const Expr *> items;
  bool isTuple = false;
  do {
    const Expr *item = allowStar && is("*") ? starred() : named ? namedExpression() : expression();
    if (!item)
      return nullptr;
    items.push_back(item);
    if (!is(","))
      break;
    isTuple = true;
    ++at;
    // A trailing comma: whatever cannot start an expression ends the list.
  } while (!is(")") && !is("]") && !is("}") && !is("=") && !is(":") && !is("in") &&
           tok().kind != TokenKind::Newline && tok().kind != TokenKind::End && !is(";"));
  if (!isTuple && items[0]->kind != ExprKind::Starred)
    return items[0];
  return make<SequenceExpr>(ExprKind::Tuple, since(start), copy(items));
}

const Expr *Parser::targetList() {
  Span start = here();
  llvm::SmallVector<const Expr *> items;
  bool isTuple = false;
  do {
    const Expr *item = is("*") ? starred() : postfix();
    if (!item || !isTarget(item))
      return nullptr;
    items.push_back(item);
    if (!is(","))
      break;
    isTuple = true;
    ++at;
  } while (!is("in"));
  return isTuple ? make<SequenceExpr>(ExprKind::Tuple, since(start), copy(items)) : items[0];
}

bool Parser::isTarget(const Expr *e, bool allowSequence) {
  switch (e->kind) {
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
    return true;
  case ExprKind::Starred:
    if (allowSequence)
      return isTarget(llvm::cast<StarredExpr>(e)->value);
    break;
  case ExprKind::Tuple:
  case ExprKind::List:
    if (allowSequence) {
      for (const Expr *item : llvm::cast<SequenceExpr>(e)->items)
        if (!isTarget(item))
          return false;
      return true;
    }
    break;
  default:
    break;
  }
  fail(DiagId::NotAssignable, e->span);
  return false;
}

const Expr *Parser::joined(llvm::StringRef word, bool isAnd, const Expr *(Parser::*part)()) {
  Span start = here();
  const Expr *first = (this->*part)();
  if (!first || !is(word))
    return first;
  llvm::SmallVector<const Expr *> items{first};
  while (accept(word)) {
    const Expr *next = (this->*part)();
    if (!next)
      return nullptr;
    items.push_back(next);
  }
  return make<BoolExpr>(since(start), isAnd, copy(items));
}

const Expr *Parser::disjunction() { return joined("or", false, &Parser::conjunction); }
const Expr *Parser::conjunction() { return joined("and", true, &Parser::inversion); }

const Expr *Parser::inversion() {
  if (!is("not"))
    return comparison();
  Nest nest(*this);
  if (!nest.ok)
    return nullptr;
  Span start = here();
  ++at;
  const Expr *operand = inversion();
  return operand ? make<UnaryExpr>(since(start), UnaryOp::Not, operand) : nullptr;
}

const Expr *Parser::comparison() {
  Span start = here();
  const Expr *first = binary(1);
  if (!first)
    return nullptr;
  llvm::SmallVector<const Expr *> operands{first};
  llvm::SmallVector<CompareOp> ops;
  for (;;) {
    std::optional<CompareOp> op;
    constexpr std::pair<llvm::StringRef, CompareOp> simple[] = {
        {"==", CompareOp::Eq}, {"!=", CompareOp::Ne}, {"<", CompareOp::Lt}, {"<=", CompareOp::Le},
        {">", CompareOp::Gt},  {">=", CompareOp::Ge}, {"in", CompareOp::In}};
    for (auto [text, which] : simple)
      if (is(text))
        op = which;
    if (is("is"))
      op = tok(1).is("not") ? CompareOp::IsNot : CompareOp::Is;
    else if (is("not") && tok(1).is("in"))
      op = CompareOp::NotIn;
    if (!op)
      break;
    at += *op == CompareOp::IsNot || *op == CompareOp::NotIn ? 2 : 1;
    const Expr *next = binary(1);
    if (!next)
      return nullptr;
    ops.push_back(*op);
    operands.push_back(next);
  }
  if (ops.empty())
    return first;
  return make<CompareExpr>(since(start), copy(operands), copy(ops));
}

const Expr *Parser::binary(int minPrecedence) {
  Span start = here();
  const Expr *lhs = unary();
  for (unsigned chain = 0; lhs; ++chain) {
    const BinaryRow *row = llvm::find_if(binaryRows, [&](const BinaryRow &r) {
      return is(r.text) && r.precedence >= minPrecedence;
    });
    if (row == std::end(binaryRows))
      break;
    if (chain > maxChain)
      return fail(DiagId::NestedTooDeep, here(), maxChain);
    ++at;
    const Expr *rhs = binary(row->precedence + 1);
    if (!rhs)
      return nullptr;
    lhs = make<BinaryExpr>(since(start), row->op, lhs, rhs);
  }
  return lhs;
}

const Expr *Parser::unary() {
  std::optional<UnaryOp> op;
  if (is("-"))
    op = UnaryOp::Neg;
  else if (is("+"))
    op = UnaryOp::Pos;
  else if (is("~"))
    op = UnaryOp::Invert;
  if (!op)
    return power();
  Nest nest(*this);
  if (!nest.ok)
    return nullptr;
  Span start = here();
  ++at;
  const Expr *operand = unary();
  return operand ? make<UnaryExpr>(since(start), *op, operand) : nullptr;
}

const Expr *Parser::power() {
  Span start = here();
  const Expr *base = postfix();
  if (!base || !accept("**"))
    return base;
  Nest nest(*this);
  if (!nest.ok)
    return nullptr;
  const Expr *exponent = unary();
  return exponent ? make<BinaryExpr>(since(start), BinaryOp::Pow, base, exponent) : nullptr;
}

const Expr *Parser::postfix() {
  Span start = here();
  if (accept("await")) {
    Nest nest(*this);
    if (!nest.ok || !postfix())
      return nullptr;
    return make<UnsupportedExpr>(since(start), "await");
  }
  const Expr *value = atom();
  for (unsigned chain = 0; value; ++chain) {
    if (chain > maxChain)
      return fail(DiagId::NestedTooDeep, here(), maxChain);
    if (is("(")) {
      value = call(value);
    } else if (is("[")) {
      value = subscript(value);
    } else if (accept(".")) {
      if (tok().kind != TokenKind::Name)
        return unexpected("an attribute name");
      Span nameSpan = here();
      llvm::StringRef name = tok().text;
      ++at;
      value = make<AttributeExpr>(since(start), value, name, nameSpan);
    } else {
      break;
    }
  }
  return value;
}

const Expr *Parser::call(const Expr *callee) {
  ++at;
  llvm::SmallVector<const Expr *> args;
  llvm::SmallVector<Keyword> keywords;
  while (!is(")")) {
    Span start = here();
    if (accept("**")) {
      const Expr *value = expression();
      if (!value)
        return nullptr;
      keywords.push_back({"", value, since(start)});
    } else if (tok().kind == TokenKind::Name && tok(1).is("=")) {
      llvm::StringRef name = tok().text;
      at += 2;
      const Expr *value = expression();
      if (!value)
        return nullptr;
      for (const Keyword &k : keywords)
        if (k.name == name)
          return fail(DiagId::RepeatedKeyword, start, name);
      keywords.push_back({name, value, start});
    } else {
      const Expr *value = is("*") ? starred() : namedExpression();
      if (!value)
        return nullptr;
      if (is("for") || is("async")) {
        value = comprehension(ExprKind::Generator, start, value, nullptr, "");
        if (!value)
          return nullptr;
      }
      if (!keywords.empty() && value->kind != ExprKind::Starred)
        return fail(DiagId::PositionalAfterKeyword, value->span);
      args.push_back(value);
    }
    if (!accept(","))
      break;
  }
  if (!expect(")", "the arguments"))
    return nullptr;
  return make<CallExpr>(since(callee->span), callee, copy(args), copy(keywords));
}

const Expr *Parser::subscriptItem() {
  Span start = here();
  if (is("*"))
    return starred();
  const Expr *parts[3] = {nullptr, nullptr, nullptr};
  bool isSlice = false;
  auto ends = [&] { return is(":") || is("]") || is(","); };
  if (!is(":") && !(parts[0] = namedExpression()))
    return nullptr;
  for (int i = 1; i < 3 && is(":"); ++i) {
    isSlice = true;
    ++at;
    if (!ends() && !(parts[i] = expression()))
      return nullptr;
  }
  if (!isSlice)
    return parts[0];
  return make<SliceExpr>(since(start), parts[0], parts[1], parts[2]);
}

const Expr *Parser::subscript(const Expr *value) {
  ++at;
  Span start = here();
  llvm::SmallVector<const Expr *> items;
  bool isTuple = false;
  while (!is("]")) {
    const Expr *item = subscriptItem();
    if (!item)
      return nullptr;
    items.push_back(item);
    if (!accept(","))
      break;
    isTuple = true;
  }
  if (items.empty())
    return unexpected("an index");
  Span inner = since(start);
  if (!expect("]", "the subscript"))
    return nullptr;
  const Expr *index = isTuple ? make<SequenceExpr>(ExprKind::Tuple, inner, copy(items)) : items[0];
  return make<SubscriptExpr>(since(value->span), value, index);
}

const Expr *Parser::atom() {
  const Token &t = tok();
  Span start = t.span;
  switch (t.kind) {
  case TokenKind::Name:
    ++at;
    return make<NameExpr>(start, t.text);
  case TokenKind::Int:
  case TokenKind::Float:
    return number();
  case TokenKind::Imaginary:
    return fail(DiagId::UnsupportedSyntax, start, "an imaginary number");
  case TokenKind::String:
    return strings();
  default:
    break;
  }
  if (is("("))
    return parenthesised();
  if (is("["))
    return listDisplay();
  if (is("{"))
    return braceDisplay();
  constexpr std::pair<llvm::StringRef, ConstantExpr::Which> constants[] = {
      {"None", ConstantExpr::None},
      {"True", ConstantExpr::True},
      {"False", ConstantExpr::False},
      {"...", ConstantExpr::Ellipsis}};
  for (auto [text, which] : constants)
    if (accept(text))
      return make<ConstantExpr>(start, which);
  if (is("lambda"))
    return lambda();
  return unexpected("an expression");
}

const Expr *Parser::number() {
  const Token &t = tok();
  ++at;
  std::string clean = t.text.str();
  llvm::erase(clean, '_');
  llvm::StringRef digits = llvm::StringRef(clean).copy(module.arena);
  auto *node = const_cast<NumberExpr *>(make<NumberExpr>(t.span, t.kind == TokenKind::Float));
  if (node->isFloat) {
    node->value = std::strtod(clean.c_str(), nullptr);
    return node;
  }
  node->digits = digits;
  if (digits.size() > 2 && digits[0] == '0' && llvm::isAlpha(digits[1])) {
    char c = llvm::toLower(digits[1]);
    node->radix = c == 'x' ? 16 : c == 'o' ? 8 : 2;
    node->digits = digits.drop_front(2);
  }
  return node;
}

const Expr *Parser::parenthesised() {
  Span start = here();
  ++at;
  if (accept(")"))
    return make<SequenceExpr>(ExprKind::Tuple, since(start), Exprs());
  const Expr *value = expressionList(true, true);
  if (!value)
    return nullptr;
  if (is("for") || is("async"))
    return comprehension(ExprKind::Generator, start, value, nullptr, ")");
  if (!expect(")", "the parentheses"))
    return nullptr;
  // A tuple's span includes its parentheses; any other expression keeps its own.
  if (const auto *tuple = llvm::dyn_cast<SequenceExpr>(value);
      tuple && tuple->kind == ExprKind::Tuple)
    return make<SequenceExpr>(ExprKind::Tuple, since(start), tuple->items);
  return value;
}

const Expr *Parser::listDisplay() {
  Span start = here();
  ++at;
  llvm::SmallVector<const Expr *> items;
  while (!is("]")) {
    const Expr *item = is("*") ? starred() : namedExpression();
    if (!item)
      return nullptr;
    if (items.empty() && (is("for") || is("async")))
      return comprehension(ExprKind::ListComp, start, item, nullptr, "]");
    items.push_back(item);
    if (!accept(","))
      break;
  }
  if (!expect("]", "the list"))
    return nullptr;
  return make<SequenceExpr>(ExprKind::List, since(start), copy(items));
}

const Expr *Parser::braceDisplay() {
  Span start = here();
  ++at;
  llvm::SmallVector<const Expr *> keys, values;
  bool isDict = is("}") || is("**");
  bool first = true;
  while (!is("}")) {
    if (accept("**")) {
      const Expr *value = binary(1);
      if (!value)
        return nullptr;
      if (!isDict)
        return unexpected("an item of the set");
      keys.push_back(nullptr);
      values.push_back(value);
    } else {
      const Expr *key = is("*") ? starred() : namedExpression();
      if (!key)
        return nullptr;
      if (first)
        isDict = is(":");
      if (isDict) {
        if (!expect(":", "a key of the dict"))
          return nullptr;
        const Expr *value = expression();
        if (!value)
          return nullptr;
        if (first && (is("for") || is("async")))
          return comprehension(ExprKind::DictComp, start, key, value, "}");
        keys.push_back(key);
        values.push_back(value);
      } else {
        if (first && (is("for") || is("async")))
          return comprehension(ExprKind::SetComp, start, key, nullptr, "}");
        values.push_back(key);
      }
    }
    first = false;
    if (!accept(","))
      break;
  }
  if (!expect("}", isDict ? "the dict" : "the set"))
    return nullptr;
  if (isDict)
    return make<DictExpr>(since(start), copy(keys), copy(values));
  return make<SequenceExpr>(ExprKind::Set, since(start), copy(values));
}

bool Parser::generators(llvm::SmallVectorImpl<Generator> &out) {
  while (is("for") || is("async")) {
    accept("async");
    if (!expect("for", "`async`"))
      return false;
    Generator g;
    g.target = targetList();
    if (!g.target || !expect("in", "the target of `for`"))
      return false;
    g.iterable = disjunction();
    if (!g.iterable)
      return false;
    llvm::SmallVector<const Expr *> conditions;
    while (accept("if")) {
      const Expr *condition = disjunction();
      if (!condition)
        return false;
      conditions.push_back(condition);
    }
    g.conditions = copy(conditions);
    out.push_back(g);
  }
  return true;
}

const Expr *Parser::comprehension(ExprKind kind, Span start, const Expr *element,
                                  const Expr *dictValue, llvm::StringRef close) {
  llvm::SmallVector<Generator> list;
  if (!generators(list))
    return nullptr;
  if (!close.empty() && !expect(close, "the comprehension"))
    return nullptr;
  return make<ComprehensionExpr>(kind, since(start), element, dictValue, copy(list));
}

const Expr *Parser::lambda() {
  Nest nest(*this);
  if (!nest.ok)
    return nullptr;
  Span start = here();
  ++at;
  llvm::SmallVector<Param> list;
  if (!params(list, ":", false) || !expect(":", "the parameters of the lambda"))
    return nullptr;
  const Expr *body = expression();
  return body ? make<LambdaExpr>(since(start), copy(list), body) : nullptr;
}

bool Parser::params(llvm::SmallVectorImpl<Param> &out, llvm::StringRef close, bool annotations) {
  bool keywordOnly = false, sawDefault = false;
  while (!is(close)) {
    Param p;
    if (accept("/")) {
      for (Param &before : out)
        before.positionalOnly = true;
      if (!accept(","))
        break;
      continue;
    }
    if (is("*") && (tok(1).is(",") || tok(1).is(close))) {
      ++at;
      keywordOnly = true;
      if (!accept(","))
        break;
      continue;
    }
    if (accept("**"))
      p.kind = Param::VarKeywords;
    else if (accept("*"))
      p.kind = Param::VarArgs;
    else if (keywordOnly)
      p.kind = Param::KeywordOnly;
    if (tok().kind != TokenKind::Name) {
      unexpected("a parameter name");
      return false;
    }
    p.name = tok().text;
    p.span = here();
    ++at;
    for (const Param &before : out)
      if (before.name == p.name) {
        fail(DiagId::RepeatedParameter, p.span, p.name);
        return false;
      }
    if (annotations && accept(":") && !(p.annotation = expression()))
      return false;
    if (accept("=") && !(p.defaultValue = expression()))
      return false;
    if (p.kind == Param::Positional) {
      if (!p.defaultValue && sawDefault) {
        fail(DiagId::DefaultOrder, p.span, p.name);
        return false;
      }
      sawDefault |= p.defaultValue != nullptr;
    }
    keywordOnly |= p.kind == Param::VarArgs;
    out.push_back(p);
    if (!accept(","))
      break;
  }
  return true;
}

} // namespace tilec::script
