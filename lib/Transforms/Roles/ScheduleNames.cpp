//===- ScheduleNames.cpp - which strategies a target has, by name ---------===//
//
// Takes a name and a target, says whether it is a strategy there, and which there are.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/ScheduleNames.h"

#include "tilec/Target/Target.h"
#include "tilec/Transforms/ProductPlan.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec {

llvm::SmallVector<llvm::StringRef, 8> schedulesOf(Arch arch) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  const TargetInfo &target = targetInfo(arch);
  if (target.keepsOrder)
    for (const ScheduleStrategy &strategy : scheduleStrategies())
      names.push_back(strategy.name);
  if (!target.groups.empty()) {
    for (const ProductStrategy &strategy : productStrategies())
      names.push_back(strategy.name);
    names.push_back(overlapScheduleName);
  }
  return names;
}

std::string listOfSchedules(Arch arch) {
  std::string text = schedulesOf(arch).empty() ? "only auto" : "auto";
  for (llvm::StringRef name : schedulesOf(arch))
    text += ", " + name.str();
  return text;
}

std::string scheduleProblem(llvm::StringRef name, Arch arch) {
  if (name.empty() || name == "auto" || llvm::is_contained(schedulesOf(arch), name))
    return "";
  std::string others;
  for (const ArchName &other : allArchs())
    if (llvm::is_contained(schedulesOf(other.arch), name))
      others += (others.empty() ? "" : ", ") + std::string(other.name);
  return "`" + name.str() + "` is " +
         (others.empty() ? "no schedule" : "a schedule of other targets (" + others + ")") + "; " +
         std::string(nameOf(arch)) + " has " + listOfSchedules(arch);
}

} // namespace tilec
