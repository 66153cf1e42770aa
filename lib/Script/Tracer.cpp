//===- Tracer.cpp - runtime statements and frames -------------------------===//
//
// A runtime frame is the body of a loop or branch that exists in the kernel. A name that
// is bound outside of the frame and assigned inside must be a variable, not a value:
// before the frame is traced such scalars become Var-scope buffers. When an assignment in
// the frame needs a wider dtype than the variable has, the frame is traced again with it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace tilec::script {
void Evaluator::emit(const Stmt *s) {
  if (++statementCount > limits.statements) {
    fail(DiagId::TooManyStatements, s->span, limits.statements);
    return;
  }
  build.sums.noteStatement(s);
  statements->push_back(s);
}

const Var *Evaluator::newVar(llvm::StringRef name, DType type, VarKind kind, Span span) {
  Var *v = program.make<Var>();
  v->name = program.copy(name);
  v->type = type;
  v->kind = kind;
  v->span = span;
  v->id = program.nextId();
  return v;
}

Buffer *Evaluator::newBuffer(llvm::StringRef name, DType type, Scope scope,
                             llvm::ArrayRef<const Expr *> shape, Span span) {
  Buffer *b = program.make<Buffer>();
  b->name = program.copy(name);
  b->type = type;
  b->scope = scope;
  b->shape = program.copy(shape);
  b->span = span;
  b->id = program.nextId();
  mutableBuffers[b] = b;
  return b;
}

Value Evaluator::bindLet(llvm::StringRef name, const Expr *e, Span span) {
  if (e->isConst() || e->op == ExprOp::Var)
    return Value::expr(e);
  const Var *v = newVar(name, e->type, VarKind::Let, span);
  emit(program.make<LetStmt>(span, v, e));
  build.sums.define(v, e);
  return failure ? Value() : Value::expr(build.var(v, span));
}

