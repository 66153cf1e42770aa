//===- GridSync.cpp - T.sync_grid: the next launch ------------------------===//
//
// All blocks have arrived, and what they wrote is visible: that is the end of a launch.
// A kernel whose body has `T.sync_grid()` is so many launches of one grid, and needs no
// room on the chip for all blocks at once. What blocks keep for themselves (shared memory,
// fragments, variables) does not outlive a launch: names that can be computed again are,
// others must be written first in the new one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

namespace tilec::script {
namespace {

const Buffer *rootOf(const Buffer *b) {
  while (b->viewOf)
    b = b->viewOf;
  return b;
}

/// The variables and buffers that something mentions.
struct Uses {
  llvm::DenseSet<const Var *> vars;
  llvm::DenseSet<const Buffer *> buffers; ///< also views
  bool loads = false;
  bool countsWrites = false; ///< also of what is written from end to end

  void add(const Buffer *b) {
    for (; b; b = b->viewOf)
      buffers.insert(b);
  }
  void add(const Expr *e) {
    if (e->op == ExprOp::Var)
      vars.insert(e->var);
    if (e->op == ExprOp::Load) {
      add(e->buffer);
      loads = true;
    }
    if (e->op == ExprOp::Intrinsic)
      add(*e->call);
    for (const Expr *arg : e->args)
      add(arg);
  }
  void add(const Region *r) {
    add(r->buffer);
    for (const Expr *e : r->offsets)
      add(e);
    for (const Expr *e : r->extents)
      add(e);
  }
  void add(const Argument &a) {
    if (a.expr)
      add(a.expr);
    if (a.region)
      add(a.region);
    for (const Argument &item : a.list)
      add(item);
    for (const DictEntry &entry : a.dict) {
      add(entry.key);
      add(entry.value);
    }
  }
  void add(const Call &call) {
    for (const Argument &a : call.args)
      add(a);
  }
  /// The statement's own expressions, and what is inside of it.
  void add(const Stmt *s) {
    addHead(s);
    if (const auto *f = llvm::dyn_cast<ForStmt>(s))
      add(f->body);
    if (const auto *w = llvm::dyn_cast<WhileStmt>(s))
      add(w->body);
    if (const auto *i = llvm::dyn_cast<IfStmt>(s)) {
      add(i->thenBody);
      add(i->elseBody);
    }
  }
  void add(Body body) {
    for (const Stmt *s : body)
      add(s);
  }
  void addHead(const Stmt *s) {
    if (const auto *l = llvm::dyn_cast<LetStmt>(s)) {
      add(l->value);
    } else if (const auto *store = llvm::dyn_cast<StoreStmt>(s)) {
      add(store->value);
      for (const Expr *e : store->indices)
        add(e);
      if (countsWrites || !store->indices.empty()) // a part of it: the rest stays
        add(store->buffer);
    } else if (const auto *f = llvm::dyn_cast<ForStmt>(s)) {
      for (const LoopRange &r : f->ranges) {
        add(r.begin);
        add(r.end);
      }
    } else if (const auto *i = llvm::dyn_cast<IfStmt>(s)) {
      add(i->condition);
    } else if (const auto *w = llvm::dyn_cast<WhileStmt>(s)) {
      add(w->condition);
    } else if (const auto *t = llvm::dyn_cast<TileCallStmt>(s)) {
      const Region *written = countsWrites ? nullptr : wholeWrite(t);
      for (const Argument &a : t->call->args)
        if (!written || a.region != written)
          add(a);
    }
  }

