//===- IntrinsicsAlloc.cpp - tensors, buffers, layouts, emitters ----------===//
//
// Functions of kind Alloc: tensors, buffers, symbolic dimensions, layouts and emitters.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Lanes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilec::script {

Value Evaluator::tensorType(BoundArgs &args) {
  auto *t = heap.make<TensorTypeObject>();
  t->span = args.span;
  const Value &shape = args["shape"];
  t->shape = shape.isSequence() ? shape.items() : std::vector<Value>{shape};
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!type)
    return Value();
  t->type = *type;
  t->isTfloat32 = isTfloat32(args["dtype"]);
  const Value &strides = args["strides"];
  if (!strides.is(ValueKind::None)) {
    if (!strides.isSequence() || strides.items().size() != t->shape.size())
      return fail(DiagId::StrideCount, args.spanOf("strides"), t->shape.size(),
                  strides.isSequence() ? strides.items().size() : 1);
    t->strides = strides.items();
  }
  llvm::SmallVector<const Expr *> checked;
  if (!toShape(heap.tuple(t->shape), args.spanOf("shape"), checked, false))
    return Value();
  // `T.Tensor(shape, dtype, A.data)` is a view of A.
  if (args.id == IntrinsicId::Tensor && args["data"].is(ValueKind::Buffer)) {
    const Buffer *of = args["data"].buffer();
    Buffer *view = newBuffer(of->name, t->type, of->scope, checked, args.span);
    view->viewOf = of;
    view->isTfloat32 = t->isTfloat32;
    unnamedBuffers.insert(view);
    if (inLaunch())
      emit(program.make<AllocStmt>(args.span, view));
    return failure ? Value() : Value::buffer(view);
  }
  return Value::object(ValueKind::TensorType, t);
}

/// `A = T.make_tensor(a_ptr, shape, dtype)` says what the pointer parameter `a_ptr` points to.
Value Evaluator::makeTensor(BoundArgs &args) {
  const Value &ptr = args[args.id == IntrinsicId::MatchBuffer ? "param" : "ptr"];
  if (!kernel || !ptr.is(ValueKind::Pointer))
    return fail(DiagId::WantedOther, args.spans[0], "a parameter declared as `T.ptr`",
                typeName(ptr));
  llvm::SmallVector<const Expr *> shape, strides;
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!type || !toShape(args["shape"], args.spanOf("shape"), shape, false))
    return Value();
  if (args["strides"].isSequence())
    for (const Value &v : args["strides"].items()) {
      const Expr *e = toIndex(v, args.spanOf("strides"));
      if (!e)
        return Value();
      strides.push_back(e);
    }
  // Parameters of an eager function become the kernel's at its end.
  llvm::SmallVector<Param *> params;
  for (Param &p : kernel->params)
    params.push_back(&p);
  if (eager)
    for (auto &entry : eager->params)
      params.push_back(&entry.second);
  for (Param *found : params) {
    Param &p = *found;
    if (p.name != ptr.str())
      continue;
    if (p.buffer)
      return fail(DiagId::PointerTwice, args.span, p.name);
    Buffer *b = newBuffer(p.name, *type, Scope::Global, shape, p.span);
    b->isTfloat32 = isTfloat32(args["dtype"]);
    b->strides = program.copy(llvm::ArrayRef<const Expr *>(strides));
    p.buffer = b;
    return Value::buffer(b);
  }
  return fail(DiagId::WantedOther, args.spans[0], "a parameter of this function", "one of another");
}

