//===- Ast.h - the syntax tree of a script --------------------------------===//
//
// Python's own tree, allocated in the arena of its Module. Names and string values
// point into the arena or the source text.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <memory>

namespace llvm {
class raw_ostream;
}

namespace tilec::script::ast {

enum class ExprKind : uint8_t {
  Name,
  Constant,
  Number,
  String,
  Joined,
  Tuple,
  List,
  Set,
  Dict,
  Unary,
  Binary,
  Bool,
  Compare,
  Conditional,
  Lambda,
  Call,
  Attribute,
  Subscript,
  Slice,
  Starred,
  Named,
  Unsupported,
  ListComp,
  SetComp,
  DictComp,
  Generator,
};

struct Expr {
  ExprKind kind;
  Span span;

protected:
  Expr(ExprKind kind, Span span) : kind(kind), span(span) {}
};
using Exprs = llvm::ArrayRef<const Expr *>;

/// Makes `classof` for a node of one kind.
#define TILEC_AST_KIND(K)                                                                          \
  static bool classof(const Expr *e) { return e->kind == ExprKind::K; }

struct NameExpr : Expr {
  llvm::StringRef name;
  NameExpr(Span span, llvm::StringRef name) : Expr(ExprKind::Name, span), name(name) {}
  TILEC_AST_KIND(Name)
};

struct ConstantExpr : Expr {
  enum Which : uint8_t { None, True, False, Ellipsis } which;
  ConstantExpr(Span span, Which which) : Expr(ExprKind::Constant, span), which(which) {}
  TILEC_AST_KIND(Constant)
};

struct NumberExpr : Expr {
  bool isFloat;
  llvm::StringRef digits; ///< integers: without prefix and underscores
  unsigned radix = 10;
  double value = 0; ///< floats
  NumberExpr(Span span, bool isFloat) : Expr(ExprKind::Number, span), isFloat(isFloat) {}
  TILEC_AST_KIND(Number)
};

struct StringExpr : Expr {
  llvm::StringRef value; ///< decoded, adjacent literals joined
  StringExpr(Span span, llvm::StringRef value) : Expr(ExprKind::String, span), value(value) {}
  TILEC_AST_KIND(String)
};

/// Text, or a hole when `value` is set.
struct JoinedPart {
  llvm::StringRef text;
  const Expr *value = nullptr;
  char conversion = 0;                  ///< 'r', 's', 'a' or 0
  llvm::ArrayRef<JoinedPart> spec = {}; ///< after the colon
};

struct JoinedExpr : Expr {
  llvm::ArrayRef<JoinedPart> parts;
  JoinedExpr(Span span, llvm::ArrayRef<JoinedPart> parts)
      : Expr(ExprKind::Joined, span), parts(parts) {}
  TILEC_AST_KIND(Joined)
};

struct SequenceExpr : Expr {
  Exprs items;
  SequenceExpr(ExprKind kind, Span span, Exprs items) : Expr(kind, span), items(items) {}
  static bool classof(const Expr *e) {
    return e->kind == ExprKind::Tuple || e->kind == ExprKind::List || e->kind == ExprKind::Set;
  }
};

struct DictExpr : Expr {
  Exprs keys; ///< null where a `**mapping` is merged
  Exprs values;
  DictExpr(Span span, Exprs keys, Exprs values)
      : Expr(ExprKind::Dict, span), keys(keys), values(values) {}
  TILEC_AST_KIND(Dict)
};

enum class UnaryOp : uint8_t { Not, Neg, Pos, Invert };
struct UnaryExpr : Expr {
  UnaryOp op;
  const Expr *operand;
  UnaryExpr(Span span, UnaryOp op, const Expr *operand)
      : Expr(ExprKind::Unary, span), op(op), operand(operand) {}
  TILEC_AST_KIND(Unary)
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  MatMul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  Shl,
  Shr,
  BitAnd,
  BitOr,
  BitXor
};
llvm::StringRef spellingOf(BinaryOp op);

struct BinaryExpr : Expr {
  BinaryOp op;
  const Expr *lhs, *rhs;
  BinaryExpr(Span span, BinaryOp op, const Expr *lhs, const Expr *rhs)
      : Expr(ExprKind::Binary, span), op(op), lhs(lhs), rhs(rhs) {}
  TILEC_AST_KIND(Binary)
};

struct BoolExpr : Expr {
  bool isAnd;
  Exprs operands;
  BoolExpr(Span span, bool isAnd, Exprs operands)
      : Expr(ExprKind::Bool, span), isAnd(isAnd), operands(operands) {}
  TILEC_AST_KIND(Bool)
};

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
llvm::StringRef spellingOf(CompareOp op);

struct CompareExpr : Expr {
  Exprs operands; ///< one more than ops
  llvm::ArrayRef<CompareOp> ops;
  CompareExpr(Span span, Exprs operands, llvm::ArrayRef<CompareOp> ops)
      : Expr(ExprKind::Compare, span), operands(operands), ops(ops) {}
  TILEC_AST_KIND(Compare)
};

struct ConditionalExpr : Expr {
  const Expr *condition, *thenValue, *elseValue;
  ConditionalExpr(Span span, const Expr *condition, const Expr *thenValue, const Expr *elseValue)
      : Expr(ExprKind::Conditional, span), condition(condition), thenValue(thenValue),
        elseValue(elseValue) {}
  TILEC_AST_KIND(Conditional)
};

struct Param {
  llvm::StringRef name;
  Span span;
  const Expr *annotation = nullptr, *defaultValue = nullptr;
  enum Kind : uint8_t { Positional, KeywordOnly, VarArgs, VarKeywords } kind = Positional;
  bool positionalOnly = false;
};
using Params = llvm::ArrayRef<Param>;

struct LambdaExpr : Expr {
  Params params;
  const Expr *body;
  LambdaExpr(Span span, Params params, const Expr *body)
      : Expr(ExprKind::Lambda, span), params(params), body(body) {}
  TILEC_AST_KIND(Lambda)
};

struct Keyword {
  llvm::StringRef name; ///< empty for `**mapping`
  const Expr *value;
  Span span;
};

struct CallExpr : Expr {
  const Expr *callee;
  Exprs args;
  llvm::ArrayRef<Keyword> keywords;
  CallExpr(Span span, const Expr *callee, Exprs args, llvm::ArrayRef<Keyword> keywords)
      : Expr(ExprKind::Call, span), callee(callee), args(args), keywords(keywords) {}
  TILEC_AST_KIND(Call)
};

struct AttributeExpr : Expr {
  const Expr *value;
  llvm::StringRef name;
  Span nameSpan;
  AttributeExpr(Span span, const Expr *value, llvm::StringRef name, Span nameSpan)
      : Expr(ExprKind::Attribute, span), value(value), name(name), nameSpan(nameSpan) {}
  TILEC_AST_KIND(Attribute)
};

struct SubscriptExpr : Expr {
  const Expr *value, *index;
  SubscriptExpr(Span span, const Expr *value, const Expr *index)
      : Expr(ExprKind::Subscript, span), value(value), index(index) {}
  TILEC_AST_KIND(Subscript)
};

struct SliceExpr : Expr {
  const Expr *lower, *upper, *step; ///< null when left out
  SliceExpr(Span span, const Expr *lower, const Expr *upper, const Expr *step)
      : Expr(ExprKind::Slice, span), lower(lower), upper(upper), step(step) {}
  TILEC_AST_KIND(Slice)
};

struct StarredExpr : Expr {
  const Expr *value;
  StarredExpr(Span span, const Expr *value) : Expr(ExprKind::Starred, span), value(value) {}
  TILEC_AST_KIND(Starred)
};

struct NamedExpr : Expr {
  const NameExpr *target;
  const Expr *value;
  NamedExpr(Span span, const NameExpr *target, const Expr *value)
      : Expr(ExprKind::Named, span), target(target), value(value) {}
  TILEC_AST_KIND(Named)
};

/// `yield` and `await`: legal in code that no kernel reaches, an error when evaluated.
struct UnsupportedExpr : Expr {
  llvm::StringRef what;
  UnsupportedExpr(Span span, llvm::StringRef what)
      : Expr(ExprKind::Unsupported, span), what(what) {}
  TILEC_AST_KIND(Unsupported)
};

struct Generator {
  const Expr *target, *iterable;
  Exprs conditions;
};

struct ComprehensionExpr : Expr {
  const Expr *element, *dictValue; ///< dictValue only in a DictComp, where element is the key
  llvm::ArrayRef<Generator> generators;
  ComprehensionExpr(ExprKind kind, Span span, const Expr *element, const Expr *dictValue,
                    llvm::ArrayRef<Generator> generators)
      : Expr(kind, span), element(element), dictValue(dictValue), generators(generators) {}
  static bool classof(const Expr *e) { return e->kind >= ExprKind::ListComp; }
};
#undef TILEC_AST_KIND

enum class StmtKind : uint8_t {
  Expr,
  Assign,
  AugAssign,
  AnnAssign,
  For,
  While,
  If,
  With,
  Function,
  Class,
  Return,
  Break,
  Continue,
  Pass,
  Import,
  Global,
  Nonlocal,
  Assert,
  Raise,
  Delete,
  Try,
};

struct Stmt {
  StmtKind kind;
  Span span;

protected:
  Stmt(StmtKind kind, Span span) : kind(kind), span(span) {}
};
using Body = llvm::ArrayRef<const Stmt *>;

#define TILEC_AST_KIND(K)                                                                          \
  static bool classof(const Stmt *s) { return s->kind == StmtKind::K; }

struct ExprStmt : Stmt {
  const Expr *value;
  ExprStmt(Span span, const Expr *value) : Stmt(StmtKind::Expr, span), value(value) {}
  TILEC_AST_KIND(Expr)
};

struct AssignStmt : Stmt {
  Exprs targets; ///< `a = b = value` has two
  const Expr *value;
  AssignStmt(Span span, Exprs targets, const Expr *value)
      : Stmt(StmtKind::Assign, span), targets(targets), value(value) {}
  TILEC_AST_KIND(Assign)
};

struct AugAssignStmt : Stmt {
  const Expr *target;
  BinaryOp op;
  const Expr *value;
  AugAssignStmt(Span span, const Expr *target, BinaryOp op, const Expr *value)
      : Stmt(StmtKind::AugAssign, span), target(target), op(op), value(value) {}
  TILEC_AST_KIND(AugAssign)
};

struct AnnAssignStmt : Stmt {
  const Expr *target, *annotation;
  const Expr *value; ///< may be null
  AnnAssignStmt(Span span, const Expr *target, const Expr *annotation, const Expr *value)
      : Stmt(StmtKind::AnnAssign, span), target(target), annotation(annotation), value(value) {}
  TILEC_AST_KIND(AnnAssign)
};

struct ForStmt : Stmt {
  const Expr *target, *iterable;
  Body body, orElse;
  ForStmt(Span span, const Expr *target, const Expr *iterable, Body body, Body orElse)
      : Stmt(StmtKind::For, span), target(target), iterable(iterable), body(body), orElse(orElse) {}
  TILEC_AST_KIND(For)
};

struct WhileStmt : Stmt {
  const Expr *condition;
  Body body, orElse;
  WhileStmt(Span span, const Expr *condition, Body body, Body orElse)
      : Stmt(StmtKind::While, span), condition(condition), body(body), orElse(orElse) {}
  TILEC_AST_KIND(While)
};

struct IfStmt : Stmt {
  const Expr *condition;
  Body thenBody, elseBody; ///< `elif` is an IfStmt alone in elseBody
  IfStmt(Span span, const Expr *condition, Body thenBody, Body elseBody)
      : Stmt(StmtKind::If, span), condition(condition), thenBody(thenBody), elseBody(elseBody) {}
  TILEC_AST_KIND(If)
};

struct WithItem {
  const Expr *context;
  const Expr *target = nullptr; ///< after `as`
};

struct WithStmt : Stmt {
  llvm::ArrayRef<WithItem> items;
  Body body;
  WithStmt(Span span, llvm::ArrayRef<WithItem> items, Body body)
      : Stmt(StmtKind::With, span), items(items), body(body) {}
  TILEC_AST_KIND(With)
};

struct FunctionStmt : Stmt {
  llvm::StringRef name;
  Span nameSpan;
  Params params;
  Body body;
  Exprs decorators;
  const Expr *returns = nullptr;
  FunctionStmt(Span span, llvm::StringRef name, Span nameSpan, Params params, Body body,
               Exprs decorators, const Expr *returns)
      : Stmt(StmtKind::Function, span), name(name), nameSpan(nameSpan), params(params), body(body),
        decorators(decorators), returns(returns) {}
  TILEC_AST_KIND(Function)
};

struct ClassStmt : Stmt {
  llvm::StringRef name;
  Span nameSpan;
  Exprs bases;
  Body body;
  Exprs decorators;
  ClassStmt(Span span, llvm::StringRef name, Span nameSpan, Exprs bases, Body body,
            Exprs decorators)
      : Stmt(StmtKind::Class, span), name(name), nameSpan(nameSpan), bases(bases), body(body),
        decorators(decorators) {}
  TILEC_AST_KIND(Class)
};

/// Return, Break, Continue, Pass, Raise: a keyword and at most one expression.
struct SimpleStmt : Stmt {
  const Expr *value;
  SimpleStmt(StmtKind kind, Span span, const Expr *value = nullptr)
      : Stmt(kind, span), value(value) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Return || s->kind == StmtKind::Break ||
           s->kind == StmtKind::Continue || s->kind == StmtKind::Pass || s->kind == StmtKind::Raise;
  }
};

