//===- Dump.cpp - the traced kernel as text -------------------------------===//
//
// Takes a traced program, writes it as text: what tests of the front end compare.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/TracedKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::script {
namespace {

llvm::StringRef spelling(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
    return "+";
  case ExprOp::Sub:
    return "-";
  case ExprOp::Mul:
    return "*";
  case ExprOp::Div:
    return "/";
  case ExprOp::FloorDiv:
    return "//";
  case ExprOp::FloorMod:
    return "%";
  case ExprOp::TruncDiv:
    return "truncdiv";
  case ExprOp::TruncMod:
    return "truncmod";
  case ExprOp::CeilDiv:
    return "ceildiv";
  case ExprOp::Min:
    return "min";
  case ExprOp::Max:
    return "max";
  case ExprOp::Shl:
    return "<<";
  case ExprOp::Shr:
    return ">>";
  case ExprOp::BitAnd:
    return "&";
  case ExprOp::BitOr:
    return "|";
  case ExprOp::BitXor:
    return "^";
  case ExprOp::LogicalAnd:
    return "and";
  case ExprOp::LogicalOr:
    return "or";
  case ExprOp::Eq:
    return "==";
  case ExprOp::Ne:
    return "!=";
  case ExprOp::Lt:
    return "<";
  case ExprOp::Le:
    return "<=";
  case ExprOp::Gt:
    return ">";
  case ExprOp::Ge:
    return ">=";
  default:
    return "?";
  }
}

llvm::StringRef shortName(DType type) {
  std::string_view name = nameOf(type);
  return llvm::StringRef(name.data(), name.size());
}

llvm::StringRef scopeName(Scope scope) {
  constexpr llvm::StringRef names[] = {"global", "shared", "fragment", "local", "var"};
  return names[static_cast<unsigned>(scope)];
}

class Dumper {
public:
  explicit Dumper(llvm::raw_ostream &os) : os(os) {}

  void program(const Program &p) {
    os << "program " << p.name << "(";
    llvm::StringRef comma;
    for (const Param &param : p.params) {
      os << comma;
      comma = ", ";
      if (param.buffer)
        declare(param.buffer);
      else
        os << param.name << ": " << shortName(param.scalar->type);
    }
    os << ")\n";
    for (const Var *d : p.dims)
      os << "  dim " << d->name << ": " << shortName(d->type) << "\n";
    for (unsigned i : p.outputs)
      os << "  output " << p.params[i].name << "\n";
    for (const Buffer *b : p.workspaces) {
      os << "  workspace ";
      declare(b);
      os << "\n";
    }
    for (const Expr *e : p.assumptions) {
      os << "  assume ";
      expr(e);
      os << "\n";
    }
    for (const PassConfig &c : p.passConfigs) {
      os << "  config " << c.key << " = ";
      argument(c.value);
      os << "\n";
    }
    for (const Launch *l : p.launches)
      launch(*l);
  }

  void expr(const Expr *e) {
    switch (e->op) {
    case ExprOp::ConstInt:
      if (e->type == DType::Bool)
        os << (e->intValue ? "true" : "false");
      else
        os << e->intValue << suffix(e->type, DType::I32);
      return;
    case ExprOp::ConstFloat:
      number(e->floatValue);
      os << suffix(e->type, DType::F32);
      return;
    case ExprOp::Var:
      os << e->var->name;
      return;
    case ExprOp::Load:
      os << e->buffer->name << "[";
      list(e->args);
      os << "]";
      return;
    case ExprOp::Neg:
      os << "-";
      return parens(e);
    case ExprOp::BitNot:
      os << "~";
      return parens(e);
    case ExprOp::LogicalNot:
      os << "not";
      return parens(e);
    case ExprOp::Cast:
      os << shortName(e->type);
      return parens(e);
    case ExprOp::Promote:
      os << "promote<" << shortName(e->type) << ">";
      return parens(e);
    case ExprOp::Reinterpret:
      os << "reinterpret<" << shortName(e->type) << ">";
      return parens(e);
    case ExprOp::IfThenElse:
      os << "if_then_else";
      return parens(e);
    case ExprOp::Select:
      os << "select";
      return parens(e);
    case ExprOp::Math:
      os << nameOf(e->fn);
      return parens(e);
    case ExprOp::Intrinsic:
      call(*e->call);
      return;
    case ExprOp::Min:
    case ExprOp::Max:
    case ExprOp::TruncDiv:
    case ExprOp::TruncMod:
    case ExprOp::CeilDiv:
      os << spelling(e->op);
      return parens(e);
    default:
      os << "(";
      expr(e->args[0]);
      os << " " << spelling(e->op) << " ";
      expr(e->args[1]);
      os << ")";
    }
  }

private:
  std::string suffix(DType type, DType usual) {
    return type == usual ? "" : ":" + shortName(type).str();
  }
  void number(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
    os << text
       << (llvm::StringRef(text).find_first_of(".ein") == llvm::StringRef::npos ? ".0" : "");
  }
  void parens(const Expr *e) {
    os << "(";
    list(e->args);
    os << ")";
  }
  void list(llvm::ArrayRef<const Expr *> exprs) {
    llvm::StringRef comma;
    for (const Expr *e : exprs) {
      os << comma;
      expr(e);
      comma = ", ";
    }
  }