Value Evaluator::emptyTensor(BoundArgs &args) {
  if (!kernel || !eager || inLaunch())
    return fail(DiagId::EmptyOutsideEager, args.span);
  std::vector<Value> shape = args["shape"].items();
  Value dtype = args["dtype"];
  // T.empty((M, N), dtype) or T.empty(M, N, dtype=...).
  if (!shape.empty() && shape[0].isSequence()) {
    if (shape.size() == 2)
      dtype = shape[1];
    shape = std::vector<Value>(shape[0].items());
  }
  llvm::SmallVector<const Expr *> sizes;
  std::optional<DType> type = toDType(dtype, args.spanOf("dtype"));
  if (!type || !toShape(heap.tuple(shape), args.spanOf("shape"), sizes, false))
    return Value();
  std::string name = eager->empties.empty() ? "out" : "out" + std::to_string(eager->empties.size());
  Buffer *b = newBuffer(name, *type, Scope::Global, sizes, args.span);
  b->isTfloat32 = isTfloat32(dtype);
  eager->empties.push_back(b);
  unnamedBuffers.insert(b);
  return Value::buffer(b);
}

/// T.const("M, N") and T.dynamic("m, n").
Value Evaluator::dynamicDims(BoundArgs &args, bool isConst) {
  if (!args["name"].is(ValueKind::Str))
    return fail(DiagId::WantedOther, args.spanOf("name"), "a str of names", typeName(args["name"]));
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!type)
    return Value();
  if (!isInteger(*type))
    return fail(DiagId::WantedOther, args.spanOf("dtype"), "an integer dtype",
                std::string(nameOf(*type)));
  if (isConst && !eager)
    return fail(DiagId::ConstOutsideEager, args.span);
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SplitString(args["name"].str(), names, ", \t\n"); // "M, N" and "M N"
  std::vector<Value> out;
  for (llvm::StringRef name : names) {
    if (isConst) {
      const CallArgs::Keyword *given = nullptr;
      for (const CallArgs::Keyword &k : eager->consts)
        if (k.name == name)
          given = &k;
      if (!given) {
        failMissing(name, args.span, DiagId::ConstNotGiven);
        if (!failure->isPoison)
          note(DiagId::CalledHere, eager->callSpan, eager->function->name);
        return Value();
      }
      eager->used[name] = true;
      std::optional<int64_t> value = toInt(given->value, given->place(), name);
      if (!value)
        return Value();
      if (*value < 0)
        return fail(DiagId::BadShape, given->place(), *value);
      out.push_back(Value::small(*value));
      continue;
    }
    std::string key = (name + ":" + std::string(nameOf(*type))).str();
    const Var *&v = dims[key];
    if (!v)
      v = newVar(name, *type, VarKind::Dim, args.span);
    out.push_back(Value::expr(build.var(v, args.span)));
  }
  if (out.empty())
    return fail(DiagId::BadArgumentValue, args.spanOf("name"), "name", shown(args["name"]),
                "at least one name");
  return out.size() == 1 ? out[0] : heap.tuple(std::move(out));
}

Value Evaluator::allocate(BoundArgs &args, Scope scope) {
  if (!inLaunch() && scope != Scope::Global)
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  if (!kernel)
    return fail(DiagId::OutsideKernel, args.calleeSpan, ("`T." + nameOf(args.id) + "`").str());
  // Some scripts put a fragment where they mean a local array, and the other way round.
  const Value &given = args["scope"];
  if (given.is(ValueKind::Str)) {
    std::optional<Scope> named = llvm::StringSwitch<std::optional<Scope>>(given.str())
                                     .Case("shared", Scope::Shared)
                                     .Case("shared.dyn", Scope::Shared)
                                     .Case("local.fragment", Scope::Fragment)
                                     .Case("local", Scope::Local)
                                     .Case("global", Scope::Global)
                                     .Default(std::nullopt);
    if (!named)
      return fail(DiagId::UnknownScope, args.spanOf("scope"), given.str());
    scope = *named;
  }
  llvm::SmallVector<const Expr *> shape;
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  bool constant = scope != Scope::Global;
  if (!type || !toShape(args["shape"], args.spanOf("shape"), shape, constant))
    return Value();
  constexpr llvm::StringRef names[] = {"workspace", "shared", "fragment", "local", "var"};
  Buffer *b = newBuffer(names[static_cast<unsigned>(scope)], *type, scope, shape, args.span);
  b->isTfloat32 = isTfloat32(args["dtype"]);
  unnamedBuffers.insert(b);
  if (scope == Scope::Global)
    kernel->workspaces.push_back(b);
  else
    emit(program.make<AllocStmt>(args.span, b));
  return failure ? Value() : Value::buffer(b);
}

