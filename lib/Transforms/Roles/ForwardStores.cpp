//===- ForwardStores.cpp - accumulators stored without a tile on the way ---===//
//
// What stands between the accumulator and the tensor in a script, a shared tile that is only passed
// on, becomes part of the loop that stores, where tensor copies can do that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ProducerLoop.h"
#include "Roles/TileStore.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDSTORESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A shared tile between two loops of a block: `fill` writes each of its elements, `drain` reads
/// them where they were written.
struct PassedTile {
  tile::AllocOp tile;
  tile::ElementLoop fill;
  tile::StoreOp store;
  Operation *drain = nullptr; ///< tile.parallel, or tile.copy to a tensor
};

/// Whether a copy of the tile puts each element where its own indices say: the box has the tile's
/// extents, and others of 1 between them (`[b, rows, h, :]`).
bool keepsIndices(tile::BufferType tile, tile::BufferType box) {
  return tile.getShape() == box.getShape() || !llvm::is_contained(tile.getShape(), 1);
}

std::optional<PassedTile> passedTile(tile::AllocOp tile) {
  PassedTile passed{tile, {}, {}};
  tile::BufferType type = tile.getResult().getType();
  if (!type.isShared() || type.rank() != 2)
    return std::nullopt;
  for (Operation *user : tile->getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto load = dyn_cast<tile::LoadOp>(user);
    auto copy = dyn_cast<tile::CopyOp>(user);
    auto loop = dyn_cast<tile::ElementLoop>(user->getParentOp());
    Operation *drain = copy && copy.getSrc() == tile && copy.getDst().getType().isGlobal() &&
                               keepsIndices(type, copy.getDst().getType())
                           ? user
                           : nullptr;
    if (load && loop && coversTile(loop, load.getIndices(), type))
      drain = loop;
    if (store && loop && !passed.store && coversTile(loop, store.getIndices(), type)) {
      passed.store = store;
      passed.fill = loop;
    } else if (drain && (!passed.drain || passed.drain == drain)) {
      passed.drain = drain;
    } else {
      return std::nullopt;
    }
  }
  if (!passed.store || !passed.drain || passed.fill == passed.drain ||
      passed.fill->getBlock() != passed.drain->getBlock() ||
      !passed.fill->isBeforeInBlock(passed.drain))
    return std::nullopt;
  return passed;
}

/// Whether the loop only computes what it stores to the tile, and from what nothing changes until
/// `drain`.
bool canMoveDown(const PassedTile &passed) {
  // When each statement of a round that is cut runs is decided.
  if (auto around = dyn_cast<tile::ForOp>(passed.fill->getParentOp());
      around && around.getServed() && !around.getServed()->getServed().parts.empty())
    return false;
  for (Operation &op : *tile::ElementLoop(passed.fill).bodyBlock())
    if (&op != passed.store && !isa<tile::LoadOp>(op) &&
        (!isMemoryEffectFree(&op) || op.getNumRegions() != 0))
      return false;
  Accesses own = accessesOf(passed.fill);
  for (Operation *op = passed.fill->getNextNode(); op != passed.drain; op = op->getNextNode())
    for (Value root : accessesOf(op).writes)
      if (llvm::is_contained(own.reads, root))
        return false;
  return true;
}

/// The loop that stores what `drain` would, straight from what `fill` computes.
tile::ElementLoop fuse(PassedTile &passed) {
  OpBuilder b(passed.drain);
  Location loc = passed.drain->getLoc();
  auto loop = tile::ParallelOp::create(b, passed.fill.getLoc(), passed.fill.getExtents());
  loop.setPart(passed.fill.getPart());
  if (auto layout = passed.fill.getLayoutAttr())
    loop.setLayoutAttr(layout);
  Block &body = *loop.bodyBlock();
  IRMapping values;
  values.map(passed.fill.ivs(), loop.ivs());
  b.setInsertionPointToStart(&body);
  for (Operation &op : *passed.fill.bodyBlock())
    if (&op != passed.store)
      b.clone(op, values);
  Value element = values.lookupOrDefault(passed.store.getValue());
  Type type = passed.tile.getResult().getType().getElementType();
  auto copy = dyn_cast<tile::CopyOp>(passed.drain);
  bool isRounded = copy && copy.getDst().getType().getElementType() == type;
  if (!isRounded && isa<FloatType>(element.getType()) && element.getType() != type)
    element = tile::RoundOp::create(b, loc, element.getType(), element, type);
  if (copy) {
    ArrayRef<int64_t> box = copy.getDst().getType().getShape();
    SmallVector<Value, 4> indices(body.getArguments());
    for (auto [d, extent] : llvm::enumerate(box))
      if (extent == 1 && indices.size() < box.size())
        indices.insert(indices.begin() + d, arith::ConstantIndexOp::create(b, loc, 0));
    ElementPlace place = placeOf(copy.getDst(), indices, b, loc);
    tile::StoreOp::create(b, loc, element, place.buffer, place.indices);
    return loop;
  }
  auto drain = cast<tile::ElementLoop>(passed.drain);
  for (auto [iv, own] : llvm::zip(drain.ivs(), body.getArguments()))
    values.map(iv, own);
  for (Operation &op : *drain.bodyBlock()) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && load.getBuffer() == passed.tile.getResult())
      values.map(load.getResult(), element);
    else
      b.clone(op, values);
  }
  return loop;
}

/// Accumulators that a kernel stores through a shared tile of its author's, and through nothing
/// else, are stored from registers where TMA can do that.
void forwardSharedTiles(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<tile::AllocOp> tiles;
  kernel.walk([&](tile::AllocOp alloc) { tiles.push_back(alloc); });
  for (tile::AllocOp alloc : tiles) {
    std::optional<PassedTile> passed = passedTile(alloc);
    if (!passed || !canMoveDown(*passed))
      continue;
    tile::ElementLoop fused = fuse(*passed);
    hoistInvariants(fused);
    // The loops that it replaces do not count.
    Operation *old[] = {passed->fill, passed->drain};
    OpBuilder b(fused);
    for (Operation *op : old)
      op->remove();
    if (tileStoreIn(fused, kernel, target)) {
      for (Operation *op : old)
        op->erase();
      alloc.erase();
      continue;
    }
    for (Operation *op : old)
      b.insert(op);
    fused.erase();
  }
}

/// Before shared memory is counted: what may leave more of it to the rings.
void forwardStoredTiles(tile::KernelOp kernel, const TargetInfo &target) {
  if (!whyNoProducer(kernel, target).empty())
    return;
  bool hasProducer = false;
  SharedMemory memory(kernel, target, FilledBuffers::FromStart);
  for (ProducerLoop &plan : producerLoopsOf(kernel, target))
    hasProducer |= plan.fitInto(memory);
  if (hasProducer)
    forwardSharedTiles(kernel, target);
}

struct ForwardStoresPass : impl::ForwardStoresPassBase<ForwardStoresPass> {
  using ForwardStoresPassBase::ForwardStoresPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      forwardStoredTiles(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
