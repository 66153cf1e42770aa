//===- Trace.cpp - from a script and an entry to a traced kernel ----------===//
//
// Takes a script and an entry, finds what the entry means, calls it, and gives the traced program.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/Trace.h"

#include "EvaluatorScopes.h"
#include "ForeignFiles.h"
#include "tilec/Script/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tilec::script {
namespace {

bool decoratorIs(const ast::Expr *e, llvm::ArrayRef<llvm::StringRef> names) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(e))
    e = call->callee;
  if (const auto *a = llvm::dyn_cast<AttributeExpr>(e))
    return llvm::is_contained(names, a->name);
  if (const auto *n = llvm::dyn_cast<NameExpr>(e))
    return llvm::is_contained(names, n->name);
  return false;
}

/// `@triton.jit` and `@torch.jit.script` are somebody else's.
bool isForeign(const ast::Expr *e) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(e))
    e = call->callee;
  while (const auto *a = llvm::dyn_cast<AttributeExpr>(e))
    e = a->value;
  const auto *n = llvm::dyn_cast<NameExpr>(e);
  return n && llvm::is_contained({"triton", "torch", "numba", "jax", "cute"}, n->name);
}

bool isDecorated(const FunctionStmt *f, llvm::ArrayRef<llvm::StringRef> names) {
  return llvm::any_of(f->decorators,
                      [&](const ast::Expr *e) { return decoratorIs(e, names) && !isForeign(e); });
}

/// A plain factory: it defines a prim_func inside.
bool definesPrimFunc(ast::Body body) {
  for (const ast::Stmt *s : body) {
    if (const auto *f = llvm::dyn_cast<FunctionStmt>(s))
      if (isDecorated(f, {"prim_func"}) || definesPrimFunc(f->body))
        return true;
    if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s))
      if (definesPrimFunc(i->thenBody) || definesPrimFunc(i->elseBody))
        return true;
  }
  return false;
}

std::vector<const FunctionStmt *> candidates(const ast::Module &module) {
  std::vector<const FunctionStmt *> out;
  for (const ast::Stmt *s : module.body)
    if (const auto *f = llvm::dyn_cast<FunctionStmt>(s))
      if (isDecorated(f, {"jit", "prim_func"}) || definesPrimFunc(f->body))
        out.push_back(f);
  return out;
}

/// An eager function: it has its kernel in its own body.
bool isEagerFunction(const FunctionStmt *f) {
  return isDecorated(f, {"jit"}) && !definesPrimFunc(f->body);
}

std::vector<std::string> requiredParams(const FunctionStmt *f) {
  std::vector<std::string> out;
  EagerValues values = eagerValues(f);
  for (const ast::Param &p : f->params) {
    bool isTensor = isEagerFunction(f) && !llvm::is_contained(values.params, &p);
    if (!p.defaultValue && !isTensor &&
        (p.kind == ast::Param::Positional || p.kind == ast::Param::KeywordOnly))
      out.push_back(p.name.str());
  }
  return out;
}

/// The call that an entry is, with names for what has no default.
std::string callOf(const FunctionStmt *f, const SourceManager &sources) {
  if (isDecorated(f, {"prim_func"}))
    return f->name.str();
  std::vector<std::string> parts;
  EagerValues values = eagerValues(f);
  bool isEager = isEagerFunction(f);
  bool named = false; // after a tensor that is left out, or after `*`
  for (const ast::Param &p : f->params) {
    if (p.kind == ast::Param::VarArgs || p.kind == ast::Param::VarKeywords)
      continue;
    if (isEager && !llvm::is_contained(values.params, &p)) {
      named = true;
      continue;
    }
    named |= p.kind == ast::Param::KeywordOnly;
    if (p.defaultValue)
      parts.push_back((p.name + "=" + sources.textOf(p.defaultValue->span)).str());
    else
      parts.push_back((p.name + (named ? "=..." : "")).str());
  }
  if (isEager)
    for (const std::string &dim : values.dims)
      parts.push_back(dim + "=...");
  return (f->name + "(" + llvm::join(parts, ", ") + ")").str();
}