bool Evaluator::emitStore(const Buffer *buffer, llvm::ArrayRef<const Expr *> indices,
                          const Value &value, Span span, Span targetSpan, Span valueSpan) {
  if (!inLaunch()) {
    fail(DiagId::OutsideKernel, targetSpan, "a store");
    return false;
  }
  auto record = promoted.find(buffer);
  bool isPromoted = record != promoted.end();
  // A variable made from a plain name takes any scalar: it widens instead of rounding.
  std::optional<DType> wanted;
  if (value.isNumber() && !(isPromoted && value.is(ValueKind::Float) && !isFloat(buffer->type)))
    wanted = buffer->type;
  const Expr *e = wanted && isFloat(*wanted)
                      ? build.constFloat(value.toDouble(), *wanted, valueSpan)
                      : toExpr(value, valueSpan, wanted);
  if (!e)
    return false;
  if (isPromoted)
    record->second.wider = ExprBuilder::commonType(record->second.wider, e->type);
  if (e->type != buffer->type || e->isConst()) // the store rounds
    e = build.cast(e, buffer->type, valueSpan);
  emit(program.make<StoreStmt>(span, buffer, program.copy(indices), e, targetSpan));
  return !failure;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

namespace {
bool isScalar(const Value &v) { return v.isNumber() || v.is(ValueKind::Expr); }
} // namespace

bool Evaluator::runtimeFrame(llvm::ArrayRef<ast::Body> bodies,
                             llvm::ArrayRef<const ast::Expr *> exclude, Span span,
                             llvm::function_ref<bool()> trace) {
  llvm::DenseSet<llvm::StringRef> assigned, excluded;
  for (ast::Body body : bodies)
    collectAssigned(body, assigned, /*loopTargets=*/false);
  for (const ast::Expr *target : exclude)
    collectTargets(target, excluded);
  struct Candidate {
    std::string name;
    Binding old;
    DType type;
  };
  std::vector<Candidate> candidates;
  for (llvm::StringRef name : assigned) {
    auto it = env->names.find(name);
    if (excluded.count(name) || it == env->names.end())
      continue;
    if (isLanes(it->second.value) && !it->second.value.items()[0].is(ValueKind::Buffer)) {
      Value variables = allocLanes(*vectorTypeOf(typeOfLanes(it->second.value)), it->second.value,
                                   it->second.span, it->second.span);
      if (!variables.ok())
        return false;
      setBinding(env, name, variables, it->second.span);
    }
    if (!isScalar(it->second.value))
      continue;
    const Expr *initial = toExpr(it->second.value, it->second.span);
    if (!initial)
      return false;
    candidates.push_back({name.str(), it->second, initial->type});
  }
  llvm::sort(candidates, [](auto &a, auto &b) { return a.name < b.name; });

  // Dtypes only widen, and there are few: this ends.
  for (;;) {
    size_t statementMark = statements->size();
    uint64_t countMark = statementCount;
    std::vector<const Buffer *> variables;
    for (Candidate &c : candidates) {
      Buffer *variable = newBuffer(c.name, c.type, Scope::Var, {}, c.old.span);
      variables.push_back(variable);
      const Expr *initial = toExpr(c.old.value, c.old.span, c.type);
      if (!initial)
        return false;
      emit(program.make<AllocStmt>(c.old.span, variable));
      emit(program.make<StoreStmt>(c.old.span, variable, llvm::ArrayRef<const Expr *>(), initial,
                                   c.old.span));
      promoted[variable] = {c.type, c.type};
      setBinding(env, c.name, Value::buffer(variable), c.old.span);
    }
    if (failure || !trace())
      return false;
    bool again = false;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (promoted[variables[i]].wider != candidates[i].type) {
        candidates[i].type = promoted[variables[i]].wider;
        again = true;
      }
    if (!again)
      return !failure;
    statements->resize(statementMark);
    statementCount = countMark;
    if (!step(span))
      return false;
  }
}

/// What the frame bound ends with it.
void Evaluator::closeFrame(size_t journalMark) {
  while (journal.size() > journalMark) {
    JournalEntry entry = std::move(journal.back());
    journal.pop_back();
    auto found = entry.env->names.find(entry.name);
    if (found == entry.env->names.end()) { // deleted in the frame: what was there before is stale
      if (entry.old)
        entry.env->names[entry.name] = *entry.old, entry.env->names[entry.name].stale = true;
      continue;
    }
    Binding now = found->second;
    if (entry.old) {
      Binding restored = *entry.old;
      bool same = restored.value.kind() == now.value.kind() &&
                  restored.value.identity() == now.value.identity();
      restored.stale |= !same;
      if (!same)
        restored.span = now.span;
      entry.env->names[entry.name] = restored;
    } else {
      entry.env->closed[entry.name] = now.span;
      entry.env->names.erase(entry.name);
    }
  }
}

bool Evaluator::traceBody(ast::Body body, Span span, Body &out) {
  std::vector<const Stmt *> list;
  size_t journalMark = journal.size();
  Flow flow;
  {
    llvm::SaveAndRestore savedStatements(statements, &list);
    llvm::SaveAndRestore savedFrames(frames, frames + 1);
    build.sums.noteFrame();
    flow = exec(body);
    build.sums.noteFrame();
  }
  if (flow == Flow::Return)
    fail(DiagId::ReturnInFrame, span);
  if (flow == Flow::Error || failure)
    return false;
  closeFrame(journalMark);
  out = program.copy(llvm::ArrayRef<const Stmt *>(list));
  return true;
}

Flow Evaluator::traceLoop(const ast::ForStmt *s, LoopObject *loop) {
  if (!s->orElse.empty()) {
    fail(DiagId::ElseOfRuntimeLoop, s->orElse[0]->span);
    return Flow::Error;
  }
  bool ok = runtimeFrame({s->body}, {s->target}, s->span, [&] {
    std::vector<LoopRange> ranges = loop->ranges;
    std::vector<Value> values;
    const auto *names = llvm::dyn_cast<SequenceExpr>(s->target);
    for (size_t i = 0; i < ranges.size(); ++i) {
      llvm::StringRef name = "_";
      const ast::Expr *target = names && i < names->items.size() ? names->items[i]
                                : names                          ? nullptr
                                                                 : s->target;
      if (const auto *n = llvm::dyn_cast_or_null<NameExpr>(target))
        name = n->name;
      DType type = ExprBuilder::commonType(ranges[i].begin->type, ranges[i].end->type);
      ranges[i].begin = build.cast(ranges[i].begin, type, ranges[i].begin->span);
      ranges[i].end = build.cast(ranges[i].end, type, ranges[i].end->span);
      ranges[i].var = newVar(name, type, VarKind::Loop, target ? target->span : s->target->span);
      values.push_back(Value::expr(build.var(ranges[i].var, ranges[i].var->span)));
    }
    // The targets are bound in the frame: a store or a let would be wrong for them.
    llvm::SaveAndRestore savedFrames(frames, frames + 1);
    size_t journalMark = journal.size();
    if (names) {
      if (names->items.size() != values.size()) {
        fail(DiagId::UnpackCount, s->target->span, names->items.size(), values.size());
        return false;
      }
      for (size_t i = 0; i < values.size(); ++i)
        if (const auto *n = llvm::dyn_cast<NameExpr>(names->items[i]))
          setBinding(env, n->name, values[i], n->span);
        else
          return fail(DiagId::CannotAssign, names->items[i]->span), false;
    } else if (const auto *n = llvm::dyn_cast<NameExpr>(s->target)) {
      setBinding(env, n->name, values.size() == 1 ? values[0] : heap.tuple(values), n->span);
    } else {
      return fail(DiagId::CannotAssign, s->target->span), false;
    }
    bool isParallel = loop->loop == LoopKind::Parallel;
    llvm::SaveAndRestore savedDraws(drawsRandom, false);
    llvm::SaveAndRestore savedParallel(parallelDepth, parallelDepth + isParallel);
    loops.push_back({true, frames});
    Body body;
    bool traced = traceBody(s->body, s->span, body);
    loops.pop_back();
    if (!traced)
      return false;
    closeFrame(journalMark);
    // T.grid: one serial loop per extent, the last innermost.
    // A parallel loop of one thread that draws random numbers is one, too: their order counts.
    bool isNested = loop->isGrid || (isParallel && drawsRandom);
    size_t count = isNested ? ranges.size() : 1;
    for (size_t i = count; i-- > 0;) {
      auto *f =
          program.make<ForStmt>(s->span, isParallel && isNested ? LoopKind::Serial : loop->loop);
      f->ranges = program.copy(isNested ? llvm::ArrayRef<LoopRange>(ranges[i])
                                        : llvm::ArrayRef<LoopRange>(ranges));
      f->hints = loop->hints;
      f->headSpan = s->iterable->span;
      f->body = body;
      if (i == 0) {
        emit(f);
        break;
      }
      const Stmt *inner = f;
      body = program.copy(llvm::ArrayRef<const Stmt *>(inner));
    }
    return !failure;
  });
  return ok ? Flow::Normal : Flow::Error;
}

/// `T.sync_grid()` or `T.sync_threads()` as a statement.
bool Evaluator::isBarrierOfBlock(const ast::Stmt *s) {
  const auto *statement = llvm::dyn_cast<ExprStmt>(s);
  const auto *made = statement ? llvm::dyn_cast<CallExpr>(statement->value) : nullptr;
  const auto *name = made ? llvm::dyn_cast<AttributeExpr>(made->callee) : nullptr;
  if (!name || (name->name != "sync_grid" && name->name != "sync_threads"))
    return false;
  Value callee = evalRaw(name);
  return callee.is(ValueKind::Intrinsic) && (callee.intrinsic() == IntrinsicId::SyncGrid ||
                                             callee.intrinsic() == IntrinsicId::SyncThreads);
}

/// All iterations come to a barrier between the statements before the ones behind it begin: a loop
/// for each side.
Flow Evaluator::traceParallel(const ast::ForStmt *s, LoopObject *loop) {
  auto isBarrier = [&](const ast::Stmt *part) { return isBarrierOfBlock(part); };
  if (parallelDepth > 0 || llvm::none_of(s->body, isBarrier))
    return traceLoop(s, loop);
  for (ast::Body rest = s->body; !rest.empty();) {
    size_t count = llvm::find_if(rest, isBarrier) - rest.begin();
    ast::ForStmt part = *s;
    part.body = rest.take_front(count);
    Flow flow = count ? traceLoop(&part, loop) : Flow::Normal;
    if (flow == Flow::Normal && count < rest.size())
      flow = exec(rest[count]);
    if (flow != Flow::Normal)
      return flow;
    rest = rest.drop_front(std::min(count + 1, rest.size()));
  }
  return Flow::Normal;
}

/// T.Persistent(domain, wave_size, index, group_size): the tiles of one block, decoded from a
/// linear index. reference/tilelang.md, 1.3, "Persistent".
Flow Evaluator::tracePersistent(const ast::ForStmt *s, LoopObject *loop) {
  Span span = loop->span;
  auto constant = [&](int64_t v) { return build.constInt(v, DType::I32, span); };
  auto op = [&](ExprOp o, const Expr *a, const Expr *b) { return build.binary(o, a, b, span); };
  const Expr *last = loop->domain.back();
  const Expr *group =
      op(ExprOp::Max, constant(1), op(ExprOp::Min, constant(loop->groupSize), last));
  llvm::SmallVector<const Expr *> grouped{build.ceilDiv(last, group, span)};
  grouped.append(loop->domain.begin(), loop->domain.end() - 1);
  grouped.push_back(group);
  const Expr *total = grouped[0];
  for (const Expr *e : llvm::drop_begin(grouped))
    total = op(ExprOp::Mul, total, e);

  bool ok = runtimeFrame({s->body}, {s->target}, s->span, [&] {
    const Expr *waves = build.ceilDiv(total, constant(loop->waveSize), span);
    const Var *wave = newVar("wave", DType::I32, VarKind::Loop, span);
    std::vector<const Stmt *> outer;
    Body inner;
    const Expr *inRange = nullptr, *inDomain = nullptr;
    size_t journalMark = journal.size();
    {
      llvm::SaveAndRestore savedStatements(statements, &outer);
      llvm::SaveAndRestore savedFrames(frames, frames + 1);
      auto let = [&](llvm::StringRef name, const Expr *e) -> const Expr * {
        Value v = bindLet(name, e, span);
        return v.ok() ? v.expr() : nullptr;
      };
      const Expr *linear = let(
          "tile", op(ExprOp::Add, op(ExprOp::Mul, build.var(wave, span), constant(loop->waveSize)),
                     build.cast(loop->index, DType::I32, span)));
      if (!linear)
        return false;
      inRange = op(ExprOp::Lt, linear, total);
      llvm::SmallVector<const Expr *> index(grouped.size());
      const Expr *rest = linear;
      for (size_t i = grouped.size(); i-- > 0;) {
        index[i] = i == 0 ? rest : op(ExprOp::FloorMod, rest, grouped[i]);
        rest = op(ExprOp::FloorDiv, rest, grouped[i]);
      }
      std::vector<Value> coords;
      for (size_t i = 1; i + 1 < index.size(); ++i)
        coords.push_back(Value::expr(index[i]));
      const auto *names = llvm::dyn_cast<SequenceExpr>(s->target);
      const auto *lastName = llvm::dyn_cast<NameExpr>(
          names && !names->items.empty() ? names->items.back() : s->target);
      const Expr *lastIndex = let(lastName ? lastName->name : "column",
                                  op(ExprOp::Add, op(ExprOp::Mul, index[0], group), index.back()));
      if (!lastIndex)
        return false;
      coords.push_back(Value::expr(lastIndex));
      inDomain = op(ExprOp::Lt, lastIndex, last);
      Value bound = coords.size() == 1 ? coords[0] : heap.tuple(coords);
      if (!assign(s->target, bound, span))
        return false;
      loops.push_back({true, frames});
      bool traced = traceBody(s->body, s->span, inner);
      loops.pop_back();
      if (!traced)
        return false;
      auto *guard = program.make<IfStmt>(span, op(ExprOp::LogicalAnd, inRange, inDomain));
      guard->thenBody = inner;
      emit(guard);
    }
    closeFrame(journalMark);
    auto *f = program.make<ForStmt>(s->span, LoopKind::Serial);
    LoopRange range;
    range.var = wave;
    range.begin = constant(0);
    range.end = waves;
    f->ranges = program.copy(llvm::ArrayRef<LoopRange>(range));
    f->headSpan = span;
    f->body = program.copy(llvm::ArrayRef<const Stmt *>(outer));
    emit(f);
    return !failure;
  });
  return ok ? Flow::Normal : Flow::Error;
}

Flow Evaluator::traceIf(const ast::IfStmt *s, const Expr *condition) {
  llvm::SaveAndRestore savedBranches(branches, branches + 1);
  bool ok = runtimeFrame({s->thenBody, s->elseBody}, {}, s->span, [&] {
    auto *node = program.make<IfStmt>(s->span, condition);
    if (!traceBody(s->thenBody, s->span, node->thenBody) ||
        !traceBody(s->elseBody, s->span, node->elseBody))
      return false;
    emit(node);
    return !failure;
  });
  return ok ? Flow::Normal : Flow::Error;
}

Flow Evaluator::traceWhile(const ast::Expr *condition, ast::Body body, Span span) {
  bool ok = runtimeFrame({body}, {}, span, [&] {
    std::vector<const Stmt *> asked; // calls in the condition: again in each round
    const Expr *goesOn = nullptr;
    {
      llvm::SaveAndRestore savedStatements(statements, &asked);
      if (Value v = evalTested(condition); v.ok())
        goesOn = toCondition(v, condition->span);
    }
    if (!goesOn)
      return false;
    if (!asked.empty()) { // while True: if not condition: break
      auto *leaves = program.make<IfStmt>(condition->span,
                                          build.unary(ExprOp::LogicalNot, goesOn, condition->span));
      const Stmt *jump = program.make<JumpStmt>(condition->span, /*isBreak=*/true);
      leaves->thenBody = program.copy(llvm::ArrayRef(jump));
      asked.push_back(leaves);
      goesOn = build.constBool(true, condition->span);
    }
    auto *node = program.make<WhileStmt>(span, goesOn);
    loops.push_back({true, frames + 1});
    bool traced = traceBody(body, span, node->body);
    loops.pop_back();
    if (!traced)
      return false;
    asked.insert(asked.end(), node->body.begin(), node->body.end());
    node->body = program.copy(llvm::ArrayRef<const Stmt *>(asked));
    emit(node);
    return !failure;
  });
  return ok ? Flow::Normal : Flow::Error;
}

Flow Evaluator::execLaunch(const WithStmt *s, LaunchObject *frame, const ast::Expr *target) {
  if (!kernel) {
    fail(DiagId::KernelOutsideFunction, frame->span);
    return Flow::Error;
  }
  if (launch) {
    fail(DiagId::NestedKernel, frame->span);
    return Flow::Error;
  }
  auto *l = program.make<Launch>();
  l->span = frame->span;
  l->threadsSpan = frame->threadsSpan;
  l->threadsGiven = frame->threadsGiven;
  l->threads = program.copy(llvm::ArrayRef<int64_t>(frame->threads));
  l->grid = program.copy(llvm::ArrayRef<const Expr *>(frame->grid));
  constexpr llvm::StringRef axes[] = {"bx", "by", "bz"};
  llvm::SmallVector<const Var *> vars;
  std::vector<Value> values;
  const auto *names = llvm::dyn_cast_or_null<SequenceExpr>(target);
  for (size_t i = 0; i < frame->grid.size(); ++i) {
    llvm::StringRef name = axes[i];
    const ast::Expr *item = names && i < names->items.size() ? names->items[i] : target;
    if (const auto *n = llvm::dyn_cast_or_null<NameExpr>(item))
      name = n->name;
    Var *v = const_cast<Var *>(
        newVar(name, DType::I32, VarKind::BlockIndex, item ? item->span : frame->span));
    v->axis = static_cast<unsigned>(i);
    vars.push_back(v);
    values.push_back(Value::expr(build.var(v, v->span)));
  }
  l->blockVars = program.copy(llvm::ArrayRef<const Var *>(vars));
  llvm::SmallVector<const Var *> none(frame->threads.size(), nullptr);
  l->threadVars = program.copy(llvm::ArrayRef<const Var *>(none));
  std::vector<const Stmt *> list;
  prologue.clear();
  {
    llvm::SaveAndRestore savedLaunch(launch, l);
    llvm::SaveAndRestore savedStatements(statements, &list);
    // Launches are frames: what they bind is gone after them.
    llvm::SaveAndRestore savedFrames(frames, frames + 1);
    size_t journalMark = journal.size();
    Value bound = values.size() == 1 ? values[0] : heap.tuple(values);
    if (target && !assign(target, bound, frame->span))
      return Flow::Error;
    Flow flow = exec(s->body);
    if (flow != Flow::Normal) {
      if (flow != Flow::Error)
        fail(DiagId::ReturnInKernel, s->span);
      return Flow::Error;
    }
    closeFrame(journalMark);
  }
  list.insert(list.begin(), prologue.begin(), prologue.end());
  l->body = program.copy(llvm::ArrayRef<const Stmt *>(list));
  kernel->launches.push_back(l);
  return Flow::Normal;
}

} // namespace tilec::script
