//===- ApplySchedule.h - a wave.pipeline in the order of a plan -----------===//
//
// Takes a wave.pipeline and a plan, gives the loop in the order of the plan.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Wave/Wave.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/ADT/MapVector.h"

namespace tilec {

/// What is in a `wave.pipeline`: its shape, and the ops of every named step in order.
struct PipelineTemplate {
  wave::PipelineOp op;
  ScheduleShape shape;
  AddressConstants constants{};
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<mlir::Operation *, 2>> steps; ///< by name
};

/// The step that an op is, for the round's own tile.
ScheduleStep scheduleStepOf(wave::StepAttr step);

/// Moves what does not depend on the iteration in front of the op, and reads the rest. Fails with
/// what is malformed.
llvm::Expected<PipelineTemplate> readTemplate(wave::PipelineOp op, const TargetInfo &target);

/// Replaces the op by the loop that the plan describes. The plan has been checked for its shape.
llvm::Error applySchedule(const PipelineTemplate &pipeline, const SchedulePlan &plan,
                          const TargetInfo &target);

} // namespace tilec
