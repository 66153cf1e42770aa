//===- AstPrinter.cpp - the syntax tree as text ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/Ast.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::script::ast {

llvm::StringRef spellingOf(BinaryOp op) {
  constexpr llvm::StringRef names[] = {"+",  "-",  "*",  "@", "/", "//", "%",
                                       "**", "<<", ">>", "&", "|", "^"};
  return names[static_cast<unsigned>(op)];
}

llvm::StringRef spellingOf(CompareOp op) {
  constexpr llvm::StringRef names[] = {"==", "!=", "<",      "<=", ">",
                                       ">=", "is", "is not", "in", "not in"};
  return names[static_cast<unsigned>(op)];
}

namespace {

struct Printer {
  llvm::raw_ostream &os;

  void list(Exprs items) {
    llvm::StringRef comma;
    for (const Expr *item : items) {
      os << comma;
      expr(item);
      comma = ", ";
    }
  }

  void params(Params list) {
    llvm::StringRef comma;
    bool keywordOnly = false;
    for (const Param &p : list) {
      os << comma;
      comma = ", ";
      if (p.kind == Param::KeywordOnly && !keywordOnly)
        os << "*, ";
      keywordOnly |= p.kind == Param::KeywordOnly || p.kind == Param::VarArgs;
      os << (p.kind == Param::VarArgs ? "*" : p.kind == Param::VarKeywords ? "**" : "") << p.name;
      if (p.annotation) {
        os << ": ";
        expr(p.annotation);
      }
      if (p.defaultValue) {
        os << "=";
        expr(p.defaultValue);
      }
    }
  }

  void quoted(llvm::StringRef text) {
    os << '\'';
    os.write_escaped(text);
    os << '\'';
  }

  void joined(llvm::ArrayRef<JoinedPart> parts) {
    for (const JoinedPart &p : parts) {
      if (!p.value) {
        os.write_escaped(p.text);
        continue;
      }
      os << '{';
      expr(p.value);
      if (p.conversion)
        os << '!' << p.conversion;
      if (!p.spec.empty()) {
        os << ':';
        joined(p.spec);
      }
      os << '}';
    }
  }

  void comprehension(const ComprehensionExpr *c) {
    constexpr llvm::StringRef open[] = {"[", "{", "{", "("}, close[] = {"]", "}", "}", ")"};
    unsigned which = static_cast<unsigned>(c->kind) - static_cast<unsigned>(ExprKind::ListComp);
    os << open[which];
    expr(c->element);
    if (c->dictValue) {
      os << ": ";
      expr(c->dictValue);
    }
    for (const Generator &g : c->generators) {
      os << " for ";
      expr(g.target);
      os << " in ";
      expr(g.iterable);
      for (const Expr *condition : g.conditions) {
        os << " if ";
        expr(condition);
      }
    }
    os << close[which];
  }

  void call(const CallExpr *c) {
    expr(c->callee);
    os << '(';
    list(c->args);
    llvm::StringRef comma = c->args.empty() ? "" : ", ";
    for (const Keyword &k : c->keywords) {
      os << comma;
      comma = ", ";
      if (k.name.empty())
        os << "**";
      else
        os << k.name << '=';
      expr(k.value);
    }
    os << ')';
  }

