//===- RunAhead.cpp - a loop whose copies run ahead -----------------------===//
//
// With s stages, ring slot k % s holds iteration k's tile. The body becomes
//
//   wait until at most s - 2 groups are open     // iteration k's copies have landed
//   barrier                                      // in all waves; slot (k - 1) % s is free
//   start the copies of iteration k + s - 1
//   everything else
//
// after s - 1 groups in front of the loop. Past the end the last tile is copied
// again, into slots that nobody reads: the number of open groups stays the same in
// every iteration, so one wait count serves them all.
//
// With two slots that wait would be for all copies. Where copies are counted, a round has two
// groups then (leaveCopiesInFlight): the second one is a round further ahead, in rings with a slot
// more, or has a wait and a barrier of its own in front of what reads it first.
//
// What gathers find their rows by is copied before them, and further ahead (RowNumbers): a round
// starts those copies first, and its one wait, for tiles that were started behind them, covers
// them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/RunAhead.h"

#include "Layouts/LoopLayout.h"
#include "Layouts/Rings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

SmallVector<tile::AllocOp> RunAhead::run(HeldRounds *held) {
  for (tile::AllocOp ring : plan.rings)
    widen(ring);
  startCopiesBefore();
  rewriteBody(held);
  builder.setInsertionPointAfter(loop);
  // Copies past the end still write shared memory.
  awaitAll();
  return rings();
}

void RunAhead::copyTogether() {
  builder.setInsertionPointToStart(loop.bodyBlock());
  for (tile::AllocOp ring : plan.rings)
    widen(ring);
  Value slot = constant(0);
  tile::BarrierOp::create(builder, loc);
  startCopies({slot, loop.iv(), slot}, 0, plan.fills.size());
  awaitAll();
  useSlots(slot, slot, slot);
}

SmallVector<tile::AllocOp> RunAhead::rotate() {
  for (tile::AllocOp ring : plan.rings)
    widen(ring);
  builder.setInsertionPointToStart(loop.bodyBlock());
  Value slot = constant(0);
  startCopies({slot, loop.iv(), slot}, 0, plan.fills.size());
  awaitAll();
  useSlots(slot, slot, slot);
  builder.setInsertionPointToEnd(loop.bodyBlock());
  tile::BarrierOp::create(builder, loc);
  loop.setRotate(plan.stages);
  return rings();
}

void RunAhead::widen(tile::AllocOp ring) {
  if (wide.contains(ring)) // of another part
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(ring);
  SharedLayout layout = *sharedLayoutOf(ring);
  // Every slot starts with a whole period of the swizzle: copies count rows from the slot's start,
  // reads from the ring's.
  while (layout.phases > 1 && layout.rows() % layout.periodRows() != 0)
    layout.phases /= 2;
  size_t n = llvm::find(plan.rings, ring) - plan.rings.begin();
  wide[ring] = makeRing(builder, ring, plan.slotsOf(n), layout);
}

Value RunAhead::slotView(tile::AllocOp ring, Value slot) {
  return slotOf(builder, loc, wide[ring], ring.getResult().getType(), slot);
}

void RunAhead::startCopies(Round at, size_t first, size_t last) {
  IRMapping mapping;
  mapping.map(loop.iv(), at.iv);
  OpBuilder::InsertionGuard guard(builder);
  scf::IfOp round;
  if (plan.round)
    rounds.repeatArithmetic({plan.round.getCondition()}, mapping);
  if (plan.round && !plan.countsRounds) {
    round = scf::IfOp::create(builder, loc, mapping.lookupOrDefault(plan.round.getCondition()),
                              /*withElseRegion=*/false);
    builder.setInsertionPointToStart(round.thenBlock());
  }
  for (size_t n = first; n < last; ++n) {
    if (plan.copyAt(n))
      startCopy(n, at.slot, mapping, /*uncounted=*/false);
    else if (plan.choiceAt(n))
      startChoice(n, at.slot, mapping);
    else
      startGather(cast<tile::ElementLoop>(plan.fills[n]), plan.rings[n], at, mapping);
  }
  if (round) // in any case, so that groups are rounds
    builder.setInsertionPointAfter(round);
  tile::AsyncCommitOp::create(builder, loc);
}

