//===- Trace.cpp - from a script and an entry to a traced kernel ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/Trace.h"

#include "EvaluatorScopes.h"
#include "tilec/Script/Parser.h"

#include "llvm/ADT/StringExtras.h"

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

std::vector<std::string> requiredParams(const FunctionStmt *f) {
  std::vector<std::string> out;
  for (const ast::Param &p : f->params)
    if (!p.defaultValue && (p.kind == ast::Param::Positional || p.kind == ast::Param::KeywordOnly))
      out.push_back(p.name.str());
  return out;
}

std::string listing(const std::vector<const FunctionStmt *> &list) {
  std::string out;
  for (const FunctionStmt *f : list) {
    out += (out.empty() ? "`" : ", `") + f->name.str() + "(";
    out += llvm::join(requiredParams(f), ", ") + ")`";
  }
  return out;
}

void reportFailure(const Evaluator &evaluator, DiagnosticEngine &diags) {
  if (!evaluator.error())
    return;
  diags.add(evaluator.error()->error);
  for (const Diagnostic &d : evaluator.error()->notes)
    diags.add(d);
}

/// The entry as an expression's text; nothing (and an error) when it cannot be completed.
std::optional<std::string> completeEntry(const ast::Module &module, llvm::StringRef text,
                                         DiagnosticEngine &diags) {
  text = text.trim();
  if (!text.empty() && !text.starts_with("("))
    return text.str();
  std::vector<const FunctionStmt *> list = candidates(module);
  if (list.size() != 1) {
    Span span = list.empty() ? Span{module.file, 0, 0} : list[0]->nameSpan;
    if (list.empty())
      diags.report(DiagId::NoEntry, span);
    else
      diags.report(DiagId::SeveralEntries, span, listing(list));
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

void assemble(KernelObject &made, Program &program) {
  program.name = made.name;
  program.span = made.span;
  program.params = made.params;
  program.outputs = made.outputs;
  program.workspaces = made.workspaces;
  program.assumptions = made.assumptions;
  program.launches = made.launches;
  for (const script::Param &p : program.params)
    if (p.buffer) {
      for (const script::Expr *e : p.buffer->shape)
        collectDims(e, program.dims);
      for (const script::Expr *e : p.buffer->strides)
        collectDims(e, program.dims);
    }
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

/// The entry's value as a kernel: functions are called without arguments.
Value toKernel(Evaluator &evaluator, Value value, Span span, DiagnosticEngine &diags) {
  if (value.is(ValueKind::Jit) || value.is(ValueKind::Function)) {
    CallArgs none;
    none.span = none.calleeSpan = span;
    value = evaluator.call(value, none);
  }
  if (!value.ok()) {
    reportFailure(evaluator, diags);
    return Value();
  }
  if (!value.is(ValueKind::Kernel)) {
    diags.report(DiagId::EntryNotKernel, span, typeName(value));
    return Value();
  }
  return value;
}

/// Calls, at last, what an entry's value is, and takes the kernel.
std::unique_ptr<Program> finish(Evaluator &evaluator, Value value, Span span,
                                std::unique_ptr<Program> program, DiagnosticEngine &diags) {
  if (!value.ok()) {
    reportFailure(evaluator, diags);
    return nullptr;
  }
  value = toKernel(evaluator, value, span, diags);
  if (!value.ok())
    return nullptr;
  for (const Diagnostic &d : evaluator.takeRemarks())
    diags.add(d);
  assemble(*value.as<KernelObject>(), *program);
  return program;
}

} // namespace

std::unique_ptr<Program> traceEntry(SourceManager &sources, uint32_t file,
                                    llvm::StringRef entryText, Arch arch, DiagnosticEngine &diags) {
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diags);
  if (!module)
    return nullptr;
  std::optional<std::string> text = completeEntry(*module, entryText, diags);
  if (!text)
    return nullptr;
  uint32_t entryFile = sources.add("<entry>", *text);
  std::unique_ptr<ast::Module> entry = parseExpression(sources, entryFile, diags);
  if (!entry)
    return nullptr;
  auto program = std::make_unique<Program>();
  program->arch = arch;
  Evaluator evaluator(sources, *module, arch, *program);
  Value value = evaluator.evaluateEntry(entry->expression);
  return finish(evaluator, value, entry->expression->span, std::move(program), diags);
}

std::unique_ptr<Program> traceModule(SourceManager &sources, const ast::Module &module,
                                     llvm::StringRef function, Arch arch, DiagnosticEngine &diags) {
  auto program = std::make_unique<Program>();
  program->arch = arch;
  Evaluator evaluator(sources, module, arch, *program);
  Value value = evaluator.global(function, Span());
  return finish(evaluator, value, Span(), std::move(program), diags);
}

std::vector<EntryCandidate> listEntries(const SourceManager &sources, uint32_t file,
                                        DiagnosticEngine &diags) {
  std::vector<EntryCandidate> out;
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diags);
  if (!module)
    return out;
  for (const FunctionStmt *f : candidates(*module))
    out.push_back({f->name.str(), requiredParams(f), f->nameSpan});
  return out;
}

std::optional<std::string> evaluateToText(SourceManager &sources, uint32_t file,
                                          llvm::StringRef expression, Arch arch,
                                          DiagnosticEngine &diags) {
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diags);
  uint32_t entryFile = sources.add("<entry>", expression.str());
  std::unique_ptr<ast::Module> entry =
      module ? parseExpression(sources, entryFile, diags) : nullptr;
  if (!entry)
    return std::nullopt;
  Program program;
  Evaluator evaluator(sources, *module, arch, program);
  Value value = evaluator.evaluateEntry(entry->expression);
  if (!value.ok()) {
    reportFailure(evaluator, diags);
    return std::nullopt;
  }
  return repr(value);
}

} // namespace tilec::script
