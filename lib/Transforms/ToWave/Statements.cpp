//===- Statements.cpp - blocks, loops, branches and arithmetic ------------===//
//
// What a tile program does in order, lane by lane; each kind of tile operation has a file
// of its own beside this one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Emitter.h"

#include "tilec/Base/Math.h"

#include "Normalize/Normalize.h"
#include "Pipelines/Schedulable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

LogicalResult Emitter::emitBlock(Block &block, Elements &elements) {
  for (Operation &op : block)
    if (failed(emitOp(op, elements)))
      return failure();
  return success();
}

LogicalResult Emitter::emitOp(Operation &op, Elements &elements) {
  loc = op.getLoc();
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return emitAlloc(alloc, elements);
  if (isa<tile::SubviewOp, tile::ReshapeOp, tile::AssumeOp>(op))
    return success(); // looked through at their uses
  if (auto loop = dyn_cast<tile::ForOp>(op))
    return emitFor(loop, elements);
  if (auto loop = dyn_cast<tile::ParallelOp>(op))
    return emitParallel(loop, elements);
  if (auto loop = dyn_cast<tile::WhileOp>(op))
    return emitWhile(loop, elements);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch, elements);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return emitLoad(load, elements);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return emitStore(store, elements);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return emitAtomic(atomic, elements);
  if (std::optional<LogicalResult> done = emitRoles(op, elements))
    return *done;
  if (std::optional<LogicalResult> done = emitThreadOp(op, elements))
    return *done;
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return emitGemm(gemm, elements);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return emitReduce(reduce, elements);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return emitScan(scan, elements);
  if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
    return emitAsyncCopy(copy, elements);
  if (isa<tile::AsyncCommitOp>(op))
    return emitAsyncCommit(), success();
  if (auto wait = dyn_cast<tile::AsyncWaitOp>(op))
    return emitAsyncWait(wait.getPending()), success();
  if (auto check = dyn_cast<tile::AssertOp>(op)) {
    bool isOne = elements.masks.size() <= 1 && isSameForAll(check.getCondition(), elements);
    for (int64_t e = 0; e < (isOne ? 1 : elements.count); ++e)
      trapUnless(lookup(check.getCondition(), e, elements), elements.maskOf(e),
                 check.getMessageAttr());
    return success();
  }
  if (isa<tile::PrintOp>(op))
    return op.emitRemark("T.print prints on the cpu device only"), success();
  if (isa<tile::BarrierOp>(op)) {
    if (needsAsyncFence())
      wave::AsyncFenceOp::create(b, loc);
    // Between scalar code of threads, only fences keep LLVM from moving accesses across.
    wave::BarrierOp::create(b, loc).setGlobal(kernel.getLockstep() ||
                                              cast<tile::BarrierOp>(op).getGlobal());
    return success();
  }
  if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    // Not pipelined: through registers, as a loop over the elements.
    OpBuilder before(&op);
    tile::ParallelOp loop = expandCopy(before, loc, copy.getSrc(), copy.getDst());
    LogicalResult result = emitParallel(loop, elements);
    return result;
  }
  if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
    return emitArith(op, elements);
  return unsupported(op, op.getName().getStringRef());
}

LogicalResult Emitter::emitAlloc(tile::AllocOp alloc, Elements &elements) {
  tile::BufferType type = alloc.getResult().getType();
  if (!type.isLocal())
    return success(); // placed already
  DType dtype = tile::dtypeOf(type.getElementType());
  SmallVector<LocalPlace, 4> places;
  for (int64_t e = 0; e < elements.count; ++e) {
    auto regs = wave::RegsType::get(b.getContext(), type.numElems(), memoryType(dtype));
    places.push_back({wave::AllocRegsOp::create(b, loc, regs, alloc.getNameAttr()), dtype});
  }
  elements.locals[alloc.getResult()] = places;
  return success();
}

