//===- WaveSchedule.cpp - plan the order of every matrix loop -------------===//
//
// The pass wave-schedule: takes each wave.pipeline, plans its order, and hands both to
// ApplySchedule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/ApplySchedule.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/Strategy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_WAVESCHEDULEPASS
#include "tilec/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

/// Registers of 32 bits that values of a type take.
static int64_t registersOf(Type type) { return (wave::bitsOf(type) + 31) / 32; }

static void hoistInvariants(wave::PipelineOp pipeline) {
  for (Operation &op : llvm::make_early_inc_range(*pipeline.bodyBlock()))
    if (isPure(&op) && !wave::stepOf(&op) && llvm::all_of(op.getOperands(), [&](Value v) {
          return v.getParentRegion() != &pipeline.getBody();
        }))
      op.moveBefore(pipeline);
}

ScheduleStep scheduleStepOf(wave::StepAttr step) {
  bool isOfA = step.getKind() == wave::StepKind::CopyA || step.getKind() == wave::StepKind::ReadA;
  MmaOperand operand = isOfA ? MmaOperand::A : MmaOperand::B;
  if (step.isCopy())
    return ScheduleStep::dma(operand, step.getI(), /*tile=*/0);
  if (step.isRead())
    return ScheduleStep::read(operand, step.getI(), step.getK(), /*tile=*/0);
  return ScheduleStep::mma(step.getI(), step.getJ(), step.getK(), /*tile=*/0);
}

static llvm::Error addStep(PipelineTemplate &result, Operation &op, wave::StepAttr attr) {
  ScheduleStep step = scheduleStepOf(attr);
  // The context keeps the name.
  auto name = StringAttr::get(op.getContext(), step.name());
  ScheduleShape &shape = result.shape;
  int operand = static_cast<int>(step.operand);
  bool isFirst = !result.steps.contains(name.getValue());
  result.steps[name.getValue()].push_back(&op);
  if (attr.isCopy()) {
    if (!isFirst)
      return llvm::createStringError("`%s` is more than one copy", name.str().c_str());
    shape.dmas[operand] = std::max(shape.dmas[operand], step.i + 1);
  } else if (attr.isRead()) {
    int64_t &reps = step.operand == MmaOperand::A ? shape.repsM : shape.repsN;
    reps = std::max(reps, step.i + 1);
    shape.together[operand] = attr.getTogether();
    if (step.i == 0 && step.k == 0)
      shape.fragmentRegs[operand] =
          (isFirst ? 0 : shape.fragmentRegs[operand]) + registersOf(op.getResult(0).getType());
  } else {
    if (auto mma = dyn_cast<wave::MmaOp>(op))
      shape.accumulatorRegs = registersOf(mma.getType());
    shape.kSteps = std::max(shape.kSteps, step.k + 1);
  }
  return llvm::Error::success();
}

/// Reads name K steps of their own; a matrix instruction may share one with its neighbour.
static llvm::Error readCovers(PipelineTemplate &result) {
  ScheduleShape &shape = result.shape;
  int64_t alongK = 0;
  for (auto &[name, ops] : result.steps)
    if (wave::StepAttr step = wave::stepOf(ops[0]); step.isRead())
      alongK = std::max(alongK, step.getK() + 1);
  if (alongK == 0 || shape.kSteps % alongK != 0)
    return llvm::createStringError("the reads do not cover the matrix instructions' K steps");
  shape.kStepsPerRead = shape.kSteps / alongK;
  for (MmaOperand operand : {MmaOperand::A, MmaOperand::B})
    if (shape.reps(operand) % shape.together[static_cast<int>(operand)] != 0)
      return llvm::createStringError("reads that stand together are no whole groups");
  for (MmaOperand operand : {MmaOperand::A, MmaOperand::B})
    for (int64_t rep = 0; rep < shape.reps(operand); ++rep)
      for (int64_t k = 0; k < alongK; ++k) {
        auto found = result.steps.find(ScheduleStep::read(operand, rep, k, 0).name());
        if (found == result.steps.end())
          return llvm::createStringError("`%s` is missing",
                                         ScheduleStep::read(operand, rep, k, 0).name().c_str());
        uint64_t cover = 0;
        for (Operation *op : found->second)
          cover |= uint64_t(wave::stepOf(op).getCover());
        shape.cover[static_cast<int>(operand)].push_back(cover);
      }
  return llvm::Error::success();
}

