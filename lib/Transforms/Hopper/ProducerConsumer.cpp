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
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/ProducerConsumer.h"

#include "Hopper/Persistent.h"
#include "Hopper/TileStore.h"
#include "Hopper/TmaBox.h"
#include "Hopper/Wgmma.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {
namespace {

/// Room for the mbarriers of all pipes.
constexpr int64_t barrierBytes = 1024;
constexpr int64_t mostThreads = 1024;

struct LoopPlan {
  tile::ForOp loop;
  SmallVector<tile::CopyOp, 4> copies;
  SmallVector<tile::AllocOp, 4> rings;
  int64_t stages = 1, slotBytes = 0; ///< slotBytes: what one round copies
  bool everyThread = false;          ///< threads read slots by themselves
  tile::GemmOp inFlight;             ///< the only consumer
};

/// Whether the producer can compute the value: index arithmetic on block coordinates, parameters
/// and loop variables.
bool isComputable(Value value, tile::KernelOp kernel) {
  if (!kernel->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<tile::KernelOp, tile::ForOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isComputable(v, kernel); });
}

bool isInComputableLoops(tile::ForOp loop, tile::KernelOp kernel) {
  for (Operation *up = loop; up != kernel; up = up->getParentOp()) {
    auto outer = dyn_cast<tile::ForOp>(up);
    if (!outer || !isComputable(outer.getLower(), kernel) ||
        !isComputable(outer.getUpper(), kernel) || !isComputable(outer.getStep(), kernel))
      return false;
    bool leaves = false;
    outer.walk([&](tile::BreakOp) { leaves = true; });
    if (leaves)
      return false;
  }
  return true;
}

bool isReadOnlyBy(Operation *op, Value ring) {
  auto gemm = dyn_cast<tile::GemmOp>(op);
  return gemm && gemm.getWarpGroup() && rootOf(gemm.getA()) != rootOf(gemm.getC()) &&
         rootOf(gemm.getC()) != ring;
}

/// Whether the copy can be the producer's; fills the plan's ring list.
bool takesCopy(tile::CopyOp copy, LoopPlan &plan, tile::KernelOp kernel) {
  auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
  std::optional<TmaBox> box;
  if (!ring || plan.loop->isAncestor(ring) || !(box = tmaBoxOf(copy.getSrc(), copy.getDst())))
    return false;
  // Transfers begin at multiples of the swizzle's period, 1024 bytes at most; slots as well.
  if (box->bytes % 1024 != 0 || !isComputable(copy.getSrc(), kernel))
    return false;
  for (Operation *user : ring->getUsers()) {
    Operation *inBody = plan.loop.bodyBlock()->findAncestorOpInBlock(*user);
    if (!inBody || (user != copy && !copy->isBeforeInBlock(inBody)))
      return false;
    if (user == copy || isa<tile::SubviewOp>(user))
      continue;
    if (llvm::is_contained(accessesOf(inBody).writes, ring.getResult()))
      return false;
    plan.everyThread |= !isReadOnlyBy(inBody, ring.getResult());
  }
  if (llvm::is_contained(accessesOf(kernel).writes, rootOf(copy.getSrc())))
    return false;
  plan.copies.push_back(copy);
  plan.rings.push_back(ring);
  plan.slotBytes += box->bytes;
  return true;
}

/// The gemm that may stay in flight over the end of the round.
tile::GemmOp onlyGemm(LoopPlan &plan) {
  tile::GemmOp gemm;
  for (Operation &op : *plan.loop.bodyBlock()) {
    if (isMemoryEffectFree(&op) || llvm::is_contained(plan.copies, dyn_cast<tile::CopyOp>(op)))
      continue;
    auto candidate = dyn_cast<tile::GemmOp>(op);
    if (gemm || !candidate)
      return {};
    gemm = candidate;
  }
  bool isPlain = gemm && gemm.getWarpGroup() && gemm.getA().getType().isShared() &&
                 gemm.getC().getDefiningOp<tile::AllocOp>();
  return isPlain ? gemm : tile::GemmOp();
}

std::optional<LoopPlan> planLoop(tile::ForOp loop, tile::KernelOp kernel, int64_t sharedLeftBytes) {
  LoopPlan plan;
  plan.loop = loop;
  plan.stages = loop.getStages();
  bool hasGemm = false;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op))
      hasGemm |= gemm.getWarpGroup();
    auto copy = dyn_cast<tile::CopyOp>(op);
    bool fillsShared = copy && copy.getSrc().getType().isGlobal();
    if (fillsShared && !takesCopy(copy, plan, kernel))
      return std::nullopt;
  }
  if (!hasGemm || plan.copies.empty() || !isInComputableLoops(loop, kernel))
    return std::nullopt;
  while (plan.stages > 1 && plan.slotBytes * (plan.stages - 1) > sharedLeftBytes)
    --plan.stages;
  if (plan.stages < 2)
    return std::nullopt;
  plan.inFlight = onlyGemm(plan);
  return plan;
}