/// Each element of a group on its own: `emit` gets the context of one element, and runs only where
/// the element is no padding (whose values could keep a loop from ending).
LogicalResult Emitter::forEachElement(Elements &elements,
                                      llvm::function_ref<LogicalResult(Elements &)> emit) {
  for (int64_t e = 0; e < elements.count; ++e) {
    Elements one = elementOf(elements, e);
    OpBuilder::InsertionGuard guard(b);
    if (Value mask = elements.maskOf(e)) {
      auto inside = scf::IfOp::create(b, loc, mask, /*withElseRegion=*/false);
      b.setInsertionPointToStart(&inside.getThenRegion().front());
    }
    if (failed(emit(one)))
      return failure();
  }
  return success();
}

LogicalResult Emitter::emitWhile(tile::WhileOp loop, Elements &elements) {
  // Elements leave the loop at different times.
  if (elements.loop && !elements.isSingle())
    return forEachElement(elements, [&](Elements &one) { return emitWhile(loop, one); });
  auto repeated = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  Block *test = b.createBlock(&repeated.getBefore()), *body = b.createBlock(&repeated.getAfter());
  b.setInsertionPointToStart(test);
  for (Operation &op : loop.getCondition().front()) {
    auto condition = dyn_cast<tile::ConditionOp>(op);
    if (!condition) {
      if (failed(emitOp(op, elements)))
        return failure();
      continue;
    }
    scf::ConditionOp::create(b, loc, lookup(condition.getValue(), 0, elements), ValueRange());
  }
  b.setInsertionPointToStart(body);
  if (failed(emitBlock(loop.getBody().front(), elements)))
    return failure();
  scf::YieldOp::create(b, loc);
  return success();
}

LogicalResult Emitter::emitFor(tile::ForOp loop, Elements &elements) {
  if (loop.getRotate())
    return emitPipeline(loop, elements);
  std::optional<int64_t> step = tile::constantInt(loop.getStep());
  // The elements of a group go through the loop together when they agree on the bounds.
  for (Value bound : {loop.getLower(), loop.getUpper(), loop.getStep()})
    if (!isSameForAll(bound, elements))
      return forEachElement(elements, [&](Elements &one) { return emitFor(loop, one); });
  Value lower = lookup(loop.getLower(), 0, elements), upper = lookup(loop.getUpper(), 0, elements);
  if (step && *step < 0) {
    // Counts up: iteration i is lower + i * step.
    Value span = arith::SubIOp::create(b, loc, lower, upper);
    Value count = arith::CeilDivSIOp::create(b, loc, span, index(-*step));
    auto wave = scf::ForOp::create(b, loc, index(0), count, index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(wave.getBody());
    elements.map[loop.iv()] = {addIndex(lower, mulIndex(wave.getInductionVar(), *step))};
    return emitBlock(*loop.bodyBlock(), elements);
  }
  std::optional<int64_t> priority = priorityOfRounds(loop);
  if (priority)
    wave::SetPrioOp::create(b, loc, *priority);
  auto wave = scf::ForOp::create(b, loc, lower, upper, lookup(loop.getStep(), 0, elements));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(wave.getBody());
    elements.map[loop.iv()] = {wave.getInductionVar()};
    LaneScope lanes(*this, loop);
    if (failed(emitBlock(*loop.bodyBlock(), elements)))
      return failure();
  }
  if (priority)
    wave::SetPrioOp::create(b, loc, 0);
  if (loop->getParentOp() == kernel && !loop.bodyBlock()->getOps<tile::GemmOp>().empty())
    renewLane();
  return success();
}

/// Reads of operands in shared memory; most have an address of their own.
static int64_t sharedReadsOf(tile::GemmOp gemm, const GemmPlan &plan, const TargetInfo &target) {
  int64_t reads = 0;
  for (bool isB : {false, true}) {
    auto type = cast<tile::BufferType>((isB ? gemm.getB() : gemm.getA()).getType());
    if (!type.isShared())
      continue;
    bool kIsRow = isB ? !gemm.getTransposeB() : bool(gemm.getTransposeA());
    const FragmentLayout &layout = isB ? plan.b : plan.a;
    int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
    int64_t widest = !kIsRow ? 128 : target.transposedBits ? target.transposedBits : bits;
    reads += layout.numReps() * ceilDiv(layout.atomRegs() * bits, widest);
  }
  return reads;
}