Value Evaluator::allocVar(BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, "`T.alloc_var`");
  // alloc_var(dtype, init), alloc_var(dtype, scope), alloc_var(dtype, init=...).
  Value init = args["init"];
  Span initSpan = args.spanOf("init");
  for (const Value &v : args["args"].items())
    if (!v.is(ValueKind::Str)) {
      init = v;
      initSpan = args.spanOf("args");
    }
  if (std::optional<VectorType> vector = vectorTypeOf(args["dtype"]))
    return allocLanes(*vector, init, args.span, initSpan);
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!type)
    return Value();
  Buffer *b = newBuffer("var", *type, Scope::Var, {}, args.span);
  unnamedBuffers.insert(b);
  emit(program.make<AllocStmt>(args.span, b));
  if (!init.is(ValueKind::None) && !emitStore(b, {}, init, args.span, args.span, initSpan))
    return Value();
  return failure ? Value() : Value::buffer(b);
}

Value Evaluator::allocReducer(BoundArgs &args) {
  if (!inLaunch())
    return fail(DiagId::OutsideKernel, args.calleeSpan, "`T.alloc_reducer`");
  llvm::SmallVector<const Expr *> shape;
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!type || !toShape(args["shape"], args.spanOf("shape"), shape, true))
    return Value();
  const Value &op = args["op"];
  llvm::StringRef name = op.is(ValueKind::Str) ? op.str() : "";
  std::optional<ReducerOp> reducer = llvm::StringSwitch<std::optional<ReducerOp>>(name)
                                         .Case("sum", ReducerOp::Sum)
                                         .Case("max", ReducerOp::Max)
                                         .Case("min", ReducerOp::Min)
                                         .Case("bitand", ReducerOp::BitAnd)
                                         .Case("bitor", ReducerOp::BitOr)
                                         .Case("bitxor", ReducerOp::BitXor)
                                         .Default(std::nullopt);
  if (!reducer)
    return fail(DiagId::BadArgumentValue, args.spanOf("op"), "op", shown(op),
                "`\"sum\"`, `\"max\"`, `\"min\"`, `\"bitand\"`, `\"bitor\"` or `\"bitxor\"`");
  Buffer *b = newBuffer("reducer", *type, Scope::Fragment, shape, args.span);
  unnamedBuffers.insert(b);
  b->reducer = reducer;
  emit(program.make<AllocStmt>(args.span, b));
  return failure ? Value() : Value::buffer(b);
}

/// A view is contiguous: strides may be given, but only those.
bool Evaluator::hasPlainStrides(const BoundArgs &args, llvm::ArrayRef<const Expr *> shape) {
  if (args["strides"].is(ValueKind::None))
    return true;
  llvm::SmallVector<int64_t> strides;
  if (!toIntList(args["strides"], args.spanOf("strides"), "strides", strides))
    return false;
  if (strides.size() != shape.size())
    return fail(DiagId::StrideCount, args.spanOf("strides"), shape.size(), strides.size()).ok();
  int64_t next = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    std::optional<int64_t> size = shape[i]->constInt();
    if (strides[i] != next || (!size && i > 0))
      return fail(DiagId::BadArgumentValue, args.spanOf("strides"), "strides",
                  shown(args["strides"]), "none: a view is contiguous; index the source for others")
          .ok();
    next *= size.value_or(1);
  }
  return true;
}

