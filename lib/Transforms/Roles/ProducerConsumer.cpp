//===- ProducerConsumer.cpp - pipelined loops with a producer warp --------===//
//
// The copies of the loop move to a `tile.producer`, which runs the same loop by itself
// and starts a TMA copy for each; what is left of the loop waits for full slots and
// releases them:
//
//   producer: for k { slot = acquire; tma A, B -> slot }
//   others:   for k { slot = wait;    gemm(slot);  release }
//
// Which loops these are, the form of their rounds and their slots stand on them (`served`), and how
// copies are brought on these (`transfers`): nothing is decided here.
//
// When the loop is one gemm into a C that nothing else touches, the gemm stays in
// flight over the end of the round and the slot of the round before is released.
// Teams of consumers take tiles in turn: each skips the slots of the others' tiles.
// A loop of two gemms, the second of which takes what was computed from the first, is
// overlapped (Overlap.cpp); each gemm then has a ring of its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Layouts/Rings.h"
#include "Normalize/Normalize.h"
#include "Roles/OneFill.h"
#include "Roles/OneSlot.h"
#include "Roles/Overlap.h"
#include "Roles/Persistent.h"
#include "Roles/ProducerLoop.h"
#include "Roles/Product.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDPRODUCERSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

class Expansion {
public:
  Expansion(tile::KernelOp kernel, const TargetInfo &target, ProducerSlice &slice,
            SmallVector<ProducerLoop, 1> plans, SmallVector<OneFill> fills)
      : kernel(kernel), target(target), slice(slice), plans(std::move(plans)),
        fills(std::move(fills)), builder(kernel), loc(kernel.getLoc()),
        rank(rankInCluster(kernel)) {}

  void run() {
    builder.setInsertionPointToStart(&kernel.getBody().front());
    auto producer = tile::ProducerOp::create(builder, loc);
    Block &body = producer.getBody().emplaceBlock();
    builder.setInsertionPoint(producer);
    for (ProducerLoop &plan : plans)
      makePipes(plan);
    for (OneFill &fill : fills) {
      widen(fill.tile, 1);
      pipes[fill.copy].push_back(
          makePipe(1, fill.bytes, /*everyThread=*/false, partsOf(fill.copy) > 1));
    }
    builder.setInsertionPointToStart(&body);
    produce();
    for (ProducerLoop &plan : plans)
      consume(plan);
    for (OneFill &fill : fills)
      consume(fill);
    for (auto &[ring, slots] : wide)
      ring->erase();
  }

private:
  Value makePipe(int64_t stages, int64_t bytes, bool everyThread, bool isShared) {
    return tile::PipeOp::create(builder, loc, tile::PipeType::get(builder.getContext()), stages,
                                bytes, everyThread, isShared);
  }
  /// The pipes of a loop: those of an earlier one that fills the same buffers, or new ones.
  void makePipes(ProducerLoop &plan);
  void widen(tile::AllocOp ring, int64_t stages);
  Value slotView(tile::AllocOp ring, Value slot);
  /// What the producer does of the kernel, at the builder's place.
  void produce();
  void produceRound(ProducerLoop &plan, IRMapping &values);
  /// The same with one slot a tile: those of the first gemm a round ahead.
  void produceAhead(ProducerLoop &plan, IRMapping &values);
  /// Fills the next slot of a pipe by these copies, from `sources`.
  void produceSlot(Value pipe, ArrayRef<tile::CopyOp> copies, ArrayRef<tile::AllocOp> rings,
                   ArrayRef<Value> sources);
  Value copyOf(Value value, IRMapping &values);
  void consume(ProducerLoop &plan);
  void consume(OneFill &fill);
  void overlap(ProducerLoop &plan);
  void takeTurns(ProducerLoop &plan);
  /// Blocks of the cluster that bring a part each of what the copy copies.
  int64_t partsOf(tile::CopyOp copy) {
    bool isShared =
        rank && !dependsOn(copy.getSrc(), rank) && isPartible(copy, kernel.getCluster(), target);
    return isShared ? int64_t(kernel.getCluster()) : 1;
  }
  ProducerLoop *planOf(Block &round) {
    for (ProducerLoop &plan : plans)
      if (plan.round == &round)
        return &plan;
    return nullptr;
  }
  /// Puts what follows at the end of the round, in front of a terminator.
  void goToEndOf(Block &round) {
    if (round.mightHaveTerminator())
      builder.setInsertionPoint(round.getTerminator());
    else
      builder.setInsertionPointToEnd(&round);
  }