  void declare(const Buffer *b) {
    os << b->name << ": " << scopeName(b->scope) << "[";
    list(b->shape);
    os << "] " << shortName(b->type);
    if (!b->strides.empty()) {
      os << " strides [";
      list(b->strides);
      os << "]";
    }
    if (b->viewOf)
      os << " view of " << b->viewOf->name;
    if (b->reducer) {
      constexpr llvm::StringRef names[] = {"sum", "max", "min", "bitand", "bitor", "bitxor"};
      os << " reducer " << names[static_cast<unsigned>(*b->reducer)];
    }
    if (b->safeValue) {
      os << " safe ";
      expr(b->safeValue);
    }
    if (b->mayOverlap)
      os << " may overlap";
  }

  void region(const Region *r) {
    os << r->buffer->name;
    if (r->whole)
      return;
    os << "[";
    for (size_t i = 0; i < r->offsets.size(); ++i) {
      os << (i ? ", " : "");
      expr(r->offsets[i]);
      if (r->extents.empty() || (r->scalarDims >> i & 1))
        continue;
      os << " +: ";
      expr(r->extents[i]);
    }
    os << "]";
  }

  void argument(const Argument &a) {
    switch (a.kind) {
    case Argument::Absent:
      os << "None";
      return;
    case Argument::Bool:
      os << (a.boolValue ? "True" : "False");
      return;
    case Argument::Int:
      os << a.intValue;
      return;
    case Argument::Float:
      return number(a.floatValue);
    case Argument::String:
      os << '\'';
      os.write_escaped(a.string) << '\'';
      return;
    case Argument::Type:
      os << shortName(a.type);
      return;
    case Argument::Value:
      return expr(a.expr);
    case Argument::Tile:
      return region(a.region);
    case Argument::List:
      os << "[";
      for (size_t i = 0; i < a.list.size(); ++i) {
        os << (i ? ", " : "");
        argument(a.list[i]);
      }
      os << "]";
      return;
    case Argument::Dict:
      os << "{";
      for (size_t i = 0; i < a.dict.size(); ++i) {
        os << (i ? ", " : "");
        argument(a.dict[i].key);
        os << ": ";
        argument(a.dict[i].value);
      }
      os << "}";
      return;
    case Argument::Layout:
      return layout(*a.layout);
    case Argument::EmitterConfig:
      os << (a.emitter->isMatrixCore ? "matrix_core" : "tensor_core") << "<"
         << shortName(a.emitter->aType) << ", " << shortName(a.emitter->bType) << ", "
         << shortName(a.emitter->accumType) << ", warps " << a.emitter->blockRowWarps << "x"
         << a.emitter->blockColWarps << ", tiles " << a.emitter->warpRowTiles << "x"
         << a.emitter->warpColTiles << "x" << a.emitter->chunk
         << (a.emitter->aTransposed ? ", aT" : "") << (a.emitter->bTransposed ? ", bT" : "")
         << (a.emitter->aPreshuffle ? ", a in tiles" : "")
         << (a.emitter->bPreshuffle ? ", b in tiles" : "") << ">";
      return;
    }
  }

  void layout(const LayoutSpec &l) {
    constexpr llvm::StringRef names[] = {"swizzled", "linear", "layout", "fragment"};
    os << names[l.kind] << "(";
    if (l.buffer)
      os << l.buffer->name;
    if (!l.indices.empty()) {
      for (size_t i = 0; i < l.indices.size(); ++i)
        os << (i ? ", " : "") << l.indices[i]->name;
      os << " -> ";
      if (l.thread) {
        os << "thread ";
        expr(l.thread);
        os << "; ";
      }
      list(l.forward);
    }
    os << ")";
  }

