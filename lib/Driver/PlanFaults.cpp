//===- PlanFaults.cpp - what machine code says of a chosen plan -----------===//
//
// Takes the module with its plans and the image, counts spills, moves and lost order, by which
// `auto` chooses another strategy.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "PlanFaults.h"

#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Report/Scorecard.h"
#include "tilec/Transforms/SchedulePlan.h"

using namespace mlir;

namespace tilec {

/// The plans of a kernel's loops; those that have no rounds stand in a line, whatever the plan.
static llvm::SmallVector<SchedulePlan> plansOf(wave::KernelOp kernel) {
  llvm::SmallVector<SchedulePlan> plans;
  if (ArrayAttr texts = kernel.getSchedulesAttr())
    for (StringRef text : texts.getAsValueRange<StringAttr>()) {
      llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
      if (!plan)
        llvm::consumeError(plan.takeError());
      else if (plan->hasLoop())
        plans.push_back(std::move(*plan));
    }
  return plans;
}

llvm::Expected<PlanFaults> faultsOf(ModuleOp module, const codegen::Image &image) {
  constexpr uint64_t lostOrder = 1 << 20;
  PlanFaults faults;
  auto add = [&](const llvm::Twine &text, uint64_t weight) {
    faults.text += (faults.text.empty() ? "" : ", ") + text.str();
    faults.weight += weight;
  };
  llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
  if (!object)
    return object.takeError();
  report::Scorecard scorecard = report::makeScorecard(*object);
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>()) {
    if (plansOf(kernel).empty() || kernel.getNamedSchedule())
      continue;
    for (const report::KernelCard &card : scorecard.kernels) {
      if (card.facts.name != kernel.getSymName())
        continue;
      if (unsigned spills = card.facts.vgprSpills + card.facts.sgprSpills)
        add("spills " + llvm::Twine(spills) + " registers", spills);
      unsigned moves = 0;
      for (const report::LoopCard &loop : card.loops)
        if (loop.mfmas() != 0)
          moves += loop.count(report::InstrKind::AccumulatorMove);
      if (moves != 0)
        add("moves accumulators " + llvm::Twine(moves) + " times in a loop", moves);
    }
  }
  llvm::Expected<std::string> differences = differencesFromPlan(module, image);
  if (!differences)
    return differences.takeError();
  if (!differences->empty())
    add("does not keep the planned order", lostOrder);
  return faults;
}

llvm::SmallVector<std::string> chosenStrategies(ModuleOp module) {
  llvm::SmallVector<std::string> names;
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>()) {
    if (kernel.getNamedSchedule())
      continue;
    for (const SchedulePlan &plan : plansOf(kernel))
      if (!llvm::is_contained(names, plan.strategy))
        names.push_back(plan.strategy);
  }
  return names;
}

} // namespace tilec
