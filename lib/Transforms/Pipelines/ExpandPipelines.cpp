//===- ExpandPipelines.cpp - loops whose copies run ahead -----------------===//
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
// Where shared memory holds one slot, or tiles cannot be copied without registers, the next
// iteration's may wait in those (HeldRounds), or the copies of an iteration start together
// (copyTogether).
//
// A loop that is a matrix product and nothing else keeps its iterations in order:
// `wave-schedule` plans its copies together with the rest (docs/machine-code/scheduling.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/KeepOperands.h"
#include "Layouts/Exchange.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/Rings.h"
#include "Layouts/Stores.h"
#include "Memory/SharedMemory.h"
#include "Normalize/LateSums.h"
#include "Normalize/Normalize.h"
#include "Normalize/RelaxMath.h"
#include "Pipelines/Ahead.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/Gather.h"
#include "Pipelines/HeldRounds.h"
#include "Pipelines/LoopMemory.h"
#include "Pipelines/Pipeline.h"
#include "Pipelines/RowNumbers.h"
#include "Pipelines/Schedulable.h"
#include "Pipelines/SerialRounds.h"
#include "Roles/Fills.h"
#include "Roles/ProducerConsumer.h"
#include "Roles/ProducerLoop.h"
#include "Schedule/ScheduleWishes.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDPIPELINESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

class Expansion {
public:
  Expansion(tile::ForOp loop, PipelinePlan &plan)
      : loop(loop), plan(plan), builder(loop), loc(loop.getLoc()), rounds(loop, builder) {}

  /// What it makes of each buffer of the plan. `held`, if there is one, has brought other tiles to
  /// the front of the round: a round waits behind its writes, and starts copies behind its reads.
  SmallVector<tile::AllocOp> run(HeldRounds *held = nullptr) {
    for (tile::AllocOp ring : plan.rings)
      widen(ring);
    startCopiesBefore();
    rewriteBody(held);
    builder.setInsertionPointAfter(loop);
    // Copies past the end still write shared memory.
    tile::AsyncWaitOp::create(builder, loc, 0);
    tile::BarrierOp::create(builder, loc);
    return rings();
  }

  /// Each iteration starts its copies at once, without registers, and waits for them.
  void copyTogether() {
    builder.setInsertionPointToStart(loop.bodyBlock());
    for (tile::AllocOp ring : plan.rings)
      widen(ring);
    Value slot = constant(0);
    tile::BarrierOp::create(builder, loc);
    startCopies({slot, loop.iv(), slot}, 0, plan.fills.size());
    tile::AsyncWaitOp::create(builder, loc, 0);
    tile::BarrierOp::create(builder, loc);
    useSlots(slot, slot, slot);
  }

