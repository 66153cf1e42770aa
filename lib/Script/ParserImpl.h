//===- ParserImpl.h - state shared by the parser's files ------------------===//
//
// The tokens, where the parser stands, and its first error; ParseExpr, ParseStmt and ParseString
// have the functions.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/Lexer.h"
#include "tilec/Script/Parser.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tilec::script {

/// Recursive descent. A function returns null (or false) after an error.
class Parser {
public:
  Parser(const SourceManager &sources, ast::Module &module, std::vector<Token> tokens,
         DiagnosticEngine &diags)
      : sources(sources), module(module), tokens(std::move(tokens)), diags(diags) {}

  bool file();
  const ast::Expr *wholeExpression();

private:
  // Tokens.
  const Token &tok(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  bool is(llvm::StringRef text) const { return tok().is(text); }
  bool accept(llvm::StringRef text) {
    if (!is(text))
      return false;
    ++at;
    return true;
  }
  bool expect(llvm::StringRef text, llvm::StringRef where);
  Span here() const { return tok().span; }
  /// From `start` to the end of the last token read.
  Span since(Span start) const { return start.to(tokens[at ? at - 1 : 0].span); }
  std::nullptr_t unexpected(llvm::StringRef wanted);
  template <typename... Args> std::nullptr_t fail(DiagId id, Span span, Args &&...args) {
    if (!failed)
      diags.report(id, span, std::forward<Args>(args)...);
    failed = true;
    return nullptr;
  }

  template <typename T, typename... Args> const T *make(Args &&...args) {
    return new (module.arena.Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }
  template <typename Vector> auto copy(const Vector &items) {
    return llvm::ArrayRef(items).copy(module.arena);
  }

  /// Counts nesting; false (and an error) when the program nests too deeply.
  struct Nest {
    explicit Nest(Parser &parser);
    ~Nest() { --parser.depth; }
    Parser &parser;
    bool ok;
  };

  // Expressions (ParseExpr.cpp).
  const ast::Expr *expression();      ///< conditional, lambda
  const ast::Expr *namedExpression(); ///< with `:=`
  const ast::Expr *expressionList(bool allowStar, bool named = false);
  const ast::Expr *targetList(); ///< before `in`
  /// PART {WORD PART}
  const ast::Expr *joined(llvm::StringRef word, bool isAnd, const ast::Expr *(Parser::*part)());
  const ast::Expr *disjunction();
  const ast::Expr *conjunction();
  const ast::Expr *inversion();
  const ast::Expr *comparison();
  const ast::Expr *binary(int minPrecedence);
  const ast::Expr *unary();
  const ast::Expr *power();
  const ast::Expr *postfix();
  const ast::Expr *atom();
  const ast::Expr *parenthesised();
  const ast::Expr *listDisplay();
  const ast::Expr *braceDisplay();
  const ast::Expr *call(const ast::Expr *callee);
  const ast::Expr *subscript(const ast::Expr *value);
  const ast::Expr *subscriptItem();
  const ast::Expr *lambda();
  const ast::Expr *number();
  const ast::Expr *starred();
  const ast::Expr *yieldExpression();
  const ast::Expr *comprehension(ast::ExprKind kind, Span start, const ast::Expr *element,
                                 const ast::Expr *dictValue, llvm::StringRef close);
  bool generators(llvm::SmallVectorImpl<ast::Generator> &out);
  bool params(llvm::SmallVectorImpl<ast::Param> &out, llvm::StringRef close, bool annotations);
  bool isTarget(const ast::Expr *e, bool allowSequence = true);

  // Strings (ParseString.cpp).
  const ast::Expr *strings();
  bool decode(llvm::StringRef body, uint32_t offset, bool raw, bool bytes, std::string &out);
  bool joined(llvm::StringRef body, uint32_t offset, bool raw, bool inSpec,
              llvm::SmallVectorImpl<ast::JoinedPart> &out, unsigned nesting);
  bool hole(llvm::StringRef body, uint32_t offset, size_t &i, bool raw, ast::JoinedPart &part,
            llvm::SmallVectorImpl<ast::JoinedPart> &out, unsigned nesting);
  const ast::Expr *nestedExpression(uint32_t begin, uint32_t end);

  // Statements (ParseStmt.cpp).
  using Stmts = llvm::SmallVectorImpl<const ast::Stmt *>;
  bool statement(Stmts &out);
  bool simpleLine(Stmts &out);
  const ast::Stmt *simpleStatement();
  const ast::Stmt *expressionStatement();
  const ast::Stmt *importStatement();
  const ast::Stmt *fromImport();
  const ast::Stmt *scopeStatement(ast::StmtKind kind);
  const ast::Stmt *assertStatement();
  const ast::Stmt *raiseStatement();
  const ast::Stmt *ifStatement();
  const ast::Stmt *forStatement();
  const ast::Stmt *whileStatement();
  const ast::Stmt *withStatement();
  const ast::Stmt *tryStatement();
  const ast::Stmt *decorated();
  const ast::Stmt *function(ast::Exprs decorators, bool isAsync = false);
  const ast::Stmt *classStatement() { return decoratedClass({}); }
  const ast::Stmt *decoratedClass(ast::Exprs decorators);
  bool block(ast::Body &out);
  bool optionalElse(ast::Body &out);
  llvm::StringRef dottedName();

  const SourceManager &sources;
  ast::Module &module;
  std::vector<Token> tokens;
  DiagnosticEngine &diags;
  size_t at = 0;
  unsigned depth = 0;
  bool failed = false;
};

} // namespace tilec::script
