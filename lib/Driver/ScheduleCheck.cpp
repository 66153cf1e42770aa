//===- ScheduleCheck.cpp - was every planned order kept? ------------------===//
//
// In two steps: plan against LLVM IR (kinds, waits, and which reads feed each matrix
// instruction), LLVM IR against machine code (report::checkOrder: the same and all
// addresses).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/ScheduleCheck.h"

#include "tilec/Report/CheckOrder.h"
#include "tilec/Transforms/SchedulePlan.h"

#include <map>

using namespace mlir;

namespace tilec {
namespace {

using codegen::OrderedOp;
using codegen::ValueSource;

/// The ops that a plan's steps must have become.
struct Expected {
  OrderedOp::Kind kind;
  const ScheduleStep *step;
};

std::vector<Expected> expectedOps(const SchedulePlan &plan) {
  std::vector<Expected> ops;
  for (const ScheduleStep &step : plan.body) {
    switch (step.kind) {
    case ScheduleStep::Dma:
      ops.push_back({OrderedOp::SharedDma, &step});
      break;
    case ScheduleStep::Read:
      ops.push_back({OrderedOp::SharedRead, &step});
      break;
    case ScheduleStep::Mma:
      ops.push_back({OrderedOp::Mfma, &step});
      break;
    case ScheduleStep::Wait:
      ops.push_back({OrderedOp::Wait, &step});
      break;
    case ScheduleStep::Barrier:
      ops.push_back({OrderedOp::Barrier, &step});
      break;
    case ScheduleStep::Priority:
      ops.push_back({OrderedOp::Priority, &step});
      break;
    case ScheduleStep::Mark:
      break;
    }
  }
  return ops;
}

bool sameWait(const ScheduleStep &step, const codegen::WaitCounts &waits) {
  auto same = [](int64_t planned, std::optional<unsigned> found) {
    return planned < 0 ? !found : found && int64_t(*found) == planned;
  };
  return same(step.vm, waits.vmcnt) && same(step.lgkm, waits.lgkmcnt) && !waits.expcnt;
}

/// Where a matrix instruction of the plan takes an operand from.
std::optional<ValueSource> plannedSource(const SchedulePlan &plan, const ScheduleStep &mma,
                                         MmaOperand operand, int64_t kStepsPerRead) {
  unsigned ordinal = 0;
  for (const ScheduleStep &step : plan.body) {
    if (step.kind != ScheduleStep::Read)
      continue;
    int64_t rep = operand == MmaOperand::A ? mma.i : mma.j;
    int64_t ahead = step.tile - mma.tile;
    if (step.operand == operand && step.i == rep && step.k == mma.k / kStepsPerRead && ahead >= 0 &&
        ahead % plan.tilesPerRound == 0) {
      ValueSource source;
      source.from = ValueSource::Read;
      source.ordinal = ordinal;
      source.rounds = static_cast<unsigned>(ahead / plan.tilesPerRound);
      return source;
    }
    ++ordinal;
  }
  return std::nullopt;
}

bool sameRead(const ValueSource &planned, const ValueSource &found) {
  return found.from == ValueSource::Read && found.ordinal == planned.ordinal &&
         found.rounds == planned.rounds;
}

int64_t kStepsPerRead(const SchedulePlan &plan) {
  int64_t mmas = 0, reads = 0;
  for (const ScheduleStep &step : plan.body) {
    if (step.kind == ScheduleStep::Mma)
      mmas = std::max(mmas, step.k + 1);
    if (step.kind == ScheduleStep::Read)
      reads = std::max(reads, step.k + 1);
  }
  return reads ? std::max<int64_t>(mmas / reads, 1) : 1;
}

} // namespace

std::string differenceFromPlan(llvm::StringRef planText, const codegen::LoopOrder &loop) {
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(planText);
  if (!plan)
    return llvm::toString(plan.takeError());
  std::vector<Expected> expected = expectedOps(*plan);
  auto differ = [&](size_t at, const llvm::Twine &found) {
    return ("operation " + llvm::Twine(at) + " of the loop\n  planned: " +
            (at < expected.size() ? expected[at].step->str() : std::string("nothing")) +
            "\n  found:   " + found)
        .str();
  };
  int64_t perRead = kStepsPerRead(*plan);
  for (size_t at = 0; at < std::max(expected.size(), loop.ops.size()); ++at) {
    if (at >= loop.ops.size())
      return differ(at, "nothing");
    const OrderedOp &found = loop.ops[at];
    if (at >= expected.size() || expected[at].kind != found.kind)
      return differ(at, found.text);
    const ScheduleStep &step = *expected[at].step;
    bool same = true;
    if (step.kind == ScheduleStep::Wait)
      same = sameWait(step, found.waits);
    else if (step.kind == ScheduleStep::Priority)
      same = found.level == step.i;
    else if (step.kind == ScheduleStep::Mma && found.sources.size() >= 2) {
      auto a = plannedSource(*plan, step, MmaOperand::A, perRead);
      auto b = plannedSource(*plan, step, MmaOperand::B, perRead);
      // Which of them is the instruction's first operand is the lowering's choice.
      same = a && b &&
             ((sameRead(*a, found.sources[0]) && sameRead(*b, found.sources[1])) ||
              (sameRead(*b, found.sources[0]) && sameRead(*a, found.sources[1])));
    }
    if (!same)
      return differ(at, found.text);
  }
  return "";
}

llvm::Expected<std::string> differencesFromPlan(ModuleOp module, const codegen::Image &image) {
  std::string text;
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>()) {
    auto plans = kernel->getAttrOfType<ArrayAttr>("schedules");
    if (!plans)
      continue;
    auto order = llvm::find_if(image.order, [&](const codegen::KernelOrder &o) {
      return o.kernel == kernel.getSymName();
    });
    for (auto plan : plans.getAsRange<StringAttr>()) {
      std::string closest = "no loop was compiled";
      size_t most = 0;
      bool isThere = false;
      if (order != image.order.end())
        for (const codegen::LoopOrder &loop : order->loops) {
          std::string difference = differenceFromPlan(plan.getValue(), loop);
          isThere |= difference.empty();
          if (loop.ops.size() >= most)
            most = loop.ops.size(), closest = difference;
        }
      if (!isThere)
        text += "kernel `" + kernel.getSymName().str() + "`: " + closest + "\n";
    }
  }
  if (image.order.empty())
    return text;
  llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
  if (!object)
    return object.takeError();
  return text + report::describe(report::checkOrder(*object, image.order));
}

} // namespace tilec
