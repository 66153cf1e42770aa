//===- ApplySchedule.cpp - a wave.pipeline in the order of a plan ---------===//
//
// Addresses follow a few rules that leave the loop nothing to compute:
//  - a slot of shared memory is the immediate of a read, and a scalar made in front
//    of the loop for a copy (m0);
//  - a copy's place along K is its immediate within `slots` tiles, and one addition
//    for all copies of an operand per `slots` tiles. The instruction adds the
//    immediate to both addresses, so the scalar is lowered by it: slot s takes tiles
//    s, s + slots, ... and its immediate is s * advance, never below address 0.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Schedule/ApplySchedule.h"

#include "tilec/Base/Math.h"
#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace tilec {
namespace {

int64_t immOf(Operation *read) {
  if (auto plain = dyn_cast<wave::SharedReadOp>(read))
    return plain.getImm();
  return cast<wave::SharedReadTrOp>(read).getImm();
}

void setImm(Operation *read, int64_t imm) {
  if (auto plain = dyn_cast<wave::SharedReadOp>(read))
    plain.setImm(imm);
  else
    cast<wave::SharedReadTrOp>(read).setImm(imm);
}

/// An address operand of copies that moves on with the K tile.
struct Advancing {
  Value start;   ///< for tile 0
  int64_t bytes; ///< per tile
  int64_t block; ///< tiles that one value serves, the rest is in immediates
  int64_t phase; ///< the first tile that the value of block 0 serves

  bool operator==(const Advancing &) const = default;
};

/// Values at a place of the new code; tiles count from the origin of that place.
struct Values {
  std::map<std::pair<llvm::StringRef, int64_t>, SmallVector<Value, 2>> reads; ///< step, tile
  std::map<std::pair<int64_t, int64_t>, Value> advanced;                      ///< index, block
  llvm::DenseMap<std::pair<Value, int64_t>, Value> glue; ///< of the template, per tile
  llvm::DenseMap<Value, Value> targets;                  ///< bases of copies, behind wave.opaque
};

class Application {
public:
  Application(const PipelineTemplate &pipeline, const SchedulePlan &plan, const TargetInfo &chip)
      : pipeline(pipeline), plan(plan), chip(chip), shape(pipeline.shape), op(pipeline.op), b(op),
        loc(op.getLoc()) {}

  llvm::Error run();

private:
  void chooseAdvancing();
  void chooseAnchors();
  void emit(llvm::ArrayRef<ScheduleStep> steps, Values &values);
  void emitDma(const ScheduleStep &step, Values &values);
  void emitRead(const ScheduleStep &step, Values &values);
  void emitMma(const ScheduleStep &step, Values &values);
  void prepareNext(llvm::ArrayRef<ScheduleStep> rest, Values &values);
  void emitRounds(llvm::ArrayRef<ScheduleStep> body, Value rounds, Values &values);
  /// Copies of a round have addresses from the first tile that they are for.
  void noteFirstTiles(llvm::ArrayRef<ScheduleStep> body);
  llvm::Error emitCount(int64_t tiles);
  void emitKnownCount(const ExpandedSchedule &schedule);
  llvm::Error emitAnyCount();
  void emitAnyCount(const RuntimeSchedule &schedule);
  void emitTails(const RuntimeSchedule &schedule, Value left, Values &values);
  void emitInOrder();
  /// The kernel carries the order of its loops, to be compared with the machine code.
  void record(llvm::ArrayRef<ScheduleStep> steps);
  void recordWithoutLoop(std::vector<ScheduleStep> steps);
  void emitStagger(bool atStart);
  int64_t phaseOf(const ScheduleStep &copy, wave::LoadToSharedOp dma, int64_t advance);
  /// The index in `advancing` of a copy's moving offset.
  int64_t advancingOf(const ScheduleStep &copy, Values &values);
  Value advancedTo(int64_t index, int64_t block, Values &values);
  Value dmaTarget(Value base, int64_t bytes, Values &values);
  /// A value of the template for a tile.
  Value valueAt(Value value, int64_t tile, Values &values);
  /// `value` + `bytes`, made once in front of everything.
  Value outside(Value value, int64_t bytes);
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  llvm::ArrayRef<Operation *> opsOf(llvm::StringRef name) const {
    return pipeline.steps.find(name)->second;
  }

  const PipelineTemplate &pipeline;
  const SchedulePlan &plan;
  const TargetInfo &chip;
  const ScheduleShape &shape;
  wave::PipelineOp op;
  OpBuilder b;
  Location loc;
  Operation *front = nullptr; ///< what is made in front of everything stands before it
  std::vector<Advancing> advancing;
  std::array<bool, 2> movesLaneOffset = {true, true}; ///< per operand, else the uniform one
  /// The first tile of a round for which each copy is done; known from the first round on.
  std::map<std::string, int64_t> firstTiles;
  llvm::DenseMap<Value, int64_t> anchors; ///< the smallest immediate with each read address
  std::map<std::pair<void *, int64_t>, Value> outsideValues;
};

Value Application::outside(Value value, int64_t bytes) {
  if (bytes == 0)
    return value;
  Value &known = outsideValues[{value.getAsOpaquePointer(), bytes}];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(front);
    known = arith::AddIOp::create(b, loc, value, constant(bytes));
  }
  return known;
}

