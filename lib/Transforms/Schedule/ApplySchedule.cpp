//===- ApplySchedule.cpp - a wave.pipeline in the order of a plan ---------===//
//
// Each step as ops, and the loop around those of a round. Where copies and reads go says
// AppliedAddresses.cpp, how many rounds there are AppliedRounds.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Application.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

void Application::emitDma(const ScheduleStep &step, Values &values) {
  auto dma = cast<wave::LoadToSharedOp>(opsOf(step.name())[0]);
  int64_t slotBytes = dma.getStep()->getSlotBytes();
  bool isLane = movesLaneOffset[static_cast<int>(step.operand)];
  int64_t index = advancingOf(step, values);
  const Advancing which = advancing[index];
  int64_t tile = step.tile - which.phase, block = floorDiv(tile, which.block);
  int64_t imm = (tile - block * which.block) * which.bytes;
  int64_t slot = step.tile % shape.slots;
  Value at = advancedTo(index, block, values);
  Value shared = dmaTarget(dma.getShared(), slot * slotBytes - imm, values);
  wave::LoadToSharedOp::create(b, dma.getLoc(), dma.getDesc(), isLane ? at : dma.getVoffset(),
                               isLane ? dma.getSoffset() : at, shared, imm, dma.getBytes());
}

void Application::emitRead(const ScheduleStep &step, Values &values) {
  SmallVector<Value, 2> results;
  auto found = pipeline.steps.find(step.name());
  for (Operation *read : found->second) {
    int64_t slotBytes = wave::stepOf(read).getSlotBytes();
    int64_t anchor = anchors.lookup(read->getOperand(0));
    int64_t imm = immOf(read) - anchor + step.tile % shape.slots * slotBytes;
    int64_t beyond = imm / pipeline.constants.shared * pipeline.constants.shared;
    Operation *copy = b.clone(*read);
    copy->setOperand(0, outside(read->getOperand(0), anchor + beyond));
    setImm(copy, imm - beyond);
    wave::setStep(copy, nullptr);
    results.push_back(copy->getResult(0));
  }
  values.reads[{found->first, step.tile}] = results;
}

Value Application::valueAt(Value value, int64_t tile, Values &values) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.bodyBlock())
    return value;
  if (wave::StepAttr step = wave::stepOf(def)) {
    auto found = pipeline.steps.find(scheduleStepOf(step).name());
    return values.reads.find({found->first, tile})
        ->second[llvm::find(found->second, def) - found->second.begin()];
  }
  bool isGlue = isPure(def);
  if (isGlue)
    if (Value known = values.glue.lookup({value, tile}))
      return known;
  IRMapping mapping;
  for (Value operand : def->getOperands())
    mapping.map(operand, valueAt(operand, tile, values));
  Value copy = b.clone(*def, mapping)->getResult(0);
  if (isGlue)
    values.glue[{value, tile}] = copy;
  return copy;
}

void Application::emitMma(const ScheduleStep &step, Values &values) {
  IRMapping local;
  for (Operation *part : opsOf(step.name())) {
    IRMapping mapping;
    for (Value operand : part->getOperands())
      mapping.map(operand, local.contains(operand) ? local.lookup(operand)
                                                   : valueAt(operand, step.tile, values));
    Operation *copy = b.clone(*part, mapping);
    wave::setStep(copy, nullptr);
    local.map(part->getResults(), copy->getResults());
  }
}

/// What the next matrix instruction's operands are computed with is computed one matrix instruction
/// earlier, in its shadow, if no wait stands between: the reads have arrived then.
void Application::prepareNext(llvm::ArrayRef<ScheduleStep> rest, Values &values) {
  for (const ScheduleStep &step : rest) {
    if (step.kind == ScheduleStep::Wait || step.kind == ScheduleStep::Barrier)
      return;
    if (step.kind != ScheduleStep::Mma)
      continue;
    for (Operation *part : opsOf(step.name()))
      for (Value operand : part->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && def->getBlock() == op.bodyBlock() && !wave::stepOf(def) && isPure(def))
          valueAt(operand, step.tile, values);
    return;
  }
}