Emitter::LaneScope::LaneScope(Emitter &emitter, tile::ForOp loop) : e(emitter) {
  if (!e.target.keepsOrder || loop.bodyBlock()->getOps<tile::GemmOp>().empty() ||
      !e.isShortOfRegisters(loop))
    return;
  saved.emplace(Lanes{e.laneId, e.waveId, e.topAnchor, std::move(e.laneCoordCache),
                      std::move(e.primaryCache)});
  auto hidden = [&](Value id) {
    return wave::OpaqueOp::create(e.b, e.loc, e.b.getIndexType(), id).getResult();
  };
  e.isShort = true;
  e.waveId = hidden(e.waveId);
  e.setLane(e.remIndex(hidden(e.laneId), e.target.waveLanes));
}

Emitter::LaneScope::~LaneScope() {
  if (!saved)
    return;
  e.isShort = false;
  e.laneId = saved->id;
  e.waveId = saved->wave;
  e.topAnchor = saved->topAnchor;
  e.laneCoordCache = std::move(saved->coords);
  e.primaryCache = std::move(saved->primary);
}

bool Emitter::isShortOfRegisters(tile::ForOp loop) const {
  int64_t pool = target.registers.ofLane - target.registers.accumulators;
  int64_t registers = 0;
  for (auto &[buffer, place] : fragments)
    registers += ceilDiv(place.layout.numRegs() * bitsOf(place.dtype), 32);
  for (tile::GemmOp gemm : loop.bodyBlock()->getOps<tile::GemmOp>())
    if (std::optional<GemmPlan> plan = planGemm(gemm, target, numWaves))
      registers += sharedReadsOf(gemm, *plan, target);
  return registers > pool;
}

void Emitter::setLane(Value id) {
  laneId = id;
  topAnchor = laneId.getDefiningOp();
  laneCoordCache.clear();
  primaryCache.clear();
}

void Emitter::renewLane() {
  if (target.keepsOrder || b.getInsertionBlock() != laneId.getParentBlock())
    return;
  setLane(wave::LaneIdOp::create(b, loc, b.getIndexType(), /*fresh=*/true));
}

/// One branch when all elements agree on the condition, else one for each; values that it yields go
/// through registers.
LogicalResult Emitter::emitIf(scf::IfOp op, Elements &elements) {
  if (isSameForAll(op.getCondition(), elements))
    return emitBranch(op, lookup(op.getCondition(), 0, elements), elements, elements.count,
                      [&](Value value, int64_t e) { return lookup(value, e, elements); });
  SmallVector<SmallVector<Value, 4>> results(op.getNumResults());
  for (int64_t e = 0; e < elements.count; ++e) {
    Elements one = elementOf(elements, e);
    if (failed(emitBranch(op, lookup(op.getCondition(), e, elements), one, 1,
                          [&](Value value, int64_t) { return lookup(value, 0, one); })))
      return failure();
    for (auto [n, result] : llvm::enumerate(op.getResults()))
      results[n].push_back(one.map[result][0]);
  }
  for (auto [result, values] : llvm::zip(op.getResults(), results))
    elements.map[result] = values;
  return success();
}

