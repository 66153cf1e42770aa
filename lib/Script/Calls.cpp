//===- Calls.cpp - calls of anything --------------------------------------===//
//
// Takes a value and arguments, binds them, and calls it: functions of the script, methods,
// intrinsics, kernels.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
Value Evaluator::call(const Value &callee, CallArgs &args) {
  switch (callee.kind()) {
  case ValueKind::Function: {
    auto *f = callee.as<FunctionObject>();
    return callFunction(f, args, /*traced=*/f->isMacro);
  }
  case ValueKind::Method:
    return callMethod(callee.as<MethodObject>(), args);
  case ValueKind::Builtin:
    return callBuiltin(callee.str(), callee, args);
  case ValueKind::Type:
    return callType(callee.str(), args);
  case ValueKind::Intrinsic:
    return callIntrinsic(callee.intrinsic(), args);
  case ValueKind::MathFn:
    return callMath(callee.mathFn(), args);
  case ValueKind::Jit:
    return callJit(callee.as<JitObject>(), args);
  case ValueKind::DType: {
    // `T.float32(x)`: a constant or a cast.
    if (args.values.empty() && args.keywords.empty())
      return callee;
    if (std::optional<VectorType> vector = vectorTypeOf(callee))
      return makeLanes(*vector, args);
    if (!arity(args, 1, 1, nameOf(callee.dtype())))
      return Value();
    return castIntrinsic(args.values[0], args.spans[0], callee.dtype(), args.span);
  }
  case ValueKind::Class:
    return callClass(callee.as<ClassObject>(), args);
  case ValueKind::Opaque:
    return callOpaque(callee, args);
  case ValueKind::Kernel: // running a kernel: its result means nothing here
    // Host code passes tensors. An entry has none: what it gives would change nothing.
    if (args.span.file == entryFile && !knownKeywords(args, callee.as<KernelObject>()->name, {}))
      return Value();
    if (args.span.file == entryFile && !arity(args, 0, 0, callee.as<KernelObject>()->name))
      return Value();
    return heap.named(ValueKind::Opaque, "result of a kernel", args.span);
  case ValueKind::Refused: {
    auto [name, instead] = callee.str().split('\n');
    return fail(DiagId::RefusedIntrinsic, args.calleeSpan, name, instead);
  }
  case ValueKind::Module:
    return fail(DiagId::NotCallable, args.calleeSpan, "module `" + callee.str().str() + "`");
  default:
    return fail(DiagId::NotCallable, args.calleeSpan, typeName(callee));
  }
}

bool Evaluator::arity(CallArgs &args, size_t least, size_t most, llvm::StringRef name) {
  if (args.values.size() >= least && args.values.size() <= most)
    return true;
  std::string wanted =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  fail(DiagId::WrongArgumentCount, args.span, name, wanted, args.values.size());
  return false;
}

bool Evaluator::knownKeywords(CallArgs &args, llvm::StringRef name,
                              llvm::ArrayRef<llvm::StringRef> known) {
  for (const CallArgs::Keyword &k : args.keywords)
    if (!llvm::is_contained(known, k.name)) {
      fail(DiagId::UnknownKeyword, k.span, name, k.name, suggestion(k.name, known));
      return false;
    }
  return true;
}

/// Without its decorators; null after an error.
FunctionObject *Evaluator::plainFunction(const FunctionStmt *def) {
  auto *f = heap.make<FunctionObject>();
  f->name = def->name;
  f->home = home;
  f->span = def->nameSpan;
  f->params = def->params;
  f->body = def->body;
  f->def = def;
  f->closure = env;
  for (const ast::Param &p : def->params) {
    Value v = p.defaultValue ? eval(p.defaultValue) : Value();
    if (p.defaultValue && !v.ok())
      return nullptr;
    f->defaults.push_back(v);
  }
  return f;
}

