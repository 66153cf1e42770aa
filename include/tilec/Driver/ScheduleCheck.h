//===- ScheduleCheck.h - was every planned order kept? --------------------===//
//
// Takes the module after wave-schedule and the image made of it, gives what differs first between
// a plan and the loop that the machine code has.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/IR/Wave/Wave.h"

#include "mlir/IR/BuiltinOps.h"

#include <array>

namespace tilec {

/// What is not as planned.
struct PlanDifference {
  std::string kernel;
  int64_t loop = 0; ///< of the script (`#tile.loop`), 0: any of the kernel
  std::string text; ///< ends with a line's end
};

/// How a plan's loop is found among those of the code.
enum class LoopMatch {
  ByOrder, ///< any that has the plan's order: the same with and without line tables
  ById,    ///< the one of its id, where the line table says it
};

/// Compares the loops that `wave-schedule` planned (attribute `schedules` of their kernels) with
/// the LLVM IR that was compiled, and that with the machine code. Empty when all is as planned.
/// Fails when the image cannot be read.
llvm::Expected<std::vector<PlanDifference>>
planDifferences(mlir::ModuleOp module, const codegen::Image &image, LoopMatch match);
/// The same as text.
llvm::Expected<std::string> differencesFromPlan(mlir::ModuleOp module, const codegen::Image &image,
                                                LoopMatch match = LoopMatch::ById);

/// For loops whose body has branches, as those with a BodyOrder: whether every loop of kernels that
/// keep their order has its copies, reads, matrix instructions, barriers and priorities in the
/// order of its LLVM IR, whichever of its blocks stands first. What has not, as text; empty when
/// all have.
llvm::Expected<std::string> lostOrderOf(const codegen::Image &image, LoopMatch match);

/// What the reads of a plan are, for A and B.
struct ReadParts {
  std::array<int64_t, 2> counts = {1, 1};   ///< instructions of one read
  std::array<int64_t, 2> together = {1, 1}; ///< ScheduleShape::together
};

/// A plan's body against the order of a loop: what differs first, both sides; empty when nothing.
std::string differenceFromPlan(llvm::StringRef planText, const codegen::LoopOrder &loop,
                               const ReadParts &parts = {});

} // namespace tilec