struct ImportName {
  llvm::StringRef name; ///< dotted for `import a.b`; `*` for a star import
  llvm::StringRef bound;
  Span span;
  bool hasAs = false;
};

struct ImportStmt : Stmt {
  bool isFrom;
  llvm::StringRef module; ///< of `from module import ...`
  llvm::ArrayRef<ImportName> names;
  ImportStmt(Span span, bool isFrom, llvm::StringRef module, llvm::ArrayRef<ImportName> names)
      : Stmt(StmtKind::Import, span), isFrom(isFrom), module(module), names(names) {}
  TILEC_AST_KIND(Import)
};

struct ScopeStmt : Stmt {
  llvm::ArrayRef<llvm::StringRef> names;
  ScopeStmt(StmtKind kind, Span span, llvm::ArrayRef<llvm::StringRef> names)
      : Stmt(kind, span), names(names) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Global || s->kind == StmtKind::Nonlocal;
  }
};

struct AssertStmt : Stmt {
  const Expr *condition, *message; ///< message may be null
  AssertStmt(Span span, const Expr *condition, const Expr *message)
      : Stmt(StmtKind::Assert, span), condition(condition), message(message) {}
  TILEC_AST_KIND(Assert)
};

struct DeleteStmt : Stmt {
  Exprs targets;
  DeleteStmt(Span span, Exprs targets) : Stmt(StmtKind::Delete, span), targets(targets) {}
  TILEC_AST_KIND(Delete)
};

struct Handler {
  const Expr *type = nullptr; ///< null catches everything
  llvm::StringRef name;
  Body body;
};

struct TryStmt : Stmt {
  Body body;
  llvm::ArrayRef<Handler> handlers;
  Body orElse, finalBody;
  TryStmt(Span span, Body body, llvm::ArrayRef<Handler> handlers, Body orElse, Body finalBody)
      : Stmt(StmtKind::Try, span), body(body), handlers(handlers), orElse(orElse),
        finalBody(finalBody) {}
  TILEC_AST_KIND(Try)
};
#undef TILEC_AST_KIND

/// A parsed file; owns its tree.
struct Module {
  uint32_t file = 0;
  Body body;
  const Expr *expression = nullptr; ///< set instead of body by parseExpression
  llvm::BumpPtrAllocator arena;
};

/// Prints in fully parenthesised form, for tests.
void print(const Expr &expr, llvm::raw_ostream &os);
void print(Body body, llvm::raw_ostream &os, unsigned indent = 0);

} // namespace tilec::script::ast
