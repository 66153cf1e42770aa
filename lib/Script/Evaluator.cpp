//===- Evaluator.cpp - names, bounds and suggestions ----------------------===//
//
// Looks up names in scopes and modules, counts steps against the limits, and finds names that are
// nearly the same.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "Recovery.h"

#include "llvm/ADT/StringExtras.h"

#include <functional>

namespace tilec::script {
Evaluator::Evaluator(const SourceManager &sources, const ast::Module &module, Arch arch,
                     Program &program, ModuleFiles *files, HostPieces *pieces)
    : sources(sources), files(files), pieces(pieces), arch(arch), program(program), build(program) {
  script.module = &module;
  if (pieces)
    script.host = 0;
  indexGlobals(script);
}

Evaluator::~Evaluator() = default;

bool Evaluator::step(Span span, uint64_t count) {
  stepCount += count;
  lastSpan = span;
  if (stepCount <= limits.steps && program.bytesAllocated() <= limits.arenaBytes)
    return true;
  fail(DiagId::TooManySteps, span, limits.steps);
  return false;
}

bool Evaluator::same(const Value &a, const Value &b) {
  uint64_t left = stepCount < limits.steps ? limits.steps - stepCount : 0, work = 0;
  bool equal = equals(a, b, work, left);
  stepCount += work / 4; // cheaper than steps; the budget keeps one comparison bounded
  if (work > left)
    fail(DiagId::TooManySteps, lastSpan, limits.steps);
  return equal;
}

Value Evaluator::text(std::string text, Span span) {
  if (text.size() > limits.textBytes)
    return fail(DiagId::StringTooLong, span, limits.textBytes);
  return step(span, 1 + text.size() / 16) ? heap.str(std::move(text)) : Value();
}

Value Evaluator::evaluateEntry(const ast::Expr *expression) {
  entryFile = expression->span.file;
  Recovery recovery(*this);
  return recovery.finish(eval(expression));
}

Value Evaluator::evaluateName(llvm::StringRef name) {
  Recovery recovery(*this);
  return recovery.finish(lookupGlobal(name, Span()));
}

Value Evaluator::callEntry(const Value &value, Span span) {
  if (!value.is(ValueKind::Jit) && !value.is(ValueKind::Function))
    return value;
  Recovery recovery(*this);
  CallArgs none;
  none.span = none.calleeSpan = span;
  return recovery.finish(call(value, none));
}

Value Evaluator::poison() {
  if (!failure) {
    failure.emplace();
    failure->isPoison = true;
  }
  return Value();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Binding *Evaluator::findBinding(Env *scope, llvm::StringRef name) {
  for (; scope; scope = scope->parent) {
    auto it = scope->names.find(name);
    if (it != scope->names.end())
      return &it->second;
    if (scope->globals.count(name) && !scope->globals.lookup(name))
      return nullptr;
  }
  return nullptr;
}

Value Evaluator::lookup(llvm::StringRef name, Span use) {
  for (Env *scope = env; scope; scope = scope->parent) {
    if (auto declared = scope->globals.find(name);
        declared != scope->globals.end() && !declared->second)
      break;
    auto it = scope->names.find(name);
    if (it != scope->names.end()) {
      if (it->second.stale) {
        fail(DiagId::StaleName, use, name);
        note(DiagId::ReboundHere, it->second.span, name);
        return Value();
      }
      if (it->second.value.is(ValueKind::Unfilled)) {
        failMissing(name, use, DiagId::ParameterNotGiven);
        if (!failure->isPoison)
          note(DiagId::DefinedHere, it->second.span, name);
        return Value();
      }
      if (!it->second.value.ok()) // the statement that should have bound it failed
        return poison();
      return it->second.value;
    }
    if (auto closed = scope->closed.find(name); closed != scope->closed.end()) {
      fail(DiagId::NameOutOfFrame, use, name);
      note(DiagId::BoundHere, closed->second, name);
      return Value();
    }
    if (scope->locals && scope->locals->count(name) && !scope->globals.count(name))
      return fail(DiagId::UnboundName, use, name);
  }
  Value value = lookupGlobal(name, use, /*report=*/false);
  if (value.ok() || failure)
    return value;
  Value builtin = builtinName(name);
  return builtin.ok() ? builtin : undefinedName(name, use, env);
}

void Evaluator::setBinding(Env *scope, llvm::StringRef name, const Value &value, Span span) {
  auto it = scope->names.find(name);
  if (frames > 0) {
    std::optional<Binding> old;
    if (it != scope->names.end())
      old = it->second;
    journal.push_back({scope, name.str(), old});
  }
  scope->names[name] = Binding{value, span, false};
}

/// Binds as an assignment statement does: a scalar variable is stored to, a runtime value becomes
/// a let.
bool Evaluator::bind(llvm::StringRef name, const Value &value, Span span) {
  if (!value.ok())
    return false;
  if (!env) {
    setGlobal(name, value);
    return true;
  }
  Env *scope = env;
  if (auto declared = env->globals.find(name); declared != env->globals.end()) {
    if (!declared->second) {
      setGlobal(name, value);
      return true;
    }
    for (scope = env->parent; scope && !scope->names.count(name); scope = scope->parent)
      ;
    if (!scope) {
      fail(DiagId::UnboundName, span, name);
      return false;
    }
  }
  bool freshVariable = value.is(ValueKind::Buffer) && value.buffer()->scope == Scope::Var;
  auto it = scope->names.find(name);
  if (it != scope->names.end() && !freshVariable) {
    const Value &old = it->second.value;
    if (old.is(ValueKind::Buffer) && old.buffer()->scope == Scope::Var) {
      if (!isRuntime(value) && !value.isNumber()) {
        fail(DiagId::RebindNonScalar, span, name, typeName(value));
        note(DiagId::BoundHere, it->second.span, name);
        return false;
      }
      return emitStore(old.buffer(), {}, value, span, span, span);
    }
    if (isLanes(old) && old.items()[0].is(ValueKind::Buffer) && &old.items() != &value.items())
      return storeLanes(old, value, span, span, span);
    if (old.is(ValueKind::Region) && old.region()->extents.empty() && !old.region()->whole)
      return emitStore(old.region()->buffer, old.region()->offsets, value, span, span, span);
  }
  Value bound = value;
  // `tx = T.thread_binding(...)` outside of a `for` is the index itself.
  if (inLaunch() && value.is(ValueKind::Loop) &&
      value.as<LoopObject>()->loop == LoopKind::Threads) {
    bound = threadIndex(value.as<LoopObject>()->hints.threadAxis, span);
    if (!bound.ok())
      return false;
  }
  nameBuffer(value, name, span);
  if (inLaunch() && bound.is(ValueKind::Expr))
    bound = bindLet(name, bound.expr(), span);
  bool isNewVector = isLanes(bound) && !bound.items()[0].is(ValueKind::Buffer);
  if (inLaunch() && isNewVector && !(bound = settle(bound, span)).ok())
    return false;
  setBinding(scope, name, bound, span);
  return true;
}

/// A buffer is called as the first name that it is bound to.
void Evaluator::nameBuffer(const Value &value, llvm::StringRef name, Span span) {
  if (!value.is(ValueKind::Buffer))
    return;
  auto it = unnamedBuffers.find(value.buffer());
  if (it == unnamedBuffers.end())
    return;
  Buffer *buffer = mutableBuffers.lookup(value.buffer());
  buffer->name = program.copy(name);
  buffer->span = span;
  unnamedBuffers.erase(it);
}

bool Evaluator::assign(const ast::Expr *target, const Value &value, Span valueSpan) {
  if (!value.ok())
    return false;
  switch (target->kind) {
  case ExprKind::Name:
    return bind(llvm::cast<NameExpr>(target)->name, value, target->span);
  case ExprKind::Tuple:
  case ExprKind::List:
    return assignSequence(llvm::cast<SequenceExpr>(target), value, valueSpan);
  case ExprKind::Subscript:
    return assignSubscript(llvm::cast<SubscriptExpr>(target), value, valueSpan);
  case ExprKind::Attribute: {
    // `x.grad = None`: of host code, and of no consequence here.
    Value object = eval(llvm::cast<AttributeExpr>(target)->value);
    if (object.is(ValueKind::Opaque))
      return true;
    if (object.ok())
      fail(DiagId::CannotAssign, target->span);
    return false;
  }
  default:
    fail(DiagId::CannotAssign, target->span);
    return false;
  }
}

/// Whether an assignment to `target` writes memory of the kernel, instead of binding a name.
bool Evaluator::mayStore(const ast::Expr *target) const {
  if (const auto *sequence = llvm::dyn_cast<SequenceExpr>(target))
    return llvm::any_of(sequence->items, [&](const ast::Expr *item) { return mayStore(item); });
  const auto *name = llvm::dyn_cast<NameExpr>(target);
  if (!name)
    return target->kind == ExprKind::Subscript;
  for (const Env *scope = env; scope; scope = scope->parent)
    if (auto it = scope->names.find(name->name); it != scope->names.end())
      return it->second.value.is(ValueKind::Region) ||
             (it->second.value.is(ValueKind::Buffer) &&
              it->second.value.buffer()->scope == Scope::Var);
  return false;
}

bool Evaluator::assignSequence(const SequenceExpr *target, const Value &value, Span valueSpan) {
  llvm::SmallVector<Value> items;
  // Results of a kernel that host code runs.
  if (value.is(ValueKind::Kernel) && !inLaunch())
    items.assign(target->items.size(),
                 heap.named(ValueKind::Opaque, "result of a kernel", valueSpan));
  // The only block index of `T.Kernel(n) as (bx,)`.
  else if (value.is(ValueKind::Expr) && target->items.size() == 1)
    items.push_back(value);
  else if (!iterate(value, valueSpan, items))
    return false;
  size_t star = target->items.size();
  for (size_t i = 0; i < target->items.size(); ++i)
    if (target->items[i]->kind == ExprKind::Starred)
      star = i;
  bool hasStar = star < target->items.size();
  size_t wanted = target->items.size() - hasStar;
  if (hasStar ? items.size() < wanted : items.size() != wanted) {
    fail(DiagId::UnpackCount, target->span, wanted, items.size());
    return false;
  }
  // `x[0], x[1] = x[1], x[0]`: all values are those from before the first store.
  std::function<Value(const Value &)> readNow = [&](const Value &v) {
    if (v.isSequence()) {
      std::vector<Value> read;
      for (const Value &item : v.items())
        if (read.push_back(readNow(item)); !read.back().ok())
          return Value();
      return heap.list(std::move(read), v.kind());
    }
    if (v.is(ValueKind::Expr))
      return bindLet("value", v.expr(), valueSpan);
    if (!v.is(ValueKind::Buffer) || v.buffer()->scope != Scope::Var)
      return v;
    const Expr *e = toExpr(v, valueSpan);
    return e ? bindLet("value", e, valueSpan) : Value();
  };
  if (inLaunch() && items.size() > 1 &&
      llvm::any_of(target->items, [&](const ast::Expr *item) { return mayStore(item); }))
    for (Value &item : items)
      if (item = readNow(item); !item.ok())
        return false;
  size_t from = 0;
  for (size_t i = 0; i < target->items.size(); ++i) {
    if (i != star) {
      if (!assign(target->items[i], items[from++], valueSpan))
        return false;
      continue;
    }
    size_t count = items.size() - wanted;
    std::vector<Value> rest(items.begin() + from, items.begin() + from + count);
    from += count;
    if (!assign(llvm::cast<StarredExpr>(target->items[i])->value, heap.list(std::move(rest)),
                valueSpan))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Names that a body assigns
//===----------------------------------------------------------------------===//

void collectTargets(const ast::Expr *target, llvm::DenseSet<llvm::StringRef> &out) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(target))
    out.insert(name->name);
  else if (const auto *starred = llvm::dyn_cast<StarredExpr>(target))
    collectTargets(starred->value, out);
  else if (const auto *sequence = llvm::dyn_cast<SequenceExpr>(target))
    for (const ast::Expr *item : sequence->items)
      collectTargets(item, out);
}

static void collectAssigned(const ast::Stmt *s, llvm::DenseSet<llvm::StringRef> &out,
                            bool loopTargets) {
  auto inside = [&](ast::Body body) { collectAssigned(body, out, loopTargets); };
  switch (s->kind) {
  case ast::StmtKind::Assign:
    for (const ast::Expr *target : llvm::cast<AssignStmt>(s)->targets)
      collectTargets(target, out);
    return;
  case ast::StmtKind::AugAssign:
    return collectTargets(llvm::cast<AugAssignStmt>(s)->target, out);
  case ast::StmtKind::AnnAssign:
    return collectTargets(llvm::cast<AnnAssignStmt>(s)->target, out);
  case ast::StmtKind::For: {
    const auto *f = llvm::cast<ast::ForStmt>(s);
    if (loopTargets)
      collectTargets(f->target, out);
    inside(f->body);
    return inside(f->orElse);
  }
  case ast::StmtKind::While:
    inside(llvm::cast<ast::WhileStmt>(s)->body);
    return inside(llvm::cast<ast::WhileStmt>(s)->orElse);
  case ast::StmtKind::If:
    inside(llvm::cast<ast::IfStmt>(s)->thenBody);
    return inside(llvm::cast<ast::IfStmt>(s)->elseBody);
  case ast::StmtKind::With:
    for (const WithItem &item : llvm::cast<WithStmt>(s)->items)
      if (item.target)
        collectTargets(item.target, out);
    return inside(llvm::cast<WithStmt>(s)->body);
  case ast::StmtKind::Try: {
    const auto *t = llvm::cast<TryStmt>(s);
    inside(t->body);
    for (const Handler &h : t->handlers)
      inside(h.body);
    inside(t->orElse);
    return inside(t->finalBody);
  }
  case ast::StmtKind::Function:
    if (loopTargets)
      out.insert(llvm::cast<FunctionStmt>(s)->name);
    return;
  case ast::StmtKind::Class:
    if (loopTargets)
      out.insert(llvm::cast<ClassStmt>(s)->name);
    return;
  case ast::StmtKind::Import:
    if (loopTargets)
      for (const ImportName &n : llvm::cast<ImportStmt>(s)->names)
        out.insert(n.bound);
    return;
  default:
    return;
  }
}

void collectAssigned(ast::Body body, llvm::DenseSet<llvm::StringRef> &out, bool loopTargets) {
  for (const ast::Stmt *s : body)
    collectAssigned(s, out, loopTargets);
}

const llvm::DenseSet<llvm::StringRef> *Evaluator::localsOf(const FunctionObject *function) {
  auto &slot = localsCache[function->def ? static_cast<const void *>(function->def)
                                         : static_cast<const void *>(function->expression)];
  if (!slot) {
    slot = std::make_unique<llvm::DenseSet<llvm::StringRef>>();
    collectAssigned(function->body, *slot, /*loopTargets=*/true);
    for (const ast::Param &p : function->params)
      slot->insert(p.name);
  }
  return slot.get();
}

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

std::string nearest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  // One typing slip in a short name, two in a longer one; a name of other letters alone is none.
  unsigned best = name.size() < 5 ? 1 : 2;
  llvm::StringRef found;
  for (llvm::StringRef candidate : candidates) {
    if (candidate == name)
      continue;
    unsigned distance = candidate.equals_insensitive(name)
                            ? 0
                            : name.edit_distance(candidate, /*AllowReplacements=*/true, best + 1);
    bool isLike = distance <= best && distance < std::max(name.size(), candidate.size());
    if (isLike && (found.empty() || distance < best)) {
      best = distance;
      found = candidate;
    }
  }
  return found.str();
}

std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  std::string near = nearest(name, candidates);
  return near.empty() ? "" : "; did you mean `" + near + "`?";
}