void collectInner(ast::Body body, const std::string &outer, const SourceManager &sources,
                  std::vector<EntryCandidate> &out) {
  for (const ast::Stmt *s : body) {
    if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s)) {
      collectInner(i->thenBody, outer, sources, out);
      collectInner(i->elseBody, outer, sources, out);
    }
    const auto *f = llvm::dyn_cast<FunctionStmt>(s);
    if (!f)
      continue;
    std::string call = outer + callOf(f, sources);
    bool isKernel = isDecorated(f, {"jit", "prim_func"});
    if (isKernel || definesPrimFunc(f->body))
      out.push_back({(outer + f->name).str(), requiredParams(f), f->nameSpan, call});
    // The prim_func of a factory is the factory's; functions in functions have a name of their own.
    bool isFactory = llvm::any_of(f->body, [](const ast::Stmt *inner) {
      const auto *g = llvm::dyn_cast<FunctionStmt>(inner);
      return g && isDecorated(g, {"prim_func"});
    });
    if (!isKernel && !isFactory)
      collectInner(f->body, call + ".", sources, out);
  }
}

std::vector<EntryCandidate> allCandidates(const ast::Module &module, const SourceManager &sources) {
  std::vector<EntryCandidate> out;
  collectInner(module.body, "", sources, out);
  return out;
}

std::string listing(llvm::ArrayRef<EntryCandidate> list) {
  std::string out;
  for (const EntryCandidate &c : list)
    out += (out.empty() ? "`" : ", `") + c.call + "`";
  return out;
}

void reportFailure(const Failure &failure, DiagnosticEngine &diags) {
  if (!failure.isPoison) {
    diags.add(failure.error);
    for (const Diagnostic &d : failure.notes)
      diags.add(d);
  }
  for (const Failure &other : failure.others)
    reportFailure(other, diags);
}

/// Kernels in other languages are told apart; true after such a message.
bool isForeignFile(const ast::Module &module, DiagnosticEngine &diags) {
  std::optional<ForeignFile> foreign = foreignFile(module);
  if (!foreign && !candidates(module).empty())
    return false;
  for (const ast::Stmt *s : module.body)
    if (const auto *f = llvm::dyn_cast<FunctionStmt>(s))
      for (const ast::Expr *e : f->decorators)
        if (isForeign(e) && decoratorIs(e, {"jit"})) {
          diags.report(DiagId::TritonFile, e->span, foreign ? foreign->language : "Triton");
          return true;
        }
  if (foreign)
    diags.report(DiagId::TritonFile, foreign->place, foreign->language);
  return foreign.has_value();
}

/// The tree of a script. A file that is C++ by its looks is not told about Python.
std::unique_ptr<ast::Module> parseScript(const SourceManager &sources, uint32_t file,
                                         DiagnosticEngine &diags) {
  DiagnosticEngine own(sources);
  std::unique_ptr<ast::Module> module = parseModule(sources, file, own);
  llvm::StringRef text = sources.file(file).text();
  if (!module)
    for (auto [mark, language] : {std::pair<llvm::StringRef, llvm::StringRef>{"__global__", "CUDA"},
                                  {"__device__", "CUDA"},
                                  {"#include <hip/", "HIP"},
                                  {"#include <", "C++"}})
      if (size_t at = text.find(mark); at != llvm::StringRef::npos) {
        auto begin = static_cast<uint32_t>(at), end = static_cast<uint32_t>(at + mark.size());
        diags.report(DiagId::CudaFile, Span{file, begin, end}, language);
        return nullptr;
      }
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return module;
}

/// The entry as an expression's text; nothing (and an error) when it cannot be completed.
std::optional<std::string> completeEntry(const ast::Module &module, llvm::StringRef text,
                                         const SourceManager &sources, DiagnosticEngine &diags) {
  text = text.trim();
  if (!text.empty() && !text.starts_with("("))
    return text.str();
  std::vector<const FunctionStmt *> list = candidates(module);
  if (list.size() != 1) {
    std::vector<EntryCandidate> all = allCandidates(module, sources);
    if (all.empty())
      diags.report(DiagId::NoEntry, Span{module.file, 0, 0});
    else
      diags.report(DiagId::SeveralEntries, all[0].span, listing(all));
    return std::nullopt;
  }
  const FunctionStmt *f = list[0];
  if (text.starts_with("("))
    return (f->name + text).str();
  bool isKernel = isDecorated(f, {"prim_func"});
  bool isPlainOrLazy = definesPrimFunc(f->body);
  std::vector<std::string> missing = requiredParams(f);
  if (!isKernel && isPlainOrLazy && !missing.empty()) {
    diags.report(DiagId::EntryNeedsArguments, f->nameSpan, f->name, llvm::join(missing, ", "));
    return std::nullopt;
  }
  return isKernel ? f->name.str() : (f->name + "()").str();
}

