//===- ProducerConsumer.cpp - pipelined loops with a producer warp --------===//
//
// The copies of the loop move to a `tile.producer`, which runs the same loop by itself
// and starts a TMA copy for each; what is left of the loop waits for full slots and
// releases them:
//
//   producer: for k { slot = acquire; tma A, B -> slot }
//   others:   for k { slot = wait;    gemm(slot);  release }
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
#include "Layouts/Registers.h"
#include "Layouts/Rings.h"
#include "Layouts/Stores.h"
#include "Layouts/WarpGroups.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"
#include "Roles/InFlight.h"
#include "Roles/OneFill.h"
#include "Roles/OneSlot.h"
#include "Roles/Persistent.h"
#include "Roles/ProducerLoop.h"
#include "Roles/Product.h"
#include "Roles/RingSlots.h"
#include "Roles/ScheduleWishes.h"
#include "Roles/TileStore.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Reported.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/Strategy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDPRODUCERSPASS
#include "tilec/Transforms/Passes.h.inc"

#define GEN_PASS_DEF_FORWARDSTORESPASS
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
  void clearInFirstRound(ProducerLoop &plan);
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
    widen(ring, plan.stages);
  bool everyThread = llvm::any_of(group, [](ProducerLoop *other) { return other->everyThread; });
  bool isShared = llvm::any_of(plan.copies, [&](tile::CopyOp copy) { return partsOf(copy) > 1; });
  for (ArrayRef<unsigned> list : plan.pipes())
    pipes[plan.loop].push_back(makePipe(plan.stages, plan.bytesOf(list), everyThread, isShared));
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
  if (plan.stages == 1 && canFillFirstAhead(plan))
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
    one.ofFirst = feedsFirst(*plan.overlap, one.rings.front());
    one.view = [this](OpBuilder &at, Value ring, Value slot) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(at.getInsertionBlock(), at.getInsertionPoint());
      return slotView(ring.getDefiningOp<tile::AllocOp>(), slot);
    };
    used.push_back(one);
  }
  applyOverlap(plan.loop, *plan.overlap, used);
}

void Expansion::consume(ProducerLoop &plan) {
  if (plan.overlap)
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
  if (plan.inFlight) {
    clearInFirstRound(plan);
    goToEndOf(*plan.round);
    plan.inFlight.setInFlight(true);
    Value c = plan.inFlight.getC();
    // The instructions read the words of places of a sparse A from registers as long as they run:
    // the next round's words may not come before.
    bool endsInRound = bool(plan.inFlight.getPlaces());
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
    if (!plan.isPlain)
      leaveGemmsInFlight(kernel, plan.loop, *plan.round, target);
    goToEndOf(*plan.round);
    tile::PipeReleaseOp::create(builder, at, pipe, slot, /*previous=*/false);
  }
  plan.loop.setStages(1);
  plan.loop.removeServedAttr();
  plan.loop.setKind(tile::LoopKind::Serial);
}