Value Evaluator::viewIntrinsic(BoundArgs &args) {
  const Value &src = args["src"];
  if (!src.is(ValueKind::Buffer))
    return fail(DiagId::WantedTile, args.spanOf("src"), nameOf(args.id), "src");
  const Buffer *of = src.buffer();
  DType type = of->type;
  if (args.id == IntrinsicId::View && !args["dtype"].is(ValueKind::None)) {
    std::optional<DType> t = toDType(args["dtype"], args.spanOf("dtype"));
    if (!t)
      return Value();
    type = *t;
  }
  llvm::SmallVector<const Expr *> shape;
  if (args["shape"].is(ValueKind::None))
    shape.append(of->shape.begin(), of->shape.end());
  else if (!toShape(args["shape"], args.spanOf("shape"), shape, of->scope != Scope::Global))
    return Value();
  auto count = [](llvm::ArrayRef<const Expr *> list) -> std::optional<int64_t> {
    int64_t product = 1;
    for (const Expr *e : list) {
      if (!e->constInt() || __builtin_mul_overflow(product, *e->constInt(), &product))
        return std::nullopt;
    }
    return product;
  };
  // A view without a shape but of another dtype: the last dimension takes the difference.
  if (args["shape"].is(ValueKind::None) && bitsOf(type) != bitsOf(of->type) && !shape.empty() &&
      shape.back()->constInt()) {
    int64_t bits = *shape.back()->constInt() * bitsOf(of->type);
    if (bits % bitsOf(type) == 0)
      shape.back() = build.constInt(bits / bitsOf(type), DType::I32, args.span);
  }
  std::optional<int64_t> before = count(of->shape), after = count(shape);
  if (before && after && *before * bitsOf(of->type) != *after * bitsOf(type))
    return fail(DiagId::ViewSize, args.span, of->name, *before * bitsOf(of->type) / 8,
                *after * bitsOf(type) / 8);
  if (!of->strides.empty())
    return fail(DiagId::ViewOfStrided, args.span, of->name);
  if (args.id == IntrinsicId::View && !hasPlainStrides(args, shape))
    return Value();
  Buffer *view = newBuffer(of->name, type, of->scope, shape, args.span);
  view->viewOf = of;
  bool changesType = args.id == IntrinsicId::View && !args["dtype"].is(ValueKind::None);
  view->isTfloat32 = changesType ? isTfloat32(args["dtype"]) : of->isTfloat32;
  unnamedBuffers.insert(view);
  if (inLaunch())
    emit(program.make<AllocStmt>(args.span, view));
  return failure ? Value() : Value::buffer(view);
}

//===----------------------------------------------------------------------===//
// Layouts and emitters
//===----------------------------------------------------------------------===//

/// Evaluates a layout function on symbolic indices.
const LayoutSpec *Evaluator::functionLayout(const Value &fn, Span span,
                                            llvm::ArrayRef<int64_t> shape, LayoutSpec::Kind kind,
                                            const Value *threadFn) {
  auto *layout = program.make<LayoutSpec>();
  layout->kind = kind;
  layout->span = span;
  layout->shape = program.copy(shape);
  llvm::SmallVector<const Var *> indices;
  CallArgs args;
  args.span = args.calleeSpan = span;
  for (size_t i = 0; i < shape.size(); ++i) {
    const Var *v = newVar("i" + std::to_string(i), DType::I32, VarKind::Formal, span);
    indices.push_back(v);
    args.values.push_back(Value::expr(build.var(v, span)));
    args.spans.push_back(span);
  }
  layout->indices = program.copy(llvm::ArrayRef<const Var *>(indices));
  auto wantsReplica = [&](const Value &f) {
    return f.is(ValueKind::Function) && f.as<FunctionObject>()->params.size() == shape.size() + 1;
  };
  auto callWith = [&](const Value &f) {
    CallArgs inner = args;
    if (wantsReplica(f)) {
      if (!layout->replica)
        layout->replica = newVar("rep", DType::I32, VarKind::Formal, span);
      inner.values.push_back(Value::expr(build.var(layout->replica, span)));
      inner.spans.push_back(span);
    }
    return call(f, inner);
  };
  // What the function binds on its way are parts of the layout, no values of the kernel.
  llvm::SaveAndRestore<Launch *> savedLaunch(launch, nullptr);
  Value result = fn.is(ValueKind::None) ? heap.tuple({}) : callWith(fn);
  if (!result.ok())
    return nullptr;
  std::vector<Value> parts = result.isSequence() ? result.items() : std::vector<Value>{result};
  // T.Fragment's forward_fn gives (thread, index).
  if (kind == LayoutSpec::Fragment && !threadFn && parts.size() == 2) {
    layout->thread = toIndex(parts[0], span);
    if (!layout->thread)
      return nullptr;
    parts.erase(parts.begin());
  }
  llvm::SmallVector<const Expr *> forward;
  for (const Value &v : parts) {
    const Expr *e = toIndex(v, span);
    if (!e)
      return nullptr;
    forward.push_back(e);
  }
  layout->forward = program.copy(llvm::ArrayRef<const Expr *>(forward));
  if (threadFn) {
    Value thread = callWith(*threadFn);
    layout->thread = thread.ok() ? toIndex(thread, span) : nullptr;
    if (!layout->thread)
      return nullptr;
  }
  return layout;
}

