//===- ScheduleCheck.h - was every planned order kept? --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Wave/Wave.h"

#include "mlir/IR/BuiltinOps.h"

#include <array>

namespace tilec {

/// Compares the loops that `wave-schedule` planned (attribute `schedules` of their kernels) with
/// the LLVM IR that was compiled, and that with the machine code. What differs, as text; empty when
/// all is as planned. Fails when the image cannot be read.
llvm::Expected<std::string> differencesFromPlan(mlir::ModuleOp module, const codegen::Image &image);

/// What the reads of a plan are, for A and B.
struct ReadParts {
  std::array<int64_t, 2> counts = {1, 1};   ///< instructions of one read
  std::array<int64_t, 2> together = {1, 1}; ///< ScheduleShape::together
};

/// A plan's body against the order of a loop: what differs first, both sides; empty when nothing.
std::string differenceFromPlan(llvm::StringRef planText, const codegen::LoopOrder &loop,
                               const ReadParts &parts = {});

} // namespace tilec
