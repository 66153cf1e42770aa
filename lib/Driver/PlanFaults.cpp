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

static bool hasProduct(wave::KernelOp kernel) {
  auto result = kernel.walk([](wave::MmaOp) { return WalkResult::interrupt(); });
  return result.wasInterrupted();
}

/// Of loops in which they are more than an `nth` of the matrix instructions.
static unsigned movesOf(const report::KernelCard &card, unsigned nth) {
  unsigned moves = 0;
  for (const report::LoopCard &loop : card.loops) {
    unsigned ofLoop = loop.count(report::InstrKind::AccumulatorMove);
    if (loop.mfmas() != 0 && uint64_t(nth) * ofLoop > loop.mfmas())
      moves += ofLoop;
  }
  return moves;
}

llvm::Expected<PlanFaults> faultsOf(ModuleOp module, const codegen::Image &image,
                                    const WatchedKernels &watched) {
  // To compare with: a move takes a vector instruction, a spill a store and a load.
  constexpr uint64_t lostOrder = 1 << 20, spill = 8;
  // So many moves cost a product without a plan more than other waves beside it would: with 88
  // beside 80 (80 x 256 x 16 of 128 threads, gfx950) 1189 us in the model, 978 with 256 threads.
  constexpr unsigned fewMoves = 8;
  PlanFaults faults;
  auto add = [&](const llvm::Twine &text, uint64_t weight) {
    faults.text += (faults.text.empty() ? "" : ", ") + text.str();
    faults.weight += weight;
  };
  llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
  if (!object)
    return object.takeError();
  report::Scorecard scorecard = report::makeScorecard(*object);
  std::set<std::string> planned;
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>()) {
    std::string name = kernel.getSymName().str();
    bool hasPlans = !plansOf(kernel).empty(), isWatched = hasPlans || watched.like.count(name);
    if (kernel.getNamedSchedule() || (!isWatched && !hasProduct(kernel)))
      continue;
    if (hasPlans)
      planned.insert(name);
    for (const report::KernelCard &card : scorecard.kernels) {
      if (card.facts.name != name)
        continue;
      unsigned spills = card.facts.vgprSpills + (isWatched ? card.facts.sgprSpills : 0);
      unsigned moves = isWatched                  ? movesOf(card, UINT_MAX)
                       : watched.lone.count(name) ? movesOf(card, fewMoves)
                                                  : 0;
      if (spills)
        add("spills " + llvm::Twine(spills) + " registers", spill * spills);
      if (moves)
        add("moves accumulators " + llvm::Twine(moves) + " times in a loop", moves);
      if (spills || moves)
        faults.kernels[name] = {card.facts.vgprSpills};
    }
  }
  llvm::Expected<std::string> differences = differencesFromPlan(module, image, LoopMatch::ByOrder);
  if (!differences)
    return differences.takeError();
  if (!differences->empty()) {
    add("does not keep the planned order", lostOrder);
    for (const std::string &name : planned)
      faults.kernels.try_emplace(name);
  }
  faults.ofPlans =
      llvm::any_of(planned, [&](const std::string &name) { return faults.kernels.count(name); });
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