/// Of lane and uniform offsets the kind with fewer different values moves along K.
void Application::chooseAdvancing() {
  for (MmaOperand operand : {MmaOperand::A, MmaOperand::B}) {
    int n = static_cast<int>(operand);
    llvm::DenseSet<Value> lane, uniform;
    for (int64_t d = 0; d < shape.dmas[n]; ++d) {
      auto dma = cast<wave::LoadToSharedOp>(opsOf(ScheduleStep::dma(operand, d, 0).name())[0]);
      lane.insert(dma.getVoffset());
      uniform.insert(dma.getSoffset());
    }
    movesLaneOffset[n] = lane.size() <= uniform.size();
  }
}

void Application::chooseAnchors() {
  for (auto &[name, ops] : pipeline.steps)
    for (Operation *read : ops)
      if (wave::stepOf(read).isRead()) {
        int64_t imm = immOf(read);
        auto [at, isNew] = anchors.try_emplace(read->getOperand(0), imm);
        at->second = std::min(at->second, imm);
      }
}

Value Application::advancedTo(int64_t index, int64_t block, Values &values) {
  auto known = values.advanced.find({index, block});
  if (known != values.advanced.end())
    return known->second;
  const Advancing &which = advancing[index];
  // Blocks are asked for in order; the nearest one before is at hand.
  Value before = advancedTo(index, block - 1, values);
  Value next = arith::AddIOp::create(b, loc, before, constant(which.bytes * which.block));
  return values.advanced[{index, block}] = next;
}

/// Where a copy goes. Each target in a scalar register of its own is one s_mov to m0, which may
/// stand anywhere; where those are too many, m0 is the sum of one register and a constant.
Value Application::dmaTarget(Value base, int64_t bytes, Values &values) {
  bool isConstant =
      base.getDefiningOp<arith::ConstantIndexOp>() != nullptr; // of a block of one wave
  if (isConstant || shape.dmasPerTile() * shape.slots <= chip.registers.scalarsOfPlaces)
    return outside(base, bytes);
  // The base of the first copy, to which the others are constants.
  arith::AddIOp sum = base.getDefiningOp<arith::AddIOp>();
  while (sum) {
    std::optional<int64_t> constant;
    if (auto known = sum.getRhs().getDefiningOp<arith::ConstantIndexOp>())
      constant = known.value();
    if (!constant)
      break;
    bytes += *constant;
    base = sum.getLhs();
    sum = base.getDefiningOp<arith::AddIOp>();
  }
  Value &known = values.targets[base];
  if (!known)
    known = wave::OpaqueOp::create(b, loc, b.getIndexType(), base);
  return arith::AddIOp::create(b, loc, known, constant(bytes));
}

/// The tile, modulo the slots, with which a copy's tiles of a round begin: the round's copies then
/// share one address.
int64_t Application::phaseOf(const ScheduleStep &copy, wave::LoadToSharedOp dma, int64_t advance) {
  auto first = firstTiles.find(copy.name());
  int64_t phase = first == firstTiles.end() ? 0 : first->second % shape.slots;
  // The target is lowered by the immediate, which slot 0 then has as well: not below address 0.
  auto sum = dma.getShared().getDefiningOp<arith::AddIOp>();
  auto base = sum ? sum.getRhs().getDefiningOp<arith::ConstantIndexOp>() : nullptr;
  bool hasRoom = base && base.value() >= advance * (shape.slots - 1);
  return hasRoom ? phase : 0;
}

int64_t Application::advancingOf(const ScheduleStep &copy, Values &values) {
  auto dma = cast<wave::LoadToSharedOp>(opsOf(copy.name())[0]);
  int64_t advance = dma.getStep()->getAdvance();
  int64_t slotBytes = dma.getStep()->getSlotBytes();
  bool isLane = movesLaneOffset[static_cast<int>(copy.operand)];
  Value moving = isLane ? dma.getVoffset() : dma.getSoffset();
  bool fitsImm = advance >= 0 && advance * (shape.slots - 1) < pipeline.constants.buffer &&
                 advance <= slotBytes;
  Advancing which = {moving, advance, fitsImm ? shape.slots : 1,
                     fitsImm ? phaseOf(copy, dma, advance) : 0};
  auto found = llvm::find(advancing, which);
  int64_t index = found - advancing.begin();
  if (found == advancing.end())
    advancing.push_back(which);
  values.advanced.try_emplace({index, 0}, outside(moving, which.phase * advance));
  return index;
}

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

} // namespace

llvm::Error applySchedule(const PipelineTemplate &pipeline, const SchedulePlan &plan,
                          const TargetInfo &chip) {
  return Application(pipeline, plan, chip).run();
}

} // namespace tilec
