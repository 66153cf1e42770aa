//===- ScheduleCheck.cpp - was every planned order kept? ------------------===//
//
// In two steps: plan against LLVM IR (kinds, waits, and which reads feed each matrix
// instruction), LLVM IR against machine code (report::checkOrder: the same and all
// addresses). The waits for lgkmcnt that LLVM places are audited for cover.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/ScheduleCheck.h"

#include "tilec/Report/AuditWaits.h"
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

std::vector<Expected> expectedOps(const SchedulePlan &plan, const ReadParts &parts) {
  std::vector<Expected> ops;
  for (const ScheduleStep &step : plan.body) {
    switch (step.kind) {
    case ScheduleStep::Dma:
      ops.push_back({OrderedOp::SharedDma, &step});
      break;
    case ScheduleStep::Read:
      ops.insert(ops.end(), parts.counts[static_cast<int>(step.operand)],
                 {OrderedOp::SharedRead, &step});
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

/// The first LDS read of the loop that belongs to the plan's read of `rep`, and how many rounds
/// before the matrix instruction's it is.
struct FoundRead {
  int64_t ordinal;
  unsigned rounds;
};

std::optional<FoundRead> findRead(const SchedulePlan &plan, const ScheduleStep &mma,
                                  MmaOperand operand, int64_t rep, int64_t kStepsPerRead,
                                  const ReadParts &parts) {
  int64_t ordinal = 0;
  for (const ScheduleStep &step : plan.body) {
    if (step.kind != ScheduleStep::Read)
      continue;
    int64_t ahead = step.tile - mma.tile;
    if (step.operand == operand && step.i == rep && step.k == mma.k / kStepsPerRead && ahead >= 0 &&
        ahead % plan.tilesPerRound == 0)
      return FoundRead{ordinal, static_cast<unsigned>(ahead / plan.tilesPerRound)};
    ordinal += parts.counts[static_cast<int>(step.operand)];
  }
  return std::nullopt;
}

/// Where a matrix instruction of the plan takes the first and the middle register of an operand
/// from.
struct PlannedSource {
  int64_t first, middle; ///< LDS reads of the loop
  unsigned rounds;       ///< before this one
};

std::optional<PlannedSource> plannedSource(const SchedulePlan &plan, const ScheduleStep &mma,
                                           MmaOperand operand, int64_t kStepsPerRead,
                                           const ReadParts &parts) {
  int64_t rep = operand == MmaOperand::A ? mma.i : mma.j;
  int64_t count = parts.counts[static_cast<int>(operand)];
  int64_t together = parts.together[static_cast<int>(operand)];
  if (together > 1) {
    // Bytes of all reads of the group, in the order of their k: the first and the middle one lead.
    int64_t first = rep / together * together;
    auto lead = findRead(plan, mma, operand, first, kStepsPerRead, parts);
    auto middle = findRead(plan, mma, operand, first + together / 2, kStepsPerRead, parts);
    if (!lead || !middle || lead->rounds != middle->rounds)
      return std::nullopt;
    return PlannedSource{lead->ordinal, middle->ordinal, lead->rounds};
  }
  auto read = findRead(plan, mma, operand, rep, kStepsPerRead, parts);
  if (!read)
    return std::nullopt;
  // A read's instructions, one after the other, hold the operands of its K steps.
  int64_t within = mma.k % kStepsPerRead;
  return PlannedSource{read->ordinal + within * count / kStepsPerRead,
                       read->ordinal + (2 * within + 1) * count / (2 * kStepsPerRead),
                       read->rounds};
}

bool sameRead(int64_t ordinal, unsigned rounds, const ValueSource &found) {
  return found.from == ValueSource::Read && found.ordinal == ordinal && found.rounds == rounds;
}

/// Whether the input `n` of a matrix instruction is this operand.
bool sameOperand(const PlannedSource &planned, const OrderedOp &found, unsigned n) {
  constexpr unsigned middles = 3; // behind a, b and c
  return sameRead(planned.first, planned.rounds, found.sources[n]) &&
         sameRead(planned.middle, planned.rounds, found.sources[middles + n]);
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

std::string differenceFromPlan(llvm::StringRef planText, const codegen::LoopOrder &loop,
                               const ReadParts &parts) {
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(planText);
  if (!plan)
    return llvm::toString(plan.takeError());
  std::vector<Expected> expected = expectedOps(*plan, parts);
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
    else if (step.kind == ScheduleStep::Mma && found.sources.size() == 5) {
      auto a = plannedSource(*plan, step, MmaOperand::A, perRead, parts);
      auto b = plannedSource(*plan, step, MmaOperand::B, perRead, parts);
      // Which of them is the instruction's first operand is the lowering's choice.
      same = a && b &&
             ((sameOperand(*a, found, 0) && sameOperand(*b, found, 1)) ||
              (sameOperand(*b, found, 0) && sameOperand(*a, found, 1)));
    }
    if (!same)
      return differ(at, found.text);
  }
  return "";
}

/// Kinds of the ops that body orders fix, priorities with their level.
static std::vector<std::pair<int, int64_t>> strictKinds(const codegen::LoopOrder &loop) {
  std::vector<std::pair<int, int64_t>> kinds;
  for (const OrderedOp &op : loop.ops)
    if (op.kind != OrderedOp::Wait && op.kind != OrderedOp::GlobalLoad &&
        op.kind != OrderedOp::GlobalStore)
      kinds.emplace_back(op.kind, op.kind == OrderedOp::Priority ? op.level : 0);
  return kinds;
}

static bool isRotation(std::vector<std::pair<int, int64_t>> a,
                       const std::vector<std::pair<int, int64_t>> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t n = 0; n < a.size(); ++n, std::rotate(a.begin(), a.begin() + 1, a.end()))
    if (a == b)
      return true;
  return a.empty();
}

static llvm::Expected<report::CodeObject> codeOf(const codegen::Image &image, LoopMatch match) {
  llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
  if (object && match == LoopMatch::ById)
    report::addSourceLoops(*object, image.bytes);
  return object;
}

llvm::Expected<std::string> lostOrderOf(const codegen::Image &image, LoopMatch match) {
  llvm::Expected<report::CodeObject> object = codeOf(image, match);
  if (!object)
    return object.takeError();
  std::string text;
  for (const codegen::KernelOrder &planned : image.order) {
    const report::KernelCode *kernel = object->kernel(planned.kernel);
    for (auto [n, loop] : llvm::enumerate(planned.loops)) {
      auto kinds = strictKinds(loop);
      auto isOfId = [&, id = loop.sourceLoop](const report::Loop &found) {
        return found.isInnermost && kernel->sourceLoopOf(found) == id;
      };
      bool hasId = kernel && loop.sourceLoop != 0 && llvm::any_of(kernel->loops, isOfId);
      bool isThere = kernel && llvm::any_of(kernel->loops, [&](const report::Loop &found) {
                       return found.isInnermost && (!hasId || isOfId(found)) &&
                              isRotation(strictKinds(report::emittedOrder(*kernel, found)), kinds);
                     });
      if (!isThere)
        text += "kernel `" + planned.kernel + "`: loop " + std::to_string(n + 1) +
                " has another order of copies, reads, matrix instructions, barriers and "
                "priorities\n";
    }
  }
  return text;
}

/// A plan against the loops of LLVM IR of its kernel: what differs from the closest; empty where it
/// is one of them. What it says of their waits is noted on them.
static std::string differenceFromIr(const SchedulePlan &plan, StringRef text,
                                    const ReadParts &reads, int64_t id,
                                    codegen::KernelOrder *order) {
  std::string closest = "no loop was compiled";
  size_t most = 0;
  bool isThere = false;
  if (!order)
    return closest;
  bool hasId = id != 0 && llvm::any_of(order->loops, [&](const codegen::LoopOrder &loop) {
                 return loop.sourceLoop == id;
               });
  for (codegen::LoopOrder &loop : order->loops) {
    if (hasId && loop.sourceLoop != id)
      continue;
    std::string difference = differenceFromPlan(text, loop, reads);
    isThere |= difference.empty();
    loop.hasExactLgkmWaits |= difference.empty() && !plan.autoLgkm;
    if (loop.ops.size() >= most)
      most = loop.ops.size(), closest = difference;
  }
  return isThere ? "" : closest;
}

static ReadParts readPartsOf(wave::KernelOp kernel, size_t n) {
  ArrayAttr parts = kernel.getSchedulePartsAttr();
  if (!parts || n >= parts.size())
    return {};
  llvm::ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(parts[n]).asArrayRef();
  return {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

llvm::Expected<std::vector<PlanDifference>>
planDifferences(ModuleOp module, const codegen::Image &image, LoopMatch match) {
  std::vector<PlanDifference> differences;
  bool hasLoop = false;
  std::vector<codegen::KernelOrder> orders = image.order;
  for (wave::KernelOp kernel : module.getOps<wave::KernelOp>()) {
    ArrayAttr plans = kernel.getSchedulesAttr();
    if (!plans)
      continue;
    auto order = llvm::find_if(
        orders, [&](const codegen::KernelOrder &o) { return o.kernel == kernel.getSymName(); });
    ArrayRef<int64_t> ids = kernel.getScheduleLoops().value_or(ArrayRef<int64_t>());
    for (auto [n, attribute] : llvm::enumerate(plans)) {
      StringRef text = cast<StringAttr>(attribute).getValue();
      llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
      if (!plan)
        return plan.takeError();
      if (!plan->hasLoop())
        continue;
      hasLoop = true;
      int64_t id = match == LoopMatch::ById && n < ids.size() ? ids[n] : 0;
      std::string difference = differenceFromIr(*plan, text, readPartsOf(kernel, n), id,
                                                order == orders.end() ? nullptr : &*order);
      std::string name = kernel.getSymName().str();
      if (!difference.empty())
        differences.push_back({name, id, "kernel `" + name + "`: " + difference + "\n"});
    }
  }
  if (image.order.empty() || !hasLoop)
    return differences;
  llvm::Expected<report::CodeObject> object = codeOf(image, match);
  if (!object)
    return object.takeError();
  for (const report::OrderDifference &lost : report::checkOrder(*object, orders))
    differences.push_back({lost.kernel, lost.sourceLoop, report::describe(lost)});
  // Waits for lgkmcnt that a plan leaves to LLVM (`lgkm auto`) are compared with nothing: each must
  // cover.
  for (const report::KernelCode &kernel : object->kernels)
    if (auto findings = report::auditWaits(kernel); !findings.empty())
      differences.push_back({kernel.facts.name, 0, report::describe(findings)});
  return differences;
}

llvm::Expected<std::string> differencesFromPlan(ModuleOp module, const codegen::Image &image,
                                                LoopMatch match) {
  llvm::Expected<std::vector<PlanDifference>> differences = planDifferences(module, image, match);
  if (!differences)
    return differences.takeError();
  std::string text;
  for (const PlanDifference &difference : *differences)
    text += difference.text;
  return text;
}

} // namespace tilec
