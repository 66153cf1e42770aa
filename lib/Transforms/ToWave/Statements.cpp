//===- Statements.cpp - blocks, loops, branches and arithmetic ------------===//
//
// What a tile program does in order, lane by lane; each kind of tile operation has a file
// of its own beside this one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/GroupGuards.h"
#include "ToWave/Ops.h"
#include "ToWave/Roles.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Base/Math.h"

#include "Normalize/Normalize.h"
#include "Pipelines/Schedulable.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tilec {

LogicalResult Emitter::emitBlock(Block &block, Elements &elements) {
  for (Operation &op : block)
    if (failed(emitOp(op, elements)))
      return failure();
  return success();
}

LogicalResult Emitter::emitOp(Operation &op, Elements &elements) {
  if (emitted && emitted->contains(&op))
    return success();
  loc = op.getLoc();
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return emitAlloc(alloc, elements);
  if (isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp, tile::AssumeOp>(op))
    return success(); // looked through at their uses
  if (auto loop = dyn_cast<tile::ForOp>(op))
    return emitFor(loop, elements);
  if (auto loop = dyn_cast<tile::ElementLoop>(op))
    return emitParallel(*this, loop, elements);
  if (auto loop = dyn_cast<tile::WhileOp>(op))
    return emitWhile(loop, elements);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch, elements);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return emitLoad(*this, load, elements);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return emitStore(*this, store, elements);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return emitAtomic(*this, atomic, elements);
  if (std::optional<LogicalResult> done = roles->emit(op, elements))
    return *done;
  if (std::optional<LogicalResult> done = emitThreadOp(*this, op, elements))
    return *done;
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return emitGemm(*this, gemm, elements);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return emitReduce(*this, reduce, elements);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return emitScan(*this, scan, elements);
  if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
    return emitAsyncCopy(*this, copy, elements);
  if (isa<tile::AsyncCommitOp>(op))
    return emitAsyncCommit(*this), success();
  if (auto wait = dyn_cast<tile::AsyncWaitOp>(op))
    return emitAsyncWait(*this, wait.getPending()), success();
  if (auto check = dyn_cast<tile::AssertOp>(op)) {
    bool isOne = elements.masks.size() <= 1 && isSameForAll(check.getCondition(), elements);
    for (int64_t e = 0; e < (isOne ? 1 : elements.count); ++e)
      trapUnless(*this, lookup(check.getCondition(), e, elements), elements.maskOf(e),
                 check.getMessageAttr());
    return success();
  }
  if (isa<tile::PrintOp>(op))
    return op.emitRemark("T.print prints on the cpu device only"), success();
  if (isa<tile::BarrierOp>(op)) {
    if (roles->needsAsyncFence())
      wave::AsyncFenceOp::create(b, loc);
    if (kernel.getLockstep())
      emitBarrier(&op);
    else
      wave::BarrierOp::create(b, loc).setGlobal(cast<tile::BarrierOp>(op).getGlobal());
    return success();
  }
  if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    // Not pipelined: through registers, as a loop over the elements.
    OpBuilder before(&op);
    tile::ElementLoop loop = moveElements(before, loc, copy.getSrc(), copy.getDst());
    LogicalResult result = emitParallel(*this, loop, elements);
    return result;
  }
  if (auto fill = dyn_cast<tile::FillOp>(op)) {
    OpBuilder before(&op);
    return emitParallel(*this, expandFill(before, loc, fill.getValue(), fill.getDst()), elements);
  }
  if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
    return emitArith(*this, op, elements);
  return unsupported(op, op.getName().getStringRef());
}

