//===- IntrinsicsLoops.cpp - T.Kernel, thread indices and loops -----------===//
//
// Functions of kind Launch and Loop: the frame of a kernel, indices in it, and the loops of `T.`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"
#include "IntrinsicTable.h"

namespace tilec::script {

namespace {
constexpr int64_t defaultThreads = 128; // language/kernel.py: threads=None
// The largest block of either vendor: CUDA C Programming Guide, "Thread Hierarchy" and HIP's
// hipDeviceProp_t::maxThreadsPerBlock both give 1024.
constexpr int64_t maxThreads = 1024;
} // namespace

Value Evaluator::makeLaunch(BoundArgs &args) {
  importSource(args["prelude"]);
  auto *frame = heap.make<LaunchObject>();
  frame->span = args.calleeSpan.to(args.span);
  const Value &blocks = args["blocks"];
  std::vector<Value> extents = blocks.items();
  if (extents.size() == 1 && extents[0].isSequence())
    extents = std::vector<Value>(extents[0].items());
  if (extents.empty()) // one block
    extents.push_back(Value::small(1));
  if (extents.size() > 3)
    return fail(DiagId::GridRank, args.span, extents.size());
  Span span = args.spanOf("blocks");
  for (const Value &v : extents) {
    const Expr *e = toIndex(v, span);
    if (!e)
      return Value();
    if (std::optional<int64_t> c = e->constInt(); c && *c < 0)
      return fail(DiagId::BadGrid, span, *c);
    frame->grid.push_back(e);
  }
  const Value &threads = args["threads"];
  frame->threadsGiven = !threads.is(ValueKind::None);
  frame->threadsSpan = args.spanOf("threads");
  llvm::SmallVector<int64_t> list;
  if (frame->threadsGiven && !toIntList(threads, frame->threadsSpan, "threads", list))
    return Value();
  if (!frame->threadsGiven)
    list.push_back(defaultThreads);
  int64_t product = 1;
  for (int64_t t : list) {
    if (t <= 0 || t > maxThreads)
      return fail(DiagId::BadThreads, frame->threadsSpan, t, maxThreads);
    product *= t;
  }
  if (list.empty() || list.size() > 3 || product > maxThreads)
    return fail(DiagId::BadThreads, frame->threadsSpan, product, maxThreads);
  frame->threads.assign(list.begin(), list.end());
  return Value::object(ValueKind::Launch, frame);
}

Value Evaluator::threadIndex(int64_t axis, Span span) {
  if (axis < 0 || axis > 2)
    return fail(DiagId::BadAxis, span, axis);
  launch->usesThreadIdentity = true;
  // An axis that the launch does not have is 0 everywhere.
  if (axis >= static_cast<int64_t>(launch->threads.size()))
    return Value::expr(build.constInt(0, DType::I32, span));
  auto vars = llvm::MutableArrayRef<const Var *>(
      const_cast<const Var **>(launch->threadVars.data()), launch->threadVars.size());
  if (!vars[axis]) {
    constexpr llvm::StringRef names[] = {"tx", "ty", "tz"};
    Var *v = const_cast<Var *>(newVar(names[axis], DType::I32, VarKind::ThreadIndex, span));
    v->axis = static_cast<unsigned>(axis);
    vars[axis] = v;
  }
  return Value::expr(build.var(vars[axis], span));
}

Value Evaluator::kernelIntrinsic(BoundArgs &args) {
  if (args.id == IntrinsicId::Kernel || args.id == IntrinsicId::ClusterKernel)
    return makeLaunch(args);
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  int64_t axis = 0;
  if (!args.values.empty()) {
    std::optional<int64_t> dim = toInt(args.values[0], args.spans[0], "dim");
    if (!dim)
      return Value();
    axis = *dim;
  }
  size_t grids = launch->grid.size(), threads = launch->threads.size();
  auto block = [&](size_t i) { return Value::expr(build.var(launch->blockVars[i], args.span)); };
  auto extent = [&](const Expr *e) {
    return e->constInt() ? Value::small(*e->constInt()) : Value::expr(e);
  };
  std::vector<Value> all;
  switch (args.id) {
  case IntrinsicId::ThreadBinding:
    return threadIndex(axis, args.span);
  case IntrinsicId::ThreadBindings:
    for (size_t i = 0; i < threads; ++i)
      all.push_back(threadIndex(static_cast<int64_t>(i), args.span));
    return heap.list(std::move(all));
  case IntrinsicId::BlockBinding:
  case IntrinsicId::BlockExtent:
    if (axis < 0 || axis >= static_cast<int64_t>(grids))
      return fail(DiagId::BadAxis, args.span, axis);
    return args.id == IntrinsicId::BlockBinding ? block(axis) : extent(launch->grid[axis]);
  case IntrinsicId::BlockBindings:
    for (size_t i = 0; i < grids; ++i)
      all.push_back(block(i));
    return heap.list(std::move(all));
  case IntrinsicId::BlockExtents:
    for (const Expr *e : launch->grid)
      all.push_back(extent(e));
    return heap.list(std::move(all));
  case IntrinsicId::ThreadExtent:
    if (axis < 0 || axis > 2)
      return fail(DiagId::BadAxis, args.span, axis);
    launch->readsThreadCount = true;
    return Value::small(axis < static_cast<int64_t>(threads) ? launch->threads[axis] : 1);
  default:
    launch->readsThreadCount = true;
    for (int64_t t : launch->threads)
      all.push_back(Value::small(t));
    return heap.list(std::move(all));
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// serial, unroll, vectorized, thread_binding, Pipelined: (start, stop=None, step=None).
Value Evaluator::loopBounds(BoundArgs &args, LoopKind kind) {
  auto *loop = heap.make<LoopObject>();
  loop->loop = kind;
  loop->span = args.span;
  LoopRange range;
  const Value &start = args["start"], &stop = args["stop"];
  bool onlyStop = stop.is(ValueKind::None);
  range.begin =
      onlyStop ? build.constInt(0, DType::I32, args.span) : toIndex(start, args.spanOf("start"));
  range.end = toIndex(onlyStop ? start : stop, args.spanOf(onlyStop ? "start" : "stop"));
  if (!range.begin || !range.end)
    return Value();
  if (llvm::is_contained(parametersOf(args.id), "step") && !args["step"].is(ValueKind::None)) {
    std::optional<int64_t> step = toInt(args["step"], args.spanOf("step"), "the step of a loop");
    if (!step)
      return Value();
    if (*step == 0)
      return fail(DiagId::ZeroStep, args.spanOf("step"));
    range.step = *step;
  }
  loop->ranges.push_back(range);
  return Value::object(ValueKind::Loop, loop);
}

Value Evaluator::parallelLoop(BoundArgs &args) {
  auto *loop = heap.make<LoopObject>();
  loop->loop = args.id == IntrinsicId::Grid ? LoopKind::Serial : LoopKind::Parallel;
  loop->isGrid = args.id == IntrinsicId::Grid;
  loop->span = args.span;
  std::vector<Value> extents = args["extents"].items();
  if (extents.size() == 1 && extents[0].isSequence())
    extents = std::vector<Value>(extents[0].items());
  if (extents.empty())
    return fail(DiagId::IntrinsicMissingArgument, args.span, nameOf(args.id), "extents");
  for (const Value &v : extents) {
    LoopRange range;
    range.begin = build.constInt(0, DType::I32, args.span);
    range.end = toIndex(v, args.spanOf("extents"));
    if (!range.end)
      return Value();
    if (std::optional<int64_t> c = range.end->constInt(); c && *c <= 0)
      return fail(DiagId::BadLoopExtent, args.spanOf("extents"), *c);
    loop->ranges.push_back(range);
  }
  if (args.id == IntrinsicId::Grid)
    return Value::object(ValueKind::Loop, loop);
  const Value &width = args["coalesced_width"], &async = args["prefer_async"];
  if (!width.is(ValueKind::None)) {
    std::optional<int64_t> w = toInt(width, args.spanOf("coalesced_width"), "coalesced_width");
    if (!w)
      return Value();
    loop->hints.coalescedWidth = *w;
  }
  if (!async.is(ValueKind::None) && !truth(async, args.spanOf("prefer_async")))
    return Value();
  return Value::object(ValueKind::Loop, loop);
}

Value Evaluator::pipelinedLoop(BoundArgs &args) {
  Value made = loopBounds(args, LoopKind::Pipelined);
  if (!made.ok())
    return Value();
  auto *loop = made.as<LoopObject>();
  std::optional<int64_t> stages =
      toInt(args["num_stages"], args.spanOf("num_stages"), "num_stages");
  if (!stages)
    return Value();
  if (*stages < 0)
    return fail(DiagId::BadArgumentValue, args.spanOf("num_stages"), "num_stages",
                std::to_string(*stages), "0 or more");
  loop->hints.numStages = *stages;
  for (llvm::StringRef name : {"order", "stage"}) {
    llvm::SmallVector<int64_t> list;
    if (args[name].is(ValueKind::None))
      continue;
    if (!toIntList(args[name], args.spanOf(name), name, list))
      return Value();
    (name == "order" ? loop->hints.order : loop->hints.stage) =
        program.copy(llvm::ArrayRef<int64_t>(list));
  }
  for (llvm::StringRef name : {"sync", "group"}) {
    if (args[name].is(ValueKind::None))
      continue;
    if (!args[name].isSequence())
      return fail(DiagId::WantedOther, args.spanOf(name), "a list of lists of integers",
                  typeName(args[name]));
    llvm::SmallVector<llvm::ArrayRef<int64_t>> rows;
    for (const Value &row : args[name].items()) {
      llvm::SmallVector<int64_t> list;
      if (!toIntList(row, args.spanOf(name), name, list))
        return Value();
      rows.push_back(program.copy(llvm::ArrayRef<int64_t>(list)));
    }
    if (name == "group")
      loop->hints.group = program.copy(llvm::ArrayRef<llvm::ArrayRef<int64_t>>(rows));
  }
  return made;
}

Value Evaluator::persistentLoop(BoundArgs &args) {
  auto *loop = heap.make<LoopObject>();
  loop->isPersistent = true;
  loop->span = args.span;
  if (!args["domain"].isSequence() || args["domain"].items().empty())
    return fail(DiagId::WantedOther, args.spanOf("domain"), "a list of extents",
                typeName(args["domain"]));
  for (const Value &v : args["domain"].items()) {
    const Expr *e = toIndex(v, args.spanOf("domain"));
    if (!e)
      return Value();
    loop->domain.push_back(e);
  }
  std::optional<int64_t> wave = toInt(args["wave_size"], args.spanOf("wave_size"), "wave_size");
  std::optional<int64_t> group =
      wave ? toInt(args["group_size"], args.spanOf("group_size"), "group_size") : std::nullopt;
  loop->index = group ? toIndex(args["index"], args.spanOf("index")) : nullptr;
  if (!loop->index)
    return Value();
  if (*wave <= 0 || *group <= 0)
    return fail(DiagId::BadLoopExtent, args.spanOf(*wave <= 0 ? "wave_size" : "group_size"),
                *wave <= 0 ? *wave : *group);
  loop->waveSize = *wave;
  loop->groupSize = *group;
  return Value::object(ValueKind::Loop, loop);
}

Value Evaluator::loopIntrinsic(BoundArgs &args) {
  switch (args.id) {
  case IntrinsicId::Parallel:
  case IntrinsicId::Grid:
    return parallelLoop(args);
  case IntrinsicId::Pipelined:
    return pipelinedLoop(args);
  case IntrinsicId::Serial:
    return loopBounds(args, LoopKind::Serial);
  case IntrinsicId::Vectorized:
    return loopBounds(args, LoopKind::Vectorized);
  case IntrinsicId::Persistent:
    return persistentLoop(args);
  case IntrinsicId::WhileLoop:
    return fail(DiagId::RefusedIntrinsic, args.calleeSpan, "T.While` outside of `with",
                "write `while condition:`");
  case IntrinsicId::LoopBreak: {
    if (loops.empty() || !loops.back().isRuntime)
      return fail(DiagId::JumpOutsideLoop, args.span, "T.loop_break()");
    emit(program.make<JumpStmt>(args.span, /*isBreak=*/true));
    return failure ? Value() : Value::none();
  }
  case IntrinsicId::ThreadReturn:
    if (!inLaunch())
      return fail(DiagId::OutsideKernel, args.calleeSpan, "`T.thread_return`");
    if (llvm::any_of(loops, [](const LoopContext &loop) { return loop.isRuntime; }))
      return fail(DiagId::RefusedIntrinsic, args.calleeSpan,
                  "T.thread_return` inside of `for` or `while",
                  "leave the loop by `break`, and put what follows it under a condition");
    // What follows is left out, as in a loop of one iteration.
    emit(program.make<JumpStmt>(args.span, /*isBreak=*/false));
    return failure ? Value() : Value::none();
  case IntrinsicId::Unroll: {
    Value made = loopBounds(args, LoopKind::Unroll);
    if (!made.ok())
      return Value();
    const Value &factor = args["unroll_factor"];
    bool isRight = truth(args["explicit"], args.spanOf("explicit")) &&
                   (factor.is(ValueKind::None) ||
                    toInt(factor, args.spanOf("unroll_factor"), "unroll_factor"));
    return isRight ? made : Value();
  }
  default: { // thread_binding
    Value made = loopBounds(args, LoopKind::Threads);
    if (!made.ok())
      return Value();
    const Value &thread = args["thread"];
    llvm::StringRef name = thread.is(ValueKind::Str) ? thread.str() : "threadIdx.x";
    llvm::StringRef axis = name;
    if (!axis.consume_front("threadIdx.") || axis.size() != 1 ||
        !llvm::StringRef("xyz").contains(axis))
      return fail(DiagId::BadArgumentValue, args.spanOf("thread"), "thread", shown(thread),
                  "`\"threadIdx.x\"`, `\"threadIdx.y\"` or `\"threadIdx.z\"`");
    made.as<LoopObject>()->hints.threadAxis = static_cast<unsigned>(axis[0] - 'x');
    if (inLaunch())
      launch->usesThreadIdentity = true;
    return made;
  }
  }
}

/// `schedule.ping_pong(T.Pipelined(...))`: the loop with that strategy. Several, outermost first:
/// the target takes the first that it has.
Value Evaluator::scheduleFunction(llvm::StringRef name, CallArgs &args) {
  if (!arity(args, 1, 1, ("schedule." + name).str()))
    return Value();
  if (!args.values[0].is(ValueKind::Loop) ||
      args.values[0].as<LoopObject>()->loop != LoopKind::Pipelined)
    return fail(DiagId::ScheduleWantsPipelined, args.spans[0], name);
  llvm::StringRef &strategy = args.values[0].as<LoopObject>()->hints.strategy;
  strategy = program.copy(strategy.empty() ? name.str() : (name + " " + strategy).str());
  return args.values[0];
}

} // namespace tilec::script