/// Each thread holds all elements of the fragment.
Value Evaluator::replicatedLayout(const BoundArgs &args) {
  const Value &buffer = args["buffer"];
  if (!isWholeTile(buffer))
    return fail(DiagId::WantedTile, args.spanOf("buffer"), nameOf(args.id), "buffer");
  std::optional<int64_t> threads = toInt(args["threads"], args.spanOf("threads"), "threads");
  if (!threads)
    return Value();
  auto *layout = program.make<LayoutSpec>();
  layout->kind = LayoutSpec::Fragment;
  layout->span = args.span;
  layout->replicate = *threads;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<const Var *> indices;
  const Expr *place = build.constInt(0, DType::I32, args.span);
  for (const Expr *size : buffer.buffer()->shape) {
    shape.push_back(size->constInt().value_or(1));
    indices.push_back(
        newVar("i" + std::to_string(indices.size()), DType::I32, VarKind::Formal, args.span));
    const Expr *scaled = build.binary(ExprOp::Mul, place, size, args.span);
    place = build.binary(ExprOp::Add, scaled, build.var(indices.back(), args.span), args.span);
  }
  layout->shape = program.copy(llvm::ArrayRef<int64_t>(shape));
  layout->indices = program.copy(llvm::ArrayRef<const Var *>(indices));
  layout->replica = newVar("rep", DType::I32, VarKind::Formal, args.span);
  layout->thread = build.var(layout->replica, args.span);
  layout->forward = program.copy(llvm::ArrayRef<const Expr *>(place));
  return Value::layout(layout);
}

Value Evaluator::layoutIntrinsic(BoundArgs &args) {
  if (args.id == IntrinsicId::ReplicatedLayout)
    return replicatedLayout(args);
  if (args.id == IntrinsicId::SwizzledLayout || args.id == IntrinsicId::LinearLayoutFn) {
    const Value &buffer = args["buffer"];
    if (!buffer.is(ValueKind::Buffer))
      return fail(DiagId::WantedTile, args.spanOf("buffer"), nameOf(args.id), "buffer");
    auto *layout = program.make<LayoutSpec>();
    bool swizzled = args.id == IntrinsicId::SwizzledLayout;
    layout->kind = swizzled ? LayoutSpec::Swizzled : LayoutSpec::Linear;
    layout->buffer = buffer.buffer();
    layout->span = args.span;
    if (swizzled) {
      std::optional<bool> kMajor = truth(args["k_major"], args.spanOf("k_major"));
      std::optional<bool> pad =
          kMajor ? truth(args["allow_pad"], args.spanOf("allow_pad")) : std::nullopt;
      if (!pad)
        return Value();
      layout->kMajor = *kMajor;
      layout->allowPad = *pad;
    }
    return Value::layout(layout);
  }
  llvm::SmallVector<int64_t> shape;
  if (!toIntList(args["shape"], args.spanOf("shape"), "a shape", shape))
    return Value();
  for (int64_t size : shape)
    if (size <= 0)
      return fail(DiagId::BadShape, args.spanOf("shape"), size);
  const LayoutSpec *layout;
  if (args.id == IntrinsicId::Layout) {
    layout =
        functionLayout(args["forward_fn"], args.spanOf("forward_fn"), shape, LayoutSpec::Function);
  } else {
    const Value &forward = args["forward_fn"], &index = args["forward_index_fn"],
                &thread = args["forward_thread_fn"];
    bool hasThread = !thread.is(ValueKind::None);
    layout =
        functionLayout(forward.is(ValueKind::None) ? index : forward, args.spanOf("forward_fn"),
                       shape, LayoutSpec::Fragment, hasThread ? &thread : nullptr);
    std::optional<int64_t> replicate =
        layout ? toInt(args["replicate"], args.spanOf("replicate"), "replicate") : std::nullopt;
    if (!replicate)
      return Value();
    const_cast<LayoutSpec *>(layout)->replicate = *replicate;
  }
  return layout ? Value::layout(layout) : Value();
}