  void expr(const Expr *e);
  void body(Body list, unsigned indent);
  void stmt(const Stmt *s, unsigned indent);
  void exprStmts(const Stmt *s);
};

void Printer::expr(const Expr *e) {
  switch (e->kind) {
  case ExprKind::Name:
    os << llvm::cast<NameExpr>(e)->name;
    return;
  case ExprKind::Constant: {
    constexpr llvm::StringRef names[] = {"None", "True", "False", "..."};
    os << names[llvm::cast<ConstantExpr>(e)->which];
    return;
  }
  case ExprKind::Number: {
    const auto *n = llvm::cast<NumberExpr>(e);
    if (n->isFloat)
      os << llvm::format("%.17g", n->value);
    else
      os << (n->radix == 16 ? "0x" : n->radix == 8 ? "0o" : n->radix == 2 ? "0b" : "") << n->digits;
    return;
  }
  case ExprKind::String:
    return quoted(llvm::cast<StringExpr>(e)->value);
  case ExprKind::Joined:
    os << "f'";
    joined(llvm::cast<JoinedExpr>(e)->parts);
    os << '\'';
    return;
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Set: {
    const auto *s = llvm::cast<SequenceExpr>(e);
    os << (e->kind == ExprKind::Tuple ? "(" : e->kind == ExprKind::List ? "[" : "{");
    list(s->items);
    if (e->kind == ExprKind::Tuple && s->items.size() == 1)
      os << ',';
    os << (e->kind == ExprKind::Tuple ? ")" : e->kind == ExprKind::List ? "]" : "}");
    return;
  }
  case ExprKind::Dict: {
    const auto *d = llvm::cast<DictExpr>(e);
    os << '{';
    for (size_t i = 0; i < d->keys.size(); ++i) {
      os << (i ? ", " : "");
      if (d->keys[i]) {
        expr(d->keys[i]);
        os << ": ";
      } else {
        os << "**";
      }
      expr(d->values[i]);
    }
    os << '}';
    return;
  }
  case ExprKind::Unary: {
    constexpr llvm::StringRef names[] = {"not ", "-", "+", "~"};
    const auto *u = llvm::cast<UnaryExpr>(e);
    os << '(' << names[static_cast<unsigned>(u->op)];
    expr(u->operand);
    os << ')';
    return;
  }
  case ExprKind::Binary: {
    const auto *b = llvm::cast<BinaryExpr>(e);
    os << '(';
    expr(b->lhs);
    os << ' ' << spellingOf(b->op) << ' ';
    expr(b->rhs);
    os << ')';
    return;
  }
  case ExprKind::Bool: {
    const auto *b = llvm::cast<BoolExpr>(e);
    os << '(';
    for (size_t i = 0; i < b->operands.size(); ++i) {
      os << (i == 0 ? "" : b->isAnd ? " and " : " or ");
      expr(b->operands[i]);
    }
    os << ')';
    return;
  }
  case ExprKind::Compare: {
    const auto *c = llvm::cast<CompareExpr>(e);
    os << '(';
    expr(c->operands[0]);
    for (size_t i = 0; i < c->ops.size(); ++i) {
      os << ' ' << spellingOf(c->ops[i]) << ' ';
      expr(c->operands[i + 1]);
    }
    os << ')';
    return;
  }
  case ExprKind::Conditional: {
    const auto *c = llvm::cast<ConditionalExpr>(e);
    os << '(';
    expr(c->thenValue);
    os << " if ";
    expr(c->condition);
    os << " else ";
    expr(c->elseValue);
    os << ')';
    return;
  }
  case ExprKind::Lambda: {
    const auto *l = llvm::cast<LambdaExpr>(e);
    os << "(lambda ";
    params(l->params);
    os << ": ";
    expr(l->body);
    os << ')';
    return;
  }
  case ExprKind::Call:
    return call(llvm::cast<CallExpr>(e));
  case ExprKind::Attribute: {
    const auto *a = llvm::cast<AttributeExpr>(e);
    expr(a->value);
    os << '.' << a->name;
    return;
  }
  case ExprKind::Subscript: {
    const auto *s = llvm::cast<SubscriptExpr>(e);
    expr(s->value);
    os << '[';
    expr(s->index);
    os << ']';
    return;
  }
  case ExprKind::Slice: {
    const auto *s = llvm::cast<SliceExpr>(e);
    if (s->lower)
      expr(s->lower);
    os << ':';
    if (s->upper)
      expr(s->upper);
    if (s->step) {
      os << ':';
      expr(s->step);
    }
    return;
  }
  case ExprKind::Starred:
    os << '*';
    return expr(llvm::cast<StarredExpr>(e)->value);
  case ExprKind::Named: {
    const auto *n = llvm::cast<NamedExpr>(e);
    os << '(' << n->target->name << " := ";
    expr(n->value);
    os << ')';
    return;
  }
  case ExprKind::Unsupported:
    os << '<' << llvm::cast<UnsupportedExpr>(e)->what << '>';
    return;
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
  case ExprKind::Generator:
    return comprehension(llvm::cast<ComprehensionExpr>(e));
  }
}

void Printer::body(Body list, unsigned indent) {
  for (const Stmt *s : list)
    stmt(s, indent);
}

void Printer::exprStmts(const Stmt *s) {
  if (const auto *e = llvm::dyn_cast<ExprStmt>(s)) {
    expr(e->value);
  } else if (const auto *a = llvm::dyn_cast<AssignStmt>(s)) {
    for (const Expr *target : a->targets) {
      expr(target);
      os << " = ";
    }
    expr(a->value);
  } else if (const auto *a = llvm::dyn_cast<AugAssignStmt>(s)) {
    expr(a->target);
    os << ' ' << spellingOf(a->op) << "= ";
    expr(a->value);
  } else if (const auto *a = llvm::dyn_cast<AnnAssignStmt>(s)) {
    expr(a->target);
    os << ": ";
    expr(a->annotation);
    if (a->value) {
      os << " = ";
      expr(a->value);
    }
  }
}

void Printer::stmt(const Stmt *s, unsigned indent) {
  auto start = [&](llvm::StringRef text) -> llvm::raw_ostream & {
    return os.indent(indent) << text;
  };
  auto block = [&](Body list) {
    os << ":\n";
    body(list, indent + 2);
  };
  auto otherwise = [&](Body list) {
    if (list.empty())
      return;
    start("else");
    block(list);
  };
  switch (s->kind) {
  case StmtKind::Expr:
  case StmtKind::Assign:
  case StmtKind::AugAssign:
  case StmtKind::AnnAssign:
    start("");
    exprStmts(s);
    os << '\n';
    return;
  case StmtKind::For: {
    const auto *f = llvm::cast<ForStmt>(s);
    start("for ");
    expr(f->target);
    os << " in ";
    expr(f->iterable);
    block(f->body);
    return otherwise(f->orElse);
  }
  case StmtKind::While: {
    const auto *w = llvm::cast<WhileStmt>(s);
    start("while ");
    expr(w->condition);
    block(w->body);
    return otherwise(w->orElse);
  }
  case StmtKind::If: {
    const auto *i = llvm::cast<IfStmt>(s);
    start("if ");
    expr(i->condition);
    block(i->thenBody);
    return otherwise(i->elseBody);
  }
  case StmtKind::With: {
    const auto *w = llvm::cast<WithStmt>(s);
    start("with ");
    llvm::StringRef comma;
    for (const WithItem &item : w->items) {
      os << comma;
      comma = ", ";
      expr(item.context);
      if (item.target) {
        os << " as ";
        expr(item.target);
      }
    }
    return block(w->body);
  }
  case StmtKind::Function: {
    const auto *f = llvm::cast<FunctionStmt>(s);
    for (const Expr *d : f->decorators) {
      start("@");
      expr(d);
      os << '\n';
    }
    start("def ") << f->name << '(';
    params(f->params);
    os << ')';
    if (f->returns) {
      os << " -> ";
      expr(f->returns);
    }
    return block(f->body);
  }
  case StmtKind::Class: {
    const auto *c = llvm::cast<ClassStmt>(s);
    start("class ") << c->name << '(';
    list(c->bases);
    os << ')';
    return block(c->body);
  }
  case StmtKind::Return:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Pass:
  case StmtKind::Raise: {
    start(s->kind == StmtKind::Return     ? "return"
          : s->kind == StmtKind::Break    ? "break"
          : s->kind == StmtKind::Continue ? "continue"
          : s->kind == StmtKind::Pass     ? "pass"
                                          : "raise");
    if (const Expr *value = llvm::cast<SimpleStmt>(s)->value) {
      os << ' ';
      expr(value);
    }
    os << '\n';
    return;
  }
  case StmtKind::Import: {
    const auto *i = llvm::cast<ImportStmt>(s);
    if (i->isFrom)
      start("from ") << i->module << " import ";
    else
      start("import ");
    llvm::StringRef comma;
    for (const ImportName &n : i->names) {
      os << comma << n.name;
      comma = ", ";
      if (n.hasAs)
        os << " as " << n.bound;
    }
    os << '\n';
    return;
  }
  case StmtKind::Global:
  case StmtKind::Nonlocal:
    start(s->kind == StmtKind::Global ? "global" : "nonlocal");
    for (llvm::StringRef name : llvm::cast<ScopeStmt>(s)->names)
      os << ' ' << name;
    os << '\n';
    return;
  case StmtKind::Assert: {
    const auto *a = llvm::cast<AssertStmt>(s);
    start("assert ");
    expr(a->condition);
    if (a->message) {
      os << ", ";
      expr(a->message);
    }
    os << '\n';
    return;
  }
  case StmtKind::Delete:
    start("del ");
    list(llvm::cast<DeleteStmt>(s)->targets);
    os << '\n';
    return;
  case StmtKind::Try: {
    const auto *t = llvm::cast<TryStmt>(s);
    start("try");
    block(t->body);
    for (const Handler &h : t->handlers) {
      start("except");
      if (h.type) {
        os << ' ';
        expr(h.type);
      }
      if (!h.name.empty())
        os << " as " << h.name;
      block(h.body);
    }
    otherwise(t->orElse);
    if (!t->finalBody.empty()) {
      start("finally");
      block(t->finalBody);
    }
    return;
  }
  }
}

} // namespace

void print(const Expr &e, llvm::raw_ostream &os) { Printer{os}.expr(&e); }
void print(Body body, llvm::raw_ostream &os, unsigned indent) { Printer{os}.body(body, indent); }

} // namespace tilec::script::ast