  /// The buffer that the call writes from end to end, if any.
  static const Region *wholeWrite(const TileCallStmt *t) {
    const Argument *dst = nullptr;
    switch (t->call->id) {
    case IntrinsicId::Copy:
      dst = &argument(*t->call, "dst");
      break;
    case IntrinsicId::Fill:
    case IntrinsicId::Clear:
      dst = &argument(*t->call, "buffer");
      break;
    case IntrinsicId::ReduceSum:
    case IntrinsicId::ReduceMax:
    case IntrinsicId::ReduceMin:
    case IntrinsicId::ReduceAbsMax:
      if (argument(*t->call, "clear").isTrue())
        dst = &argument(*t->call, "out");
      break;
    case IntrinsicId::Gemm:
      if (argument(*t->call, "clear_accum").isTrue())
        dst = &argument(*t->call, "C");
      break;
    default:
      break;
    }
    return dst && dst->region && dst->region->whole ? dst->region : nullptr;
  }
};

/// The first of `kept` that the body may read before it has written all of it.
const Buffer *readFirst(Body body, llvm::DenseSet<const Buffer *> kept) {
  for (const Stmt *s : body) {
    Uses head;
    head.addHead(s);
    for (const Buffer *b : head.buffers)
      if (kept.contains(rootOf(b)))
        return b;
    const Buffer *found = nullptr;
    if (const auto *f = llvm::dyn_cast<ForStmt>(s))
      found = readFirst(f->body, kept);
    else if (const auto *w = llvm::dyn_cast<WhileStmt>(s))
      found = readFirst(w->body, kept);
    else if (const auto *i = llvm::dyn_cast<IfStmt>(s))
      (found = readFirst(i->thenBody, kept)) || (found = readFirst(i->elseBody, kept));
    if (found)
      return found;
    if (const auto *store = llvm::dyn_cast<StoreStmt>(s)) {
      if (store->indices.empty())
        kept.erase(rootOf(store->buffer));
    } else if (const auto *t = llvm::dyn_cast<TileCallStmt>(s)) {
      if (const Region *written = Uses::wholeWrite(t); written && !written->buffer->viewOf)
        kept.erase(written->buffer);
    }
  }
  return nullptr;
}

bool isGridSync(const Stmt *s) {
  const auto *t = llvm::dyn_cast<TileCallStmt>(s);
  return t && t->call->id == IntrinsicId::SyncGrid;
}

} // namespace

/// What `body` needs of the statements before it: allocations, and values that can be computed
/// again. False after an error.
bool Evaluator::carryOver(Body before, Body body, std::vector<const Stmt *> &out) {
  Uses uses, earlier;
  earlier.countsWrites = true;
  uses.add(body);
  earlier.add(before);
  llvm::DenseSet<const Buffer *> kept;
  for (const Stmt *s : before)
    if (const auto *a = llvm::dyn_cast<AllocStmt>(s))
      if (earlier.buffers.contains(a->buffer) && uses.buffers.contains(a->buffer))
        kept.insert(rootOf(a->buffer));
  if (const Buffer *b = readFirst(body, kept)) {
    fail(DiagId::GridSyncState, b->span, b->name);
    return false;
  }
  for (const Stmt *s : llvm::reverse(before)) {
    if (const auto *a = llvm::dyn_cast<AllocStmt>(s)) {
      out.push_back(a); // one that nobody uses costs nothing
      continue;
    }
    if (const auto *l = llvm::dyn_cast<LetStmt>(s)) {
      if (!uses.vars.contains(l->var))
        continue;
      Uses own;
      own.add(l->value);
      if (own.loads) {
        fail(DiagId::GridSyncState, l->var->span, l->var->name);
        return false;
      }
      uses.add(l->value);
      out.push_back(l);
      continue;
    }
    if (const auto *t = llvm::dyn_cast<TileCallStmt>(s)) {
      if (t->result && uses.vars.contains(t->result)) {
        fail(DiagId::GridSyncState, t->span, nameOf(t->call->id));
        return false;
      }
      if (t->call->id == IntrinsicId::UseSwizzle)
        out.push_back(t);
    }
  }
  std::reverse(out.begin(), out.end());
  return true;
}

bool Evaluator::addLaunch(const Launch *launch) {
  std::vector<const Stmt *> before, part;
  auto finish = [&] {
    std::vector<const Stmt *> body;
    if (!carryOver(before, part, body))
      return false;
    body.insert(body.end(), part.begin(), part.end());
    auto *l = program.make<Launch>(*launch);
    l->body = program.copy(llvm::ArrayRef<const Stmt *>(body));
    kernel->launches.push_back(l);
    before.insert(before.end(), part.begin(), part.end());
    part.clear();
    return true;
  };
  for (const Stmt *s : launch->body) {
    if (!isGridSync(s))
      part.push_back(s);
    else if (!finish())
      return false;
  }
  return finish();
}

} // namespace tilec::script
