//===- ChooseTileStores.cpp - which accumulators go through TMA -----------===//
//
// A transfer writes some time after it was started, and threads do not see it. So the
// loop must be the only statement that touches the tensor, or reads it element by
// element where it writes. Before an author's loop comes to it again, what it wrote is
// there. Updates of the accumulator in place become part of that loop.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Registers.h"
#include "Roles/RingSlots.h"
#include "Roles/TileStore.h"
#include "Roles/WholeTiles.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"
#include "tilec/Transforms/ProductPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STORETILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t mostAfresh = 4; ///< transfers of a round that have a buffer each

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

/// The accumulator that a loop over all of it reads where its variables say, and nowhere else; null
/// when there is none or more than one.
Value accumulatorOf(tile::ElementLoop loop) {
  Value only;
  bool isOne = true;
  loop.walk([&](tile::LoadOp load) {
    auto type = cast<tile::BufferType>(load.getBuffer().getType());
    if (!type.isFragment() || type.rank() != 2)
      return;
    isOne &= (!only || only == load.getBuffer()) && coversTile(loop, load.getIndices(), type) &&
             load.getBuffer().getDefiningOp<tile::AllocOp>();
    only = load.getBuffer();
  });
  return isOne ? only : Value();
}

/// The loop in front of `last` that changes each element of the accumulator by itself (an
/// activation, a bias), where only `last` sees what it leaves.
tile::ElementLoop updateBefore(tile::ElementLoop last, Value accumulator) {
  Block *block = last->getBlock();
  if (accumulator.getDefiningOp()->getBlock() != block)
    return {};
  Operation *update = nullptr;
  for (Operation *user : accumulator.getUsers()) {
    Operation *statement = block->findAncestorOpInBlock(*user);
    if (!statement || (statement != last && !statement->isBeforeInBlock(last)))
      return {};
    if (statement != last && (!update || update->isBeforeInBlock(statement)))
      update = statement;
  }
  auto loop = dyn_cast_or_null<tile::ElementLoop>(update);
  if (!loop || loop.getPart() || loop.constantExtents() != last.constantExtents())
    return {};
  tile::StoreOp only;
  for (Operation &op : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isPlain = load || (isMemoryEffectFree(&op) && op.getNumRegions() == 0);
    if ((store && only) || (!store && !isPlain))
      return {};
    if (load && load.getBuffer() == accumulator && !llvm::equal(load.getIndices(), loop.ivs()))
      return {};
    only = store ? store : only;
  }
  auto type = cast<tile::BufferType>(accumulator.getType());
  if (!only || only.getBuffer() != accumulator || !llvm::equal(only.getIndices(), loop.ivs()) ||
      only.getValue().getType() != type.getElementType())
    return {};
  Accesses own = accessesOf(loop);
  for (Operation *op = loop->getNextNode(); op != last; op = op->getNextNode())
    for (Value root : accessesOf(op).writes)
      if (llvm::is_contained(own.reads, root))
        return {};
  return loop;
}

/// `last` with what `update` computes in the place of what it reads of the accumulator.
tile::ElementLoop merge(tile::ElementLoop update, tile::ElementLoop last, Value accumulator) {
  OpBuilder b(last);
  auto merged = tile::turnInto<tile::ParallelOp>(cast<tile::ElementLoop>(b.clone(*last)));
  b.setInsertionPointToStart(merged.bodyBlock());
  IRMapping values;
  for (auto [iv, own] : llvm::zip(update.ivs(), merged.ivs()))
    values.map(iv, own);
  Value element;
  for (Operation &op : *update.bodyBlock())
    if (auto store = dyn_cast<tile::StoreOp>(op))
      element = values.lookupOrDefault(store.getValue());
    else
      b.clone(op, values);
  SmallVector<tile::LoadOp> loads;
  merged.walk([&](tile::LoadOp load) {
    if (load.getBuffer() == accumulator)
      loads.push_back(load);
  });
  // Those of the update itself read what the product has left.
  for (tile::LoadOp load : loads)
    if (load->getParentOp() != merged || !load->isBeforeInBlock(&*b.getInsertionPoint()))
      load.getResult().replaceAllUsesWith(element), load.erase();
  return merged;
}

/// An element of a tensor that is the same in all rounds (a scale) is read once, in front of the
/// loop, and not again for each step of the store.
void hoistScalars(tile::ElementLoop loop) {
  hoistInvariants(loop);
  Accesses accesses = accessesOf(loop);
  for (tile::LoadOp load : llvm::make_early_inc_range(loop.bodyBlock()->getOps<tile::LoadOp>())) {
    Value root = rootOf(load.getBuffer());
    bool isFixed = load.getBuffer().getType().isGlobal() && !isChangedBy(accesses.writes, root) &&
                   llvm::none_of(load->getOperands(), [&](Value operand) {
                     return loop->isAncestor(operand.getParentRegion()->getParentOp());
                   });
    if (isFixed)
      load->moveBefore(loop);
  }
}

/// A loop, and what it becomes.
struct Stored {
  tile::ElementLoop loop;
  TileStore store;
};

