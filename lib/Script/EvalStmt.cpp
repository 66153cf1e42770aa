//===- EvalStmt.cpp - statements ------------------------------------------===//
//
// Executes statements of the syntax tree; loops and branches on runtime values go to Tracer.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Recovery.h"

namespace tilec::script {
Flow Evaluator::exec(ast::Body body) {
  size_t loopMark = loops.size();
  for (const ast::Stmt *s : body) {
    Flow flow = exec(s);
    if (flow == Flow::Error) {
      loops.resize(loopMark);
      if (!recover(s, flow))
        return Flow::Error;
    }
    if (flow != Flow::Normal)
      return flow;
    if (stopIn && stopIn == env && env->names.count(stopAt))
      return Flow::Return; // the rest of the function is of no interest
  }
  return Flow::Normal;
}

Flow Evaluator::exec(const ast::Stmt *s) {
  Deeper deeper(*this, s->span);
  if (!deeper.ok || !step(s->span))
    return Flow::Error;
  return execKind(s);
}

Flow Evaluator::execKind(const ast::Stmt *s) {
  auto done = [](bool ok) { return ok ? Flow::Normal : Flow::Error; };
  switch (s->kind) {
  case ast::StmtKind::Expr:
    return done(eval(llvm::cast<ExprStmt>(s)->value).ok());
  case ast::StmtKind::Assign: {
    const auto *a = llvm::cast<AssignStmt>(s);
    Value value = eval(a->value);
    for (const ast::Expr *target : a->targets) {
      if (!value.ok()) {
        if (target->kind == ExprKind::Subscript)
          failWith(target);
        return Flow::Error;
      }
      if (!assign(target, value, a->value->span))
        return Flow::Error;
      // `a = b = f(x)`: one value, evaluated once.
      if (a->targets.size() > 1 && target->kind == ExprKind::Name && inLaunch() &&
          value.is(ValueKind::Expr))
        value = eval(target);
    }
    return done(value.ok());
  }
  case ast::StmtKind::AugAssign:
    return execAugAssign(llvm::cast<AugAssignStmt>(s));
  case ast::StmtKind::AnnAssign:
    return execAnnAssign(llvm::cast<AnnAssignStmt>(s));
  case ast::StmtKind::For:
    return execFor(llvm::cast<ast::ForStmt>(s));
  case ast::StmtKind::While:
    return execWhile(llvm::cast<ast::WhileStmt>(s));
  case ast::StmtKind::If:
    return execIf(llvm::cast<ast::IfStmt>(s));
  case ast::StmtKind::With:
    return execWith(llvm::cast<WithStmt>(s));
  case ast::StmtKind::Function: {
    const auto *f = llvm::cast<FunctionStmt>(s);
    Value value = makeFunction(f);
    return done(value.ok() && bind(f->name, value, f->nameSpan));
  }
  case ast::StmtKind::Class: {
    const auto *c = llvm::cast<ClassStmt>(s);
    Value value = makeClass(c);
    return done(value.ok() && bind(c->name, value, c->nameSpan));
  }
  case ast::StmtKind::Return:
    return execReturn(llvm::cast<SimpleStmt>(s));
  case ast::StmtKind::Break:
  case ast::StmtKind::Continue:
    return execJump(s, s->kind == ast::StmtKind::Break);
  case ast::StmtKind::Pass:
    return Flow::Normal;
  case ast::StmtKind::Import:
    return done(execImport(llvm::cast<ImportStmt>(s)));
  case ast::StmtKind::Global:
  case ast::StmtKind::Nonlocal:
    if (env)
      for (llvm::StringRef name : llvm::cast<ScopeStmt>(s)->names)
        env->globals[name] = s->kind == ast::StmtKind::Nonlocal;
    return Flow::Normal;
  case ast::StmtKind::Assert:
    return execAssert(llvm::cast<AssertStmt>(s));
  case ast::StmtKind::Raise:
    return execRaise(llvm::cast<SimpleStmt>(s));
  case ast::StmtKind::Delete:
    return execDelete(llvm::cast<DeleteStmt>(s));
  case ast::StmtKind::Try:
    return execTry(llvm::cast<TryStmt>(s));
  }
  return Flow::Error;
}

Flow Evaluator::execAugAssign(const AugAssignStmt *s) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(s->target)) {
    Value old = lookup(name->name, name->span);
    if (!old.ok())
      return Flow::Error;
    Value current = decay(old, name->span);
    Value rhs = eval(s->value);
    if (!rhs.ok())
      return Flow::Error;
    if (current.is(ValueKind::List) && s->op == BinaryOp::Add) {
      llvm::SmallVector<Value> more;
      if (!iterate(rhs, s->value->span, more))
        return Flow::Error;
      current.items().insert(current.items().end(), more.begin(), more.end());
      return Flow::Normal;
    }
    Value result = binary(s->op, current, rhs, s->span, name->span, s->value->span);
    return result.ok() && bind(name->name, result, name->span) ? Flow::Normal : Flow::Error;
  }
  const auto *target = llvm::dyn_cast<SubscriptExpr>(s->target);
  if (!target) {
    fail(DiagId::CannotAssign, s->target->span);
    return Flow::Error;
  }
  Value object = evalRaw(target->value);
  Value index = object.ok() ? eval(target->index) : failWith(target->index);
  Value place;
  if (index.ok())
    place = decay(subscript(object, index, target->span, target->index->span), target->span);
  Value rhs = place.ok() ? eval(s->value) : failWith(s->value);
  if (!rhs.ok())
    return Flow::Error;
  if (place.is(ValueKind::Region)) {
    failWholeBuffer(spellingOf(s->op), s->span, {{place, target->span}, {rhs, s->value->span}});
    return Flow::Error;
  }
  Value result = binary(s->op, place, rhs, s->span, target->span, s->value->span);
  if (!result.ok())
    return Flow::Error;
  bool isElement = object.is(ValueKind::Buffer) || object.is(ValueKind::Region);
  if (isElement && place.is(ValueKind::Expr))
    return emitStore(place.expr()->buffer, place.expr()->args, result, s->span, target->span,
                     s->value->span)
               ? Flow::Normal
               : Flow::Error;
  return assignSubscript(target, result, s->value->span) ? Flow::Normal : Flow::Error;
}