/// `mfma_shape=(M, N, K)`: the instruction's, which with None is the one of 16 rows.
bool Evaluator::emitterShape(BoundArgs &args, Emitter &e) {
  const Value &value = args["mfma_shape"];
  if (value.is(ValueKind::None))
    return true;
  llvm::SmallVector<int64_t> shape;
  if (!toIntList(value, args.spanOf("mfma_shape"), "a shape", shape))
    return false;
  if (shape.size() != 3 || llvm::any_of(shape, [](int64_t n) { return n <= 0; })) {
    fail(DiagId::WantedOther, args.spanOf("mfma_shape"), "three positive numbers (M, N, K)",
         typeName(value));
    return false;
  }
  e.microX = shape[0], e.microY = shape[1], e.instructionK = shape[2];
  return true;
}

Value Evaluator::emitterIntrinsic(BoundArgs &args) {
  bool isPreshuffle = args.id == IntrinsicId::PreshuffleClass;
  auto *e = program.make<Emitter>();
  e->isMatrixCore = args.id != IntrinsicId::EmitterClass;
  e->span = args.span;
  struct {
    llvm::StringRef name;
    DType *slot;
  } const types[] = {
      {"a_dtype", &e->aType}, {"b_dtype", &e->bType}, {"accum_dtype", &e->accumType}};
  for (auto [name, slot] : types) {
    std::optional<DType> t = toDType(args[name], args.spanOf(name));
    if (!t)
      return Value();
    *slot = *t;
  }
  struct {
    llvm::StringRef name;
    bool *slot;
  } const flags[] = {{"a_transposed", &e->aTransposed},
                     {"b_transposed", &e->bTransposed},
                     {"a_preshuffle", &e->aPreshuffle},
                     {"b_preshuffle", &e->bPreshuffle}};
  for (auto [name, slot] : llvm::ArrayRef(flags).take_front(isPreshuffle ? 4 : 2)) {
    std::optional<bool> t = truth(args[name], args.spanOf(name));
    if (!t)
      return Value();
    *slot = *t;
  }
  struct {
    llvm::StringRef name;
    int64_t *slot;
  } const numbers[] = {{"block_row_warps", &e->blockRowWarps},
                       {"block_col_warps", &e->blockColWarps},
                       {"warp_row_tiles", &e->warpRowTiles},
                       {"warp_col_tiles", &e->warpColTiles},
                       {"chunk", &e->chunk},
                       {"k_pack", &e->kPack}};
  for (auto [name, slot] : numbers) {
    if (args[name].is(ValueKind::None))
      continue;
    std::optional<int64_t> n = toInt(args[name], args.spanOf(name), name);
    if (!n)
      return Value();
    if (*n <= 0)
      return fail(DiagId::BadArgumentValue, args.spanOf(name), name, std::to_string(*n),
                  "a positive number");
    *slot = *n;
  }
  return e->isMatrixCore && !emitterShape(args, *e) ? Value() : Value::emitter(e);
}