std::string suggestionOrList(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  std::string near = nearest(name, candidates);
  if (!near.empty())
    return "; did you mean `" + near + "`?";
  constexpr size_t listed = 12;
  if (candidates.empty() || candidates.size() > listed)
    return "; check the spelling";
  return "; it has `" + llvm::join(candidates, "`, `") + "`";
}

Value Evaluator::undefinedName(llvm::StringRef name, Span use, Env *scope) {
  llvm::SmallVector<llvm::StringRef> known;
  for (; scope; scope = scope->parent)
    for (auto &entry : scope->names)
      known.push_back(entry.first());
  for (auto &entry : home->binders)
    known.push_back(entry.first());
  for (llvm::StringRef builtin : {"range", "len", "min", "max", "print", "int", "float", "str",
                                  "enumerate", "zip", "isinstance", "sorted", "round"})
    known.push_back(builtin);
  if (!nearest(name, known).empty())
    return fail(DiagId::UndefinedName, use, name, suggestion(name, known));
  llvm::StringRef hint = "; bind it first, or import it";
  if (name == "T")
    hint = "; add `import tilelang.language as T`";
  else if (tileAttribute(name, use, /*report=*/false).ok())
    hint = "; it is a name of `tilelang.language`: import it, or write it with `T.`";
  return fail(DiagId::UndefinedName, use, name, hint);
}

} // namespace tilec::script