LogicalResult Emitter::emitBranch(scf::IfOp op, Value condition, Elements &elements, int64_t count,
                                  llvm::function_ref<Value(Value, int64_t)> valueOf) {
  SmallVector<Value> regs;
  for (Type type : op.getResultTypes())
    regs.push_back(wave::AllocRegsOp::create(
        b, loc, wave::RegsType::get(b.getContext(), count, type), StringAttr()));
  auto branch = scf::IfOp::create(b, loc, condition,
                                  /*withElseRegion=*/!op.getElseRegion().empty());
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
                          std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&to->front());
    for (Operation &inner : from->front()) {
      auto yield = dyn_cast<scf::YieldOp>(inner);
      if (!yield) {
        if (failed(emitOp(inner, elements)))
          return failure();
        continue;
      }
      for (auto [value, reg] : llvm::zip(yield.getOperands(), regs))
        for (int64_t e = 0; e < count; ++e)
          wave::SetOp::create(b, loc, valueOf(value, e), reg, e);
    }
  }
  for (auto [n, result] : llvm::enumerate(op.getResults())) {
    SmallVector<Value, 4> values;
    for (int64_t e = 0; e < count; ++e)
      values.push_back(wave::GetOp::create(b, loc, result.getType(), regs[n], e));
    elements.map[result] = values;
  }
  return success();
}

/// The context of one element of a group.
Elements Emitter::elementOf(Elements &elements, int64_t e) {
  Elements one;
  one.outer = &elements;
  one.loop = elements.loop;
  one.layout = elements.layout;
  one.rep = elements.rep;
  one.groupCount = elements.groupCount ? elements.groupCount : elements.count;
  one.firstElement = elements.firstElement + e;
  if (Value mask = elements.maskOf(e))
    one.masks = {mask};
  one.primary = elements.primary;
  one.coords = elements.coords;
  for (size_t d = 0; d < one.coords.size(); ++d) {
    one.coords[d].constant += elements.deltas[e][d];
    one.coords[d].divisor = 1;
  }
  one.deltas = {Coords(one.coords.size(), 0)};
  // Values of the group that differ between elements; the rest is found through `outer`.
  for (auto &[key, values] : elements.map)
    if (values.size() > 1)
      one.map[key] = {values[e]};
  for (auto &[key, places] : elements.locals)
    one.locals[key] = {places.size() == 1 ? places[0] : places[e]};
  return one;
}

/// Pairs lie in neighbouring registers. Where fragments leave little room, and operands are put
/// together element by element in it, LLVM would spill for that.
bool Emitter::goesInPairs() const {
  int64_t held = 0;
  for (auto &[buffer, place] : fragments)
    held += ceilDiv(place.layout.numRegs() * bitsOf(place.dtype), 32);
  bool isFull = target.transposedBits == 0 && 4 * held > 3 * target.registers.ofLane;
  return target.pairsF32 && !isFull;
}

int64_t Emitter::pairStride(Elements &elements) {
  if (!elements.loop || elements.isSingle())
    return 1;
  // Whether that is so in the fragment of one access.
  auto areNeighbours = [&](Operation *access, Value buffer, ValueRange indices) {
    auto it = fragments.find(buffer);
    if (it == fragments.end() || it->second.stride == 1)
      return false;
    const FragmentPlace &place = it->second;
    const SmallVector<int64_t> *registers = registersOf(access, indices, buffer, elements);
    if (!registers || elements.count % (2 * place.stride) != 0)
      return false;
    for (int64_t e = 0; e < elements.count; ++e) {
      if (e / place.stride % 2 != 0)
        continue;
      int64_t low = (*registers)[elements.registerOf(e)];
      int64_t high = (*registers)[elements.registerOf(e + place.stride)];
      if (low < 0 || high < 0 || place.slotOf(low) != place.slotOf(high) ||
          place.placeInSlot(low) % 2 != 0 || place.placeInSlot(low) + 1 != place.placeInSlot(high))
        return false;
    }
    return true;
  };
  for (Operation &op : *elements.loop.bodyBlock()) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      if (areNeighbours(store, store.getBuffer(), store.getIndices()))
        return fragments.find(store.getBuffer())->second.stride;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      if (areNeighbours(load, load.getBuffer(), load.getIndices()))
        return fragments.find(load.getBuffer())->second.stride;
  }
  return 1;
}

