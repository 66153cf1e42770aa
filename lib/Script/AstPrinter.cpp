//===- AstPrinter.cpp - the syntax tree as text ---------------------------===//
//
// Takes a syntax tree, writes it as fully bracketed Python: for tests, and to say what was parsed.
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

  void show(const ConstantExpr *c);
  void show(const NumberExpr *n);
  void show(const JoinedExpr *x);
  void show(const SequenceExpr *s);
  void show(const DictExpr *d);
  void show(const UnaryExpr *u);
  void show(const BinaryExpr *b);
  void show(const BoolExpr *b);
  void show(const CompareExpr *c);
  void show(const ConditionalExpr *c);
  void show(const LambdaExpr *l);
  void show(const AttributeExpr *a);
  void show(const SubscriptExpr *s);
  void show(const SliceExpr *s);
  void show(const NamedExpr *n);
  void expr(const Expr *e);
  void body(Body list, unsigned indent);
  void stmt(const Stmt *s, unsigned indent);
  void exprStmts(const Stmt *s);

  llvm::raw_ostream &start(unsigned indent, llvm::StringRef text);
  void block(unsigned indent, Body list);
  void otherwise(unsigned indent, Body list);
  void show(const ForStmt *f, unsigned indent);
  void show(const WhileStmt *w, unsigned indent);
  void show(const IfStmt *i, unsigned indent);
  void show(const WithStmt *w, unsigned indent);
  void show(const FunctionStmt *f, unsigned indent);
  void show(const ClassStmt *c, unsigned indent);
  void show(const SimpleStmt *s, unsigned indent);
  void show(const ImportStmt *i, unsigned indent);
  void show(const ScopeStmt *s, unsigned indent);
  void show(const AssertStmt *a, unsigned indent);
  void show(const DeleteStmt *s, unsigned indent);
  void show(const TryStmt *t, unsigned indent);
};

void Printer::show(const ConstantExpr *c) {
  constexpr llvm::StringRef names[] = {"None", "True", "False", "..."};
  os << names[c->which];
}

void Printer::show(const NumberExpr *n) {
  if (n->isFloat)
    os << llvm::format("%.17g", n->value);
  else
    os << (n->radix == 16 ? "0x" : n->radix == 8 ? "0o" : n->radix == 2 ? "0b" : "") << n->digits;
}

void Printer::show(const JoinedExpr *x) {
  os << "f'";
  joined(x->parts);
  os << '\'';
}

void Printer::show(const SequenceExpr *s) {
  os << (s->kind == ExprKind::Tuple ? "(" : s->kind == ExprKind::List ? "[" : "{");
  list(s->items);
  if (s->kind == ExprKind::Tuple && s->items.size() == 1)
    os << ',';
  os << (s->kind == ExprKind::Tuple ? ")" : s->kind == ExprKind::List ? "]" : "}");
}

void Printer::show(const DictExpr *d) {
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
}

void Printer::show(const UnaryExpr *u) {
  constexpr llvm::StringRef names[] = {"not ", "-", "+", "~"};
  os << '(' << names[static_cast<unsigned>(u->op)];
  expr(u->operand);
  os << ')';
}

void Printer::show(const BinaryExpr *b) {
  os << '(';
  expr(b->lhs);
  os << ' ' << spellingOf(b->op) << ' ';
  expr(b->rhs);
  os << ')';
}

void Printer::show(const BoolExpr *b) {
  os << '(';
  for (size_t i = 0; i < b->operands.size(); ++i) {
    os << (i == 0 ? "" : b->isAnd ? " and " : " or ");
    expr(b->operands[i]);
  }
  os << ')';
}

void Printer::show(const CompareExpr *c) {
  os << '(';
  expr(c->operands[0]);
  for (size_t i = 0; i < c->ops.size(); ++i) {
    os << ' ' << spellingOf(c->ops[i]) << ' ';
    expr(c->operands[i + 1]);
  }
  os << ')';
}

void Printer::show(const ConditionalExpr *c) {
  os << '(';
  expr(c->thenValue);
  os << " if ";
  expr(c->condition);
  os << " else ";
  expr(c->elseValue);
  os << ')';
}

