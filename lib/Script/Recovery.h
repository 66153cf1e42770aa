//===- Recovery.h - going on after an error -------------------------------===//
//
// Takes an evaluator whose statement has failed, keeps the error, and goes on behind it, so that
// one run tells all.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "EvaluatorScopes.h"

#include "llvm/ADT/ScopeExit.h"

namespace tilec::script {

/// Where an evaluation begins that goes on after errors.
struct Evaluator::Recovery {
  explicit Recovery(Evaluator &e) : evaluator(e), kept(e.kept, {}), recovers(e.recovers, true) {}
  /// The kept errors as one failure; `value` when there are none.
  Value finish(Value value);

private:
  Evaluator &evaluator;
  llvm::SaveAndRestore<std::vector<Failure>> kept;
  llvm::SaveAndRestore<bool> recovers;
};

/// Around an evaluation whose failure may be thrown away.
struct Evaluator::Attempt {
  explicit Attempt(Evaluator &e) : recovers(e.recovers, false) {}

private:
  llvm::SaveAndRestore<bool> recovers;
};

} // namespace tilec::script