LogicalResult Emitter::emitAlloc(tile::AllocOp alloc, Elements &elements) {
  tile::BufferType type = alloc.getResult().getType();
  if (!type.isLocal()) {
    // Placed already. What one tile of a block leaves in a fragment is nothing to the next: else it
    // is carried there where a product begins in registers that it does not read.
    auto fragment = fragments.find(alloc.getResult());
    auto loop = dyn_cast<tile::ForOp>(alloc->getParentOp());
    if (fragment != fragments.end() && loop && loop.getPersistent())
      fragment->second.regs.getDefiningOp()->moveBefore(b.getInsertionBlock(),
                                                        b.getInsertionPoint());
    return success();
  }
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
    Elements one = elementsOf(elements, e, 1);
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
    return emitPipeline(*this, loop, elements);
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
  std::optional<int64_t> priority = priorityOfRounds(*this, loop);
  if (priority)
    wave::SetPrioOp::create(b, loc, *priority);
  auto wave = scf::ForOp::create(b, loc, lower, upper, lookup(loop.getStep(), 0, elements));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(wave.getBody());
    elements.map[loop.iv()] = {wave.getInductionVar()};
    bool hidesLane = target.keepsOrder && !loop.bodyBlock()->getOps<tile::GemmOp>().empty() &&
                     isShortOfRegisters(loop);
    LaneScope lanes(*this, hidesLane);
    if (failed(emitBlock(*loop.bodyBlock(), elements)))
      return failure();
  }
  groupRounds(*this, loop, wave);
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
    int64_t widest = !kIsRow                 ? 8 * target.accessBytes
                     : target.transposedBits ? target.transposedBits
                                             : bits;
    reads += layout.numReps() * ceilDiv(layout.atomRegs() * bits, widest);
  }
  return reads;
}

bool Emitter::isShortOfRegisters(tile::ForOp loop) const {
  int64_t pool = target.registers.ofLane - target.registers.accumulators;
  int64_t registers = heldRegisters();
  for (tile::GemmOp gemm : loop.bodyBlock()->getOps<tile::GemmOp>())
    registers += sharedReadsOf(gemm, planOf(gemm), target);
  return registers > pool;
}

/// Elements from `first` on that take a branch together: those that agree on the condition, where
/// one instruction may add several to memory.
static int64_t takeTogether(scf::IfOp op, Elements &elements, int64_t first,
                            const TargetInfo &target) {
  bool adds = false;
  op->walk([&](tile::AtomicOp atomic) {
    auto type = cast<tile::BufferType>(atomic.getBuffer().getType());
    adds |= type.isGlobal() && atomic.getKind() == tile::AtomicKind::Add;
  });
  int64_t count = 1;
  if (adds && target.vectorAddBytes > 0 && elements.masks.size() <= 1)
    while (first % (2 * count) == 0 && first + 2 * count <= elements.count &&
           ElementBuilder::agrees(op.getCondition(), elements, first, 2 * count))
      count *= 2;
  return count;
}

/// Whether the loop reads an element that is there in each of its iterations.
static bool isWithin(tile::LoadOp load, tile::ElementLoop loop) {
  std::optional<SmallVector<int64_t, 4>> extents = loop.constantExtents();
  SmallVector<int, 4> direct = directIndices(load.getIndices(), loop);
  return extents && llvm::all_of(llvm::enumerate(direct), [&](auto index) {
           return index.value() >= 0 &&
                  (*extents)[index.value()] <= load.getBuffer().getType().getShape()[index.index()];
         });
}

/// Whether both sides only read elements of fragments and compute so little that a lane does both
/// in less time than a branch takes.
static bool isCheapChoice(scf::IfOp op) {
  constexpr int64_t mostOps = 8;
  if (op.getNumResults() == 0 || op.getElseRegion().empty())
    return false;
  auto loop = op->getParentOfType<tile::ElementLoop>();
  int64_t ops = 0;
  for (Region *side : {&op.getThenRegion(), &op.getElseRegion()})
    for (Operation &inner : side->front()) {
      if (isa<scf::YieldOp>(inner))
        continue;
      auto load = dyn_cast<tile::LoadOp>(inner);
      if (load && loop && load.getBuffer().getType().isFragment() && isWithin(load, loop))
        continue;
      bool isCheap = isa<arith::ArithDialect>(inner.getDialect()) && isSpeculatable(&inner) &&
                     isMemoryEffectFree(&inner) && !isa<arith::DivFOp, arith::RemFOp>(inner);
      if (!isCheap || ++ops > mostOps)
        return false;
    }
  return true;
}

/// Barriers of a branch that some waves have for themselves wait for these alone: none where that
/// is one, else those of the number that no other branch beside has (tile-part-waves).
static void narrowBarriers(Region &branch, tile::OnWavesOp waves, int64_t lanes) {
  SmallVector<wave::BarrierOp> ofBlock;
  branch.walk([&](wave::BarrierOp barrier) {
    if (barrier.getThreads() == 0)
      ofBlock.push_back(barrier);
  });
  for (wave::BarrierOp barrier : ofBlock) {
    if (waves.getCount() == 1) {
      OpBuilder b(barrier);
      wave::WaveFenceOp::create(b, barrier.getLoc());
      barrier.erase();
      continue;
    }
    barrier.setThreads(waves.getCount() * lanes);
    barrier.setId(tile::barrierOfWaves(waves.getFirst()));
  }
}

