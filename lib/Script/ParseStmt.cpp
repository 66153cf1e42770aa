//===- ParseStmt.cpp - statements -----------------------------------------===//
//
// Takes tokens, gives statements; what Python has and kernels cannot use becomes a node that says
// so when it is reached.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

namespace tilec::script {
using namespace ast;

bool Parser::expect(llvm::StringRef text, llvm::StringRef where) {
  if (accept(text))
    return true;
  unexpected(("`" + text + "` after " + where).str());
  return false;
}

std::nullptr_t Parser::unexpected(llvm::StringRef wanted) {
  const Token &t = tok();
  std::string found;
  switch (t.kind) {
  case TokenKind::End:
    found = "the end of the text";
    break;
  case TokenKind::Newline:
    found = "the end of the line";
    break;
  case TokenKind::Indent:
    found = "an indented line";
    break;
  case TokenKind::Dedent:
    found = "the end of the block";
    break;
  default:
    found = ("`" + t.text.take_front(40) + "`").str();
  }
  return fail(DiagId::UnexpectedToken, t.span, wanted, found);
}

bool Parser::file() {
  llvm::SmallVector<const Stmt *> body;
  while (tok().kind != TokenKind::End)
    if (!statement(body))
      return false;
  module.body = copy(body);
  return true;
}

const Expr *Parser::wholeExpression() {
  while (tok().kind == TokenKind::Newline)
    ++at;
  const Expr *value = expressionList(true, true);
  if (!value)
    return nullptr;
  while (tok().kind == TokenKind::Newline)
    ++at;
  if (tok().kind != TokenKind::End)
    return unexpected("nothing more");
  return value;
}

bool Parser::statement(Stmts &out) {
  if (tok().kind == TokenKind::Newline) {
    ++at;
    return true;
  }
  if (tok().kind == TokenKind::Indent) {
    fail(DiagId::UnexpectedIndent, here());
    return false;
  }
  using Make = const Stmt *(Parser::*)();
  constexpr std::pair<llvm::StringRef, Make> compound[] = {
      {"if", &Parser::ifStatement},       {"for", &Parser::forStatement},
      {"while", &Parser::whileStatement}, {"with", &Parser::withStatement},
      {"try", &Parser::tryStatement},     {"class", &Parser::classStatement},
      {"@", &Parser::decorated}};
  for (auto [word, make] : compound)
    if (is(word)) {
      Nest nest(*this);
      const Stmt *s = nest.ok ? (this->*make)() : nullptr;
      if (s)
        out.push_back(s);
      return s != nullptr;
    }
  if (is("def")) {
    Nest nest(*this);
    const Stmt *s = nest.ok ? function({}) : nullptr;
    if (s)
      out.push_back(s);
    return s != nullptr;
  }
  if (is("async")) {
    Nest nest(*this);
    ++at;
    if (is("def")) {
      const Stmt *s = nest.ok ? function({}, /*isAsync=*/true) : nullptr;
      if (s)
        out.push_back(s);
      return s != nullptr;
    }
    return nest.ok && statement(out); // `async for`, `async with`: only inside `async def`
  }
  return simpleLine(out);
}

bool Parser::simpleLine(Stmts &out) {
  for (;;) {
    const Stmt *s = simpleStatement();
    if (!s)
      return false;
    out.push_back(s);
    if (accept(";")) {
      if (tok().kind != TokenKind::Newline)
        continue;
    }
    if (tok().kind == TokenKind::Newline) {
      ++at;
      return true;
    }
    if (tok().kind == TokenKind::End)
      return true;
    // `match x:` and `type X = ...` are soft keywords: here they look like two expressions.
    const auto *e = llvm::dyn_cast<ExprStmt>(s);
    const auto *name = e ? llvm::dyn_cast<NameExpr>(e->value) : nullptr;
    if (name && (name->name == "match" || name->name == "type" || name->name == "print"))
      fail(DiagId::UnsupportedSyntax, s->span, name->name);
    else
      unexpected("the end of the line");
    return false;
  }
}

const Stmt *Parser::simpleStatement() {
  Span start = here();
  if (accept("pass"))
    return make<SimpleStmt>(StmtKind::Pass, start);
  if (accept("break"))
    return make<SimpleStmt>(StmtKind::Break, start);
  if (accept("continue"))
    return make<SimpleStmt>(StmtKind::Continue, start);
  if (accept("return")) {
    const Expr *value = nullptr;
    if (tok().kind != TokenKind::Newline && tok().kind != TokenKind::End && !is(";") &&
        !(value = expressionList(true)))
      return nullptr;
    return make<SimpleStmt>(StmtKind::Return, since(start), value);
  }
  if (is("raise"))
    return raiseStatement();
  if (is("global"))
    return scopeStatement(StmtKind::Global);
  if (is("nonlocal"))
    return scopeStatement(StmtKind::Nonlocal);
  if (is("assert"))
    return assertStatement();
  if (is("import"))
    return importStatement();
  if (is("from"))
    return fromImport();
  if (accept("del")) {
    llvm::SmallVector<const Expr *> targets;
    do {
      const Expr *target = postfix();
      if (!target || !isTarget(target))
        return nullptr;
      targets.push_back(target);
    } while (accept(","));
    return make<DeleteStmt>(since(start), copy(targets));
  }
  return expressionStatement();
}

const Stmt *Parser::raiseStatement() {
  Span start = here();
  ++at;
  const Expr *value = nullptr;
  if (tok().kind != TokenKind::Newline && tok().kind != TokenKind::End && !is(";")) {
    if (!(value = expression()))
      return nullptr;
    if (accept("from") && !expression())
      return nullptr;
  }
  return make<SimpleStmt>(StmtKind::Raise, since(start), value);
}

const Stmt *Parser::scopeStatement(StmtKind kind) {
  Span start = here();
  llvm::SmallVector<llvm::StringRef> names;
  do {
    ++at;
    if (tok().kind != TokenKind::Name)
      return unexpected("a name");
    names.push_back(tok().text);
    ++at;
  } while (is(","));
  return make<ScopeStmt>(kind, since(start), copy(names));
}

const Stmt *Parser::assertStatement() {
  Span start = here();
  ++at;
  const Expr *condition = expression();
  const Expr *message = nullptr;
  if (!condition || (accept(",") && !(message = expression())))
    return nullptr;
  return make<AssertStmt>(since(start), condition, message);
}

const Stmt *Parser::expressionStatement() {
  Span start = here();
  const Expr *first = expressionList(true, true);
  if (!first)
    return nullptr;
  if (accept(":")) {
    if (!isTarget(first, /*allowSequence=*/false))
      return nullptr;
    const Expr *annotation = expression();
    const Expr *value = nullptr;
    if (!annotation || (accept("=") && !(value = expressionList(true))))
      return nullptr;
    return make<AnnAssignStmt>(since(start), first, annotation, value);
  }
  constexpr std::pair<llvm::StringRef, BinaryOp> augmented[] = {
      {"+=", BinaryOp::Add},    {"-=", BinaryOp::Sub},       {"*=", BinaryOp::Mul},
      {"/=", BinaryOp::Div},    {"//=", BinaryOp::FloorDiv}, {"%=", BinaryOp::Mod},
      {"**=", BinaryOp::Pow},   {"<<=", BinaryOp::Shl},      {">>=", BinaryOp::Shr},
      {"&=", BinaryOp::BitAnd}, {"|=", BinaryOp::BitOr},     {"^=", BinaryOp::BitXor},
      {"@=", BinaryOp::MatMul}};
  for (auto [text, op] : augmented) {
    if (!is(text))
      continue;
    if (!isTarget(first, /*allowSequence=*/false))
      return nullptr;
    ++at;
    const Expr *value = expressionList(true);
    return value ? make<AugAssignStmt>(since(start), first, op, value) : nullptr;
  }
  if (!is("="))
    return make<ExprStmt>(since(start), first);
  llvm::SmallVector<const Expr *> chain{first};
  while (accept("=")) {
    if (!isTarget(chain.back()))
      return nullptr;
    const Expr *next = expressionList(true);
    if (!next)
      return nullptr;
    chain.push_back(next);
  }
  const Expr *value = chain.pop_back_val();
  return make<AssignStmt>(since(start), copy(chain), value);
}

llvm::StringRef Parser::dottedName() {
  if (tok().kind != TokenKind::Name) {
    unexpected("a module name");
    return {};
  }
  std::string name = tok().text.str();
  ++at;
  while (is(".") && tok(1).kind == TokenKind::Name) {
    name += "." + tok(1).text.str();
    at += 2;
  }
  return llvm::StringRef(name).copy(module.arena);
}

const Stmt *Parser::importStatement() {
  Span start = here();
  ++at;
  llvm::SmallVector<ImportName> names;
  do {
    Span nameStart = here();
    ImportName n;
    n.name = dottedName();
    if (n.name.empty())
      return nullptr;
    n.bound = n.name.split('.').first;
    if (accept("as")) {
      if (tok().kind != TokenKind::Name)
        return unexpected("a name");
      n.bound = tok().text;
      n.hasAs = true;
      ++at;
    }
    n.span = since(nameStart);
    names.push_back(n);
  } while (accept(","));
  return make<ImportStmt>(since(start), false, "", copy(names));
}

const Stmt *Parser::fromImport() {
  Span start = here();
  ++at;
  std::string from;
  while (is(".") || is("...")) {
    from += tok().text;
    ++at;
  }
  if (!is("import")) {
    llvm::StringRef name = dottedName();
    if (name.empty())
      return nullptr;
    from += name;
  }
  if (!expect("import", "the module's name"))
    return nullptr;
  llvm::SmallVector<ImportName> names;
  if (is("*")) {
    names.push_back({"*", "*", here()});
    ++at;
    return make<ImportStmt>(since(start), true, llvm::StringRef(from).copy(module.arena),
                            copy(names));
  }
  bool parens = accept("(");
  do {
    if (parens && is(")"))
      break;
    if (tok().kind != TokenKind::Name)
      return unexpected("a name to import");
    ImportName n{tok().text, tok().text, here()};
    ++at;
    if (accept("as")) {
      if (tok().kind != TokenKind::Name)
        return unexpected("a name");
      n.bound = tok().text;
      n.hasAs = true;
      ++at;
    }
    names.push_back(n);
  } while (accept(","));
  if (parens && !expect(")", "the imported names"))
    return nullptr;
  return make<ImportStmt>(since(start), true, llvm::StringRef(from).copy(module.arena),
                          copy(names));
}

bool Parser::block(Body &out) {
  if (!expect(":", "the head of the block"))
    return false;
  llvm::SmallVector<const Stmt *> body;
  if (tok().kind != TokenKind::Newline) {
    if (!simpleLine(body))
      return false;
    out = copy(body);
    return true;
  }
  ++at;
  if (tok().kind != TokenKind::Indent) {
    fail(DiagId::ExpectedIndent, here());
    return false;
  }
  ++at;
  while (tok().kind != TokenKind::Dedent && tok().kind != TokenKind::End)
    if (!statement(body))
      return false;
  if (tok().kind == TokenKind::Dedent)
    ++at;
  out = copy(body);
  return true;
}

bool Parser::optionalElse(Body &out) { return !accept("else") || block(out); }

const Stmt *Parser::ifStatement() {
  Span start = here();
  ++at; // `if` or `elif`
  const Expr *condition = namedExpression();
  Body thenBody, elseBody;
  if (!condition || !block(thenBody))
    return nullptr;
  Span head = start.to(condition->span);
  if (is("elif")) {
    Nest nest(*this);
    const Stmt *inner = nest.ok ? ifStatement() : nullptr;
    if (!inner)
      return nullptr;
    elseBody = copy(llvm::SmallVector<const Stmt *>{inner});
  } else if (!optionalElse(elseBody)) {
    return nullptr;
  }
  return make<IfStmt>(head, condition, thenBody, elseBody);
}

const Stmt *Parser::forStatement() {
  Span start = here();
  ++at;
  const Expr *target = targetList();
  if (!target || !expect("in", "the target of `for`"))
    return nullptr;
  const Expr *iterable = expressionList(true);
  Body body, orElse;
  if (!iterable || !block(body) || !optionalElse(orElse))
    return nullptr;
  return make<ForStmt>(start.to(iterable->span), target, iterable, body, orElse);
}

const Stmt *Parser::whileStatement() {
  Span start = here();
  ++at;
  const Expr *condition = namedExpression();
  Body body, orElse;
  if (!condition || !block(body) || !optionalElse(orElse))
    return nullptr;
  return make<WhileStmt>(start.to(condition->span), condition, body, orElse);
}

const Stmt *Parser::withStatement() {
  Span start = here();
  ++at;
  // `with (A() as a, B() as b):` looks like a parenthesised expression until its `as`.
  bool parens = false;
  if (is("(")) {
    int open = 0;
    size_t i = 0;
    bool sawAs = false;
    do {
      const Token &t = tok(i++);
      open += t.is("(") || t.is("[") || t.is("{") ? 1 : 0;
      open -= t.is(")") || t.is("]") || t.is("}") ? 1 : 0;
      sawAs |= open == 1 && t.is("as");
    } while (open > 0 && tok(i).kind != TokenKind::End);
    parens = sawAs && tok(i).is(":");
  }
  if (parens)
    ++at;
  llvm::SmallVector<WithItem> items;
  do {
    if (parens && is(")"))
      break;
    WithItem item;
    item.context = expression();
    if (!item.context)
      return nullptr;
    if (accept("as")) {
      item.target = postfix();
      if (!item.target || !isTarget(item.target))
        return nullptr;
    }
    items.push_back(item);
  } while (accept(","));
  if (parens && !expect(")", "the context managers"))
    return nullptr;
  Span head = since(start);
  Body body;
  if (!block(body))
    return nullptr;
  return make<WithStmt>(head, copy(items), body);
}

const Stmt *Parser::tryStatement() {
  Span start = here();
  ++at;
  Body body, orElse, finalBody;
  if (!block(body))
    return nullptr;
  llvm::SmallVector<Handler> handlers;
  while (is("except")) {
    ++at;
    if (is("*"))
      return fail(DiagId::UnsupportedSyntax, here(), "except*");
    Handler h;
    if (!is(":") && !(h.type = expressionList(false)))
      return nullptr;
    if (accept("as")) {
      if (tok().kind != TokenKind::Name)
        return unexpected("a name");
      h.name = tok().text;
      ++at;
    }
    if (!block(h.body))
      return nullptr;
    handlers.push_back(h);
  }
  if (!optionalElse(orElse) || (accept("finally") && !block(finalBody)))
    return nullptr;
  if (handlers.empty() && finalBody.empty())
    return unexpected("`except` or `finally`");
  return make<TryStmt>(start, body, copy(handlers), orElse, finalBody);
}

const Stmt *Parser::decorated() {
  llvm::SmallVector<const Expr *> decorators;
  while (accept("@")) {
    const Expr *e = namedExpression();
    if (!e)
      return nullptr;
    decorators.push_back(e);
    if (tok().kind != TokenKind::Newline)
      return unexpected("the end of the line");
    ++at;
  }
  if (is("def"))
    return function(copy(decorators));
  if (is("class"))
    return decoratedClass(copy(decorators));
  if (accept("async"))
    return is("def") ? function(copy(decorators), /*isAsync=*/true) : unexpected("`def`");
  return unexpected("`def` after a decorator");
}

const Stmt *Parser::function(Exprs decorators, bool isAsync) {
  Span start = here();
  ++at;
  if (tok().kind != TokenKind::Name)
    return unexpected("a function name");
  llvm::StringRef name = tok().text;
  Span nameSpan = here();
  ++at;
  if (is("["))
    return fail(DiagId::UnsupportedSyntax, here(), "type parameters");
  llvm::SmallVector<Param> list;
  if (!expect("(", "the function's name") || !params(list, ")", true) ||
      !expect(")", "the parameters"))
    return nullptr;
  const Expr *returns = nullptr;
  if (accept("->") && !(returns = expression()))
    return nullptr;
  Span head = since(start);
  Body body;
  if (!block(body))
    return nullptr;
  if (isAsync)
    body = copy(llvm::SmallVector<const Stmt *>{
        make<ExprStmt>(head, make<UnsupportedExpr>(head, "async"))});
  return make<FunctionStmt>(head, name, nameSpan, copy(list), body, decorators, returns);
}

const Stmt *Parser::decoratedClass(Exprs decorators) {
  Span start = here();
  ++at;
  if (tok().kind != TokenKind::Name)
    return unexpected("a class name");
  llvm::StringRef name = tok().text;
  Span nameSpan = here();
  ++at;
  Exprs bases;
  if (is("(")) {
    const Expr *callee = make<NameExpr>(nameSpan, name);
    const Expr *list = call(callee);
    if (!list)
      return nullptr;
    bases = llvm::cast<CallExpr>(list)->args;
  }
  Span head = since(start);
  Body body;
  if (!block(body))
    return nullptr;
  return make<ClassStmt>(head, name, nameSpan, bases, body, decorators);
}

namespace {
std::unique_ptr<Module> parse(const SourceManager &sources, uint32_t file, bool expression,
                              DiagnosticEngine &diags) {
  auto module = std::make_unique<Module>();
  module->file = file;
  uint32_t end = static_cast<uint32_t>(sources.file(file).text().size());
  auto tokens = lex(sources, file, 0, end, expression, diags);
  if (!tokens)
    return nullptr;
  Parser parser(sources, *module, std::move(*tokens), diags);
  if (expression) {
    module->expression = parser.wholeExpression();
    return module->expression ? std::move(module) : nullptr;
  }
  return parser.file() ? std::move(module) : nullptr;
}
} // namespace

std::unique_ptr<Module> parseModule(const SourceManager &sources, uint32_t file,
                                    DiagnosticEngine &diags) {
  return parse(sources, file, false, diags);
}
std::unique_ptr<Module> parseExpression(const SourceManager &sources, uint32_t file,
                                        DiagnosticEngine &diags) {
  return parse(sources, file, true, diags);
}

} // namespace tilec::script
