//===- LoopGraphs.h - the loops that a plan can be given to ---------------===//
//
// A plan that was found once is text, and used again where the loop is the same: the
// hash of its graph says so. The graph of a matrix loop (`wave.pipeline`) is its
// ScheduleShape, which is all that strategies and proofs see; that of another loop is
// its body's ops with what they take from each other. Neither knows numbers of rounds
// or sizes of tensors. docs/machine-code/scheduling.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Wave/Wave.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilec {

struct LoopGraph {
  mlir::Operation *op; ///< a wave.pipeline, or the scf.for of another loop
  wave::KernelOp kernel;
  uint64_t hash;
  std::optional<ScheduleShape> shape; ///< of a wave.pipeline
};

/// The loops of a module at Stage::Wave that plans can be given to, in program order: matrix loops
/// whose order is planned, and other innermost loops with matrix instructions. Moves what does not
/// depend on the iteration out of the former, as `wave-schedule` does.
llvm::SmallVector<LoopGraph> loopGraphsOf(mlir::ModuleOp module, const TargetInfo &target);

/// The hash of a matrix loop's graph.
uint64_t graphHashOf(const ScheduleShape &shape);

} // namespace tilec
