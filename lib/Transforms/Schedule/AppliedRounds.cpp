//===- AppliedRounds.cpp - how many rounds a planned loop has -------------===//
//
// A number that is known, or that only the run knows; what the kernel says of the order of its
// loops, to be compared with the machine code.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/Application.h"

#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

void Application::record(llvm::ArrayRef<ScheduleStep> steps) {
  auto kernel = op->getParentOfType<wave::KernelOp>();
  SmallVector<Attribute> all;
  if (ArrayAttr known = kernel.getSchedulesAttr())
    llvm::append_range(all, known);
  SchedulePlan counted = plan;
  counted.body.assign(steps.begin(), steps.end());
  all.push_back(b.getStringAttr(counted.str()));
  // For A and B: instructions that one read of the plan is, and reads that stand together.
  SmallVector<Attribute> parts;
  if (ArrayAttr known = kernel.getSchedulePartsAttr())
    llvm::append_range(parts, known);
  auto partsOf = [&](MmaOperand operand) {
    return int64_t(opsOf(ScheduleStep::read(operand, 0, 0, 0).name()).size());
  };
  parts.push_back(b.getDenseI64ArrayAttr(
      {partsOf(MmaOperand::A), partsOf(MmaOperand::B), shape.together[0], shape.together[1]}));
  SmallVector<int64_t> loops(kernel.getScheduleLoops().value_or(ArrayRef<int64_t>()));
  loops.push_back(tile::loopIdOf(loc));
  kernel.setScheduleLoops(loops);
  kernel.setSchedulesAttr(b.getArrayAttr(all));
  kernel.setSchedulePartsAttr(b.getArrayAttr(parts));
}

void Application::recordWithoutLoop(std::vector<ScheduleStep> steps) {
  steps.insert(steps.begin(), ScheduleStep::mark(SchedulePlan::noLoop));
  record(steps);
}

/// Both halves of the waves run the same code, the second one `stagger` barriers behind.
void Application::emitStagger(bool atStart) {
  for (int64_t n = 0; n < plan.stagger; ++n) {
    Value wave = wave::WaveIdOp::create(b, loc, b.getIndexType());
    auto isIt = arith::CmpIOp::create(
        b, loc, atStart ? arith::CmpIPredicate::sge : arith::CmpIPredicate::slt, wave,
        constant(shape.waves / 2));
    auto branch = scf::IfOp::create(b, loc, isIt, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    wave::BarrierOp::create(b, loc, /*raw=*/true);
  }
}

void Application::noteFirstTiles(llvm::ArrayRef<ScheduleStep> body) {
  for (const ScheduleStep &step : body)
    if (step.kind == ScheduleStep::Dma) {
      auto [at, isNew] = firstTiles.try_emplace(step.name(), step.tile);
      at->second = std::min(at->second, step.tile);
    }
}

void Application::emitKnownCount(const ExpandedSchedule &schedule) {
  Values values;
  emitStagger(/*atStart=*/true);
  emit(schedule.prologue, values);
  if (schedule.rounds > 0) {
    noteFirstTiles(schedule.body);
    emitRounds(schedule.body, constant(schedule.rounds), values);
  }
  emit(schedule.tail, values);
  emitStagger(/*atStart=*/false);
}

/// The same for a number of tiles that only the run knows. Those that are too few for a round are
/// taken in order.
void Application::emitAnyCount(const RuntimeSchedule &schedule) {
  Value count = op.getCount(), fewest = constant(schedule.fewest),
        perRound = constant(plan.tilesPerRound);
  // In this order: LLVM puts what is rare in front, and loops are compared in program order.
  Value isFew = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, count, fewest).getResult();
  auto branch = scf::IfOp::create(b, loc, isFew, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitInOrder();
  b.setInsertionPointToStart(branch.elseBlock());
  Value beyond = arith::SubIOp::create(b, loc, count, fewest);
  Value rounds =
      arith::AddIOp::create(b, loc, arith::DivUIOp::create(b, loc, beyond, perRound), constant(1));
  Value left = arith::RemUIOp::create(b, loc, beyond, perRound);
  Values values;
  emitStagger(/*atStart=*/true);
  emit(schedule.prologue, values);
  noteFirstTiles(schedule.body);
  emitRounds(schedule.body, rounds, values);
  record(schedule.body);
  emitTails(schedule, left, values);
  emitStagger(/*atStart=*/false);
}

void Application::emitTails(const RuntimeSchedule &schedule, Value left, Values &values) {
  for (auto [n, tail] : llvm::enumerate(schedule.tails)) {
    Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left,
                                       constant(static_cast<int64_t>(n)));
    auto branch = scf::IfOp::create(b, loc, isIt, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Values here = values; // what a tail computes, no other one sees
    emit(tail, here);
  }
}

/// For few tiles, of a number that is not known: one after the other, on slot 0.
void Application::emitInOrder() {
  SmallVector<ScheduleStep> steps[3];
  for (auto &[name, ops] : pipeline.steps) {
    ScheduleStep step = scheduleStepOf(wave::stepOf(ops[0]));
    steps[step.kind].push_back(step);
  }
  SmallVector<Advancing> moving;
  auto loop = scf::ForOp::create(b, loc, constant(0), op.getCount(), constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values values;
  wave::WaitOp::create(b, loc, IntegerAttr(), b.getI64IntegerAttr(0), /*groups=*/false);
  wave::BarrierOp::create(b, loc, /*raw=*/true);
  for (const ScheduleStep &step : steps[ScheduleStep::Dma]) {
    auto dma = cast<wave::LoadToSharedOp>(opsOf(step.name())[0]);
    int64_t advance = dma.getStep()->getAdvance();
    bool isLane = movesLaneOffset[static_cast<int>(step.operand)];
    Value by = arith::MulIOp::create(b, loc, loop.getInductionVar(), constant(advance));
    Value at = arith::AddIOp::create(b, loc, isLane ? dma.getVoffset() : dma.getSoffset(), by);
    wave::LoadToSharedOp::create(b, loc, dma.getDesc(), isLane ? at : dma.getVoffset(),
                                 isLane ? dma.getSoffset() : at, dma.getShared(), 0,
                                 dma.getBytes());
  }
  emit({ScheduleStep::wait(0), ScheduleStep::barrier()}, values);
  emit(steps[ScheduleStep::Read], values);
  emit(steps[ScheduleStep::Mma], values);
}

llvm::Error Application::emitCount(int64_t tiles) {
  constexpr int64_t someRounds = 3; // which are as any number
  int64_t shown = plan.lookahead() + someRounds * plan.tilesPerRound;
  llvm::Expected<ExpandedSchedule> schedule = expandSchedule(plan, shape, tiles);
  llvm::Expected<ExpandedSchedule> longer = expandSchedule(plan, shape, shown);
  if (!schedule || !longer)
    return llvm::joinErrors(schedule.takeError(), longer.takeError());
  if (tiles > 0)
    emitKnownCount(*schedule);
  // Of a single round LLVM makes no loop; what the plan is, is said nevertheless.
  if (schedule->rounds > 1)
    record(schedule->body);
  else
    recordWithoutLoop(longer->body);
  return llvm::Error::success();
}

llvm::Error Application::emitAnyCount() {
  llvm::Expected<RuntimeSchedule> schedule = expandForRuntime(plan, shape);
  if (schedule) {
    emitAnyCount(*schedule);
    return llvm::Error::success();
  }
  llvm::consumeError(schedule.takeError());
  emitInOrder();
  recordWithoutLoop({ScheduleStep::wait(0)});
  return llvm::Error::success();
}

} // namespace tilec
