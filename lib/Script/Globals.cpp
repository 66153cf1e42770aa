//===- Globals.cpp - module-level statements, run on demand ---------------===//
//
// Nothing at module level runs before a name that it binds is needed: what the entry
// does not reach costs nothing and cannot fail. A statement sees the names as the
// statements above it left them; a function body sees their final values (late binding).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

namespace tilec::script {
/// `if __name__ == "__main__":`
bool Evaluator::isMainGuard(const ast::Stmt *s) const {
  const auto *i = llvm::dyn_cast<ast::IfStmt>(s);
  const auto *c = i ? llvm::dyn_cast<CompareExpr>(i->condition) : nullptr;
  const auto *name = c ? llvm::dyn_cast<NameExpr>(c->operands[0]) : nullptr;
  return name && name->name == "__name__";
}

/// `configs.append(x)` and `table["k"] = v` count as binding `configs` and `table`.
static const NameExpr *mutatedName(const ast::Expr *e) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(e)) {
    const auto *method = llvm::dyn_cast<AttributeExpr>(call->callee);
    constexpr llvm::StringRef mutators[] = {"append", "extend", "insert", "update", "setdefault",
                                            "add",    "pop",    "remove", "sort",   "reverse"};
    if (method && llvm::is_contained(mutators, method->name))
      return llvm::dyn_cast<NameExpr>(method->value);
  }
  if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(e))
    return llvm::dyn_cast<NameExpr>(subscript->value);
  return nullptr;
}

static void collectMutated(ast::Body body, llvm::DenseSet<llvm::StringRef> &out);
static void collectMutated(const ast::Stmt *s, llvm::DenseSet<llvm::StringRef> &out) {
  auto add = [&](const ast::Expr *e) {
    if (const NameExpr *name = mutatedName(e))
      out.insert(name->name);
  };
  if (const auto *e = llvm::dyn_cast<ExprStmt>(s))
    add(e->value);
  else if (const auto *a = llvm::dyn_cast<AssignStmt>(s))
    llvm::for_each(a->targets, add);
  else if (const auto *a = llvm::dyn_cast<AugAssignStmt>(s))
    add(a->target);
  else if (const auto *f = llvm::dyn_cast<ast::ForStmt>(s))
    collectMutated(f->body, out);
  else if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s)) {
    collectMutated(i->thenBody, out);
    collectMutated(i->elseBody, out);
  }
}
static void collectMutated(ast::Body body, llvm::DenseSet<llvm::StringRef> &out) {
  for (const ast::Stmt *s : body)
    collectMutated(s, out);
}

void Evaluator::indexStatement(ModuleScope &scope, const ast::Stmt *s, size_t index) {
  if (isMainGuard(s))
    return;
  if (const auto *import = llvm::dyn_cast<ImportStmt>(s))
    for (const ImportName &n : import->names)
      if (n.name == "*")
        scope.starImports.push_back(moduleOfImport(scope, import->module));
  llvm::DenseSet<llvm::StringRef> names;
  collectAssigned(ast::Body(s), names, /*loopTargets=*/true);
  collectMutated(s, names);
  for (llvm::StringRef name : names)
    scope.binders[name].push_back(index);
}

void Evaluator::indexGlobals(ModuleScope &scope) {
  scope.state.assign(scope.module->body.size(), 0);
  for (size_t i = 0; i < scope.module->body.size(); ++i)
    indexStatement(scope, scope.module->body[i], i);
}

void Evaluator::setGlobal(llvm::StringRef name, const Value &value) {
  // A function that declares `global x` binds it in the name of the statement that called it.
  size_t statement = home->running == ~size_t(0) ? home->state.size() : home->running;
  auto &versions = home->versions[name];
  // A loop binds it again and again: only what a statement leaves is seen behind it.
  if (!versions.empty() && versions.back().statement == statement)
    versions.pop_back();
  versions.push_back({statement, value, std::nullopt});
}

/// Runs a module-level statement outside of whatever is being evaluated or traced now.
bool Evaluator::runGlobal(size_t index) {
  ModuleScope &scope = *home;
  if (scope.state[index] != 0)
    return true;
  scope.state[index] = 1;
  const ast::Stmt *s = scope.module->body[index];
  Flow flow;
  {
    Isolated isolated(*this, nullptr, nullptr);
    llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
    llvm::SaveAndRestore savedIndex(scope.running, index);
    // What fails here matters only where it is needed.
    llvm::SaveAndRestore savedRecovers(recovers, false);
    flow = exec(s);
  }
  scope.state[index] = 2;
  if (flow != Flow::Error)
    return true;
  // The names stay unbound; the reason is told when one of them is needed.
  llvm::DenseSet<llvm::StringRef> names;
  collectAssigned(ast::Body(s), names, true);
  collectMutated(s, names);
  for (llvm::StringRef name : names)
    scope.versions[name].push_back({index, Value(), failure});
  bool fatal = failure && (failure->error.id == DiagId::TooManySteps ||
                           failure->error.id == DiagId::EvaluationTooDeep);
  if (!fatal)
    failure.reset();
  return !fatal;
}

Value Evaluator::lookupGlobal(llvm::StringRef name, Span use, bool report) {
  if (name == "__name__")
    return heap.str("__tilec__");
  if (home == &script)
    if (std::optional<Value> value = defined(name))
      return *value;
  ModuleScope &scope = *home;
  auto binders = scope.binders.find(name);
  size_t limit = scope.running;
  if (binders != scope.binders.end()) {
    Deeper deeper(*this, use);
    if (!deeper.ok)
      return Value();
    for (size_t index : binders->second)
      if (index < limit && !runGlobal(index))
        return Value();
  }
  const ModuleScope::Version *best = nullptr;
  auto versions = scope.versions.find(name);
  if (versions != scope.versions.end())
    for (const ModuleScope::Version &v : versions->second)
      if (v.statement <= limit || limit == ~size_t(0))
        if (!best || v.statement >= best->statement)
          best = &v;
  if (best && best->failure) {
    failure = best->failure;
    if (scope.module && use.file == scope.module->file) // the entry needs it: that is no news
      note(DiagId::NeededHere, use, name);
    return Value();
  }
  if (best)
    return best->value;
  for (const std::string &from : scope.starImports) {
    if (!importModule(from, use).is(ValueKind::Module))
      continue;
    Value value = moduleAttribute(from, name, use);
    // Submodules of tilelang lead to the tile language's functions by name, but do not give them
    // to everybody: `print` after `from tilelang.autotuner import *` is Python's.
    bool isBorrowed = isKnownModule(from) && !isTileLanguage(from) &&
                      (value.is(ValueKind::Intrinsic) || value.is(ValueKind::MathFn) ||
                       value.is(ValueKind::Refused));
    if (value.ok() && !value.is(ValueKind::Opaque) && !isBorrowed)
      return value;
    failure.reset();
  }
  if (std::optional<Value> value = hostName(name, use))
    return *value;
  return report ? undefinedName(name, use, nullptr) : Value();
}

} // namespace tilec::script