void RunAhead::startCopy(size_t fill, Value slot, IRMapping &mapping, bool uncounted) {
  tile::CopyOp copy = plan.copyAt(fill);
  OpBuilder::InsertionGuard guard(builder);
  // Numbers of rows are brought of rounds that are left out, too.
  Value condition = uncounted && plan.round ? Value() : conditionOf(copy, mapping);
  bool isInBranch = condition && !plan.countsRounds;
  IRMapping inBranch = mapping; // others do not find what is computed there
  if (isInBranch) {
    auto only = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(only.thenBlock());
  }
  IRMapping &here = isInBranch ? inBranch : mapping;
  rounds.repeatArithmetic({copy.getSrc()}, here);
  Value source = here.lookupOrDefault(copy.getSrc());
  if (condition && plan.countsRounds)
    source = outsideUnless(condition, source);
  Value target = slotView(plan.rings[fill], slot);
  if (plan.partAt(fill)) {
    auto part = copy.getDst().getDefiningOp<tile::SubviewOp>();
    rounds.repeatArithmetic(part.getOffsets(), here);
    IRMapping ofSlot = here;
    ofSlot.map(part.getSource(), target);
    target = cast<tile::SubviewOp>(builder.clone(*part, ofSlot)).getResult();
  }
  tile::AsyncCopyOp::create(builder, copy.getLoc(), source, target, uncounted);
}

void RunAhead::startChoice(size_t fill, Value slot, IRMapping &mapping) {
  scf::IfOp branch = plan.choiceAt(fill);
  rounds.repeatArithmetic({branch.getCondition()}, mapping);
  Value target = slotView(plan.rings[fill], slot);
  auto both = scf::IfOp::create(builder, loc, mapping.lookupOrDefault(branch.getCondition()),
                                /*withElseRegion=*/true);
  for (tile::CopyOp copy : choicesOf(branch)) {
    OpBuilder::InsertionGuard guard(builder);
    bool isThen = copy->getBlock() == branch.thenBlock();
    builder.setInsertionPointToStart(isThen ? both.thenBlock() : both.elseBlock());
    IRMapping own = mapping;
    rounds.repeatArithmetic({copy.getSrc()}, own);
    tile::AsyncCopyOp::create(builder, copy.getLoc(), own.lookupOrDefault(copy.getSrc()), target,
                              /*uncounted=*/false);
  }
}

Value RunAhead::conditionOf(tile::CopyOp copy, IRMapping &mapping) {
  if (plan.round) // of a round that is left out no copy is started, or all are counted
    return plan.countsRounds ? mapping.lookupOrDefault(plan.round.getCondition()) : Value();
  scf::IfOp branch = branchOf(copy, loop);
  if (!branch)
    return {};
  rounds.repeatArithmetic({branch.getCondition()}, mapping);
  Value condition = mapping.lookupOrDefault(branch.getCondition());
  if (branch.thenBlock() == copy->getBlock())
    return condition;
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  return arith::XOrIOp::create(builder, loc, condition, yes);
}

void RunAhead::startGather(tile::ElementLoop gather, tile::AllocOp ring, Round round,
                           IRMapping &mapping) {
  Value buffer = ring.getResult();
  SmallVector<Value> outside;
  gather->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand != buffer && !gather->isAncestor(operand.getParentRegion()->getParentOp()))
        outside.push_back(operand);
  });
  rounds.repeatArithmetic(outside, mapping);
  mapping.map(buffer, slotView(ring, round.slot));
  for (size_t n = 0; n < plan.numbers; ++n)
    mapping.map(plan.rings[n].getResult(), slotView(plan.rings[n], slotIn(n, round.number)));
  auto started = cast<tile::ElementLoop>(builder.clone(*gather, mapping));
  if (plan.round && plan.countsRounds)
    leaveOutUnless(mapping.lookupOrDefault(plan.round.getCondition()), started);
  tile::turnInto<tile::GatherOp>(started);
}