/// One branch when all elements agree on the condition, else several; values that it yields go
/// through registers. Cheap choices are no branches. Where a row ends most lanes' elements agree.
LogicalResult Emitter::emitIf(scf::IfOp op, Elements &elements) {
  if (isCheapChoice(op)) {
    for (Region *side : {&op.getThenRegion(), &op.getElseRegion()})
      for (Operation &inner : side->front().without_terminator())
        if (failed(emitOp(inner, elements)))
          return failure();
    auto yielded = [&](Region &side, unsigned n, int64_t e) {
      return lookup(side.front().getTerminator()->getOperand(n), e, elements);
    };
    for (auto [n, result] : llvm::enumerate(op.getResults())) {
      SmallVector<Value, 4> values;
      for (int64_t e = 0; e < elements.count; ++e)
        values.push_back(arith::SelectOp::create(b, loc, lookup(op.getCondition(), e, elements),
                                                 yielded(op.getThenRegion(), n, e),
                                                 yielded(op.getElseRegion(), n, e)));
      elements.map[result] = values;
    }
    return success();
  }
  if (isSameForAll(op.getCondition(), elements))
    return emitBranch(op, lookup(op.getCondition(), 0, elements), elements, elements.count,
                      [&](Value value, int64_t e) { return lookup(value, e, elements); });
  OpBuilder::InsertionGuard guard(b);
  if (cutsGroup(*this, op, elements)) {
    Value all = allTake(*this, op.getCondition(), elements);
    Value any = anyTakes(*this, op.getCondition(), elements);
    Value differ = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, all, any);
    auto lanes = scf::IfOp::create(b, loc, differ, /*withElseRegion=*/true);
    b.setInsertionPointToStart(lanes.elseBlock());
    if (failed(emitBranch(op, all, elements, elements.count, {})))
      return failure();
    b.setInsertionPointToStart(lanes.thenBlock());
  }
  SmallVector<SmallVector<Value, 4>> results(op.getNumResults());
  for (int64_t first = 0; first < elements.count;) {
    int64_t count = takeTogether(op, elements, first, target);
    Elements some = elementsOf(elements, first, count);
    if (failed(emitBranch(op, lookup(op.getCondition(), first, elements), some, count,
                          [&](Value value, int64_t e) { return lookup(value, e, some); })))
      return failure();
    for (auto [n, result] : llvm::enumerate(op.getResults()))
      results[n].append(some.map[result]);
    first += count;
  }
  for (auto [result, values] : llvm::zip(op.getResults(), results))
    elements.map[result] = values;
  return success();
}

LogicalResult Emitter::emitBranch(scf::IfOp op, Value condition, Elements &elements, int64_t count,
                                  llvm::function_ref<Value(Value, int64_t)> valueOf) {
  auto waves = op.getCondition().getDefiningOp<tile::OnWavesOp>();
  SmallVector<Value> regs;
  for (Type type : op.getResultTypes())
    regs.push_back(wave::AllocRegsOp::create(
        b, loc, wave::RegsType::get(b.getContext(), count, type), StringAttr()));
  auto branch = scf::IfOp::create(b, loc, condition,
                                  /*withElseRegion=*/!op.getElseRegion().empty());
  // Of copies that are counted there are as many as both sides start.
  int64_t copiesBefore = copies.inGroup, fewest = op.getElseRegion().empty() ? 0 : INT64_MAX;
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
                          std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&to->front());
    std::optional<WavesScope> scope;
    if (waves)
      scope.emplace(*this, waves.getFirst(), waves.getCount());
    bool isFirst = from == &op.getThenRegion();
    if (isFirst)
      entered.insert(op);
    llvm::scope_exit leave([&] { entered.erase(op); });
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
    if (waves)
      narrowBarriers(*to, waves, int64_t(target.waveLanes));
    fewest = std::min(fewest, copies.inGroup - copiesBefore);
    copies.inGroup = copiesBefore;
  }
  copies.inGroup += fewest;
  for (auto [n, result] : llvm::enumerate(op.getResults())) {
    SmallVector<Value, 4> values;
    for (int64_t e = 0; e < count; ++e)
      values.push_back(wave::GetOp::create(b, loc, result.getType(), regs[n], e));
    elements.map[result] = values;
  }
  return success();
}

} // namespace tilec