/// A C that is filled with zero in front of the loop: the first round ignores what is in it
/// instead, and no register has to be set.
void Expansion::clearInFirstRound(ProducerLoop &plan) {
  tile::GemmOp gemm = plan.inFlight;
  auto lower = tile::constantInt(plan.loop.getLower()),
       upper = tile::constantInt(plan.loop.getUpper());
  if (gemm.getClear() || !lower || !upper || *lower >= *upper)
    return;
  Operation *before = plan.loop->getPrevNode();
  auto touchesC = [&](Operation *op) {
    Accesses accesses = accessesOf(op);
    return llvm::is_contained(accesses.reads, gemm.getC()) ||
           llvm::is_contained(accesses.writes, gemm.getC());
  };
  while (before && (isa<tile::AllocOp>(before) || !touchesC(before)))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<tile::FillOp>(before);
  if (!fill || fill.getDst() != gemm.getC() || !isZero(fill.getValue()))
    return;
  fill.erase();
  builder.setInsertionPoint(gemm);
  Value isFirst = arith::CmpIOp::create(builder, gemm.getLoc(), arith::CmpIPredicate::eq,
                                        plan.loop.iv(), plan.loop.getLower());
  gemm.getClearMutable().assign(isFirst);
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

/// What an overlapped loop cannot do of a strategy, as a reason; "" where it has all of it.
std::string missingInOverlap(StringRef wish, tile::ForOp loop, int64_t groups, int64_t groupLanes) {
  auto around = dyn_cast<tile::ForOp>(loop->getParentOp());
  uint64_t cluster = around ? around.getPersistent().value_or(1) : 1;
  if (wish == "ping_pong" && groups < 2)
    return "one warp group has nobody to take turns with; use threads=" +
           std::to_string(2 * groupLanes) + " or more";
  if (wish == "ping_pong_cluster_m" || wish == "ping_pong_cluster_n")
    return "the two gemms of a loop take turns (`ping_pong`) or share their copies (`cluster_m`), "
           "not both";
  if (wish == "cluster_n")
    return "the two gemms of a loop share their copies in clusters by `cluster_m` only";
  if (wish == "cluster_m" && cluster == 1)
    return "blocks share their copies where the kernel is one loop of as many rounds in each block "
           "and a dimension of the grid does not say what is copied";
  return "";
}

/// `overlap` where it can be, unless the author wants another strategy. Warp groups take turns
/// unless all blocks run the same rounds: they drift apart alone (docs/machine-code/hopper.md).
void chooseOverlap(ProducerLoop &plan, StringRef strategy, tile::KernelOp kernel,
                   const TargetInfo &target) {
  int64_t groups = int64_t(kernel.getThreads()) / target.groupLanes();
  std::string wish = wishOf(plan.loop, strategy);
  auto around = dyn_cast<tile::ForOp>(plan.loop->getParentOp());
  bool isSharedOut = around && around.getPersistent();
  bool takesTurns = groups > 1 && (wish == "ping_pong" || (wish == "auto" && !isSharedOut));
  auto gemms = plan.loop.bodyBlock()->getOps<tile::GemmOp>();
  bool isAsked = wish != "auto" || std::distance(gemms.begin(), gemms.end()) > 1;
  if (wish == "producer_consumer" || !isAsked)
    return;
  if (plan.inFlight)
    return refuseWish(plan.loop, wish,
                      wish == overlapScheduleName
                          ? "it has one gemm"
                          : "it is not the one loop of a kernel that is a matrix product");
  llvm::Expected<OverlapPlan> overlap = planOverlap(plan.loop, plan.copies);
  if (overlap) {
    plan.overlap = std::move(*overlap);
    plan.overlap->takesTurns = takesTurns;
    plan.overlap->deadFrom = plan.loop.getDeadFrom();
    if (std::string missing = missingInOverlap(wish, plan.loop, groups, target.groupLanes());
        !missing.empty())
      refuseWish(plan.loop, wish, missing);
    return;
  }
  std::string why = llvm::toString(overlap.takeError());
  if (wish == "auto")
    plan.loop.emitRemark() << "its gemms are not overlapped: " << why;
  else
    refuseWish(plan.loop, wish, why);
}

/// A kernel that is one overlapped loop of as many rounds in each block shares out its blocks
/// beforehand. Those that need the same tiles of the loop run together.
void shareOutOverlapped(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy,
                        const SharedMemory &memory, const OneSlotLoops &oneSlot) {
  SmallVector<tile::ForOp> loops;
  kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
  if (loops.size() != 1 || loops[0]->getParentOp() != kernel || !loops[0].getServed() ||
      (loops[0].getStages() < 2 && !oneSlot.contains(loops[0])) || kernel.getRasterPanel() > 1 ||
      !tile::constantInt(loops[0].getLower()) || !tile::constantInt(loops[0].getUpper()) ||
      wishOf(loops[0], strategy) == "producer_consumer")
    return;
  ProducerLoop plan = producerLoopOf(loops[0], target);
  if (plan.inFlight || !plan.fitInto(memory))
    return;
  llvm::Expected<OverlapPlan> overlap = planOverlap(plan.loop, plan.copies);
  if (!overlap)
    return llvm::consumeError(overlap.takeError()); // said later
  std::optional<unsigned> shared;
  for (BlockArgument id : llvm::reverse(kernel.getBody().front().getArguments()))
    if (llvm::none_of(plan.copies, [&](tile::CopyOp copy) { return dependsOn(copy.getSrc(), id); }))
      shared = id.getArgNumber();
  Product product;
  product.loop = plan;
  ProductPlan sharing{"overlap", 1, 1, 1};
  if (shared && wishOf(loops[0], strategy) == "cluster_m") {
    product.dimM = int(*shared);
    sharing.clusterM = 2;
  }
  makePersistent(kernel, target, product, sharing, shared);
}

/// A kernel that is one product gets the plan of its strategy. False: the wish cannot be granted.
bool planProductOf(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy,
                   const SharedMemory &memory) {
  std::optional<Product> product = productOf(kernel, target, memory);
  if (!product)
    return true;
  tile::ForOp loop = product->loop.loop;
  llvm::Expected<ProductPlan> plan = planProduct(wishOf(loop, strategy), product->shape);
  if (!plan) {
    (void)Reported(loop, DiagId::PlanImpossible, llvm::toString(plan.takeError()));
    return false;
  }
  makePersistent(kernel, target, *product, *plan);
  loop.setPlanned(plan->strategy);
  return true;
}

/// The loops of the kernel that a producer serves, which take what they need from `memory`; `why`
/// says what keeps the first of the others from being one.
SmallVector<ProducerLoop, 1> planLoops(tile::KernelOp kernel, const TargetInfo &target,
                                       StringRef strategy, SharedMemory &memory,
                                       const OneSlotLoops &oneSlot, std::string &why) {
  SmallVector<ProducerLoop, 1> plans;
  auto leaveOut = [&](tile::ForOp loop, const Twine &reason) {
    if (why.empty())
      why = reason.str();
    refuseSchedule(loop, reason);
    forgetProducer(loop);
  };
  for (ProducerLoop &plan : producerLoopsOf(kernel, target)) {
    tile::ForOp loop = plan.loop;
    if (loop.getStages() < 2 && !oneSlot.contains(loop)) {
      leaveOut(loop, "nothing runs ahead with num_stages=1");
      continue;
    }
    std::string wish = wishOf(loop, strategy);
    plan.exactSlots = loop.getExact() || wish != "auto";
    plan.isPlain = wish == "producer_consumer";
    if (kernel.getLockstep() && !plan.isPlain)
      refuseWish(loop, wish, "the kernel mentions its threads");
    else if (!loop.getPlanned())
      chooseOverlap(plan, strategy, kernel, target);
    if (!plan.overlap)
      loop.getDeadFromMutable().clear();
    if (loop.getStages() < 2 && plan.pipes().size() < 2) {
      leaveOut(loop, "nothing runs ahead with num_stages=1");
      continue;
    }
    auto same = llvm::find_if(plans, [&](ProducerLoop &other) { return other.sharesRings(plan); });
    if (same != plans.end()) {
      plan.stages = same->stages;
    } else if (!plan.fitInto(memory)) {
      StringRef full = loop.getStages() < 2 ? "shared memory holds no barriers for it"
                                            : "shared memory holds no two slots";
      loop.emitRemark() << noProducer << full;
      leaveOut(loop, full);
      continue;
    } else {
      plan.takeFrom(memory);
    }
    plans.push_back(std::move(plan));
  }
  keepWholeRings(plans);
  for (ProducerLoop &plan : plans)
    plan.loop.removeStrategyAttr(); // granted, or said why not
  return plans;
}

} // namespace