void RunAhead::leaveOutUnless(Value condition, tile::ElementLoop gather) {
  auto store = *gather.bodyBlock()->getOps<tile::StoreOp>().begin();
  OpBuilder::InsertionGuard guard(builder);
  if (auto masked = store.getValue().getDefiningOp<arith::SelectOp>()) {
    builder.setInsertionPoint(masked);
    Value both = arith::AndIOp::create(builder, loc, condition, masked.getCondition());
    masked.getConditionMutable().assign(both);
    return;
  }
  builder.setInsertionPoint(gather);
  Type element = store.getValue().getType();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  builder.setInsertionPoint(store);
  Value value = arith::SelectOp::create(builder, loc, condition, store.getValue(), zero);
  store.getValueMutable().assign(value);
}

void RunAhead::startNumbers(Value number) {
  IRMapping mapping;
  mapping.map(loop.iv(), rounds.variableIn(number));
  for (size_t n = 0; n < plan.numbers; ++n)
    startCopy(n, slotIn(n, number), mapping, /*uncounted=*/true);
}

Value RunAhead::outsideUnless(Value condition, Value source) {
  auto view = source.getDefiningOp<tile::SubviewOp>();
  auto moved = cast<tile::SubviewOp>(builder.clone(*view));
  Value end = constant(view.getSource().getType().getShape().front());
  Value first = arith::SelectOp::create(builder, loc, condition, view.getOffsets().front(), end);
  moved->setOperand(1, first);
  moved->moveAfter(first.getDefiningOp());
  return moved.getResult();
}

Value RunAhead::slotIn(size_t ring, Value iteration) {
  Value slots = constant(plan.slotsOf(ring));
  return arith::RemUIOp::create(builder, loc, iteration, slots);
}

void RunAhead::startCopiesBefore() {
  builder.setInsertionPoint(loop);
  rounds.countRounds();
  auto round = [&](int64_t number) {
    return Round{constant(number), rounds.variableIn(constant(number)), constant(number)};
  };
  auto emit = [&] {
    if (plan.numbers != 0) {
      for (int64_t number = 0; number < plan.numbersAhead(); ++number)
        startNumbers(constant(number));
      awaitAll();
    }
    if (plan.inTurns) {
      startFirst(round(0));
      awaitAll();
      return startSecond(round(0));
    }
    int64_t ahead = plan.fillsBehind ? plan.stages : plan.stages - 1;
    for (int64_t slot = 0; slot < ahead; ++slot) {
      startFirst(round(slot));
      startSecond(round(slot));
    }
    if (plan.deeperSlots)
      startSecond(round(plan.stages - 1));
  };
  if (!mayBeEmpty(loop))
    return emit();
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, rounds.count(), constant(0));
  auto guard = scf::IfOp::create(builder, loc, runs, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard keep(builder);
  builder.setInsertionPointToStart(&guard.getThenRegion().front());
  emit();
}

void RunAhead::fillBehind() {
  Operation *last = plan.fillsEarly ? lastReaderOf(plan.rings, loop) : nullptr;
  builder.setInsertionPointToStart(loop.bodyBlock());
  Value iteration = rounds.numberOfBody();
  Value slot = slotIn(0, iteration);
  tile::AsyncWaitOp::create(builder, loc, plan.stages - 1);
  Operation *landed = tile::BarrierOp::create(builder, loc);
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToEnd(loop.bodyBlock());
  tile::BarrierOp::create(builder, loc);
  Value ahead = arith::AddIOp::create(builder, loc, iteration, constant(plan.stages));
  startFirst({ahead, rounds.variableIn(ahead), slot});
  builder.setInsertionPointAfter(landed);
  useSlots(iteration, slot, slot);
}