Value Evaluator::annotateSafeValue(BoundArgs &args) {
  const Value &map = args["safe_value_map"];
  if (!map.is(ValueKind::Dict))
    return fail(DiagId::WantedOther, args.spanOf("safe_value_map"), "a dict", typeName(map));
  for (auto &[key, value] : map.as<DictObject>()->entries) {
    if (!key.is(ValueKind::Buffer) || key.buffer()->scope != Scope::Global)
      return fail(DiagId::WantedOther, args.spanOf("safe_value_map"), "global tensors as keys",
                  typeName(key));
    const Expr *e = toExpr(value, args.spanOf("safe_value_map"), key.buffer()->type);
    if (!e)
      return Value();
    if (!e->isConst())
      return fail(DiagId::RuntimeAsConstant, args.spanOf("safe_value_map"), "a safe value");
    mutableBuffers.lookup(key.buffer())->safeValue =
        build.cast(e, key.buffer()->type, args.spanOf("safe_value_map"));
  }
  return Value::none();
}

/// Upstream's compiler takes `__restrict__` from these parameters.
Value Evaluator::annotateOverlaps(BoundArgs &args) {
  for (const Value &buffer : args["buffers"].items()) {
    if (!buffer.is(ValueKind::Buffer) || buffer.buffer()->scope != Scope::Global)
      return fail(DiagId::WantedOther, args.spanOf("buffers"), "global tensors", typeName(buffer));
    const Buffer *root = buffer.buffer();
    while (root->viewOf)
      root = root->viewOf;
    mutableBuffers.lookup(root)->mayOverlap = true;
  }
  return Value::none();
}

Value Evaluator::allocIntrinsic(BoundArgs &args) {
  switch (args.id) {
  case IntrinsicId::Tensor:
  case IntrinsicId::StridedTensor:
    return tensorType(args);
  case IntrinsicId::Ptr:
    return Value::intrinsic(IntrinsicId::Ptr);
  case IntrinsicId::MakeTensor:
  case IntrinsicId::MatchBuffer:
    return makeTensor(args);
  case IntrinsicId::AllocShared:
    return allocate(args, Scope::Shared);
  case IntrinsicId::AllocFragment:
    return allocate(args, Scope::Fragment);
  case IntrinsicId::AllocLocal:
    return allocate(args, Scope::Local);
  case IntrinsicId::AllocGlobal:
  case IntrinsicId::AllocBuffer:
    return allocate(args, Scope::Global);
  case IntrinsicId::AllocVar:
    return allocVar(args);
  case IntrinsicId::AllocReducer:
    return allocReducer(args);
  case IntrinsicId::Empty:
    return emptyTensor(args);
  case IntrinsicId::Const:
    return dynamicDims(args, /*isConst=*/true);
  case IntrinsicId::Dynamic:
    return dynamicDims(args, /*isConst=*/false);
  case IntrinsicId::View:
  case IntrinsicId::Reshape:
    return viewIntrinsic(args);
  case IntrinsicId::AnnotateSafeValue:
    return annotateSafeValue(args);
  case IntrinsicId::AnnotateRestrict:
    return annotateOverlaps(args);
  case IntrinsicId::DetermineFp8: {
    bool isFnuz = arch == Arch::Gfx942;
    bool isE5 = args.values[0].is(ValueKind::Str) && args.values[0].str() == "e5m2";
    return Value::dtype(isE5 ? (isFnuz ? DType::E5M2FNUZ : DType::E5M2)
                             : (isFnuz ? DType::E4M3FNUZ : DType::E4M3FN));
  }
  case IntrinsicId::EmitterClass:
  case IntrinsicId::MatrixCoreClass:
  case IntrinsicId::PreshuffleClass:
    return emitterIntrinsic(args);
  default:
    return layoutIntrinsic(args);
  }
}

} // namespace tilec::script