  tile::KernelOp kernel;
  const TargetInfo &target;
  ProducerSlice &slice;
  SmallVector<ProducerLoop, 1> plans;
  SmallVector<OneFill> fills;
  OpBuilder builder;
  Location loc;
  Value rank; ///< of the block in its cluster, or null
  llvm::DenseMap<Operation *, tile::AllocOp> wide;
  /// By the loop (ProducerLoop::pipes()) or the copy that they belong to.
  llvm::DenseMap<Operation *, SmallVector<Value, 2>> pipes;
};

void Expansion::makePipes(ProducerLoop &plan) {
  SmallVector<ProducerLoop *, 2> group;
  for (ProducerLoop &other : plans)
    if (other.sharesRings(plan))
      group.push_back(&other);
  if (group.front() != &plan) {
    pipes[plan.loop] = pipes[group.front()->loop];
    return;
  }
  for (tile::AllocOp ring : plan.rings)
    widen(ring, plan.served.slots);
  bool everyThread =
      llvm::any_of(group, [](ProducerLoop *other) { return other->served.everyThread; });
  bool isShared = llvm::any_of(plan.copies, [&](tile::CopyOp copy) { return partsOf(copy) > 1; });
  for (ArrayRef<unsigned> list : plan.pipes())
    pipes[plan.loop].push_back(
        makePipe(plan.served.slots, plan.bytesOf(list), everyThread, isShared));
}

void Expansion::widen(tile::AllocOp ring, int64_t stages) {
  wide[ring] = makeRing(builder, ring, stages, *sharedLayoutOf(ring));
}

Value Expansion::slotView(tile::AllocOp ring, Value slot) {
  return slotOf(builder, loc, wide[ring], ring.getResult().getType(), slot);
}

/// The value, recomputed at the builder's place where the kernel computes it elsewhere.
Value Expansion::copyOf(Value value, IRMapping &values) {
  if (Value known = values.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !kernel->isProperAncestor(op))
    return value;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(copyOf(operand, values));
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  values.map(value, copy->getResult(0));
  return copy->getResult(0);
}

void Expansion::produce() {
  IRMapping values;
  auto before = [&](Operation *op) {
    for (OneFill &fill : fills)
      if (fill.copy == op)
        produceSlot(pipes[fill.copy][0], fill.copy, fill.tile,
                    values.lookupOrDefault(fill.copy.getSrc()));
  };
  auto atEnd = [&](Block &block) {
    if (ProducerLoop *plan = planOf(block))
      produceRound(*plan, values);
  };
  slice.repeat(kernel.getBody().front(), builder, values, {before, atEnd});
}

void Expansion::produceSlot(Value pipe, ArrayRef<tile::CopyOp> copies,
                            ArrayRef<tile::AllocOp> rings, ArrayRef<Value> sources) {
  Value slot = tile::PipeAcquireOp::create(builder, loc, builder.getIndexType(), pipe);
  for (auto [n, ring] : llvm::enumerate(rings)) {
    tile::CopyOp copy = copies[n];
    tile::TmaCopyOp::create(builder, sources[n].getLoc(), sources[n], slotView(ring, slot), pipe,
                            slot, *copy.getTransfers(), partsOf(copy));
  }
}

void Expansion::produceRound(ProducerLoop &plan, IRMapping &values) {
  if (plan.served.firstAhead)
    return produceAhead(plan, values);
  for (auto [pipe, list] : llvm::zip(pipes[plan.loop], plan.pipes())) {
    SmallVector<tile::CopyOp> copies;
    SmallVector<tile::AllocOp> rings;
    SmallVector<Value> sources;
    for (unsigned i : list) {
      copies.push_back(plan.copies[i]);
      rings.push_back(plan.rings[i]);
      sources.push_back(values.lookupOrDefault(plan.copies[i].getSrc()));
    }
    produceSlot(pipe, copies, rings, sources);
  }
}