void RunAhead::awaitAll() {
  tile::AsyncWaitOp::create(builder, loc, 0);
  tile::BarrierOp::create(builder, loc);
}

void RunAhead::fillInTurns() {
  builder.setInsertionPointToStart(loop.bodyBlock());
  Value iteration = rounds.numberOfBody(), slot = constant(0);
  Value next = arith::AddIOp::create(builder, loc, iteration, constant(1));
  Operation *begin = next.getDefiningOp();
  Round after{next, rounds.variableIn(next), slot};
  builder.setInsertionPoint(plan.awaitedAt);
  awaitAll();
  startFirst(after);
  builder.setInsertionPointToEnd(loop.bodyBlock());
  awaitAll();
  startSecond(after);
  builder.setInsertionPointAfter(begin);
  useSlots(iteration, slot, slot);
}

void RunAhead::rewriteBody(HeldRounds *held) {
  if (plan.inTurns)
    return fillInTurns();
  if (plan.fillsBehind)
    return fillBehind();
  int64_t groups = plan.second ? 2 : 1;
  if (plan.awaitedAt) {
    builder.setInsertionPoint(plan.awaitedAt);
    tile::AsyncWaitOp::create(builder, loc, groups * (plan.stages - 1));
    tile::BarrierOp::create(builder, loc);
  }
  builder.setInsertionPointToStart(loop.bodyBlock());
  Value iteration = rounds.numberOfBody();
  auto after = [&](int64_t rounds) {
    return arith::AddIOp::create(builder, loc, iteration, constant(rounds)).getResult();
  };
  Value slot = slotIn(plan.numbers, iteration), ahead = after(plan.stages - 1);
  Value slotAhead = slotIn(plan.numbers, ahead);
  Value second = slot, aheadOfSecond = ahead, secondAhead = slotAhead;
  if (plan.deeperSlots) {
    second = slotIn(plan.second, iteration);
    aheadOfSecond = after(plan.stages);
    secondAhead = slotIn(plan.second, aheadOfSecond);
  }
  if (held)
    builder.setInsertionPoint(held->afterWrites());
  // The first group of the iteration has landed, and its second one, too, where that is deeper.
  tile::AsyncWaitOp::create(builder, loc, groups * (plan.stages - 1) - 1);
  Operation *landed = tile::BarrierOp::create(builder, loc);
  if (held)
    builder.setInsertionPointAfter(held->afterReads());
  if (plan.startedBehind)
    builder.setInsertionPointAfter(plan.startedBehind);
  if (plan.numbers != 0)
    startNumbers(after(plan.numbersAhead()));
  startFirst({ahead, rounds.variableIn(ahead), slotAhead});
  startSecond({aheadOfSecond, rounds.variableIn(aheadOfSecond), secondAhead});
  if (plan.startedBehind)
    builder.setInsertionPointAfter(landed);
  useSlots(iteration, slot, second);
}

void RunAhead::useSlots(Value number, Value ofFirst, Value ofSecond) {
  // The builder may stand at a copy: one of a whole tensor has nothing in front of it.
  SmallVector<Value> views;
  for (auto [n, ring] : llvm::enumerate(plan.rings)) {
    bool isSecond = plan.second && n >= plan.second;
    Value slot = n < plan.numbers ? slotIn(n, number) : isSecond ? ofSecond : ofFirst;
    views.push_back(slotView(ring, slot));
  }
  for (auto [n, fill] : llvm::enumerate(plan.fills)) {
    Operation *part = plan.partAt(n) ? plan.partAt(n).getDst().getDefiningOp() : nullptr;
    fill->erase();
    if (part)
      part->erase();
  }
  llvm::SmallPtrSet<Operation *, 4> gone;
  for (auto [ring, view] : llvm::zip(plan.rings, views))
    if (gone.insert(ring).second)
      ring.getResult().replaceAllUsesWith(view);
  for (Operation *ring : gone)
    ring->erase();
  loop.setStages(1);
  loop.setKind(tile::LoopKind::Serial);
}

} // namespace tilec
