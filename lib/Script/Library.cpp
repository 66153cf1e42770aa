//===- Library.cpp - calls of functions that are written in tile language -===//
//
// Also what they need of the tracer: the state of random numbers, the reducer of a
// `with T.attr(...)`, pointers, and C++ sources that a script brings along.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Library.h"

#include "EvaluatorScopes.h"
#include "IntrinsicTable.h"
#include "Recovery.h"

#include "tilec/Target/Target.h"

#include "llvm/Support/ErrorHandling.h"

namespace tilec::script {

Value Evaluator::callLibrary(llvm::StringRef name, llvm::ArrayRef<Value> values, Span span,
                             llvm::ArrayRef<Span> spans) {
  ModuleScope *scope = moduleBeside(libraryModule);
  if (!scope)
    llvm_unreachable("the library does not parse");
  Value function;
  {
    llvm::SaveAndRestore savedHome(home, scope);
    Isolated isolated(*this, nullptr, nullptr);
    llvm::SaveAndRestore<Env *> savedEnv(env, nullptr);
    function = lookupGlobal(name, span);
  }
  if (!function.ok())
    return Value();
  CallArgs args;
  args.span = args.calleeSpan = span;
  args.values.assign(values.begin(), values.end());
  args.spans.assign(spans.begin(), spans.end());
  args.spans.resize(values.size(), span);
  size_t keptMark = kept.size();
  Value result = call(function, args);
  // What the library finds wrong is wrong with the call.
  auto moveToCall = [&](Failure &found) {
    if (found.error.span.file == scope->module->file) {
      found.error.span = span;
      found.notes.clear();
    }
  };
  for (size_t i = keptMark; i < kept.size(); ++i)
    moveToCall(kept[i]);
  if (failure)
    moveToCall(*failure);
  return result;
}

/// Whether matrix instructions of the chip take a sparse A as it is: a tile that warp groups can
/// share, places in words as they read them. What does not fit is the library's.
bool Evaluator::takesSparse(const BoundArgs &args) const {
  const TargetInfo &target = targetInfo(arch);
  if (!target.hasSparseGroups || args["transpose_A"].boolean() || args["transpose_E"].boolean())
    return false;
  const Buffer *a = args["A_sparse"].buffer(), *e = args["E"].buffer(), *b = args["B"].buffer(),
               *c = args["C"].buffer();
  auto isMatrix = [](const Buffer *x, Scope scope) {
    return x->scope == scope && !x->viewOf && x->shape.size() == 2 && x->shape[0]->constInt() &&
           x->shape[1]->constInt();
  };
  if (!isMatrix(a, Scope::Shared) || !isMatrix(e, Scope::Shared) || !isMatrix(b, Scope::Shared) ||
      !isMatrix(c, Scope::Fragment))
    return false;
  auto atom = llvm::find_if(target.groups, [&](const GroupAtom &each) {
    return each.a == a->type && each.b == b->type && each.c == c->type;
  });
  bool isTyped = atom != target.groups.end() && isFloat(a->type) && bitsOf(a->type) == 16 &&
                 (e->type == DType::I16 || e->type == DType::U16);
  if (!isTyped)
    return false;
  auto extent = [](const Buffer *x, size_t d) { return *x->shape[d]->constInt(); };
  bool turnsB = args["transpose_B"].boolean();
  int64_t m = extent(c, 0), n = extent(c, 1), k = 2 * extent(a, 1);
  bool isShaped = extent(a, 0) == m && extent(e, 0) == m && extent(e, 1) * 16 == k &&
                  extent(b, turnsB) == k && extent(b, !turnsB) == n;
  int64_t threads = 1;
  for (int64_t count : launch->threads)
    threads *= count;
  // Two steps share a word, each of twice the dense K. Warp groups share rows or columns; a thread
  // holds its part of C, and the words of its rows.
  int64_t kOfWord = 4 * atom->k, threadsOfGroup = warpsPerGroup * target.waveLanes;
  bool isShared = threads % threadsOfGroup == 0 && m % atom->m == 0 && k % kOfWord == 0 &&
                  n % (2 * atom->stepN * threads / threadsOfGroup) == 0;
  int64_t held = m * n / threads + k / kOfWord * (m / atom->m);
  return isShaped && isShared && held + target.besideGroupAtom <= target.registers.ofLane;
}

Value Evaluator::libraryIntrinsic(const BoundArgs &args) {
  bool isHost = args.id == IntrinsicId::SparseFactor || args.id == IntrinsicId::SparseReplicate;
  if (!isHost && !inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  llvm::ArrayRef<llvm::StringRef> names = parametersOf(args.id);
  constexpr llvm::StringRef tiles[] = {"A", "B", "C", "A_sparse", "E", "SFA", "SFB"};
  std::vector<Value> values(args.values.begin(), args.values.end());
  for (size_t i = 0; i < names.size(); ++i)
    if (llvm::is_contained(tiles, names[i]) && !values[i].is(ValueKind::Buffer))
      return fail(DiagId::WantedOther, args.spans[i], "a whole buffer", typeName(values[i]));
  if (args.id == IntrinsicId::GemmSparse && takesSparse(args)) {
    BoundArgs statement = args;
    return emitIntrinsic(statement);
  }
  Value result = callLibrary(nameOf(args.id), values, args.span, args.spans);
  return result.ok() && !isHost ? Value::none() : result;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// A state belongs to a thread: it is a local array, and the launch is in lockstep mode.
Value Evaluator::randomIntrinsic(const BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  launch->usesThreadIdentity = true;
  Span span = args.span;
  if (args.id == IntrinsicId::RandomInit) {
    const Value &generator = args["generator"];
    if (!generator.is(ValueKind::Str) || generator.str() != "curandStatePhilox4_32_10_t")
      return fail(DiagId::BadArgumentValue, args.spanOf("generator"), "generator", shown(generator),
                  "`\"curandStatePhilox4_32_10_t\"`");
    Value seq = args["seq"];
    if (seq.is(ValueKind::None)) {
      Value thread = threadIndex(0, span);
      Value first = binary(ast::BinaryOp::Mul, Value::expr(build.var(launch->blockVars[0], span)),
                           Value::small(launch->threads[0]), span, span, span);
      seq = first.ok() ? binary(ast::BinaryOp::Add, thread, first, span, span, span) : Value();
      if (!seq.ok())
        return Value();
    }
    if (randomLaunch != launch) {
      Buffer *state = newBuffer("random", DType::U32, Scope::Local,
                                {build.constInt(15, DType::I32, span)}, span);
      prologue.push_back(program.make<AllocStmt>(span, state)); // it outlives this branch or loop
      randomState = Value::buffer(state);
      randomLaunch = launch;
    }
    return callLibrary("random_init", {randomState, args["seed"], seq, args["off"]}, span);
  }
  if (randomLaunch != launch)
    return fail(DiagId::RandomNotInit, span);
  if (parallelDepth > 0 && llvm::any_of(launch->threads, [](int64_t n) { return n > 1; }))
    return fail(DiagId::RandomInParallel, span);
  drawsRandom = true;
  if (args.id == IntrinsicId::RandomWord)
    return callLibrary("random_word", {randomState}, span);
  std::optional<int64_t> bits = toInt(args["bit"], args.spanOf("bit"), "bit");
  if (!bits)
    return Value();
  if (*bits != 32 && *bits != 64)
    return fail(DiagId::BadArgumentValue, args.spanOf("bit"), "bit", *bits, "32 or 64");
  const Value &dist = args["dist"];
  bool isNormal = dist.is(ValueKind::Str) && dist.str() == "normal";
  if (!isNormal && !(dist.is(ValueKind::Str) && dist.str() == "uniform"))
    return fail(DiagId::BadArgumentValue, args.spanOf("dist"), "dist", shown(dist),
                "`\"uniform\"` or `\"normal\"`");
  std::string function = isNormal ? "random_normal" : "random_uniform";
  return callLibrary(*bits == 64 ? function + "_double" : function, {randomState}, span);
}

//===----------------------------------------------------------------------===//
// Tile schedulers
//===----------------------------------------------------------------------===//

/// An object whose state is a dict of the library: numbers, and buffers for what moves.
Value Evaluator::tileScheduler(const BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  std::vector<Value> values(args.values.begin(), args.values.end() - 1); // but for the name
  Value state = callLibrary("scheduler_make", values, args.span, args.spans);
  if (!state.ok())
    return Value();
  Value scheduler = heap.named(ValueKind::Builtin, tileSchedulerName.str(), args.span);
  scheduler.as<NamedObject>()->keywords.push_back({"state", state, args.span, args.span});
  return scheduler;
}

static DictObject *stateOf(const Value &scheduler) {
  return scheduler.as<NamedObject>()->keywords[0].value.as<DictObject>();
}

static bool isMethodOfScheduler(llvm::StringRef name) {
  return llvm::is_contained({"init", "next_tile", "valid", "coord"}, name);
}

Value Evaluator::schedulerAttribute(const Value &scheduler, llvm::StringRef name, Span span,
                                    Span nameSpan) {
  if (isMethodOfScheduler(name))
    return method(scheduler, name);
  llvm::SmallVector<llvm::StringRef> known{"init", "next_tile", "valid", "coord"};
  for (auto &[key, value] : stateOf(scheduler)->entries) {
    if (key.str() == name)
      return value.is(ValueKind::Buffer)
                 ? decay(subscript(value, Value::small(0), span, span), span)
                 : value;
    known.push_back(key.str());
  }
  return fail(DiagId::NoAttribute, nameSpan, tileSchedulerName, name,
              suggestionOrList(name, known));
}

Value Evaluator::callScheduler(const Value &scheduler, llvm::StringRef name, CallArgs &args) {
  bool wantsValue = name == "init" || name == "coord";
  std::vector<Value> values{scheduler.as<NamedObject>()->keywords[0].value};
  values.insert(values.end(), args.values.begin(), args.values.end());
  for (const CallArgs::Keyword &k : args.keywords)
    values.push_back(k.value);
  if (values.size() != 1 + size_t(wantsValue))
    return fail(DiagId::WrongArgumentCount, args.span, name, size_t(wantsValue), values.size() - 1);
  if (name != "coord" &&
      llvm::none_of(stateOf(scheduler)->entries, [](auto &e) { return e.first.str() == "m_idx"; }))
    return fail(DiagId::BadArgumentValue, args.calleeSpan, "stateful", "False",
                "`True` for `init`, `next_tile` and `valid`");
  return callLibrary(("scheduler_" + name).str(), values, args.span);
}

//===----------------------------------------------------------------------===//
// with T.attr(T.comm_reducer(...), "reduce_scope", ...): T.tvm_thread_allreduce(...)
//===----------------------------------------------------------------------===//

Value Evaluator::attrIntrinsic(const BoundArgs &args) {
  const Value &key = args["attr_key"];
  bool isReducer = args["node"].is(ValueKind::Tuple) && args["node"].items().size() == 2 &&
                   args["node"].items()[0].is(ValueKind::Function);
  if (!key.is(ValueKind::Str) || key.str() != "reduce_scope" || !isReducer)
    return fail(DiagId::RefusedIntrinsic, args.calleeSpan, "T.attr` of `" + toStr(key),
                "drop it: the compiler finds out itself");
  Value context = heap.named(ValueKind::Builtin, "reduce_scope", args.span);
  context.as<NamedObject>()->keywords.push_back({"node", args["node"], args.span, args.span});
  return context;
}

/// T.tvm_thread_allreduce(count, values..., predicate, results..., thread indices...)
Value Evaluator::threadAllReduce(const BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, "`T.tvm_thread_allreduce`");
  llvm::ArrayRef<Value> list = args["args"].items();
  Span span = args.span;
  const Expr *count = list.empty() ? nullptr : toExpr(list[0], span);
  if (failure)
    return Value();
  if (!count || count->constInt() != 1 || list.size() < 5)
    return fail(DiagId::BadArgumentValue, span, "the number of values",
                list.empty() ? "missing" : shown(list[0]),
                "1: one value, a predicate, one result and thread indices");
  if (!threadReducer.isSequence())
    return fail(DiagId::ReducerMissing, span);
  const Expr *result = list[3].is(ValueKind::Expr) ? list[3].expr() : nullptr;
  if (!result || result->op != ExprOp::Load)
    return fail(DiagId::WantedOther, span, "an element of a local buffer as the result",
                typeName(list[3]));
  std::vector<Value> axes;
  for (const Value &v : list.drop_front(4)) {
    const Expr *e = v.is(ValueKind::Expr) ? v.expr() : nullptr;
    bool isIndex = e && e->op == ExprOp::Var && e->var->kind == VarKind::ThreadIndex;
    // An axis that the launch does not have is 0 everywhere: there is nothing to reduce.
    if (e && e->isConst())
      continue;
    if (!isIndex)
      return fail(DiagId::WantedOther, span, "a thread index", typeName(v));
    axes.push_back(Value::small(e->var->axis));
  }
  Value combine = threadReducer.items()[0], identity = threadReducer.items()[1];
  if (identity.isSequence() && !identity.items().empty())
    identity = identity.items()[0];
  const Expr *value = toExpr(list[1], span, result->type);
  if (!value)
    return Value();
  Value reduced = callLibrary(
      "thread_allreduce", {combine, identity, Value::expr(value), list[2], heap.list(axes)}, span);
  if (!reduced.ok() || !emitStore(result->buffer, result->args, reduced, span, span, span))
    return Value();
  return Value::none();
}

//===----------------------------------------------------------------------===//
// C++ sources
//===----------------------------------------------------------------------===//

/// Remembers what the source defines that the library has, too: in these very words.
Value Evaluator::importSource(const Value &source) {
  if (source.is(ValueKind::Str)) {
    uint64_t hash = sourceHash(source.str());
    for (const ForeignFunction &f : foreignFunctions())
      if (llvm::is_contained(f.sources, hash))
        foreign.insert(f.name);
  }
  return Value::none();
}

/// A pointer is a buffer, an index of its last dimension, and those of the others.
Value Evaluator::pointerIntrinsic(const BoundArgs &args) {
  Value base = args.values[0];
  Value offset = args.id == IntrinsicId::AccessPtr ? args["offset"] : Value::small(0);
  Value index = Value::small(0);
  std::vector<Value> before; // indices of the dimensions in front of the last
  if (base.is(ValueKind::Expr) && base.expr()->op == ExprOp::Load) {
    const Expr *load = base.expr();
    for (const Expr *e : load->args.drop_back(load->args.empty() ? 0 : 1))
      before.push_back(Value::expr(e));
    if (!load->args.empty())
      index = Value::expr(load->args.back());
    base = Value::buffer(load->buffer);
  }
  if (!base.is(ValueKind::Buffer) || base.buffer()->shape.size() != before.size() + 1)
    return fail(DiagId::RefusedIntrinsic, args.calleeSpan, ("T." + nameOf(args.id)).str(),
                "pass the buffer or a slice of it");
  index = binary(ast::BinaryOp::Add, index, offset, args.span, args.span, args.span);
  before.insert(before.begin(), {base, index});
  return index.ok() ? heap.tuple(std::move(before)) : Value();
}

std::optional<Value> Evaluator::callForeign(llvm::StringRef name, llvm::ArrayRef<Value> values,
                                            const BoundArgs &args) {
  const ForeignFunction *found = nullptr;
  for (const ForeignFunction &f : foreignFunctions())
    if (f.name == name && foreign.contains(name))
      found = &f;
  if (!found)
    return std::nullopt;
  if (values.size() < found->pointers)
    return fail(DiagId::WrongArgumentCount, args.span, name, found->pointers, values.size());
  for (const Value &v : values.take_front(found->pointers))
    if (!v.is(ValueKind::Tuple) || v.items().size() != 2)
      return fail(DiagId::WantedOther, args.spanOf("args"), "`T.access_ptr` or `T.address_of`",
                  typeName(v));
  return callLibrary(name, values, args.span);
}

} // namespace tilec::script