Flow Evaluator::execAnnAssign(const AnnAssignStmt *s) {
  const auto *name = llvm::dyn_cast<NameExpr>(s->target);
  if (s->value) {
    Value value = eval(s->value);
    return value.ok() && assign(s->target, value, s->value->span) ? Flow::Normal : Flow::Error;
  }
  // `A: T.Tensor((M, K), dtype)` declares a parameter of an eager function.
  if (!name || !eager || !env || !env->traced)
    return Flow::Normal;
  Binding *binding = findBinding(env, name->name);
  if (!binding || !binding->value.is(ValueKind::Unfilled)) {
    if (llvm::none_of(eager->function->params,
                      [&](const ast::Param &p) { return p.name == name->name; })) {
      fail(DiagId::AnnotatedNoParameter, name->span, name->name, eager->function->name);
      return Flow::Error;
    }
    if (binding && binding->value.isNumber() && declaresTensor(s->annotation)) {
      failTensorGiven(name->name, eager->callSpan);
      return Flow::Error;
    }
    return Flow::Normal;
  }
  Value annotation = eval(s->annotation);
  Value bound;
  if (!annotation.ok() ||
      !declareParam(name->name, name->span, annotation, s->annotation->span, bound))
    return Flow::Error;
  setBinding(env, name->name, bound, name->span);
  return Flow::Normal;
}

Flow Evaluator::execFor(const ast::ForStmt *s) {
  Value iterable = eval(s->iterable);
  if (!iterable.ok())
    return Flow::Error;
  bool traced = inLaunch() && env && env->traced;
  if (iterable.is(ValueKind::Range) && traced) {
    auto *r = iterable.as<RangeObject>();
    auto *loop = heap.make<LoopObject>();
    LoopRange range;
    range.begin = toExpr(Value::small(r->start), s->iterable->span);
    range.end = toExpr(Value::small(r->stop), s->iterable->span);
    range.step = r->step;
    loop->ranges.push_back(range);
    loop->span = s->iterable->span;
    return traceLoop(s, loop);
  }
  if (iterable.is(ValueKind::Loop)) {
    if (!inLaunch()) {
      fail(DiagId::OutsideKernel, s->iterable->span, "this loop");
      return Flow::Error;
    }
    auto *loop = iterable.as<LoopObject>();
    return loop->isPersistent                 ? tracePersistent(s, loop)
           : loop->loop == LoopKind::Parallel ? traceParallel(s, loop)
                                              : traceLoop(s, loop);
  }
  llvm::SmallVector<Value> items;
  if (!iterate(iterable, s->iterable->span, items))
    return Flow::Error;
  const Value *item = items.begin();
  return execRounds(s->body, s->orElse, [&]() -> std::optional<bool> {
    if (item == items.end())
      return false;
    if (!step(s->span) || !assign(s->target, *item++, s->iterable->span))
      return std::nullopt;
    return true;
  });
}

Flow Evaluator::execWhile(const ast::WhileStmt *s) {
  if (inLaunch() && env && env->traced) {
    if (!s->orElse.empty()) {
      fail(DiagId::ElseOfRuntimeLoop, s->orElse[0]->span);
      return Flow::Error;
    }
    return traceWhile(s->condition, s->body, s->span);
  }
  return execRounds(s->body, s->orElse, [&]() -> std::optional<bool> {
    Value condition = evalTested(s->condition);
    return condition.ok() ? truth(condition, s->condition->span) : std::nullopt;
  });
}