/// `last` does what it and the updates in front of it do, if TMA can store that.
void mergeUpdates(Stored &last, tile::KernelOp kernel, const TargetInfo &target,
                  llvm::SmallPtrSetImpl<Operation *> &gone) {
  while (Value accumulator = accumulatorOf(last.loop)) {
    tile::ElementLoop update = updateBefore(last.loop, accumulator);
    if (!update)
      return;
    tile::ElementLoop merged = merge(update, last.loop, accumulator);
    hoistScalars(merged);
    hoistInvariants(merged);
    // The loops that it replaces do not count. `merged` stands in front of `last`, so each has an
    // operation behind it by which it finds back.
    Operation *old[] = {update, last.loop}, *behindUpdate = update->getNextNode();
    for (Operation *op : old)
      op->remove();
    std::optional<TileStore> store = tileStoreIn(merged, kernel, target);
    if (!store) {
      OpBuilder b(merged);
      b.setInsertionPointAfter(merged);
      b.insert(last.loop);
      b.setInsertionPoint(behindUpdate);
      b.insert(update);
      merged.erase();
      return;
    }
    for (Operation *op : old) {
      gone.insert(op);
      op->erase();
    }
    last = {merged, std::move(*store)};
  }
}

} // namespace

/// The loops of the kernel that store a tile, in order, as they will: updates in front of them are
/// merged into them, and guards that hold for whole tiles are left out there.
static SmallVector<Stored, 1> findStores(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<tile::ElementLoop> loops;
  kernel.walk([&](tile::ElementLoop loop) {
    if (!loop->getParentOfType<tile::ElementLoop>())
      loops.push_back(loop);
  });
  for (tile::ElementLoop loop : loops)
    hoistInvariants(loop);
  SmallVector<Stored, 1> matches, whole;
  for (tile::ElementLoop loop : loops) {
    if (std::optional<TileStore> match = matchTileStore(loop, target)) {
      matches.push_back({loop, std::move(*match)});
      continue;
    }
    splitWholeTile(loop, [&](tile::ElementLoop part) {
      hoistInvariants(part);
      std::optional<TileStore> store = tileStoreIn(part, kernel, target);
      if (store)
        whole.push_back({part, std::move(*store)});
      return bool(store);
    });
  }
  matches.append(std::make_move_iterator(whole.begin()), std::make_move_iterator(whole.end()));
  // Updates are merged into a loop behind them, so from behind.
  SmallVector<Stored, 1> stores;
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (Stored &last : llvm::reverse(matches)) {
    if (gone.contains(last.loop))
      continue;
    mergeUpdates(last, kernel, target, gone);
    if (isAlone(last.store, last.loop, kernel))
      stores.insert(stores.begin(), std::move(last));
  }
  return stores;
}

/// Makes tile.store_tile of the loops of the kernel that store so, where shared memory is left for
/// it. Stores of each round get buffers for as many transfers as no other resident block would get
/// shared memory for. Where none fits, rings give slots back that only their author wished for.
static void storeTiles(tile::KernelOp kernel, const TargetInfo &target,
                       MutableArrayRef<ProducerLoop> plans) {
  SmallVector<Stored, 1> stores = findStores(kernel, target);
  if (stores.empty())
    return;
  SharedMemory memory = memoryWith(kernel, plans, target);
  // All share the buffers of a warp group, used in turn: each loop ends where it began.
  int64_t bytes = 0, buffers = 2, ofRound = 0;
  for (auto &[loop, store] : stores) {
    bytes = std::max(bytes, store.bufferBytes());
    buffers = store.transfers() % 2 == 0 ? buffers : 1;
    if (isInAuthorsLoop(loop))
      ofRound = std::max(ofRound, store.transfers());
  }
  auto bytesWith = [&](int64_t count) {
    SharedMemory with = memory;
    with.addStaging(stagingBytes(kernel, count, bytes, target));
    return with.left() >= 0 ? with.bytes() : -1;
  };
  while (bytesWith(1) < 0 && giveSlot(plans, memory, target))
    continue;
  while (buffers > 0 && bytesWith(buffers) < 0)
    --buffers;
  if (buffers == 0)
    return;
  // What a round stores should not wait for its own transfers.
  bool afresh = false;
  int64_t most = bytesForSameOccupancy(kernel, producerThreads(target, kernel.getThreads()),
                                       bytesWith(buffers), target);
  for (int64_t count = std::min(ofRound, mostAfresh); count > 1 && !afresh; --count)
    if (int64_t needed = bytesWith(count); needed >= 0 && (needed <= most || count <= buffers)) {
      buffers = count;
      afresh = true;
    }
  for (auto &[loop, store] : stores) {
    SmallVector<int64_t, 2> rows, rowBytes;
    for (const TileTarget &target : store.targets) {
      rows.push_back(target.rowDim);
      rowBytes.push_back(target.rowBytes);
    }
    // Sums are the same in any order, and nothing else touches them (isAlone).
    bool inOrder = isInAuthorsLoop(loop) &&
                   !llvm::all_of(store.targets, [](const TileTarget &t) { return t.adds; });
    OpBuilder b(loop);
    auto stored = tile::turnInto<tile::StoreTileOp>(
        loop, {b.getNamedAttr("buffers", b.getI64IntegerAttr(buffers)),
               b.getNamedAttr("bytes", b.getI64IntegerAttr(bytes)),
               b.getNamedAttr("rows", b.getDenseI64ArrayAttr(rows)),
               b.getNamedAttr("row_bytes", b.getDenseI64ArrayAttr(rowBytes))});
    stored.setInOrder(inOrder);
    stored.setAfresh(afresh);
  }
}

namespace {
struct StoreTilesPass : impl::StoreTilesPassBase<StoreTilesPass> {
  using StoreTilesPassBase::StoreTilesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      SmallVector<ProducerLoop, 1> plans = producerLoopsOf(kernel, *chip);
      if (plans.empty())
        continue;
      storeTiles(kernel, *chip, plans);
      for (ProducerLoop &plan : plans)
        plan.write();
    }
  }
};
} // namespace

} // namespace tilec