/// Whether its blocks take several tiles of the former grid.
static bool isPersistent(tile::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    auto loop = dyn_cast<tile::ForOp>(op);
    return loop && loop.getPersistent();
  });
}

/// Before shared memory is counted: what may leave more of it to the rings.
static void forwardStoredTiles(tile::KernelOp kernel, const TargetInfo &target,
                               StringRef strategy) {
  if (!whyNoProducer(kernel, target).empty())
    return;
  OneSlotLoops oneSlot = findOneSlotLoops(kernel, target, strategy);
  bool hasProducer = false;
  SharedMemory memory(kernel, target, FilledBuffers::FromStart);
  for (ProducerLoop &plan : producerLoopsOf(kernel, target))
    if (plan.loop.getStages() > 1 || oneSlot.contains(plan.loop))
      hasProducer |= plan.fitInto(memory);
  if (hasProducer)
    forwardSharedTiles(kernel, target);
}

/// Fails, with a diagnostic, when a named strategy does not fit.
static LogicalResult expandProducerConsumer(tile::KernelOp kernel, const TargetInfo &target,
                                            StringRef strategy) {
  if (!whyNoProducer(kernel, target).empty())
    return success();
  OneSlotLoops oneSlot = findOneSlotLoops(kernel, target, strategy);
  // What threads do of their own stays in the order in which it is written: a producer only copies
  // for it.
  if (!kernel.getLockstep()) {
    SharedMemory persistent(kernel, target, FilledBuffers::Always);
    if (!planProductOf(kernel, target, strategy, persistent))
      return failure();
    shareOutOverlapped(kernel, target, strategy, persistent, oneSlot);
  }
  SharedMemory memory(kernel, target,
                      isPersistent(kernel) ? FilledBuffers::Always : FilledBuffers::FromStart);
  const bool hasServed = !producerLoopsOf(kernel, target).empty();
  std::string why;
  SmallVector<ProducerLoop, 1> plans = planLoops(kernel, target, strategy, memory, oneSlot, why);
  if (plans.empty()) {
    if (hasServed) // else `tile-find-producers` has said it
      refuseEverywhere(kernel, strategy, why.empty() ? "another loop uses its buffers" : why);
    return success();
  }
  // What an accumulator is stored through comes before slots that only the author's wish asks for.
  chooseTileStores(kernel, target, memory, [&] { return giveSlot(plans, memory, target); });
  addSlots(kernel, plans, memory, isPersistent(kernel), target);
  for (ProducerLoop &plan : plans) {
    if (plan.overlap && plan.stages == 1)
      plan.overlap->endsTogether = gemmsTakeLessThanCopies(plan.loop, target);
    if (plan.stages < int64_t(plan.loop.getStages()))
      plan.loop.emitRemark() << "pipelined with " << plan.stages << " instead of "
                             << plan.loop.getStages() << " stages: shared memory holds no more";
  }
  ProducerSlice slice(kernel, accessesOf(kernel).writes);
  SmallVector<tile::ForOp> loops;
  for (ProducerLoop &plan : plans) {
    llvm::cantFail(slice.addRound(plan.loop, *plan.round, plan.copies)); // asked before
    loops.push_back(plan.loop);
  }
  SmallVector<OneFill> fills;
  if (!kernel.getLockstep())
    fills = findOneFills(kernel, loops, slice, target);
  for (OneFill &fill : fills)
    fill.copy.setTransfersAttr(fill.transfers);
  Expansion(kernel, target, slice, std::move(plans), std::move(fills)).run();
  return success();
}

namespace {
struct ForwardStoresPass : impl::ForwardStoresPassBase<ForwardStoresPass> {
  using ForwardStoresPassBase::ForwardStoresPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      forwardStoredTiles(kernel, *chip, strategy);
  }
};
struct ExpandProducersPass : impl::ExpandProducersPassBase<ExpandProducersPass> {
  using ExpandProducersPassBase::ExpandProducersPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (failed(expandProducerConsumer(kernel, *chip, strategy)))
        return signalPassFailure();
    foldViews(getOperation());
  }
};
} // namespace

} // namespace tilec
