//===- PlanFaults.h - what machine code says of a chosen plan -------------===//
//
// `auto` takes a strategy for a loop before its machine code exists. Here is what is wrong
// with that code, so that the next strategy can be tried (SettlePlans.cpp).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

#include <map>
#include <set>
#include <string>

namespace tilec {

/// What is wrong with the machine code of kernels whose plans `auto` chose, and of other products.
struct PlanFaults {
  struct Kernel {
    unsigned spills = 0; ///< vector registers
  };
  std::string text;                        ///< "" where nothing is
  uint64_t weight = 0;                     ///< to compare attempts
  bool ofPlans = false;                    ///< some are of a kernel with plans
  std::map<std::string, Kernel> kernels{}; ///< that have faults
};

/// Which kernels without plans are looked at as those with plans are, and which for many moves.
struct WatchedKernels {
  std::set<std::string> like, lone;
};

/// `image` is what `module` (Wave IR with plans) became. Of other products only spills of lanes
/// count. An error where the image cannot be read.
llvm::Expected<PlanFaults> faultsOf(mlir::ModuleOp module, const codegen::Image &image,
                                    const WatchedKernels &watched);

/// The strategies of the kernels' loops that `auto` chose.
llvm::SmallVector<std::string> chosenStrategies(mlir::ModuleOp module);

} // namespace tilec
