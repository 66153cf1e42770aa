//===- EvaluatorScopes.h - RAII helpers of the evaluator ------------------===//
//
// Takes an evaluator, changes a part of its state, and puts it back at the end of a block of code.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Evaluator.h"

#include "llvm/Support/SaveAndRestore.h"

#include <string>
#include <vector>

namespace tilec::script {

// The names of the syntax tree that the traced kernel does not use too.
using ast::AnnAssignStmt, ast::AssertStmt, ast::AssignStmt, ast::AttributeExpr;
using ast::AugAssignStmt, ast::BinaryExpr, ast::BinaryOp, ast::BoolExpr, ast::CallExpr;
using ast::ClassStmt, ast::CompareExpr, ast::CompareOp, ast::ComprehensionExpr;
using ast::ConditionalExpr, ast::ConstantExpr, ast::DeleteStmt, ast::DictExpr, ast::ExprKind;
using ast::ExprStmt, ast::FunctionStmt, ast::Handler, ast::ImportName, ast::ImportStmt;
using ast::JoinedExpr, ast::JoinedPart, ast::LambdaExpr, ast::NamedExpr, ast::NameExpr;
using ast::NumberExpr, ast::ScopeStmt, ast::SequenceExpr, ast::SimpleStmt, ast::SliceExpr;
using ast::StarredExpr, ast::StringExpr, ast::SubscriptExpr, ast::TryStmt, ast::UnaryExpr;
using ast::UnaryOp, ast::WithItem, ast::WithStmt;

/// Counts recursion of the evaluator; not ok (and a failure) when the script nests too deeply.
struct Evaluator::Deeper {
  Deeper(Evaluator &evaluator, Span span) : evaluator(evaluator) {
    ok = ++evaluator.depth <= evaluator.limits.depth;
    if (!ok)
      evaluator.fail(DiagId::EvaluationTooDeep, span, evaluator.limits.depth);
  }
  ~Deeper() { --evaluator.depth; }
  Evaluator &evaluator;
  bool ok;
};

/// A fresh tracing state: for module-level statements and kernels, wherever they are needed first.
struct Evaluator::Isolated {
  Isolated(Evaluator &e, KernelObject *kernel, EagerState *eager)
      : kernel(e.kernel, kernel), launch(e.launch, nullptr), statements(e.statements, nullptr),
        eager(e.eager, eager), frames(e.frames, 0), functionFrames(e.functionFrames, 0),
        branches(e.branches, 0), parallelDepth(e.parallelDepth, 0),
        returned(e.returned, Value::none()), loops(e.loops, {}) {}

  llvm::SaveAndRestore<KernelObject *> kernel;
  llvm::SaveAndRestore<Launch *> launch;
  llvm::SaveAndRestore<std::vector<const Stmt *> *> statements;
  llvm::SaveAndRestore<EagerState *> eager;
  llvm::SaveAndRestore<unsigned> frames, functionFrames, branches, parallelDepth;
  llvm::SaveAndRestore<Value> returned;
  llvm::SaveAndRestore<std::vector<LoopContext>> loops;
};

/// Whether the module is `T`.
bool isTileLanguage(llvm::StringRef module);

/// Elements where a number is one: a buffer that is no scalar variable, or a slice of one.
inline bool isTile(const Value &v) {
  return v.is(ValueKind::Region) || (v.is(ValueKind::Buffer) && v.buffer()->scope != Scope::Var);
}

/// A buffer that is no scalar variable.
inline bool isWholeTile(const Value &v) {
  return v.is(ValueKind::Buffer) && v.buffer()->scope != Scope::Var;
}

/// `T.Tensor(...)`, `T.Tensor[...]` and the like, by their spelling.
bool declaresTensor(const ast::Expr *annotation);
/// What a function under `@tilelang.jit` that launches kernels itself wants to know: parameters
/// that it does not declare as tensors or scalars, and the dimensions of `T.const`.
struct TensorDeclaration {
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef> dims; ///< of `T.const`, by its spelling; empty for others
};
struct EagerValues {
  std::vector<const ast::Param *> params;
  std::vector<std::string> dims;
  std::vector<TensorDeclaration> tensors;
};
EagerValues eagerValues(const ast::FunctionStmt *def);

} // namespace tilec::script
