//===- Loops.h - matrix loops of both targets, through the compiler -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Wave/Wave.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

namespace tilec::test {

/// A loop to plan: a block tile, its waves and stages, and the strategy to start from.
struct Case {
  const char *name;
  Arch arch;
  int64_t m, n, k, threads, stages;
  const char *strategy;
};

/// Ten plan shapes, both targets.
llvm::ArrayRef<Case> allCases();
/// For messages of GoogleTest.
void PrintTo(const Case &c, std::ostream *os);

/// The stages of the compiler on such a loop.
class Session {
public:
  Session();

  bool run(mlir::ModuleOp module, const std::string &pipeline);
  /// The module with its wave.pipeline.
  mlir::OwningOpRef<mlir::ModuleOp> toWave(const Case &c);
  /// The plan that the case's strategy makes, by letting the pass make it once; "" on failure.
  std::string planTextOf(mlir::ModuleOp wave, const Case &c);
  /// Applies a plan to the module and compiles it. Failures are GoogleTest's.
  codegen::Image compile(mlir::ModuleOp wave, const Case &c, llvm::StringRef plan);

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

} // namespace tilec::test
