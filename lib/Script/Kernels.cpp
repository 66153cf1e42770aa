//===- Kernels.cpp - prim_func, jit, eager functions ----------------------===//
//
// Takes a function with a decorator, traces its body once, and gives a kernel with parameters and
// outputs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Recovery.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
/// Makes the parameter `name` of the kernel being traced from its annotation.
bool Evaluator::declareParam(llvm::StringRef name, Span span, const Value &annotation,
                             Span annotationSpan, Value &bound) {
  script::Param p;
  p.name = program.copy(name);
  p.span = span;
  if (annotation.is(ValueKind::TensorType)) {
    auto *type = annotation.as<TensorTypeObject>();
    if (type->scope != Scope::Global) {
      fail(DiagId::BadParameterAnnotation, annotationSpan, name, "a non-global buffer");
      return false;
    }
    llvm::SmallVector<const Expr *> shape, strides;
    if (!toShape(heap.tuple(type->shape), annotationSpan, shape, false))
      return false;
    for (const Value &stride : type->strides) {
      const Expr *e = toIndex(stride, annotationSpan);
      if (!e)
        return false;
      strides.push_back(e);
    }
    Buffer *b = newBuffer(name, type->type, Scope::Global, shape, span);
    b->strides = program.copy(llvm::ArrayRef<const Expr *>(strides));
    b->isTfloat32 = type->isTfloat32;
    p.buffer = b;
    bound = Value::buffer(b);
  } else if (annotation.is(ValueKind::DType) || annotation.is(ValueKind::Type)) {
    std::optional<DType> type = toDType(annotation, annotationSpan);
    if (!type)
      return false;
    p.scalar = newVar(name, *type, VarKind::ScalarParam, span);
    bound = Value::expr(build.var(p.scalar, span));
  } else if (annotation.is(ValueKind::Intrinsic) && annotation.intrinsic() == IntrinsicId::Ptr) {
    bound = heap.named(ValueKind::Pointer, name.str(), span); // its tensor comes by T.make_tensor
  } else {
    fail(DiagId::BadParameterAnnotation, annotationSpan, name, typeName(annotation));
    return false;
  }
  if (eager)
    eager->params[name] = p;
  else
    kernel->params.push_back(p);
  return true;
}

Value Evaluator::tracePrimFunc(FunctionObject *f, Span span) {
  if (!f->def)
    return fail(DiagId::NotCallable, span, "lambda");
  if (callDepth >= limits.calls)
    return fail(DiagId::CallsTooDeep, span, f->name, limits.calls);
  auto *made = heap.make<KernelObject>();
  made->name = f->name.str();
  made->span = f->span;
  auto *scope = heap.make<Env>();
  scope->parent = f->closure;
  scope->locals = localsOf(f);
  scope->traced = true;
  Isolated isolated(*this, made, nullptr);
  Recovery recovery(*this);
  llvm::SaveAndRestore savedDepth(callDepth, callDepth + 1);
  llvm::SaveAndRestore savedHome(home, f->home);
  for (size_t i = 0; i < f->params.size(); ++i) {
    const ast::Param &p = f->params[i];
    Value bound;
    if (!p.annotation)
      fail(DiagId::MissingAnnotation, p.span, p.name);
    Value annotation = p.annotation ? eval(p.annotation) : Value(); // in the surrounding scope
    bool isGood =
        annotation.ok() && declareParam(p.name, p.span, annotation, p.annotation->span, bound);
    if (!isGood && failure)
      keep(*std::exchange(failure, std::nullopt));
    setBinding(scope, p.name, isGood ? bound : Value(), p.span);
  }
  llvm::SaveAndRestore savedEnv(env, scope);
  bool isTraced = exec(f->body) != Flow::Error && kept.empty();
  if (isTraced && made->launches.empty())
    fail(DiagId::NoLaunch, f->span, f->name);
  for (const script::Param &p : made->params)
    if (isTraced && !p.buffer && !p.scalar)
      fail(DiagId::PointerUnused, p.span, p.name);
  if (isTraced && !failure && !returned.is(ValueKind::None))
    returnOutputs(returned, returnedSpan);
  Value kernelValue = Value::object(ValueKind::Kernel, made);
  bool isGood = !failure && kept.empty();
  (isGood ? this->made : begun).push_back(kernelValue);
  return isGood ? kernelValue : recovery.finish(Value());
}