void Expansion::produceAhead(ProducerLoop &plan, IRMapping &values) {
  SmallVector<SmallVector<unsigned>> lists = plan.pipes();
  auto fill = [&](unsigned number, Value iv) {
    SmallVector<tile::CopyOp> copies;
    SmallVector<tile::AllocOp> rings;
    SmallVector<Value> sources;
    for (unsigned i : lists[number]) {
      copies.push_back(plan.copies[i]);
      rings.push_back(plan.rings[i]);
      sources.push_back(sourceInRound(plan, plan.copies[i], iv, values, builder));
    }
    produceSlot(pipes[plan.loop][number], copies, rings, sources);
  };
  auto fillIf = [&](arith::CmpIPredicate predicate, Value left, Value right,
                    llvm::function_ref<void()> fills) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, left, right);
    auto branch = scf::IfOp::create(builder, loc, holds, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    fills();
  };
  auto of = [&](Value value) { return values.lookupOrDefault(value); };
  Value iv = of(plan.loop.iv()), lower = of(plan.loop.getLower());
  // Nothing keeps the second gemm's first tiles: they do not wait until the first gemm is done.
  fillIf(arith::CmpIPredicate::eq, iv, lower, [&] {
    fill(0, iv);
    fill(1, iv);
  });
  Value next = arith::AddIOp::create(builder, loc, iv, of(plan.loop.getStep()));
  fillIf(arith::CmpIPredicate::slt, next, of(plan.loop.getUpper()), [&] { fill(0, next); });
  fillIf(arith::CmpIPredicate::ne, iv, lower, [&] { fill(1, iv); });
}

/// The consumers' side of a tile that is filled once, or once a round of loops around.
void Expansion::consume(OneFill &fill) {
  Value pipe = pipes[fill.copy][0];
  builder.setInsertionPoint(fill.copy);
  Value slot = tile::PipeWaitOp::create(builder, fill.copy.getLoc(), builder.getIndexType(), pipe);
  Value view = slotView(fill.tile, slot);
  Operation *last = nullptr;
  for (Operation *user : fill.tile->getUsers()) {
    Operation *statement = fill.copy->getBlock()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(statement))
      last = statement;
  }
  if (fill.isRepeated) {
    builder.setInsertionPointAfter(last);
    tile::PipeReleaseOp::create(builder, fill.copy.getLoc(), pipe, slot, /*previous=*/false);
  }
  fill.copy.erase();
  fill.tile.getResult().replaceAllUsesWith(view);
}

void Expansion::overlap(ProducerLoop &plan) {
  SmallVector<OverlapPipe> used;
  for (auto [pipe, list] : llvm::zip(pipes[plan.loop], plan.pipes())) {
    OverlapPipe one;
    one.pipe = pipe;
    for (unsigned i : list)
      one.rings.push_back(plan.rings[i].getResult());
    one.ofFirst = feedsFirst(plan.loop, one.rings.front());
    one.view = [this](OpBuilder &at, Value ring, Value slot) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(at.getInsertionBlock(), at.getInsertionPoint());
      return slotView(ring.getDefiningOp<tile::AllocOp>(), slot);
    };
    used.push_back(one);
  }
  applyOverlap(plan.loop, used);
}