  /// The body stays one iteration, on slot 0 of the rings.
  SmallVector<tile::AllocOp> rotate() {
    for (tile::AllocOp ring : plan.rings)
      widen(ring);
    builder.setInsertionPointToStart(loop.bodyBlock());
    Value slot = constant(0);
    startCopies({slot, loop.iv(), slot}, 0, plan.fills.size());
    tile::AsyncWaitOp::create(builder, loc, 0);
    tile::BarrierOp::create(builder, loc);
    useSlots(slot, slot, slot);
    builder.setInsertionPointToEnd(loop.bodyBlock());
    tile::BarrierOp::create(builder, loc);
    loop.setRotate(plan.stages);
    return rings();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  SmallVector<tile::AllocOp> rings() const {
    return llvm::map_to_vector(plan.rings, [&](tile::AllocOp ring) { return wide.lookup(ring); });
  }
  /// Gives the allocation `stages` slots; its users get slot (iteration % stages).
  void widen(tile::AllocOp ring);
  Value slotView(tile::AllocOp ring, Value slot);
  /// An iteration, what the loop's variable is in it, and the slot that it fills.
  struct Round {
    Value number, iv, slot;
  };
  /// Fills `first` to `last` of one iteration, as a group. They are those of the original body.
  void startCopies(Round round, size_t first, size_t last);
  void startCopy(size_t fill, Value slot, IRMapping &mapping, bool uncounted);
  void startGather(tile::ElementLoop gather, tile::AllocOp ring, Round round, IRMapping &mapping);
  /// What that iteration's gathers will find their rows by.
  void startNumbers(Value number);
  /// The first group of an iteration, and its second one, if there is one.
  void startFirst(Round round) {
    startCopies(round, plan.numbers, plan.second ? plan.second : plan.fills.size());
  }
  void startSecond(Round round) {
    if (plan.second)
      startCopies(round, plan.second, plan.fills.size());
  }
  /// The view, or, where the condition does not hold, what lies behind its tensor.
  Value outsideUnless(Value condition, Value source);
  /// The ring's slot of an iteration.
  Value slotIn(size_t ring, Value iteration);
  void startCopiesBefore();
  void rewriteBody(HeldRounds *held);
  /// The same where slots are filled behind their reads.
  void fillBehind();
  /// Removes the original fills; what read the rings reads this slot of theirs in that iteration.
  void useSlots(Value number, Value ofFirst, Value ofSecond);
  tile::ForOp loop;
  PipelinePlan &plan;
  OpBuilder builder;
  Location loc;
  OtherRounds rounds;
  llvm::DenseMap<Operation *, tile::AllocOp> wide; // original ring -> ring with slots
};

void Expansion::widen(tile::AllocOp ring) {
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

Value Expansion::slotView(tile::AllocOp ring, Value slot) {
  return slotOf(builder, loc, wide[ring], ring.getResult().getType(), slot);
}

void Expansion::startCopies(Round at, size_t first, size_t last) {
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
    else
      startGather(cast<tile::ElementLoop>(plan.fills[n]), plan.rings[n], at, mapping);
  }
  if (round) // in any case, so that groups are rounds
    builder.setInsertionPointAfter(round);
  tile::AsyncCommitOp::create(builder, loc);
}

void Expansion::startCopy(size_t fill, Value slot, IRMapping &mapping, bool uncounted) {
  tile::CopyOp copy = plan.copyAt(fill);
  rounds.repeatArithmetic({copy.getSrc()}, mapping);
  Value source = mapping.lookupOrDefault(copy.getSrc());
  if (plan.round && plan.countsRounds)
    source = outsideUnless(mapping.lookupOrDefault(plan.round.getCondition()), source);
  tile::AsyncCopyOp::create(builder, copy.getLoc(), source, slotView(plan.rings[fill], slot),
                            uncounted);
}

void Expansion::startGather(tile::ElementLoop gather, tile::AllocOp ring, Round round,
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
  tile::turnInto<tile::GatherOp>(cast<tile::ElementLoop>(builder.clone(*gather, mapping)));
}

void Expansion::startNumbers(Value number) {
  IRMapping mapping;
  mapping.map(loop.iv(), rounds.variableIn(number));
  for (size_t n = 0; n < plan.numbers; ++n)
    startCopy(n, slotIn(n, number), mapping, /*uncounted=*/true);
}

Value Expansion::outsideUnless(Value condition, Value source) {
  auto view = source.getDefiningOp<tile::SubviewOp>();
  auto moved = cast<tile::SubviewOp>(builder.clone(*view));
  Value end = constant(view.getSource().getType().getShape().front());
  Value first = arith::SelectOp::create(builder, loc, condition, view.getOffsets().front(), end);
  moved->setOperand(1, first);
  moved->moveAfter(first.getDefiningOp());
  return moved.getResult();
}

Value Expansion::slotIn(size_t ring, Value iteration) {
  Value slots = constant(plan.slotsOf(ring));
  return arith::RemUIOp::create(builder, loc, iteration, slots);
}

void Expansion::startCopiesBefore() {
  builder.setInsertionPoint(loop);
  rounds.countRounds();
  auto round = [&](int64_t number) {
    return Round{constant(number), rounds.variableIn(constant(number)), constant(number)};
  };
  auto emit = [&] {
    if (plan.numbers != 0) {
      for (int64_t number = 0; number < plan.numbersAhead(); ++number)
        startNumbers(constant(number));
      tile::AsyncWaitOp::create(builder, loc, 0);
      tile::BarrierOp::create(builder, loc);
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

void Expansion::fillBehind() {
  builder.setInsertionPointToStart(loop.bodyBlock());
  Value iteration = rounds.numberOfBody();
  Value slot = slotIn(0, iteration);
  tile::AsyncWaitOp::create(builder, loc, plan.stages - 1);
  Operation *landed = tile::BarrierOp::create(builder, loc);
  builder.setInsertionPointToEnd(loop.bodyBlock());
  tile::BarrierOp::create(builder, loc);
  Value ahead = arith::AddIOp::create(builder, loc, iteration, constant(plan.stages));
  startFirst({ahead, rounds.variableIn(ahead), slot});
  builder.setInsertionPointAfter(landed);
  useSlots(iteration, slot, slot);
}

void Expansion::rewriteBody(HeldRounds *held) {
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
  tile::BarrierOp::create(builder, loc);
  if (held)
    builder.setInsertionPointAfter(held->afterReads());
  if (plan.numbers != 0)
    startNumbers(after(plan.numbersAhead()));
  startFirst({ahead, rounds.variableIn(ahead), slotAhead});
  startSecond({aheadOfSecond, rounds.variableIn(aheadOfSecond), secondAhead});
  useSlots(iteration, slot, second);
}

void Expansion::useSlots(Value number, Value ofFirst, Value ofSecond) {
  // The builder may stand at a copy: one of a whole tensor has nothing in front of it.
  SmallVector<Value> views;
  for (auto [n, ring] : llvm::enumerate(plan.rings)) {
    bool isSecond = plan.second && n >= plan.second;
    Value slot = n < plan.numbers ? slotIn(n, number) : isSecond ? ofSecond : ofFirst;
    views.push_back(slotView(ring, slot));
  }
  for (auto [fill, ring, view] : llvm::zip(plan.fills, plan.rings, views)) {
    fill->erase();
    ring.getResult().replaceAllUsesWith(view);
  }
  for (tile::AllocOp ring : plan.rings)
    ring.erase();
  loop.setStages(1);
  loop.setKind(tile::LoopKind::Serial);
}

/// Whether an element of a variable is the same in all rounds of the loop.
bool readsTheSame(tile::LoadOp load, tile::ForOp loop) {
  Value root = rootOf(load.getBuffer());
  auto isSame = [&](Value index) {
    return tile::constantInt(index) || !loop.getBody().isAncestor(index.getParentRegion());
  };
  return cast<tile::BufferType>(root.getType()).isLocal() &&
         !loop.getBody().isAncestor(root.getParentRegion()) &&
         !llvm::is_contained(accessesOf(loop).writes, root) &&
         llvm::all_of(load.getIndices(), isSame);
}

/// Moves in front of the loop what it reads of variables, and does not write, to find the places
/// that it copies from: a read in the loop would keep the copy back.
void hoistReads(tile::ForOp loop) {
  SmallVector<Value> values;
  for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>())
    if (auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>())
      llvm::append_range(values, view.getOffsets());
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.bodyBlock() || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load) {
      llvm::append_range(values, op->getOperands());
    } else if (load.getBuffer().getParentRegion() != &loop.getBody() && readsTheSame(load, loop)) {
      for (Value index : load.getIndices())
        if (Operation *constant = index.getDefiningOp();
            constant && loop->isProperAncestor(constant))
          constant->moveBefore(loop);
      load->moveBefore(loop);
    }
  }
}

/// Tiles that the body has for itself and that copies fill may have several slots as well: what
/// they hold when a round begins is nobody's.
void hoistTiles(tile::ForOp loop) {
  for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>()) {
    auto alloc = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (alloc && alloc->getBlock() == loop.bodyBlock() && alloc.getResult().getType().isShared())
      alloc->moveBefore(loop);
  }
}

