//===- ScheduleNames.h - which strategies a target has, by name -----------===//
//
// Some order the instructions of a loop (SchedulePlan.h), some share out work
// among blocks and warps (ProductPlan.h). A name that a target has not is never dropped
// in silence.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec {

/// The names beside `auto`, which every target has.
llvm::SmallVector<llvm::StringRef, 8> schedulesOf(Arch arch);
/// "auto, cluster_m, cluster_n", or "only auto".
std::string listOfSchedules(Arch arch);
/// What is wrong with asking for `name` on the target, with the names that it has and the targets
/// that have this one; "" when it has it, or nothing is asked for.
std::string scheduleProblem(llvm::StringRef name, Arch arch);

} // namespace tilec