class Expansion {
public:
  Expansion(tile::KernelOp kernel, SmallVector<LoopPlan> plans)
      : kernel(kernel), plans(std::move(plans)), builder(kernel), loc(kernel.getLoc()) {}

  void run() {
    builder.setInsertionPointToStart(&kernel.getBody().front());
    auto producer = tile::ProducerOp::create(builder, loc);
    Block &body = producer.getBody().emplaceBlock();
    for (LoopPlan &plan : plans) {
      builder.setInsertionPoint(producer);
      for (tile::AllocOp ring : plan.rings)
        widen(ring, plan.stages);
      pipes[plan.loop] =
          tile::PipeOp::create(builder, loc, tile::PipeType::get(builder.getContext()), plan.stages,
                               plan.slotBytes, plan.everyThread);
    }
    builder.setInsertionPointToStart(&body);
    produce(kernel.getBody().front(), IRMapping());
    for (LoopPlan &plan : plans)
      consume(plan);
  }

private:
  void widen(tile::AllocOp ring, int64_t stages);
  Value slotView(tile::AllocOp ring, Value slot);
  /// What the producer does of `block`: loops around and of the plans.
  void produce(Block &block, IRMapping values);
  void produceRound(LoopPlan &plan, IRMapping values);
  Value copyOf(Value value, IRMapping &values);
  void consume(LoopPlan &plan);
  LoopPlan *planOf(Operation *op) {
    for (LoopPlan &plan : plans)
      if (plan.loop == op)
        return &plan;
    return nullptr;
  }

  tile::KernelOp kernel;
  SmallVector<LoopPlan> plans;
  OpBuilder builder;
  Location loc;
  llvm::DenseMap<Operation *, tile::AllocOp> wide;
  llvm::DenseMap<Operation *, tile::PipeOp> pipes;
};

void Expansion::widen(tile::AllocOp ring, int64_t stages) {
  tile::BufferType type = ring.getResult().getType();
  SmallVector<int64_t> shape = {stages};
  shape.append(type.getShape().begin(), type.getShape().end());
  SharedLayout layout = *sharedLayoutOf(ring);
  layout.shape.assign(shape.begin(), shape.end());
  auto wideType = tile::BufferType::get(shape, type.getElementType(), type.getScope());
  wide[ring] = tile::AllocOp::create(builder, ring.getLoc(), wideType, ring.getName(),
                                     tile::SharedLayoutAttr::get(ring.getContext(), layout));
}