Value Evaluator::makeFunction(const FunctionStmt *def) {
  FunctionObject *f = plainFunction(def);
  if (!f)
    return Value();
  Value result = Value::object(ValueKind::Function, f);
  for (const ast::Expr *decorator : llvm::reverse(def->decorators)) {
    // What a decorator that leaves the function alone is called with, such as the configurations of
    // `autotune`, need not have a value here.
    const auto *made = llvm::dyn_cast<ast::CallExpr>(decorator);
    if (made) {
      Value factory = eval(made->callee);
      if (!factory.ok())
        return Value();
      if (factory.is(ValueKind::Builtin) && factory.str() == "autotune") {
        f->tuned = made;
        continue;
      }
      if (factory.is(ValueKind::Opaque) ||
          (factory.is(ValueKind::Builtin) && factory.str() == "identity factory"))
        continue;
    }
    Value d = eval(decorator);
    if (!d.ok())
      return Value();
    result = decorate(d, result, decorator);
    if (!result.ok())
      return Value();
  }
  return result;
}

Value Evaluator::decorate(const Value &decorator, const Value &function, const ast::Expr *e) {
  // A decorator of a module that the evaluator does not know is taken to leave the function alone.
  if (decorator.is(ValueKind::Opaque))
    return function;
  CallArgs args;
  args.values.push_back(function);
  args.spans.push_back(e->span);
  args.span = e->span;
  args.calleeSpan = e->span;
  return call(decorator, args);
}

bool Evaluator::bindParams(const FunctionObject *f, CallArgs &args, Env *scope) {
  llvm::SmallVector<Value> values(f->params.size());
  llvm::SmallVector<Span> spans(f->params.size(), args.span);
  size_t next = 0;
  std::vector<Value> rest;
  bool hasVarArgs = false;
  for (size_t i = 0; i < f->params.size(); ++i) {
    if (f->params[i].kind == ast::Param::VarArgs) {
      hasVarArgs = true;
      for (; next < args.values.size(); ++next)
        rest.push_back(args.values[next]);
      values[i] = heap.tuple(rest);
      continue;
    }
    if (f->params[i].kind == ast::Param::Positional && next < args.values.size()) {
      values[i] = args.values[next];
      spans[i] = args.spans[next++];
    }
  }
  if (next < args.values.size() && !hasVarArgs) {
    size_t most =
        llvm::count_if(f->params, [](auto &p) { return p.kind == ast::Param::Positional; });
    fail(DiagId::TooManyArguments, args.spans[next], f->name, most, args.values.size());
    note(DiagId::DefinedHere, f->span, f->name);
    return false;
  }
  auto *extra = heap.make<DictObject>();
  bool hasVarKeywords = false;
  llvm::SmallVector<llvm::StringRef> names;
  for (size_t i = 0; i < f->params.size(); ++i) {
    names.push_back(f->params[i].name);
    if (f->params[i].kind == ast::Param::VarKeywords) {
      hasVarKeywords = true;
      values[i] = Value::object(ValueKind::Dict, extra);
    }
  }
  for (const CallArgs::Keyword &k : args.keywords) {
    size_t i = 0;
    while (i < f->params.size() &&
           (f->params[i].name != k.name || f->params[i].kind == ast::Param::VarArgs ||
            f->params[i].kind == ast::Param::VarKeywords || f->params[i].positionalOnly))
      ++i;
    if (i < f->params.size()) {
      if (values[i].ok()) {
        fail(DiagId::ArgumentTwice, k.span, f->name, k.name);
        return false;
      }
      values[i] = k.value;
      spans[i] = k.span;
    } else if (hasVarKeywords) {
      extra->entries.push_back({heap.str(k.name), k.value});
    } else {
      fail(DiagId::UnknownKeyword, k.span, f->name, k.name, suggestion(k.name, names));
      note(DiagId::DefinedHere, f->span, f->name);
      return false;
    }
  }
  if (f->tuned)
    takeFirstConfig(f, values, args.span);
  std::vector<std::string> missing;
  Span firstMissing;
  for (size_t i = 0; i < f->params.size(); ++i) {
    if (!values[i].ok())
      values[i] = f->defaults[i];
    if (values[i].ok())
      continue;
    if (missing.empty())
      firstMissing = f->params[i].span;
    missing.push_back(f->params[i].name.str());
  }
  if (!missing.empty()) {
    if (missing.size() == 1)
      fail(DiagId::MissingArgument, args.span, f->name, missing[0]);
    else
      fail(DiagId::MissingArguments, args.span, f->name, llvm::join(missing, "`, `"));
    if (args.span.file == entryFile)
      noteTaken(f, args);
    note(DiagId::DefinedHere, firstMissing, f->name);
    return false;
  }
  for (size_t i = 0; i < f->params.size(); ++i) {
    // `x: T.Ref` hands over the variable or the element itself.
    const auto *annotation = llvm::dyn_cast_or_null<AttributeExpr>(f->params[i].annotation);
    if (annotation && annotation->name == "Ref" && values[i].is(ValueKind::Expr) &&
        values[i].expr()->op == ExprOp::Load) {
      const Expr *load = values[i].expr();
      values[i] = load->buffer->scope == Scope::Var ? Value::buffer(load->buffer)
                                                    : Value::region(elementRegion(load));
    }
    setBinding(scope, f->params[i].name, values[i], f->params[i].span);
  }
  return true;
}