void collectDims(const script::Expr *e, std::vector<const Var *> &out) {
  if (e->op == ExprOp::Var && e->var->kind == VarKind::Dim && !llvm::is_contained(out, e->var))
    out.push_back(e->var);
  for (const script::Expr *arg : e->args)
    collectDims(arg, out);
}

void collectDims(Program &program) {
  for (const script::Param &p : program.params)
    if (p.buffer) {
      for (const script::Expr *e : p.buffer->shape)
        collectDims(e, program.dims);
      for (const script::Expr *e : p.buffer->strides)
        collectDims(e, program.dims);
    }
}

void assemble(KernelObject &made, Program &program) {
  program.name = made.name;
  program.span = made.span;
  program.params = made.params;
  program.outputs = made.outputs;
  program.workspaces = made.workspaces;
  program.assumptions = made.assumptions;
  program.launches = made.launches;
  collectDims(program);
  for (auto &[key, value] : made.passConfigs) {
    PassConfig config;
    config.key = program.copy(llvm::StringRef(key));
    if (value.is(ValueKind::Bool) || value.is(ValueKind::Int)) {
      config.value.kind = value.is(ValueKind::Bool) ? Argument::Bool : Argument::Int;
      config.value.boolValue = !value.integer().isZero();
      config.value.intValue = value.integer().fits64() ? value.integer().value64() : 0;
    } else if (value.is(ValueKind::Str)) {
      config.value.kind = Argument::String;
      config.value.string = program.copy(value.str());
    }
    program.passConfigs.push_back(config);
  }
}

bool isOpaqueOnly(const Failure &failure) {
  return (failure.isPoison || failure.error.id == DiagId::OpaqueValue) &&
         llvm::all_of(failure.others, isOpaqueOnly);
}

bool returnsValue(ast::Body body) {
  return llvm::any_of(body, [](const ast::Stmt *s) {
    if (s->kind == ast::StmtKind::Return)
      return llvm::cast<SimpleStmt>(s)->value != nullptr;
    if (const auto *i = llvm::dyn_cast<ast::IfStmt>(s))
      return returnsValue(i->thenBody) || returnsValue(i->elseBody);
    if (const auto *f = llvm::dyn_cast<ast::ForStmt>(s))
      return returnsValue(f->body);
    if (const auto *w = llvm::dyn_cast<WithStmt>(s))
      return returnsValue(w->body);
    return false;
  });
}

/// Whether the entry calls a function of the host that returns nothing: a test, or a `main`.
bool callsProcedure(Evaluator &evaluator, const ast::Module &module, const ast::Expr *entry) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(entry))
    entry = call->callee;
  const auto *name = llvm::dyn_cast<NameExpr>(entry);
  bool isFunction = name && llvm::any_of(module.body, [&](const ast::Stmt *s) {
                      const auto *f = llvm::dyn_cast<FunctionStmt>(s);
                      return f && f->name == name->name && !returnsValue(f->body);
                    });
  return isFunction && !evaluator.evaluateName(name->name).is(ValueKind::Kernel);
}

/// The entry's value as a kernel: functions are called without arguments, and one that returns no
/// kernel may have made one.
Value toKernel(Evaluator &evaluator, Value value, Span span, bool isProcedure,
               DiagnosticEngine &diags) {
  if (value.ok())
    value = evaluator.callEntry(value, span);
  if (value.is(ValueKind::Kernel))
    return value;
  llvm::ArrayRef<Value> made = evaluator.kernelsMade();
  // What host code does beside (tensors, checks, timing) may need values that there are not; a
  // kernel that could be made does not depend on them.
  bool isMade =
      value.ok() || (evaluator.error() && isOpaqueOnly(*evaluator.error())) || isProcedure;
  bool isOne = llvm::all_of(made, [&](const Value &v) {
    return v.as<KernelObject>()->span.begin == made[0].as<KernelObject>()->span.begin &&
           v.as<KernelObject>()->span.file == made[0].as<KernelObject>()->span.file;
  });
  if (isMade && isOne && !made.empty())
    return made[0]; // the first one, where a function makes its kernel more than once
  if (!value.ok()) {
    reportFailure(*evaluator.error(), diags);
    return Value();
  }
  if (made.empty()) {
    diags.report(DiagId::EntryNotKernel, span, typeName(value));
    return Value();
  }
  std::vector<std::string> names;
  for (const Value &kernel : made)
    if (std::string name = kernel.as<KernelObject>()->name; !llvm::is_contained(names, name))
      names.push_back(name);
  diags.report(DiagId::SeveralKernelsMade, span, "`" + llvm::join(names, "`, `") + "`", names[0]);
  return Value();
}