void Application::emit(llvm::ArrayRef<ScheduleStep> steps, Values &values) {
  auto count = [&](int64_t n) { return n < 0 ? IntegerAttr() : b.getI64IntegerAttr(n); };
  for (auto [at, step] : llvm::enumerate(steps)) {
    switch (step.kind) {
    case ScheduleStep::Dma:
      emitDma(step, values);
      break;
    case ScheduleStep::Read:
      emitRead(step, values);
      break;
    case ScheduleStep::Mma:
      if (!plan.autoLgkm)
        prepareNext(steps.drop_front(at + 1), values);
      emitMma(step, values);
      break;
    case ScheduleStep::Wait:
      wave::WaitOp::create(b, loc, count(step.vm), count(step.lgkm), /*groups=*/false);
      break;
    case ScheduleStep::Barrier:
      wave::BarrierOp::create(b, loc, /*raw=*/true);
      break;
    case ScheduleStep::Priority:
      wave::SetPrioOp::create(b, loc, step.i);
      break;
    case ScheduleStep::Mark:
      break;
    }
  }
}

/// The loop. `values` are those in front of it, and become those behind it; its origin moves on by
/// all rounds, which changes no slot and no immediate.
void Application::emitRounds(llvm::ArrayRef<ScheduleStep> body, Value rounds, Values &values) {
  // What a round finds: addresses at their first block, reads that an earlier round has made.
  std::map<int64_t, int64_t> firstBlock;
  for (const ScheduleStep &step : body)
    if (step.kind == ScheduleStep::Dma) {
      int64_t index = advancingOf(step, values);
      int64_t block = floorDiv(step.tile - advancing[index].phase, advancing[index].block);
      auto [at, isNew] = firstBlock.try_emplace(index, block);
      at->second = std::min(at->second, block);
    }
  SmallVector<std::pair<llvm::StringRef, int64_t>> carried;
  for (const ScheduleStep &step : body)
    if (step.kind == ScheduleStep::Read)
      for (int64_t tile = step.tile - plan.tilesPerRound; tile >= 0; tile -= plan.tilesPerRound)
        carried.push_back({pipeline.steps.find(step.name())->first, tile});

  SmallVector<Value> inits;
  for (auto [index, block] : firstBlock)
    inits.push_back(advancedTo(index, block, values));
  for (auto &key : carried)
    llvm::append_range(inits, values.reads.find(key)->second);
  auto loop = scf::ForOp::create(b, loc, constant(0), rounds, constant(1), inits);

  // The carried values in a list of values in this order: results, arguments.
  auto bind = [&](ValueRange list, Values &to) {
    size_t next = 0;
    for (auto [index, block] : firstBlock)
      to.advanced[{index, block}] = list[next++];
    for (auto &key : carried) {
      SmallVector<Value, 2> &results = to.reads[key];
      results.clear();
      for (size_t n = 0; n < opsOf(key.first).size(); ++n)
        results.push_back(list[next++]);
    }
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inside;
    bind(loop.getRegionIterArgs(), inside);
    emit(body, inside);
    SmallVector<Value> nexts;
    for (auto [index, block] : firstBlock)
      nexts.push_back(
          advancedTo(index, block + plan.tilesPerRound / advancing[index].block, inside));
    for (auto &[name, tile] : carried)
      llvm::append_range(nexts, inside.reads.find({name, tile + plan.tilesPerRound})->second);
    scf::YieldOp::create(b, loc, nexts);
  }
  values = Values();
  bind(loop.getResults(), values);
}

llvm::Error Application::run() {
  front = op;
  chooseAdvancing();
  chooseAnchors();
  auto constantCount = op.getCount().getDefiningOp<arith::ConstantIndexOp>();
  // New code goes in front of the op, what all of it shares in front of that.
  Operation *marker = constant(0).getDefiningOp();
  front = marker;
  if (llvm::Error error = constantCount ? emitCount(constantCount.value()) : emitAnyCount())
    return error;
  wave::WaitOp::create(b, loc, IntegerAttr(), b.getI64IntegerAttr(0), /*groups=*/false);
  wave::BarrierOp::create(b, loc, /*raw=*/true); // the slots are free again
  op.erase();
  return llvm::Error::success();
}

llvm::Error applySchedule(const PipelineTemplate &pipeline, const SchedulePlan &plan,
                          const TargetInfo &chip) {
  return Application(pipeline, plan, chip).run();
}

} // namespace tilec