/// Tensors that a kernel function returns: parameters already, or `T.empty` ones that become
/// parameters now.
bool Evaluator::returnOutputs(const Value &result, Span span) {
  llvm::SmallVector<Value> items;
  if (result.isSequence())
    items.append(result.items().begin(), result.items().end());
  else
    items.push_back(result);
  for (const Value &v : items) {
    if (!v.is(ValueKind::Buffer) || v.buffer()->scope != Scope::Global) {
      fail(DiagId::ReturnedNoTensor, span, typeName(v));
      return false;
    }
    size_t i = 0;
    while (i < kernel->params.size() && kernel->params[i].buffer != v.buffer())
      ++i;
    if (i == kernel->params.size()) {
      script::Param p;
      p.name = v.buffer()->name;
      p.buffer = v.buffer();
      p.span = v.buffer()->span;
      kernel->params.push_back(p);
    }
    kernel->outputs.push_back(static_cast<unsigned>(i));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// jit
//===----------------------------------------------------------------------===//

namespace {

/// Looks for `with T.Kernel`, `T.const` or `T.empty` in the function's own statements.
bool containsKernel(ast::Body body);
bool callsTile(const ast::Expr *e, llvm::ArrayRef<llvm::StringRef> names) {
  const auto *call = llvm::dyn_cast_or_null<CallExpr>(e);
  if (!call)
    return false;
  if (const auto *a = llvm::dyn_cast<AttributeExpr>(call->callee))
    return llvm::is_contained(names, a->name);
  if (const auto *n = llvm::dyn_cast<NameExpr>(call->callee))
    return llvm::is_contained(names, n->name);
  return false;
}

bool containsKernel(const ast::Stmt *s) {
  if (const auto *w = llvm::dyn_cast<WithStmt>(s)) {
    for (const WithItem &item : w->items)
      if (callsTile(item.context, {"Kernel", "ClusterKernel"}))
        return true;
    return containsKernel(w->body);
  }
  if (const auto *a = llvm::dyn_cast<AssignStmt>(s))
    return callsTile(a->value, {"const", "empty"});
  if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s))
    return containsKernel(i->thenBody) || containsKernel(i->elseBody);
  if (const auto *f = llvm::dyn_cast<ast::ForStmt>(s))
    return containsKernel(f->body);
  return false;
}
bool containsKernel(ast::Body body) {
  return llvm::any_of(body, [](const ast::Stmt *s) { return containsKernel(s); });
}

} // namespace

/// A function that says what its own parameters are, as a tensor type or by a statement `A: ...`,
/// is a kernel too: its launch may stand in a macro.
static bool declaresTensors(const FunctionObject *f) {
  auto isTensorType = [](const ast::Expr *e) {
    const auto *item = llvm::dyn_cast_or_null<SubscriptExpr>(e);
    const auto *call = llvm::dyn_cast_or_null<CallExpr>(e);
    const ast::Expr *base = item ? item->value : call ? call->callee : nullptr;
    const auto *type = llvm::dyn_cast_or_null<AttributeExpr>(base);
    return type && (type->name == "Tensor" || type->name == "StridedTensor");
  };
  auto redeclares = [&](const ast::Stmt *s) {
    const auto *a = llvm::dyn_cast<ast::AnnAssignStmt>(s);
    const auto *target = a && !a->value ? llvm::dyn_cast<NameExpr>(a->target) : nullptr;
    return target && isTensorType(a->annotation) &&
           llvm::any_of(f->params, [&](const ast::Param &p) { return p.name == target->name; });
  };
  return llvm::any_of(f->body, redeclares) ||
         llvm::any_of(f->params, [&](const ast::Param &p) { return isTensorType(p.annotation); });
}

