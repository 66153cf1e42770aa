//===- Recovery.cpp - going on after an error -----------------------------===//
//
// One run tells everything that is wrong with a kernel. A statement that fails inside of a
// function is left out: its error is kept, the names that it would have bound have no
// value (they are poisoned), and the next statement is evaluated. What needs a poisoned
// name fails without a word. Where an evaluation began (a kernel function, the entry) the
// kept errors become one failure again.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Recovery.h"

namespace tilec::script {
namespace {

constexpr size_t mostKept = 200;
constexpr uint64_t stepsOfFailure = 500; ///< what it takes to find words for one

/// Errors after which nothing sensible follows: the script itself stops, or a bound is exceeded.
bool endsEvaluation(DiagId id) {
  switch (id) {
  case DiagId::TooManySteps:
  case DiagId::TooManyStatements:
  case DiagId::EvaluationTooDeep:
  case DiagId::CallsTooDeep:
  case DiagId::Raised:
  case DiagId::AssertionFailed:
    return true;
  default:
    return false;
  }
}

} // namespace

bool Evaluator::canGoOn() const {
  return recovers && failure && env &&
         (failure->isPoison || (!endsEvaluation(failure->error.id) && kept.size() < mostKept));
}

/// Puts the present failure aside; false when it ends the evaluation.
bool Evaluator::postpone() {
  if (!canGoOn())
    return false;
  stepCount += stepsOfFailure; // a loop that nothing ends may fail in every iteration
  keep(std::move(*failure));
  failure.reset();
  return true;
}

void Evaluator::keep(Failure found) {
  std::vector<Failure> others = std::move(found.others);
  found.others.clear();
  // An unrolled loop or a macro meets one place often; what is missing, many places.
  constexpr DiagId missing[] = {DiagId::UndefinedName, DiagId::UnknownDType, DiagId::OpaqueValue,
                                DiagId::NameOutOfFrame};
  auto isKnown = [&](const Failure &f) {
    if (f.isPoison || f.error.id != found.error.id)
      return false;
    bool samePlace =
        f.error.span.file == found.error.span.file && f.error.span.begin == found.error.span.begin;
    return samePlace ||
           (llvm::is_contained(missing, f.error.id) && f.error.message == found.error.message);
  };
  // One without a word counts, too: what was left out is missing, also where the error that has
  // been told is in the function around, whose evaluation is another one.
  auto isPoison = [](const Failure &f) { return f.isPoison; };
  if (found.isPoison ? llvm::none_of(kept, isPoison) : llvm::none_of(kept, isKnown))
    kept.push_back(std::move(found));
  for (Failure &other : others)
    keep(std::move(other));
}

Value Evaluator::Recovery::finish(Value value) {
  if (evaluator.kept.empty())
    return value;
  if (evaluator.failure)
    evaluator.keep(std::move(*evaluator.failure));
  Failure first = std::move(evaluator.kept.front());
  first.others.assign(std::make_move_iterator(evaluator.kept.begin() + 1),
                      std::make_move_iterator(evaluator.kept.end()));
  evaluator.failure = std::move(first);
  return Value();
}

void Evaluator::poisonName(llvm::StringRef name, Span span) {
  if (!env->globals.count(name))
    setBinding(env, name, Value(), span);
}

/// Evaluates what stands in a statement whose head failed, for its own errors.
Flow Evaluator::execAfterError(ast::Body body, const ast::Stmt *s) {
  bool isLoop = s->kind == ast::StmtKind::For;
  if (isLoop)
    loops.push_back({/*isRuntime=*/inLaunch(), frames});
  llvm::scope_exit leave([&, count = loops.size() - isLoop] { loops.resize(count); });
  if (isLoop || !kernel || launch)
    return exec(body);
  // The launch of a kernel function: its statements want one.
  auto *l = program.make<Launch>();
  l->span = s->span;
  int64_t threads[] = {128, 1, 1};
  l->threads = program.copy(llvm::ArrayRef<int64_t>(threads));
  const Var *none[] = {nullptr, nullptr, nullptr};
  l->threadVars = program.copy(llvm::ArrayRef<const Var *>(none));
  std::vector<const Stmt *> list;
  llvm::SaveAndRestore savedLaunch(launch, l);
  llvm::SaveAndRestore savedStatements(statements, &list);
  llvm::SaveAndRestore savedFrames(frames, frames + 1);
  return exec(body);
}

/// Leaves `s` out after an error in it; `flow` says how to go on. False when nothing can follow.
bool Evaluator::recover(const ast::Stmt *s, Flow &flow) {
  // `s = s * 2` of a whole tile: what it means to change stays what it was.
  bool isTileArithmetic = failure && failure->error.id == DiagId::WholeBuffer;
  if (!postpone())
    return false;
  flow = Flow::Normal;
  llvm::DenseSet<llvm::StringRef> names;
  ast::Body body;
  if (const auto *f = llvm::dyn_cast<ast::ForStmt>(s)) {
    collectTargets(f->target, names);
    body = f->body;
  } else if (const auto *w = llvm::dyn_cast<WithStmt>(s)) {
    for (const WithItem &item : w->items)
      if (item.target)
        collectTargets(item.target, names);
    body = w->body;
  } else if (s->kind == ast::StmtKind::Return) {
    if (frames == functionFrames) { // else it may not return here
      returned = Value();
      flow = Flow::Return;
    }
    return true;
  } else if (s->kind == ast::StmtKind::AugAssign) {
    return true; // what it updates is what it was
  } else {
    collectAssigned(ast::Body(s), names, /*loopTargets=*/true);
  }
  // Indices of a loop or a launch of the kernel are what they would have been.
  bool isIndex = kernel && !body.empty() && (!launch || llvm::isa<ast::ForStmt>(s));
  auto isTile = [&](llvm::StringRef name) {
    Binding *binding = findBinding(env, name);
    return binding && (binding->value.is(ValueKind::Buffer) || !binding->value.ok());
  };
  for (llvm::StringRef name : names)
    if (isTileArithmetic && isTile(name))
      continue;
    else if (isIndex)
      setBinding(env, name,
                 Value::expr(build.var(newVar(name, DType::I32, VarKind::Loop, s->span), s->span)),
                 s->span);
    else
      poisonName(name, s->span);
  if (body.empty())
    return true;
  Flow inner = execAfterError(body, s);
  if (inner == Flow::Error || inner == Flow::Return)
    flow = inner;
  return flow != Flow::Error;
}

} // namespace tilec::script