void Expansion::consume(ProducerLoop &plan) {
  if (plan.isOverlapped())
    return overlap(plan);
  Value pipe = pipes[plan.loop][0];
  Location at = plan.loop.getLoc();
  builder.setInsertionPointToStart(plan.round);
  Value slot = tile::PipeWaitOp::create(builder, at, builder.getIndexType(), pipe);
  for (auto [copy, ring] : llvm::zip(plan.copies, plan.rings)) {
    Value view = slotView(ring, slot);
    tile::CopyOp original = copy;
    original.erase();
    ring.getResult().replaceUsesWithIf(
        view, [&](OpOperand &use) { return plan.loop->isAncestor(use.getOwner()); });
  }
  goToEndOf(*plan.round);
  if (tile::GemmOp gemm = plan.gemmInFlight()) {
    gemm.setInFlight(true);
    Value c = gemm.getC();
    // The instructions read the words of places of a sparse A from registers as long as they run:
    // the next round's words may not come before.
    bool endsInRound = bool(gemm.getPlaces());
    tile::GemmWaitOp::create(builder, at, c, endsInRound ? 0 : 1);
    tile::PipeReleaseOp::create(builder, at, pipe, slot, /*previous=*/!endsInRound);
    builder.setInsertionPointAfter(plan.loop);
    if (!endsInRound) {
      tile::GemmWaitOp::create(builder, at, c, 0);
      tile::PipeDrainOp::create(builder, at, pipe);
    }
    if (kernel.getTeams() > 1)
      takeTurns(plan);
  } else {
    tile::PipeReleaseOp::create(builder, at, pipe, slot, /*previous=*/false);
  }
  plan.loop.setStages(1);
  plan.loop.removeServedAttr();
  plan.loop.setKind(tile::LoopKind::Serial);
}

/// Team t of n takes rounds t, t + n, ... of the loop over tiles; the slots between are those of
/// the others' tiles. A team multiplies while the others store.
void Expansion::takeTurns(ProducerLoop &plan) {
  auto tiles = cast<tile::ForOp>(plan.loop->getParentOp());
  Location at = plan.loop.getLoc();
  Value pipe = pipes[plan.loop][0];
  int64_t teams = kernel.getTeams();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); };
  builder.setInsertionPoint(tiles);
  IRMapping values;
  Value lower = copyOf(plan.loop.getLower(), values), upper = copyOf(plan.loop.getUpper(), values);
  Value span = arith::SubIOp::create(builder, at, upper, lower);
  Value rounds = arith::CeilDivSIOp::create(builder, at, span, copyOf(plan.loop.getStep(), values));
  rounds = arith::MaxSIOp::create(builder, at, rounds, constant(0));
  Value team = tile::TeamOp::create(builder, at, builder.getIndexType());
  auto times = [&](Value x, Value y) {
    return arith::MulIOp::create(builder, at, x, y).getResult();
  };
  tile::PipeSkipOp::create(builder, at, pipe, times(team, rounds));
  Value first = arith::AddIOp::create(builder, at, tiles.getLower(), times(team, tiles.getStep()));
  tiles.getLowerMutable().assign(first);
  tiles.getStepMutable().assign(times(tiles.getStep(), constant(teams)));
  Value others = times(rounds, constant(teams - 1));
  builder.setInsertionPoint(plan.loop);
  tile::TurnWaitOp::create(builder, at);
  builder.setInsertionPointAfter(plan.loop);
  // All of the tile's matrix instructions are in flight: the next team's queue up behind them.
  tile::TurnPassOp::create(builder, at);
  builder.setInsertionPointToEnd(tiles.bodyBlock());
  tile::PipeSkipOp::create(builder, at, pipe, others);
}

} // namespace

static void expandProducerConsumer(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<ProducerLoop, 1> plans = producerLoopsOf(kernel, target);
  if (plans.empty())
    return;
  SmallVector<OneFill> fills = oneFillsOf(kernel, plans, target);
  const Accesses ofKernel = accessesOf(kernel);
  ProducerSlice slice = sliceOf(kernel, ofKernel.writes, plans);
  for (OneFill &fill : fills)
    llvm::cantFail(slice.add(fill.copy, fill.copy.getSrc())); // asked when it was found
  Expansion(kernel, target, slice, std::move(plans), std::move(fills)).run();
}

namespace {
struct ExpandProducersPass : impl::ExpandProducersPassBase<ExpandProducersPass> {
  using ExpandProducersPassBase::ExpandProducersPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      expandProducerConsumer(kernel, *chip);
    foldViews(getOperation());
  }
};
} // namespace

} // namespace tilec