bool Evaluator::looksEager(const FunctionObject *f) const {
  return containsKernel(f->body) || declaresTensors(f);
}

Value Evaluator::makeJit(FunctionObject *function, CallArgs *options, Span span) {
  auto *jit = heap.make<JitObject>();
  jit->function = function;
  jit->isEager = function && looksEager(function);
  jit->span = span;
  for (const CallArgs::Keyword &k : options->keywords) {
    if (k.name == "out_idx" && !k.value.is(ValueKind::None)) {
      llvm::SmallVector<int64_t> list;
      if (!toIntList(k.value, k.place(), "out_idx", list))
        return Value();
      jit->outIdx.assign(list.begin(), list.end());
      jit->hasOutIdx = true;
    } else if (k.name == "pass_configs" && k.value.is(ValueKind::Dict)) {
      for (auto &[key, value] : k.value.as<DictObject>()->entries) {
        remarkIgnoredConfig(toStr(key), value, k.place());
        jit->passConfigs.push_back({toStr(key), value});
      }
    } else if (k.name == "target") {
      if (k.value.is(ValueKind::Str) && k.value.str() != "auto")
        remark(DiagId::TargetIgnored, k.place(), k.value.str());
    } else {
      remarkIgnoredOption(k.name, k.value, k.place());
    }
  }
  return Value::object(ValueKind::Jit, jit);
}

bool Evaluator::applyOutputs(KernelObject *made, const JitObject *jit) {
  for (auto &config : jit->passConfigs)
    made->passConfigs.push_back(config);
  if (!jit->hasOutIdx)
    return true;
  made->outputs.clear();
  auto count = static_cast<int64_t>(made->params.size());
  for (int64_t i : jit->outIdx) {
    int64_t at = i < 0 ? i + count : i;
    if (at < 0 || at >= count || !made->params[at].buffer) {
      fail(DiagId::BadOutIdx, jit->span, i, made->name, count);
      return false;
    }
    made->outputs.push_back(static_cast<unsigned>(at));
  }
  return true;
}

Value Evaluator::callJit(JitObject *jit, CallArgs &args) {
  if (jit->isEager)
    return traceEager(jit, args);
  Value result = callFunction(jit->function, args, /*traced=*/false);
  if (!result.ok())
    return poison();
  if (!result.is(ValueKind::Kernel))
    return fail(DiagId::JitReturnsNoKernel, jit->function->span, jit->function->name,
                typeName(result));
  auto *made = result.as<KernelObject>();
  if (!applyOutputs(made, jit))
    return Value();
  return result;
}

/// Of a parameter that the launch gives, not the entry.
static bool isRuntimeType(const Value &annotation) {
  bool isPointer =
      annotation.is(ValueKind::Intrinsic) && annotation.intrinsic() == IntrinsicId::Ptr;
  return annotation.is(ValueKind::TensorType) || annotation.is(ValueKind::DType) || isPointer;
}

bool Evaluator::takeParams(EagerState &state, KernelObject *made, bool isTraced) {
  for (const ast::Param &p : state.function->params)
    if (auto it = state.params.find(p.name); it != state.params.end()) {
      bool isKnown = it->second.buffer || it->second.scalar;
      if (isTraced && !isKnown) {
        fail(DiagId::PointerUnused, p.span, p.name);
        return false;
      }
      if (isKnown)
        made->params.push_back(it->second);
    }
  return true;
}