llvm::Expected<PipelineTemplate> readTemplate(wave::PipelineOp op, const TargetInfo &target) {
  PipelineTemplate result;
  result.op = op;
  hoistInvariants(op);
  ScheduleShape &shape = result.shape;
  auto kernel = op->getParentOfType<wave::KernelOp>();
  shape.slots = op.getSlots();
  shape.waves = (kernel.getThreads() + target.waveLanes - 1) / target.waveLanes;
  int64_t schedulers = shape.schedulers = target.schedulers;
  shape.wavesPerSimd = (shape.waves * int64_t(kernel.getMinBlocks()) + schedulers - 1) / schedulers;
  shape.registers = target.registers.ofLane / std::max<int64_t>(shape.wavesPerSimd, 1);
  shape.mostOpen = target.counters.memory;
  shape.mostOpenReads = target.counters.shared;
  shape.mostPriority = target.mostPriority;
  result.constants = target.constants;
  for (Operation &inner : *op.bodyBlock()) {
    if (wave::StepAttr step = wave::stepOf(&inner)) {
      if (llvm::Error error = addStep(result, inner, step))
        return error;
    } else if (!isPure(&inner) && !isa<wave::GetOp>(inner)) {
      return llvm::createStringError("`%s` has no step",
                                     inner.getName().getStringRef().str().c_str());
    }
  }
  if (llvm::Error error = readCovers(result))
    return error;
  if (int64_t(result.steps.size()) !=
      shape.dmasPerTile() + shape.readsPerTile() + shape.mmasPerTile())
    return llvm::createStringError("steps are missing");
  return result;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct WaveSchedulePass : impl::WaveSchedulePassBase<WaveSchedulePass> {
  using WaveSchedulePassBase::WaveSchedulePassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<wave::PipelineOp> pipelines;
    getOperation().walk([&](wave::PipelineOp op) { pipelines.push_back(op); });
    for (wave::PipelineOp op : pipelines)
      if (failed(schedule(op, *chip)))
        return signalPassFailure();
    if (!pipelines.empty())
      getOperation().setKeepOrder(true);
  }

  LogicalResult schedule(wave::PipelineOp op, const TargetInfo &chip) {
    llvm::Expected<PipelineTemplate> pipeline = readTemplate(op, chip);
    if (!pipeline)
      return Reported(op, DiagId::PlanImpossible,
                      "malformed: " + llvm::toString(pipeline.takeError()));
    llvm::Expected<SchedulePlan> plan = planOf(op, pipeline->shape);
    if (!plan)
      return Reported(op, DiagId::PlanImpossible, llvm::toString(plan.takeError()));
    mlir::emitRemark(op.getLoc()) << "schedule `" << plan->strategy << "`";
    llvm::StringRef asked = strategy.empty() ? op.getSchedule() : llvm::StringRef(strategy);
    if (asked != "auto" || op.getPlan())
      getOperation().setNamedSchedule(true);
    if (llvm::Error error = applySchedule(*pipeline, *plan, chip))
      return Reported(op, DiagId::PlanImpossible, llvm::toString(std::move(error)));
    return success();
  }

  llvm::Expected<SchedulePlan> planOf(wave::PipelineOp op, const ScheduleShape &shape) {
    if (auto text = op.getPlan()) {
      llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(*text);
      if (plan)
        if (llvm::Error error = checkSchedule(*plan, shape))
          return error;
      return plan;
    }
    llvm::StringRef asked = strategy.empty() ? op.getSchedule() : llvm::StringRef(strategy);
    ArrayAttr rejected = getOperation().getRejectedSchedulesAttr();
    if (asked != "auto" || !rejected)
      return planSchedule(asked, shape);
    // The next one that fits; where none is left, the first again.
    for (const Strategy &other : strategies()) {
      if (!other.order || llvm::is_contained(rejected.getAsValueRange<StringAttr>(), other.name))
        continue;
      llvm::Expected<SchedulePlan> plan = planSchedule(other.name, shape);
      if (plan)
        return plan;
      llvm::consumeError(plan.takeError());
    }
    return planSchedule(asked, shape);
  }
};

} // namespace

} // namespace tilec