/// A loop at compile time. `next` says whether there is another round, and nothing after a failure.
Flow Evaluator::execRounds(ast::Body body, ast::Body orElse,
                           llvm::function_ref<std::optional<bool>()> next) {
  loops.push_back({false, frames});
  bool broken = false;
  while (!broken) {
    std::optional<bool> more = next();
    if (!more)
      return Flow::Error;
    if (!*more)
      break;
    Flow flow = exec(body);
    if (flow == Flow::Error || flow == Flow::Return)
      return flow;
    broken = flow == Flow::Break;
  }
  loops.pop_back();
  return broken ? Flow::Normal : exec(orElse);
}

Flow Evaluator::execIf(const ast::IfStmt *s) {
  Value condition = evalTested(s->condition);
  if (!condition.ok())
    return Flow::Error;
  if (isRuntime(condition) && !condition.expr()->isConst()) {
    if (!inLaunch()) {
      fail(DiagId::RuntimeCondition, s->condition->span);
      return Flow::Error;
    }
    const Expr *c = toCondition(condition, s->condition->span);
    return c ? traceIf(s, c) : Flow::Error;
  }
  std::optional<bool> t = truth(condition, s->condition->span);
  if (!t)
    return Flow::Error;
  return exec(*t ? s->thenBody : s->elseBody);
}

Flow Evaluator::execWith(const WithStmt *s) {
  LaunchObject *kernelFrame = nullptr;
  const ast::Expr *kernelTarget = nullptr;
  llvm::SaveAndRestore savedReducer(threadReducer);
  for (const WithItem &item : s->items) {
    // `with T.While(condition):`
    const auto *made = llvm::dyn_cast<CallExpr>(item.context);
    Value maker = made && made->args.size() == 1 ? evalRaw(made->callee) : Value::none();
    if (maker.is(ValueKind::Intrinsic) && maker.intrinsic() == IntrinsicId::WhileLoop)
      return inLaunch() ? traceWhile(made->args[0], s->body, s->span)
                        : (fail(DiagId::OutsideKernel, made->span, "`T.While`"), Flow::Error);
    Value context = maker.ok() ? eval(item.context) : Value();
    if (!context.ok())
      return Flow::Error;
    if (context.is(ValueKind::Launch) && !kernelFrame) {
      kernelFrame = context.as<LaunchObject>();
      kernelTarget = item.target;
      continue;
    }
    if (context.is(ValueKind::Launch)) {
      fail(DiagId::NestedKernel, item.context->span);
      return Flow::Error;
    }
    if (context.is(ValueKind::Builtin) && context.str() == "reduce_scope") {
      threadReducer = context.as<NamedObject>()->keywords[0].value;
      continue;
    }
    if (!context.is(ValueKind::Opaque)) {
      fail(DiagId::NotContextManager, item.context->span, typeName(context));
      return Flow::Error;
    }
    if (item.target && !assign(item.target, context, item.context->span))
      return Flow::Error;
  }
  return kernelFrame ? execLaunch(s, kernelFrame, kernelTarget) : exec(s->body);
}

Flow Evaluator::execAssert(const AssertStmt *s) {
  Value condition = evalTested(s->condition);
  if (!condition.ok())
    return Flow::Error;
  if (isRuntime(condition) && !condition.expr()->isConst()) {
    const Expr *c = toCondition(condition, s->condition->span);
    if (!c)
      return Flow::Error;
    if (!inLaunch()) {
      if (kernel)
        kernel->assumptions.push_back(c);
      return Flow::Normal;
    }
    CallArgs args;
    args.span = args.calleeSpan = s->span;
    args.values.push_back(Value::expr(c));
    args.spans.push_back(s->condition->span);
    if (s->message) {
      Value message = eval(s->message);
      if (!message.ok())
        return Flow::Error;
      args.values.push_back(heap.str(toStr(message)));
      args.spans.push_back(s->message->span);
    }
    return callIntrinsic(IntrinsicId::DeviceAssert, args).ok() ? Flow::Normal : Flow::Error;
  }
  std::optional<bool> t = truth(condition, s->condition->span);
  if (!t)
    return Flow::Error;
  if (*t)
    return Flow::Normal;
  std::string text;
  if (s->message) {
    Value message = eval(s->message);
    if (!message.ok())
      return Flow::Error;
    text = ": " + toStr(message);
  }
  fail(DiagId::AssertionFailed, s->condition->span, text);
  return Flow::Error;
}