Value Expansion::slotView(tile::AllocOp ring, Value slot) {
  tile::BufferType type = ring.getResult().getType();
  SmallVector<Value> offsets(type.rank() + 1, arith::ConstantIndexOp::create(builder, loc, 0));
  offsets[0] = slot;
  return tile::SubviewOp::create(builder, loc, type, wide[ring].getResult(), offsets,
                                 builder.getDenseI64ArrayAttr({0}));
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

void Expansion::produce(Block &block, IRMapping values) {
  for (Operation &op : block) {
    auto loop = dyn_cast<tile::ForOp>(op);
    bool holdsPlan =
        loop && llvm::any_of(plans, [&](LoopPlan &plan) { return loop->isAncestor(plan.loop); });
    if (!holdsPlan)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    auto own = tile::ForOp::create(builder, loop.getLoc(), copyOf(loop.getLower(), values),
                                   copyOf(loop.getUpper(), values), copyOf(loop.getStep(), values));
    builder.setInsertionPointToStart(own.bodyBlock());
    IRMapping inner = values;
    inner.map(loop.iv(), own.iv());
    if (LoopPlan *plan = planOf(loop))
      produceRound(*plan, inner);
    else
      produce(*loop.bodyBlock(), inner);
  }
}

void Expansion::produceRound(LoopPlan &plan, IRMapping values) {
  Value pipe = pipes[plan.loop].getPipe();
  SmallVector<Value> sources;
  for (tile::CopyOp copy : plan.copies)
    sources.push_back(copyOf(copy.getSrc(), values));
  Value slot = tile::PipeAcquireOp::create(builder, loc, builder.getIndexType(), pipe);
  for (auto [copy, ring, source] : llvm::zip(plan.copies, plan.rings, sources))
    tile::TmaCopyOp::create(builder, copy.getLoc(), source, slotView(ring, slot), pipe, slot);
}

void Expansion::consume(LoopPlan &plan) {
  Value pipe = pipes[plan.loop].getPipe();
  Location at = plan.loop.getLoc();
  builder.setInsertionPointToStart(plan.loop.bodyBlock());
  Value slot = tile::PipeWaitOp::create(builder, at, builder.getIndexType(), pipe);
  for (auto [copy, ring] : llvm::zip(plan.copies, plan.rings)) {
    Value view = slotView(ring, slot);
    tile::CopyOp original = copy;
    original.erase();
    ring.getResult().replaceAllUsesWith(view);
    tile::AllocOp narrow = ring;
    narrow.erase();
  }
  builder.setInsertionPointToEnd(plan.loop.bodyBlock());
  if (plan.inFlight) {
    plan.inFlight.setInFlight(true);
    Value c = plan.inFlight.getC();
    tile::GemmWaitOp::create(builder, at, c, 1);
    tile::PipeReleaseOp::create(builder, at, pipe, slot, /*previous=*/true);
    builder.setInsertionPointAfter(plan.loop);
    tile::GemmWaitOp::create(builder, at, c, 0);
    tile::PipeDrainOp::create(builder, at, pipe);
  } else {
    tile::PipeReleaseOp::create(builder, at, pipe, slot, /*previous=*/false);
  }
  plan.loop.setStages(1);
  plan.loop.setKind(tile::LoopKind::Serial);
}

/// One pipelined loop of gemms in the kernel's body: its tiles take equally long, so that blocks
/// may share them out beforehand.
bool isProduct(tile::KernelOp kernel, int64_t sharedLeftBytes) {
  tile::ForOp only;
  bool isOne = true;
  kernel.walk([&](tile::ForOp loop) {
    isOne &= !only && loop->getParentOp() == kernel;
    only = loop;
  });
  if (!isOne || !only || only.getKind() != tile::LoopKind::Pipelined || only.getStages() < 2)
    return false;
  std::optional<LoopPlan> plan = planLoop(only, kernel, sharedLeftBytes - barrierBytes);
  return plan && plan->inFlight;
}

/// Accumulators are stored through TMA where shared memory is left for it: two chunks a warp group,
/// or one. Chunks of a tile are a multiple of the buffers, so that each is used in turn across
/// tiles.
int64_t chooseTileStores(tile::KernelOp kernel, int64_t leftBytes) {
  int64_t used = 0;
  llvm::DenseSet<Value> stored;
  kernel.walk([&](tile::ParallelOp loop) {
    std::optional<TileStore> match = matchTileStore(loop);
    if (!match || !stored.insert(match->store.getBuffer()).second)
      return;
    int64_t perBuffer = match->chunkBytes * match->groupsM * match->groupsN;
    for (int64_t buffers : {2, 1})
      if (match->chunks % buffers == 0 && used + perBuffer * buffers <= leftBytes) {
        used += perBuffer * buffers;
        loop->setAttr(tileStoreBuffers,
                      IntegerAttr::get(IndexType::get(loop.getContext()), buffers));
        return;
      }
  });
  return used;
}

} // namespace

int64_t expandProducerConsumer(tile::KernelOp kernel, const TargetInfo &target,
                               int64_t sharedLeftBytes) {
  bool isWholeGroups = kernel.getThreads() % threadsPerGroup == 0 &&
                       int64_t(kernel.getThreads()) + threadsPerGroup <= mostThreads;
  if (target.arch != Arch::Sm90a || !isWholeGroups || kernel.getLockstep())
    return 0;
  if (isProduct(kernel, sharedLeftBytes))
    makePersistent(kernel);
  SmallVector<LoopPlan> plans;
  int64_t used = barrierBytes;
  kernel.walk([&](tile::ForOp loop) {
    if (loop.getKind() != tile::LoopKind::Pipelined || loop.getStages() < 2)
      return;
    std::optional<LoopPlan> plan = planLoop(loop, kernel, sharedLeftBytes - used);
    if (!plan)
      return;
    if (plan->stages < int64_t(loop.getStages()))
      loop.emitRemark() << "pipelined with " << plan->stages << " instead of " << loop.getStages()
                        << " stages: shared memory holds no more";
    used += plan->slotBytes * (plan->stages - 1);
    plans.push_back(std::move(*plan));
  });
  if (plans.empty())
    return 0;
  used += chooseTileStores(kernel, sharedLeftBytes - used);
  Expansion(kernel, std::move(plans)).run();
  return used;
}

} // namespace tilec