Value Evaluator::traceEager(JitObject *jit, CallArgs &args) {
  FunctionObject *f = jit->function;
  if (callDepth >= limits.calls)
    return fail(DiagId::CallsTooDeep, args.span, f->name, limits.calls);
  auto *made = heap.make<KernelObject>();
  made->name = f->name.str();
  made->span = f->span;
  EagerState state;
  state.function = f;
  state.given = &args;
  solveConsts(state, args);
  state.callSpan = args.span;
  // Keywords that are no parameters give the T.const dimensions.
  CallArgs own = args;
  own.keywords.clear();
  for (const CallArgs::Keyword &k : args.keywords) {
    bool isParam = llvm::any_of(f->params, [&](auto &p) { return p.name == k.name; });
    (isParam ? own.keywords : state.consts).push_back(k);
  }
  auto *scope = heap.make<Env>();
  scope->parent = f->closure;
  scope->locals = localsOf(f);
  scope->traced = true;

  Isolated isolated(*this, made, &state);
  llvm::SaveAndRestore savedDepth(callDepth, callDepth + 1);
  llvm::SaveAndRestore savedHome(home, f->home);
  // Tensors come first and are not given in the entry: positional values go to the parameters that
  // are no tensors only when all are given; else they are a mistake that bindParams reports.
  FunctionObject withDefaults = *f;
  for (size_t i = 0; i < f->params.size(); ++i) {
    const ast::Param &p = f->params[i];
    // A tensor of the host code: what it is like, the kernel declares.
    Value *passed = nullptr;
    if (i < own.values.size() && p.kind == ast::Param::Positional)
      passed = &own.values[i];
    for (CallArgs::Keyword &k : own.keywords)
      if (k.name == p.name)
        passed = &k.value;
    bool isTensorPassed = passed && passed->is(ValueKind::Opaque);
    if (isTensorPassed)
      *passed = Value::unfilled();
    if (p.annotation && p.kind == ast::Param::Positional) {
      Attempt attempt(*this);
      Value annotation = eval(p.annotation);
      if (!annotation.ok())
        failure.reset(); // `x: "torch.Tensor"` and the like say nothing
      bool given = passed && !isTensorPassed;
      if (annotation.is(ValueKind::TensorType) && i < own.values.size() && own.values[i].isNumber())
        return failTensorGiven(p.name, own.spans[i]);
      if (isRuntimeType(annotation) && !given) {
        Value bound;
        if (!declareParam(p.name, p.span, annotation, p.annotation->span, bound))
          return Value();
        (passed ? *passed : withDefaults.defaults[i]) = bound;
        continue;
      }
    }
    if (!withDefaults.defaults[i].ok())
      withDefaults.defaults[i] = Value::unfilled();
  }
  if (!bindParams(&withDefaults, own, scope))
    return Value();
  llvm::SaveAndRestore savedEnv(env, scope);
  Recovery recovery(*this);
  Value kernelValue = Value::object(ValueKind::Kernel, made);
  bool isTraced = exec(f->body) != Flow::Error && kept.empty();
  if (!takeParams(state, made, isTraced))
    return Value();
  if (!isTraced) {
    made->workspaces = state.empties;
    begun.push_back(kernelValue);
    return recovery.finish(Value());
  }
  for (const CallArgs::Keyword &k : state.consts)
    if (!state.used.count(k.name)) {
      llvm::SmallVector<llvm::StringRef> names;
      for (const ast::Param &p : f->params)
        names.push_back(p.name);
      for (auto &entry : state.used)
        names.push_back(entry.first());
      fail(DiagId::UnknownKeyword, k.span, f->name, k.name, suggestion(k.name, names));
      note(DiagId::DefinedHere, f->span, f->name);
      return Value();
    }
  if (made->launches.empty())
    return fail(DiagId::NoLaunch, f->span, f->name);
  if (!returned.is(ValueKind::None) && !returnOutputs(returned, returnedSpan))
    return Value();
  // A T.empty that is not returned is scratch space.
  for (const Buffer *b : state.empties)
    if (llvm::none_of(made->params, [&](auto &p) { return p.buffer == b; }))
      made->workspaces.push_back(b);
  if (!applyOutputs(made, jit))
    return Value();
  this->made.push_back(kernelValue);
  return kernelValue;
}

} // namespace tilec::script
