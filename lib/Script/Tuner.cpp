//===- Tuner.cpp - kernels that a script tunes ----------------------------===//
//
// A script's tuner tries configurations and keeps the fastest. Nothing runs here: the first one
// stands for it, and `tilec-run --tune configs` finds the best.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Library.h"
#include "Recovery.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

namespace tilec::script {

/// The first of a list of dictionaries, or of the list that a function makes; null when there is
/// none.
const DictObject *Evaluator::firstConfig(Value configs, Span span) {
  if (configs.is(ValueKind::Function)) {
    CallArgs none;
    none.span = none.calleeSpan = span;
    configs = call(configs, none);
  }
  bool isList = configs.isSequence() && !configs.items().empty();
  return isList && configs.items()[0].is(ValueKind::Dict) ? configs.items()[0].as<DictObject>()
                                                          : nullptr;
}

/// Values of `@autotune(configs=...)` for the parameters that a call leaves out, and that have no
/// value of their own.
void Evaluator::takeFirstConfig(const FunctionObject *f, llvm::MutableArrayRef<Value> values,
                                Span span) {
  auto isOpen = [&](size_t i) {
    bool isPlain =
        f->params[i].kind != ast::Param::VarArgs && f->params[i].kind != ast::Param::VarKeywords;
    return isPlain && !values[i].ok() &&
           (!f->defaults[i].ok() || f->defaults[i].is(ValueKind::None));
  };
  if (llvm::none_of(llvm::seq(values.size()), isOpen))
    return;
  const ast::Expr *expression = f->tuned->args.empty() ? nullptr : f->tuned->args[0];
  for (const ast::Keyword &k : f->tuned->keywords)
    if (k.name == "configs")
      expression = k.value;
  const DictObject *config = nullptr;
  if (expression) {
    Attempt attempt(*this);
    Isolated isolated(*this, nullptr, nullptr);
    llvm::SaveAndRestore savedEnv(env, f->closure);
    llvm::SaveAndRestore savedHome(home, f->home);
    Value configs = eval(expression);
    config = configs.ok() ? firstConfig(configs, expression->span) : nullptr;
  }
  failure.reset(); // without configurations the call tells what it lacks
  std::vector<std::string> taken;
  for (size_t i = 0; config && i < values.size(); ++i)
    for (auto &[key, value] : config->entries)
      if (key.is(ValueKind::Str) && key.str() == f->params[i].name && isOpen(i)) {
        values[i] = value;
        taken.push_back(key.str().str() + "=" + shown(value));
        break;
      }
  if (!taken.empty())
    remark(DiagId::FirstConfig, span, f->name, llvm::join(taken, ", "));
}

Value Evaluator::tunerAttribute(const Value &object, llvm::StringRef name, Span span) {
  if (object.str() == tunerClassName && name == "from_kernel")
    return heap.named(ValueKind::Builtin, tunerMakerName.str(), span);
  bool isMethod = llvm::is_contained({"set_compile_args", "set_profile_args", "run"}, name);
  return object.str() == tunerName && isMethod ? method(object, name)
                                               : opaque((object.str() + "." + name).str(), span);
}

/// AutoTuner.from_kernel(kernel, configs)
Value Evaluator::makeTuner(const CallArgs &args) {
  Value tuner = heap.named(ValueKind::Builtin, tunerName.str(), args.span);
  auto &state = tuner.as<NamedObject>()->keywords;
  constexpr llvm::StringLiteral names[] = {"kernel", "configs"};
  for (auto [i, name] : llvm::enumerate(names)) {
    Value value = i < args.values.size() ? args.values[i] : Value();
    for (const CallArgs::Keyword &k : args.keywords)
      if (k.name == name)
        value = k.value;
    if (!value.ok())
      return fail(DiagId::MissingArgument, args.span, "AutoTuner.from_kernel", name);
    state.push_back({name.str(), value, args.span, args.span});
  }
  return tuner;
}

Value Evaluator::callTuner(const Value &tuner, llvm::StringRef name, const CallArgs &args) {
  if (name != "run")
    return tuner;
  auto &state = tuner.as<NamedObject>()->keywords;
  const DictObject *config = firstConfig(state[1].value, args.span);
  if (!config)
    return failure ? Value()
                   : fail(DiagId::WantedOther, state[1].span, "configurations: a list of dicts",
                          typeName(state[1].value));
  CallArgs own;
  own.span = args.span;
  own.calleeSpan = args.calleeSpan;
  std::vector<std::string> taken;
  for (auto &[key, value] : config->entries) {
    if (!key.is(ValueKind::Str) || key.str() == "pass_configs")
      continue;
    own.keywords.push_back({key.str().str(), value, args.span});
    taken.push_back(key.str().str() + "=" + shown(value));
  }
  remark(DiagId::FirstConfig, args.span, "run", llvm::join(taken, ", "));
  return call(state[0].value, own);
}

/// `f.par_compile([(M, N), {...}, ...])`: a kernel for each.
Value Evaluator::compileEach(const Value &jit, const CallArgs &args) {
  llvm::SmallVector<Value> configs;
  if (args.values.empty() || !iterate(args.values[0], args.spans[0], configs))
    return failure ? Value() : fail(DiagId::WrongArgumentCount, args.span, "par_compile", 1, 0);
  std::vector<Value> made;
  for (const Value &config : configs) {
    CallArgs own;
    own.span = args.span;
    own.calleeSpan = args.calleeSpan;
    if (config.is(ValueKind::Dict)) {
      for (auto &[key, value] : config.as<DictObject>()->entries)
        own.keywords.push_back({toStr(key), value, args.span});
    } else if (config.isSequence()) {
      own.values.assign(config.items().begin(), config.items().end());
      own.spans.assign(own.values.size(), args.spans[0]);
    } else {
      return fail(DiagId::WantedOther, args.spans[0], "a list of tuples or dicts",
                  typeName(config));
    }
    made.push_back(call(jit, own));
    if (!made.back().ok())
      return Value();
  }
  return heap.list(std::move(made));
}

} // namespace tilec::script