/// Whether the two elements of every pair are divided by the same value.
bool Emitter::dividesPairs(arith::DivFOp quotient, int64_t stride, Elements &elements) {
  if (!bitEnumContainsAll(quotient.getFastmath(), arith::FastMathFlags::arcp) ||
      isa_and_nonnull<arith::ConstantOp, arith::AddFOp>(quotient.getRhs().getDefiningOp()))
    return false; // those have a way of their own (lib/Lower)
  for (int64_t e = 0; e < elements.count; ++e)
    if (e / stride % 2 == 0 &&
        lookup(quotient.getRhs(), e, elements) != lookup(quotient.getRhs(), e + stride, elements))
      return false;
  return true;
}

SmallVector<Value, 4> Emitter::emitPairs(Operation &op, Elements &elements) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  bool isSame = llvm::all_of(op.getOperands(),
                             [&](Value operand) { return isSameForAll(operand, elements); });
  if (!goesInPairs() || isSame || elements.count % 2 != 0 || op.getNumResults() != 1 ||
      !op.getResult(0).getType().isF32() ||
      !(quotient || isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op)))
    return {};
  int64_t stride = pairStride(elements);
  if (quotient && !dividesPairs(quotient, stride, elements))
    return {};
  Type pair = vectorOf(2, b.getF32Type());
  SmallVector<Value, 4> values(elements.count);
  for (int64_t e = 0; e < elements.count; ++e) {
    if (e / stride % 2 != 0)
      continue;
    auto both = [&](Value operand) {
      return pack({lookup(operand, e, elements), lookup(operand, e + stride, elements)});
    };
    Value result;
    if (quotient) {
      Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1.0F));
      Value divisor = lookup(quotient.getRhs(), e, elements);
      Value inverse = arith::DivFOp::create(b, loc, one, divisor, quotient.getFastmath());
      result = arith::MulFOp::create(b, loc, both(quotient.getLhs()), pack({inverse, inverse}),
                                     quotient.getFastmath());
    } else {
      IRMapping mapping;
      for (Value operand : op.getOperands())
        mapping.map(operand, both(operand));
      Operation *copy = b.clone(op, mapping);
      copy->getResult(0).setType(pair);
      result = copy->getResult(0);
    }
    SmallVector<Value, 8> parts = unpack(result, 2);
    values[e] = parts[0];
    values[e + stride] = parts[1];
  }
  return values;
}

LogicalResult Emitter::emitArith(Operation &op, Elements &elements) {
  if (auto round = dyn_cast<tile::RoundOp>(op)) {
    DType dtype = tile::dtypeOf(round.getDtype());
    SmallVector<Value, 4> values;
    int64_t times = isSameForAll(round.getValue(), elements) ? 1 : elements.count;
    for (int64_t e = 0; e < times; ++e) {
      Value value = lookup(round.getValue(), e, elements);
      if (value.getType().isF64() && dtype != DType::F64)
        value = arith::TruncFOp::create(b, loc, b.getF32Type(), value);
      value = toScalar(fromScalar(value, dtype), dtype);
      if (value.getType() != round.getType())
        value = arith::ExtFOp::create(b, loc, round.getType(), value);
      values.push_back(value);
    }
    elements.map[round.getResult()] = values;
    return success();
  }
  if (isa<tile::ThreadIdOp>(op)) {
    elements.map[op.getResult(0)] = {threadId};
    return success();
  }
  if (SmallVector<Value, 4> values = emitPairs(op, elements); !values.empty()) {
    elements.map[op.getResult(0)] = values;
    return success();
  }
  bool isSame = llvm::all_of(op.getOperands(),
                             [&](Value operand) { return isSameForAll(operand, elements); });
  SmallVector<SmallVector<Value, 4>, 1> results(op.getNumResults());
  for (int64_t e = 0; e < (isSame ? 1 : elements.count); ++e) {
    IRMapping mapping;
    for (Value operand : op.getOperands())
      mapping.map(operand, lookup(operand, e, elements));
    Operation *copy = b.clone(op, mapping);
    for (auto [values, result] : llvm::zip(results, copy->getResults()))
      values.push_back(result);
  }
  for (auto [result, values] : llvm::zip(op.getResults(), results))
    elements.map[result] = values;
  return success();
}

} // namespace tilec