struct ExpandPipelinesPass : impl::ExpandPipelinesPassBase<ExpandPipelinesPass> {
  using ExpandPipelinesPassBase::ExpandPipelinesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (failed(expandKernel(kernel, *chip)))
        return signalPassFailure();
    eraseDeadOps(getOperation());
    foldViews(getOperation());
    eraseDeadOps(getOperation());
  }

  /// The next round's tiles of a loop of products wait in registers, where those have room.
  static bool holdNextRound(HeldRounds &held, const SharedMemory &memory, const TargetInfo &chip,
                            int64_t fewestWaves = 0) {
    // Copies that need no registers are better at pieces that are narrower than an access. Parts of
    // words each take a register: with matrix instructions of half the depth, as targets have whose
    // copies are narrow, too, that is slower (docs/machine-code/pipelining.md).
    constexpr int64_t accessBytes = 16, wordBytes = 4;
    auto suits = [&](Operation *fill) {
      auto copy = dyn_cast<tile::CopyOp>(fill);
      if (copy && asyncPieceBytes(copy.getSrc(), copy.getDst(), chip) != 0)
        return HeldRounds::readsPieces(fill, accessBytes);
      return HeldRounds::readsPieces(fill, copiesWidePieces(chip) ? wordBytes / 2 : wordBytes);
    };
    return !held.fills().empty() && llvm::all_of(held.fills(), suits) && held.fits(fewestWaves) &&
           held.hasRoom(memory) && held.expand();
  }

  static bool mayHold(tile::ForOp loop) {
    return !roundOf(loop)->getOps<tile::GemmOp>().empty() &&
           !loop->getParentOfType<tile::KernelOp>().getLockstep();
  }

  /// Waves on a scheduler that are enough where the alternative is that a round waits for tiles
  /// which it reads itself.
  static constexpr int64_t fewestWaves = 2;

  /// A loop of which some tiles cannot be copied without registers, and the others only in narrow
  /// pieces, or not ahead: all wait in registers. False where it is no such loop.
  static bool holdMixedRound(tile::ForOp loop, const PipelinePlan &plan, LoopMemory &memory,
                             const TargetInfo &chip) {
    bool keepsSlots = plan.stages > 1 && (copiesWidePieces(chip) || loop.getExact());
    if (!mayHold(loop) || keepsSlots)
      return false;
    HeldRounds held(loop, chip);
    bool isMixed = held.isAll() && llvm::any_of(held.fills(), [&](Operation *fill) {
                     return !llvm::is_contained(plan.fills, fill);
                   });
    if (!isMixed)
      return false;
    SharedMemory ofOneSlot = memory.now();
    for (tile::AllocOp ring : plan.rings)
      ofOneSlot.setSlots(ring, 1);
    return holdNextRound(held, ofOneSlot, chip, fewestWaves);
  }

  /// What the plan does not copy goes through registers, a round ahead, beside copies in wide
  /// pieces.
  static bool holdOthers(tile::ForOp loop, HeldRounds &held, const PipelinePlan &plan,
                         LoopMemory &memory, const TargetInfo &chip) {
    bool mayBe = mayHold(loop) && copiesWidePieces(chip) && !plan.round && plan.numbers == 0;
    if (!mayBe || held.fills().empty() || !held.isAll())
      return false;
    SharedMemory withPlan = memory.now();
    setSlots(plan, withPlan);
    return holdNextRound(held, withPlan, chip, fewestWaves);
  }

  /// A round whose other tiles a producer brings: what the round itself reads of tensors waits in
  /// registers.
  static bool holdBesideProducer(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
    if (loop.bodyBlock()->getOps<tile::PipeWaitOp>().empty() || !mayHold(loop))
      return false;
    HeldRounds held(loop, chip);
    return held.isAll() && holdNextRound(held, memory.now(), chip, fewestWaves);
  }

  /// A loop of products without room to run ahead: its copies at least overlap each other, where
  /// what they fill has room beside all that a round needs, and no assembler moves loads up anyway.
  static bool copyTogether(tile::ForOp loop, const TargetInfo &chip) {
    if (!chip.keepsOrder || loop.bodyBlock()->getOps<tile::GemmOp>().empty())
      return false;
    PipelinePlan plan = planPipeline(loop, chip);
    plan.stages = 1;
    SharedMemory memory(loop->getParentOfType<tile::KernelOp>(), chip);
    for (tile::AllocOp ring : plan.rings)
      memory.keepDuring(loop, ring);
    bool fits = !plan.isEmpty() && memory.fits();
    if (fits)
      Expansion(loop, plan).copyTogether();
    return fits;
  }

  /// A loop that nobody wants to run ahead.
  static void expandPlain(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
    refuseSchedule(loop, "nothing runs ahead with num_stages=" + Twine(loop.getStages()));
    loop.setStages(1);
    loop.setKind(loop.getKind() == tile::LoopKind::Pipelined ? tile::LoopKind::Serial
                                                             : loop.getKind());
    if (holdBesideProducer(loop, memory, chip) || copyTogether(loop, chip))
      memory.forget();
  }

  /// A loop that should have run ahead, and cannot.
  static void expandAlone(tile::ForOp loop, PipelinePlan &plan, LoopMemory &memory,
                          const TargetInfo &chip, StringRef why) {
    refuseSchedule(loop, plan.isEmpty() ? "no copy can run ahead" : why);
    loop.setKind(tile::LoopKind::Serial);
    HeldRounds held(loop, chip);
    bool holds = mayHold(loop) && holdNextRound(held, memory.now(), chip);
    if (holds || copyTogether(loop, chip))
      memory.forget();
    else
      memory.leave(loop, plan);
  }

  static void expandLoop(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
    if (loop.getStages() < 2)
      return expandPlain(loop, memory, chip);
    RowNumbers numbers(loop, chip);
    auto undoNumbers = [&] {
      if (numbers.isEmpty())
        return;
      numbers.undo();
      memory.forget();
    };
    if (!numbers.isEmpty())
      memory.forget();
    PipelinePlan plan = planThatFits(loop, memory, chip);
    if (plan.stages > 1 && gathersTakeUnit(plan, loop, memory, chip)) {
      SmallVector<tile::AllocOp> gathered;
      for (auto [n, ring] : llvm::enumerate(plan.rings))
        if (!plan.copyAt(n))
          gathered.push_back(ring);
      undoNumbers();
      plan = planThatFits(loop, memory, chip, /*withGathers=*/false);
      for (tile::AllocOp ring : gathered)
        memory.wished().setSlots(ring, 1);
    } else if (!numbers.isEmpty() && (plan.stages < 2 || plan.numbers == 0)) {
      undoNumbers();
      plan = planThatFits(loop, memory, chip);
    }
    int64_t asked = loop.getStages();
    if (holdMixedRound(loop, plan, memory, chip)) {
      loop.emitRemark() << "pipelined with one slot instead of " << asked
                        << ": the next round's tiles wait in registers, as some cannot be copied "
                           "without";
      refuseSchedule(loop, "its tiles run ahead in registers");
      loop.setStages(1);
      loop.setKind(tile::LoopKind::Serial);
      return memory.forget();
    }
    if (plan.stages < int64_t(loop.getStages()))
      loop.emitRemark() << "pipelined with " << plan.stages << " instead of " << loop.getStages()
                        << " stages: "
                        << (plan.isEmpty() ? "no copy can run ahead"
                                           : "shared memory holds no more");
    loop.setStages(plan.stages);
    if (plan.stages < 2)
      return expandAlone(loop, plan, memory, chip, "shared memory holds no more than one stage");
    llvm::Expected<MatrixLoop> matrix = matrixLoop(loop, plan, chip);
    if (matrix)
      return memory.replace(loop, plan, Expansion(loop, plan).rotate());
    std::string reason = llvm::toString(matrix.takeError());
    leaveRoomForBlocks(plan, loop, memory, chip);
    loop.setStages(plan.stages);
    if (plan.stages < 2) {
      undoNumbers();
      plan = planThatFits(loop, memory, chip);
      return expandAlone(loop, plan, memory, chip, "a second stage takes the room of a block");
    }
    leaveCopiesInFlight(plan, loop, memory, chip);
    bool hasWish = loop.getStrategy().has_value();
    refuseSchedule(loop, reason);
    if (!hasWish && chip.keepsOrder && !loop.bodyBlock()->getOps<tile::GemmOp>().empty())
      loop.emitRemark() << "pipelined without a planned schedule: " << reason;
    HeldRounds held(loop, chip, plan.fills);
    bool isBeside = holdOthers(loop, held, plan, memory, chip);
    plan.fillsBehind = !isBeside && fillsBehind(plan, chip);
    memory.replace(loop, plan, Expansion(loop, plan).run(isBeside ? &held : nullptr));
  }

  /// Two slots, of which a wait for the one would be a wait for everything: a second barrier costs
  /// less. Where the compiler keeps the order of a round, copies stand where it has them.
  static bool fillsBehind(const PipelinePlan &plan, const TargetInfo &chip) {
    return plan.stages == 2 && chip.asyncCopies.completion == Completion::Groups && !plan.second &&
           plan.deeperSlots == 0 && !plan.awaitedAt && plan.numbers == 0;
  }

  LogicalResult expandKernel(tile::KernelOp kernel, const TargetInfo &chip) {
    chooseSchedules(kernel, chip);
    delaySums(kernel);
    relaxMath(kernel, chip);
    if (!chip.hasTensorCopies)
      simplifyFills(kernel, chip.addsToConstants ? MaskPlace::Behind : MaskPlace::InFront);
    letSerialLoopsRunAhead(kernel, chip);
    if (producer)
      prepareProducerConsumer(kernel, chip, strategy);
    kernel.walk([](tile::ForOp loop) {
      if (loop.getStages() <= 1)
        return;
      hoistReads(loop);
      hoistTiles(loop);
    });
    if (producer && failed(expandProducerConsumer(kernel, chip, strategy)))
      return failure();
    SmallVector<tile::ForOp> loops, pipelined;
    kernel.walk([&](tile::ForOp loop) {
      loops.push_back(loop);
      if (loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1)
        pipelined.push_back(loop);
    });
    separateTiles(kernel, pipelined);
    LoopMemory memory(kernel, chip, loops);
    for (tile::ForOp loop : loops)
      expandLoop(loop, memory, chip);
    return success();
  }
};

} // namespace

} // namespace tilec