/// `outer(args).kernel`: the kernel of that name that the call has made.
Value kernelOfCall(const Evaluator &evaluator, const ast::Expr *entry, Value value) {
  const auto *attribute = llvm::dyn_cast<AttributeExpr>(entry);
  if (value.ok() || !attribute || !llvm::isa<CallExpr>(attribute->value))
    return value;
  for (const Value &made : evaluator.kernelsMade())
    if (made.as<KernelObject>()->name == attribute->name)
      return made;
  return value;
}

/// A parsed script with what it gets from outside.
struct Session {
  Session(SourceManager &sources, const ScriptOptions &options, DiagnosticEngine &diags)
      : sources(sources), files(sources, options.readModule), options(options), diags(diags) {
    if (options.host)
      pieces.emplace(sources, *options.host);
  }
  HostPieces *host() { return pieces ? &*pieces : nullptr; }

  bool define(Evaluator &evaluator) {
    for (const std::string &text : options.defines) {
      auto [name, value] = llvm::StringRef(text).split('=');
      if (name.trim().empty() || value.trim().empty()) {
        uint32_t file = sources.add("<define>", text);
        diags.report(DiagId::DefineSyntax, Span{file, 0, static_cast<uint32_t>(text.size())}, text);
        return false;
      }
      uint32_t file = sources.add("<define " + name.trim().str() + ">", value.str());
      std::unique_ptr<ast::Module> tree = parseExpression(sources, file, diags);
      if (!tree)
        return false;
      evaluator.define(name, tree->expression);
      places[name.trim()] = tree->expression->span;
      trees.push_back(std::move(tree));
    }
    return true;
  }

  SourceManager &sources;
  ModuleFiles files;
  std::optional<HostPieces> pieces;
  const ScriptOptions &options;
  DiagnosticEngine &diags;
  std::vector<std::unique_ptr<ast::Module>> trees;
  llvm::StringMap<Span> places; ///< of the values that were defined
};

/// What could be traced of all kernels of the entry, as one program.
std::unique_ptr<Program> partialProgram(const Evaluator &evaluator,
                                        std::unique_ptr<Program> program) {
  constexpr size_t most = 16; // an entry may make one kernel again and again
  auto add = [&](llvm::ArrayRef<Value> kernels) {
    for (const Value &v : kernels.take_front(most)) {
      const KernelObject &k = *v.as<KernelObject>();
      llvm::append_range(program->params, k.params);
      llvm::append_range(program->workspaces, k.workspaces);
      llvm::append_range(program->launches, k.launches);
    }
  };
  add(evaluator.kernelsBegun());
  add(evaluator.kernelsMade());
  llvm::erase_if(program->params, [](const script::Param &p) { return !p.buffer && !p.scalar; });
  program->isPartial = true;
  program->name = "partial";
  collectDims(*program);
  return program;
}

/// Where one kernel of the file names what tilec refuses or does not have, those of the others.
void reportOtherKernels(Evaluator &evaluator, const ast::Module &module,
                        const SourceManager &sources, DiagnosticEngine &diags) {
  llvm::StringSet<> told;
  std::vector<Diagnostic> found;
  for (const Diagnostic &d : diags.all())
    told.insert(d.message);
  for (auto [i, s] : llvm::enumerate(module.body)) {
    const auto *f = llvm::dyn_cast<FunctionStmt>(s);
    bool isKernel =
        f && (isDecorated(f, {"jit", "prim_func", "macro"}) || definesPrimFunc(f->body));
    Span text{module.file, s->span.begin,
              i + 1 < module.body.size()
                  ? module.body[i + 1]->span.begin
                  : static_cast<uint32_t>(sources.file(module.file).text().size())};
    auto isInside = [&](Span place) {
      return place.isValid() && place.file == text.file && place.begin >= text.begin &&
             place.begin < text.end;
    };
    auto isRead = [&](const Value &v) { return isInside(v.as<KernelObject>()->span); };
    if (!isKernel || llvm::any_of(evaluator.kernelsBegun(), isRead) ||
        llvm::any_of(evaluator.kernelsMade(), isRead) ||
        llvm::any_of(diags.all(), [&](const Diagnostic &d) {
          return d.severity == Severity::Error && d.id != DiagId::SeveralEntries &&
                 isInside(d.span);
        }))
      continue;
    for (Diagnostic &d : evaluator.refusedNames(text))
      if (told.insert(d.message).second)
        found.push_back(std::move(d));
  }
  for (Diagnostic &d : found)
    diags.add(std::move(d));
}

