//===- Pipelines.h - which passes make which stage ------------------------===//
//
// Takes a stage and a target, gives the passes that lead to it, as text.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"
#include "tilec/Driver/PlanFile.h"

namespace tilec {

/// The pass pipeline, as text for parsePassPipeline, that takes a module from the stage before to
/// `stage`. Empty for stages that no pass makes. The only place where the order is written.
/// `schedule` is the strategy of every matrix loop; empty: each has its own. `layouts`: what the
/// plans of loops were found with.
std::string pipelineOf(Stage stage, Arch arch, llvm::StringRef schedule = "",
                       bool checkBounds = false, const PlanLayouts &layouts = {});

/// Those of them that give every operation one form, in their order.
llvm::ArrayRef<llvm::StringLiteral> passesToOneForm();
/// Makes `tile-normalize` a name for these, `tile-expand-threads` one for those that write out what
/// single threads do, `tile-lay-out` one for those that say where elements are: for pipelines that
/// are written by hand.
void registerPipelines();

} // namespace tilec