Flow Evaluator::execRaise(const SimpleStmt *s) {
  std::string text = "exception";
  if (s->value) {
    Value v = eval(s->value);
    if (!v.ok())
      return Flow::Error;
    text = v.is(ValueKind::Opaque) || v.is(ValueKind::Builtin) ? v.str().str() : toStr(v);
  }
  if (frames > 0) {
    fail(DiagId::RaiseAtRuntime, s->span);
    return Flow::Error;
  }
  fail(DiagId::Raised, s->span, text);
  return Flow::Error;
}

Flow Evaluator::execTry(const TryStmt *s) {
  Flow flow;
  {
    Attempt attempt(*this);
    flow = exec(s->body);
  }
  bool catchable = failure && failure->error.id != DiagId::TooManySteps &&
                   failure->error.id != DiagId::EvaluationTooDeep;
  if (flow == Flow::Error && catchable && !s->handlers.empty() && !inLaunch()) {
    failure.reset();
    // Which exception it was is not modelled: the first handler takes it.
    flow = exec(s->handlers[0].body);
  } else if (flow == Flow::Normal) {
    flow = exec(s->orElse);
  }
  if (flow == Flow::Error)
    return flow;
  Flow last = exec(s->finalBody);
  return last == Flow::Normal ? flow : last;
}

Flow Evaluator::execDelete(const DeleteStmt *s) {
  for (const ast::Expr *target : s->targets) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(target)) {
      if (env)
        env->names.erase(name->name);
      continue;
    }
    const auto *item = llvm::dyn_cast<SubscriptExpr>(target);
    if (!item)
      fail(DiagId::CannotAssign, target->span);
    if (!item || !deleteItem(item))
      return Flow::Error;
  }
  return Flow::Normal;
}

/// `del table[key]`, `del items[i]`, `del items[i:j]`.
bool Evaluator::deleteItem(const SubscriptExpr *target) {
  Value object = eval(target->value);
  Value index = object.ok() ? eval(target->index) : Value();
  Span indexSpan = target->index->span;
  if (!index.ok())
    return false;
  if (object.is(ValueKind::Dict)) {
    auto *dict = object.as<DictObject>();
    if (!dictFind(dict, index))
      return fail(DiagId::KeyMissing, indexSpan, shown(index)).ok();
    llvm::erase_if(dict->entries, [&](auto &e) { return same(e.first, index); });
    return true;
  }
  if (!object.is(ValueKind::List))
    return fail(DiagId::CannotAssignItem, target->span, typeName(object)).ok();
  std::vector<Value> &items = object.items();
  auto length = static_cast<int64_t>(items.size());
  if (!step(target->span, items.size() / 16))
    return false;
  if (index.is(ValueKind::Slice)) {
    int64_t start, stop, stride;
    if (!sliceBounds(index.as<SliceObject>(), length, indexSpan, start, stop, stride))
      return false;
    stride = std::clamp<int64_t>(stride, -length - 1, length + 1);
    std::vector<bool> gone(items.size());
    for (int64_t i = start; stride > 0 ? i < stop : i > stop; i += stride)
      gone[i] = true;
    size_t i = 0;
    llvm::erase_if(items, [&](const Value &) { return gone[i++]; });
    return true;
  }
  std::optional<int64_t> i = toInt(index, indexSpan, "an index of a list");
  int64_t at = i && *i < 0 ? *i + length : i.value_or(0);
  if (i && (at < 0 || at >= length))
    fail(DiagId::IndexOutOfRange, indexSpan, *i, length);
  if (failure)
    return false;
  items.erase(items.begin() + at);
  return true;
}

Flow Evaluator::execReturn(const SimpleStmt *s) {
  if (frames != functionFrames) {
    fail(launch && frames == functionFrames + 1 ? DiagId::ReturnInKernel : DiagId::ReturnInFrame,
         s->span);
    return Flow::Error;
  }
  Value value = s->value ? eval(s->value) : Value::none();
  if (!value.ok())
    return Flow::Error;
  returned = value;
  returnedSpan = s->value ? s->value->span : s->span;
  return Flow::Return;
}

Flow Evaluator::execJump(const ast::Stmt *s, bool isBreak) {
  if (loops.empty()) {
    fail(DiagId::JumpOutsideLoop, s->span, isBreak ? "break" : "continue");
    return Flow::Error;
  }
  const LoopContext &loop = loops.back();
  if (loop.isRuntime) {
    emit(program.make<JumpStmt>(s->span, isBreak));
    return failure ? Flow::Error : Flow::Normal;
  }
  if (frames != loop.frames) {
    fail(DiagId::JumpFromBranch, s->span, isBreak ? "break" : "continue");
    return Flow::Error;
  }
  return isBreak ? Flow::Break : Flow::Continue;
}

} // namespace tilec::script