bool namesRefused(const DiagnosticEngine &diags) {
  return llvm::any_of(diags.all(), [](const Diagnostic &d) {
    return d.id == DiagId::RefusedIntrinsic || d.id == DiagId::UnknownIntrinsic;
  });
}

/// The program of the kernel that an entry's value is.
std::unique_ptr<Program> finish(Evaluator &evaluator, const Value &kernel,
                                std::unique_ptr<Program> program, DiagnosticEngine &diags) {
  if (!kernel.ok())
    return nullptr;
  for (const Diagnostic &d : evaluator.takeRemarks())
    diags.add(d);
  assemble(*kernel.as<KernelObject>(), *program);
  return program;
}

} // namespace

std::unique_ptr<Program> traceEntry(SourceManager &sources, uint32_t file,
                                    llvm::StringRef entryText, Arch arch, DiagnosticEngine &diags,
                                    const ScriptOptions &options, std::unique_ptr<Program> *rest) {
  std::unique_ptr<ast::Module> module = parseScript(sources, file, diags);
  if (!module || isForeignFile(*module, diags))
    return nullptr;
  std::optional<std::string> text = completeEntry(*module, entryText, sources, diags);
  if (!text) {
    Program none;
    none.arch = arch;
    Evaluator evaluator(sources, *module, arch, none);
    reportOtherKernels(evaluator, *module, sources, diags);
    return nullptr;
  }
  uint32_t entryFile = sources.add("<entry>", *text);
  std::unique_ptr<ast::Module> entry = parseExpression(sources, entryFile, diags);
  if (!entry)
    return nullptr;
  auto program = std::make_unique<Program>();
  program->arch = arch;
  Session session(sources, options, diags);
  Evaluator evaluator(sources, *module, arch, *program, &session.files, session.host());
  if (!session.define(evaluator))
    return nullptr;
  bool isProcedure = callsProcedure(evaluator, *module, entry->expression);
  Value value =
      kernelOfCall(evaluator, entry->expression, evaluator.evaluateEntry(entry->expression));
  value = toKernel(evaluator, value, entry->expression->span, isProcedure, diags);
  for (const std::string &name : evaluator.unusedDefinitions())
    if (value.ok())
      diags.report(DiagId::DefineUnused, session.places.lookup(name), name);
  if (!value.ok()) {
    if (namesRefused(diags))
      reportOtherKernels(evaluator, *module, sources, diags);
    if (rest)
      *rest = partialProgram(evaluator, std::move(program));
    return nullptr;
  }
  return finish(evaluator, value, std::move(program), diags);
}

std::unique_ptr<Program> traceModule(SourceManager &sources, const ast::Module &module,
                                     llvm::StringRef function, Arch arch, DiagnosticEngine &diags) {
  auto program = std::make_unique<Program>();
  program->arch = arch;
  ModuleFiles files(sources, {});
  Evaluator evaluator(sources, module, arch, *program, &files);
  Value value = evaluator.evaluateName(function);
  value = toKernel(evaluator, value, Span(), /*isProcedure=*/false, diags);
  return finish(evaluator, value, std::move(program), diags);
}

std::vector<EntryCandidate> listEntries(const SourceManager &sources, uint32_t file,
                                        DiagnosticEngine &diags) {
  std::unique_ptr<ast::Module> module = parseScript(sources, file, diags);
  if (!module || isForeignFile(*module, diags))
    return {};
  return allCandidates(*module, sources);
}

std::optional<std::string> evaluateToText(SourceManager &sources, uint32_t file,
                                          llvm::StringRef expression, Arch arch,
                                          DiagnosticEngine &diags, const ScriptOptions &options) {
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diags);
  uint32_t entryFile = sources.add("<entry>", expression.str());
  std::unique_ptr<ast::Module> entry =
      module ? parseExpression(sources, entryFile, diags) : nullptr;
  if (!entry)
    return std::nullopt;
  Program program;
  Session session(sources, options, diags);
  Evaluator evaluator(sources, *module, arch, program, &session.files, session.host());
  if (!session.define(evaluator))
    return std::nullopt;
  Value value = evaluator.evaluateEntry(entry->expression);
  if (!value.ok()) {
    reportFailure(*evaluator.error(), diags);
    return std::nullopt;
  }
  return repr(value);
}

} // namespace tilec::script