void Printer::show(const LambdaExpr *l) {
  os << "(lambda ";
  params(l->params);
  os << ": ";
  expr(l->body);
  os << ')';
}

void Printer::show(const AttributeExpr *a) {
  expr(a->value);
  os << '.' << a->name;
}

void Printer::show(const SubscriptExpr *s) {
  expr(s->value);
  os << '[';
  expr(s->index);
  os << ']';
}

void Printer::show(const SliceExpr *s) {
  if (s->lower)
    expr(s->lower);
  os << ':';
  if (s->upper)
    expr(s->upper);
  if (s->step) {
    os << ':';
    expr(s->step);
  }
}

void Printer::show(const NamedExpr *n) {
  os << '(' << n->target->name << " := ";
  expr(n->value);
  os << ')';
}

void Printer::expr(const Expr *e) {
  switch (e->kind) {
  case ExprKind::Name:
    os << llvm::cast<NameExpr>(e)->name;
    return;
  case ExprKind::Constant:
    return show(llvm::cast<ConstantExpr>(e));
  case ExprKind::Number:
    return show(llvm::cast<NumberExpr>(e));
  case ExprKind::String:
    return quoted(llvm::cast<StringExpr>(e)->value);
  case ExprKind::Joined:
    return show(llvm::cast<JoinedExpr>(e));
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Set:
    return show(llvm::cast<SequenceExpr>(e));
  case ExprKind::Dict:
    return show(llvm::cast<DictExpr>(e));
  case ExprKind::Unary:
    return show(llvm::cast<UnaryExpr>(e));
  case ExprKind::Binary:
    return show(llvm::cast<BinaryExpr>(e));
  case ExprKind::Bool:
    return show(llvm::cast<BoolExpr>(e));
  case ExprKind::Compare:
    return show(llvm::cast<CompareExpr>(e));
  case ExprKind::Conditional:
    return show(llvm::cast<ConditionalExpr>(e));
  case ExprKind::Lambda:
    return show(llvm::cast<LambdaExpr>(e));
  case ExprKind::Call:
    return call(llvm::cast<CallExpr>(e));
  case ExprKind::Attribute:
    return show(llvm::cast<AttributeExpr>(e));
  case ExprKind::Subscript:
    return show(llvm::cast<SubscriptExpr>(e));
  case ExprKind::Slice:
    return show(llvm::cast<SliceExpr>(e));
  case ExprKind::Starred:
    os << '*';
    return expr(llvm::cast<StarredExpr>(e)->value);
  case ExprKind::Named:
    return show(llvm::cast<NamedExpr>(e));
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

llvm::raw_ostream &Printer::start(unsigned indent, llvm::StringRef text) {
  return os.indent(indent) << text;
}

void Printer::block(unsigned indent, Body list) {
  os << ":\n";
  body(list, indent + 2);
}

void Printer::otherwise(unsigned indent, Body list) {
  if (list.empty())
    return;
  start(indent, "else");
  block(indent, list);
}

void Printer::show(const ForStmt *f, unsigned indent) {
  start(indent, "for ");
  expr(f->target);
  os << " in ";
  expr(f->iterable);
  block(indent, f->body);
  otherwise(indent, f->orElse);
}

void Printer::show(const WhileStmt *w, unsigned indent) {
  start(indent, "while ");
  expr(w->condition);
  block(indent, w->body);
  otherwise(indent, w->orElse);
}

void Printer::show(const IfStmt *i, unsigned indent) {
  start(indent, "if ");
  expr(i->condition);
  block(indent, i->thenBody);
  otherwise(indent, i->elseBody);
}

void Printer::show(const WithStmt *w, unsigned indent) {
  start(indent, "with ");
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
  block(indent, w->body);
}

void Printer::show(const FunctionStmt *f, unsigned indent) {
  for (const Expr *d : f->decorators) {
    start(indent, "@");
    expr(d);
    os << '\n';
  }
  start(indent, "def ") << f->name << '(';
  params(f->params);
  os << ')';
  if (f->returns) {
    os << " -> ";
    expr(f->returns);
  }
  block(indent, f->body);
}

void Printer::show(const ClassStmt *c, unsigned indent) {
  start(indent, "class ") << c->name << '(';
  list(c->bases);
  os << ')';
  block(indent, c->body);
}

void Printer::show(const SimpleStmt *s, unsigned indent) {
  start(indent, s->kind == StmtKind::Return     ? "return"
                : s->kind == StmtKind::Break    ? "break"
                : s->kind == StmtKind::Continue ? "continue"
                : s->kind == StmtKind::Pass     ? "pass"
                                                : "raise");
  if (const Expr *value = s->value) {
    os << ' ';
    expr(value);
  }
  os << '\n';
}

void Printer::show(const ImportStmt *i, unsigned indent) {
  if (i->isFrom)
    start(indent, "from ") << i->module << " import ";
  else
    start(indent, "import ");
  llvm::StringRef comma;
  for (const ImportName &n : i->names) {
    os << comma << n.name;
    comma = ", ";
    if (n.hasAs)
      os << " as " << n.bound;
  }
  os << '\n';
}

void Printer::show(const ScopeStmt *s, unsigned indent) {
  start(indent, s->kind == StmtKind::Global ? "global" : "nonlocal");
  for (llvm::StringRef name : s->names)
    os << ' ' << name;
  os << '\n';
}

void Printer::show(const AssertStmt *a, unsigned indent) {
  start(indent, "assert ");
  expr(a->condition);
  if (a->message) {
    os << ", ";
    expr(a->message);
  }
  os << '\n';
}

void Printer::show(const DeleteStmt *s, unsigned indent) {
  start(indent, "del ");
  list(s->targets);
  os << '\n';
}

void Printer::show(const TryStmt *t, unsigned indent) {
  start(indent, "try");
  block(indent, t->body);
  for (const Handler &h : t->handlers) {
    start(indent, "except");
    if (h.type) {
      os << ' ';
      expr(h.type);
    }
    if (!h.name.empty())
      os << " as " << h.name;
    block(indent, h.body);
  }
  otherwise(indent, t->orElse);
  if (!t->finalBody.empty()) {
    start(indent, "finally");
    block(indent, t->finalBody);
  }
}

void Printer::stmt(const Stmt *s, unsigned indent) {
  switch (s->kind) {
  case StmtKind::Expr:
  case StmtKind::Assign:
  case StmtKind::AugAssign:
  case StmtKind::AnnAssign:
    start(indent, "");
    exprStmts(s);
    os << '\n';
    return;
  case StmtKind::For:
    return show(llvm::cast<ForStmt>(s), indent);
  case StmtKind::While:
    return show(llvm::cast<WhileStmt>(s), indent);
  case StmtKind::If:
    return show(llvm::cast<IfStmt>(s), indent);
  case StmtKind::With:
    return show(llvm::cast<WithStmt>(s), indent);
  case StmtKind::Function:
    return show(llvm::cast<FunctionStmt>(s), indent);
  case StmtKind::Class:
    return show(llvm::cast<ClassStmt>(s), indent);
  case StmtKind::Return:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Pass:
  case StmtKind::Raise:
    return show(llvm::cast<SimpleStmt>(s), indent);
  case StmtKind::Import:
    return show(llvm::cast<ImportStmt>(s), indent);
  case StmtKind::Global:
  case StmtKind::Nonlocal:
    return show(llvm::cast<ScopeStmt>(s), indent);
  case StmtKind::Assert:
    return show(llvm::cast<AssertStmt>(s), indent);
  case StmtKind::Delete:
    return show(llvm::cast<DeleteStmt>(s), indent);
  case StmtKind::Try:
    return show(llvm::cast<TryStmt>(s), indent);
  }
}

} // namespace

void print(const Expr &e, llvm::raw_ostream &os) { Printer{os}.expr(&e); }
void print(Body body, llvm::raw_ostream &os, unsigned indent) { Printer{os}.body(body, indent); }

} // namespace tilec::script::ast