/// What the positional arguments of a call were taken for.
void Evaluator::noteTaken(const FunctionObject *f, const CallArgs &args) {
  std::vector<std::string> taken;
  size_t next = 0;
  for (const ast::Param &p : f->params) {
    if (p.kind != ast::Param::Positional || next == args.values.size())
      break;
    taken.push_back(p.name.str() + " = " + shown(args.values[next++]));
  }
  if (!taken.empty())
    note(DiagId::PositionalTaken, args.span, llvm::join(taken, "`, `"));
}

Value Evaluator::callFunction(const FunctionObject *f, CallArgs &args, bool traced) {
  llvm::StringRef wanted = std::exchange(wantedInner, {});
  if (callDepth >= limits.calls)
    return fail(DiagId::CallsTooDeep, args.span, f->name, limits.calls);
  auto *scope = heap.make<Env>();
  scope->parent = f->closure;
  scope->locals = localsOf(f);
  scope->traced = traced;
  if (!bindParams(f, args, scope))
    return Value();
  llvm::SaveAndRestore savedDepth(callDepth, callDepth + 1);
  llvm::SaveAndRestore savedEnv(env, scope);
  llvm::SaveAndRestore savedHome(home, f->home);
  if (f->expression)
    return eval(f->expression);
  llvm::SaveAndRestore<std::vector<LoopContext>> savedLoops(loops, {});
  llvm::SaveAndRestore savedReturned(returned, Value::none());
  returnedSpan = f->span; // of a function that ends without `return`
  llvm::SaveAndRestore savedFrames(functionFrames, frames);
  llvm::SaveAndRestore savedStopIn(stopIn, wanted.empty() ? stopIn : scope);
  llvm::SaveAndRestore savedStopAt(stopAt, wanted.empty() ? stopAt : wanted);
  size_t keptMark = kept.size();
  Flow flow = exec(f->body);
  if (callDepth <= 4 && args.span.isValid()) {
    // Said once, whatever the number of errors.
    if (kept.size() > keptMark)
      kept[keptMark].notes.push_back(makeNote(DiagId::CalledHere, args.span, f->name));
    else if (flow == Flow::Error)
      note(DiagId::CalledHere, args.span, f->name);
  }
  if (flow == Flow::Error)
    return Value();
  if (!wanted.empty()) {
    auto bound = scope->names.find(wanted);
    if (bound != scope->names.end())
      return bound->second.value.ok() ? bound->second.value : poison();
    return fail(DiagId::InnerNotBound, args.span, f->name, wanted);
  }
  if (flow == Flow::Normal)
    returnedSpan = f->span;
  // A function that an error left without its `return`.
  if (!returned.ok() || (flow == Flow::Normal && kept.size() > keptMark))
    return poison();
  // Scripts call every prim_func `main`; the factory's name says which one it is.
  if (returned.is(ValueKind::Kernel) && returned.as<KernelObject>()->name == "main")
    returned.as<KernelObject>()->name = f->name.str();
  return returned;
}

} // namespace tilec::script