  /// Arguments at their position; absent ones at the end are left out.
  void call(const Call &c) {
    os << nameOf(c.id) << "(";
    llvm::ArrayRef<llvm::StringRef> names = parametersOf(c.id);
    llvm::StringRef comma;
    for (size_t i = 0; i < c.args.size(); ++i) {
      if (c.args[i].isAbsent())
        continue;
      os << comma << names[i] << "=";
      argument(c.args[i]);
      comma = ", ";
    }
    os << ")";
  }

  void launch(const Launch &l) {
    os << "launch";
    for (size_t i = 0; i < l.grid.size(); ++i) {
      os << (i ? ", " : " ") << l.blockVars[i]->name << " < ";
      expr(l.grid[i]);
    }
    os << " threads";
    for (int64_t t : l.threads)
      os << " " << t;
    os << (l.usesThreadIdentity ? " spmd" : "") << "\n";
    body(l.body, 2);
  }

  void body(Body list, unsigned indent) {
    for (const Stmt *s : list)
      stmt(s, indent);
  }

  void loop(const ForStmt *f, unsigned indent) {
    constexpr llvm::StringRef names[] = {"serial",   "unroll",    "vectorized",
                                         "parallel", "pipelined", "threads"};
    os << "for " << names[static_cast<unsigned>(f->loop)];
    for (size_t i = 0; i < f->ranges.size(); ++i) {
      const LoopRange &r = f->ranges[i];
      os << (i ? ", " : " ") << r.var->name << " in ";
      expr(r.begin);
      os << "..";
      expr(r.end);
      if (r.step != 1)
        os << " step " << r.step;
    }
    const LoopHints &h = f->hints;
    if (h.numStages)
      os << " stages=" << h.numStages;
    auto numbers = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> list) {
      if (list.empty())
        return;
      os << " " << name << "=[";
      for (size_t i = 0; i < list.size(); ++i)
        os << (i ? "," : "") << list[i];
      os << "]";
    };
    numbers("order", h.order);
    numbers("stage", h.stage);
    for (llvm::ArrayRef<int64_t> row : h.group)
      numbers("group", row);
    if (h.coalescedWidth)
      os << " coalesced_width=" << h.coalescedWidth;
    if (!h.strategy.empty())
      os << " strategy=" << h.strategy;
    if (f->loop == LoopKind::Threads)
      os << " axis=" << h.threadAxis;
    os << "\n";
    body(f->body, indent + 2);
  }

  void stmt(const Stmt *s, unsigned indent) {
    os.indent(indent);
    switch (s->kind) {
    case StmtKind::Alloc:
      os << "alloc ";
      declare(llvm::cast<AllocStmt>(s)->buffer);
      break;
    case StmtKind::Let: {
      const auto *l = llvm::cast<LetStmt>(s);
      os << "let " << l->var->name << ": " << shortName(l->var->type) << " = ";
      expr(l->value);
      break;
    }
    case StmtKind::Store: {
      const auto *st = llvm::cast<StoreStmt>(s);
      os << st->buffer->name << "[";
      list(st->indices);
      os << "] = ";
      expr(st->value);
      break;
    }
    case StmtKind::For:
      return loop(llvm::cast<ForStmt>(s), indent);
    case StmtKind::If: {
      const auto *i = llvm::cast<IfStmt>(s);
      os << "if ";
      expr(i->condition);
      os << "\n";
      body(i->thenBody, indent + 2);
      if (!i->elseBody.empty()) {
        os.indent(indent) << "else\n";
        body(i->elseBody, indent + 2);
      }
      return;
    }
    case StmtKind::While:
      os << "while ";
      expr(llvm::cast<WhileStmt>(s)->condition);
      os << "\n";
      return body(llvm::cast<WhileStmt>(s)->body, indent + 2);
    case StmtKind::Break:
      os << "break";
      break;
    case StmtKind::Continue:
      os << "continue";
      break;
    case StmtKind::TileCall: {
      const auto *t = llvm::cast<TileCallStmt>(s);
      if (t->result)
        os << "let " << t->result->name << ": " << shortName(t->result->type) << " = ";
      call(*t->call);
      break;
    }
    }
    os << "\n";
  }

  llvm::raw_ostream &os;
};

} // namespace

void dump(const Program &program, llvm::raw_ostream &os) { Dumper(os).program(program); }
void dump(const Expr &e, llvm::raw_ostream &os) { Dumper(os).expr(&e); }

} // namespace tilec::script
