//===- PlanFaults.h - what machine code says of a chosen plan -------------===//
//
// `auto` takes a strategy for a loop before its machine code exists. Here is what is wrong
// with that code, so that the next strategy can be tried (Compilation::settleSchedules).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

#include <string>

namespace tilec {

/// What is wrong with the machine code of kernels whose plans `auto` chose.
struct PlanFaults {
  std::string text;    ///< "" where nothing is
  uint64_t weight = 0; ///< to compare attempts; a lost order outweighs spills and moves
};

/// `image` is what `module` (Wave IR with plans) became. An error where it cannot be read.
llvm::Expected<PlanFaults> faultsOf(mlir::ModuleOp module, const codegen::Image &image);

/// The strategies of the kernels' loops that `auto` chose.
llvm::SmallVector<std::string> chosenStrategies(mlir::ModuleOp module);

} // namespace tilec
