//===- ChooseTileStores.cpp - which accumulators go through TMA -----------===//
//
// A transfer writes some time after it was started, and threads do not see it. So the
// loop must be the only statement that touches the tensor, or reads it element by
// element where it writes. Before an author's loop comes to it again, what it wrote is
// there.
//
// What stands between the accumulator and the tensor in a script becomes part of that
// loop: a shared tile that is only passed on, updates of the accumulator in place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Registers.h"
#include "Roles/RingSlots.h"
#include "Roles/TileStore.h"
#include "Roles/WholeTiles.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/ProductPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr int64_t mostAfresh = 4; ///< transfers of a round that have a buffer each

/// A loop of the author's around `op`, whose rounds may write the same elements.
bool isInAuthorsLoop(Operation *op) {
  for (Operation *up = op->getParentOp(); up && !isa<tile::KernelOp>(up); up = up->getParentOp())
    if (auto loop = dyn_cast<tile::ForOp>(up);
        isa<tile::WhileOp>(up) || (loop && !loop.getPersistent()))
      return true;
  return false;
}

bool readsWhatItWrites(tile::LoadOp load, const TileTarget &target) {
  return llvm::all_of(llvm::zip(load.getIndices(), target.indices), [](auto pair) {
    LinearForm difference = linearize(std::get<0>(pair));
    difference.add(linearize(std::get<1>(pair)), -1);
    return difference.terms.empty() && difference.constant == 0;
  });
}

/// Whether nothing else of the kernel has to see, or be seen by, what the loop writes to the
/// tensor.
bool isAlone(const TileTarget &target, tile::ElementLoop loop, tile::KernelOp kernel) {
  auto result = kernel.walk([&](Operation *op) {
    if (op == target.op || op->getNumRegions() != 0 || isMemoryEffectFree(op))
      return WalkResult::advance();
    Accesses accesses = accessesOf(op);
    Value root = rootOf(target.tensor);
    if (!isChangedBy(accesses.reads, root) && !isChangedBy(accesses.writes, root))
      return WalkResult::advance();
    if (areExclusive(op, loop) && !isInAuthorsLoop(loop))
      return WalkResult::advance();
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isSafe = load && load.getBuffer() == target.tensor && loop->isAncestor(op) &&
                  !isInAuthorsLoop(loop) && readsWhatItWrites(load, target);
    return isSafe ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether the op reads a thread's variable that the loop leaves as it is.
bool readsVariable(Operation &op, ArrayRef<Value> written) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && load.getBuffer().getType().isLocal() &&
         !llvm::is_contained(written, rootOf(load.getBuffer()));
}

/// What no loop variable moves is computed in front of the loop.
void hoistInvariants(tile::ElementLoop loop) {
  const Accesses accesses = accessesOf(loop);
  for (Operation &op : llvm::make_early_inc_range(*loop.bodyBlock()))
    if ((isMemoryEffectFree(&op) || readsVariable(op, accesses.writes)) &&
        op.getNumRegions() == 0 && llvm::none_of(op.getOperands(), [&](Value operand) {
          return loop->isAncestor(operand.getParentRegion()->getParentOp());
        }))
      op.moveBefore(loop);
}

std::optional<TileStore> storeOf(tile::ElementLoop loop, tile::KernelOp kernel,
                                 const TargetInfo &target) {
  std::optional<TileStore> match = matchTileStore(loop, target);
  if (!match || !llvm::all_of(match->targets,
                              [&](const TileTarget &to) { return isAlone(to, loop, kernel); }))
    return std::nullopt;
  return match;
}

//===----------------------------------------------------------------------===//
// Shared tiles
//===----------------------------------------------------------------------===//

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

bool coversTile(tile::ElementLoop loop, ValueRange indices, tile::BufferType type) {
  auto extents = loop.constantExtents();
  return extents && ArrayRef<int64_t>(*extents) == type.getShape() &&
         llvm::equal(indices, loop.ivs());
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

/// The loop that does what `last` and the updates in front of it do, if TMA can store that.
tile::ElementLoop mergeUpdates(tile::ElementLoop last, tile::KernelOp kernel,
                               const TargetInfo &target, llvm::SmallPtrSetImpl<Operation *> &gone) {
  while (Value accumulator = accumulatorOf(last)) {
    tile::ElementLoop update = updateBefore(last, accumulator);
    if (!update)
      break;
    tile::ElementLoop merged = merge(update, last, accumulator);
    hoistScalars(merged);
    hoistInvariants(merged);
    // The loops that it replaces do not count. `merged` stands in front of `last`, so each has an
    // operation behind it by which it finds back.
    Operation *old[] = {update, last}, *behindUpdate = update->getNextNode();
    for (Operation *op : old)
      op->remove();
    if (!storeOf(merged, kernel, target)) {
      OpBuilder b(merged);
      b.setInsertionPointAfter(merged);
      b.insert(last);
      b.setInsertionPoint(behindUpdate);
      b.insert(update);
      merged.erase();
      break;
    }
    for (Operation *op : old) {
      gone.insert(op);
      op->erase();
    }
    last = merged;
  }
  return last;
}

} // namespace

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
    if (storeOf(fused, kernel, target)) {
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

void chooseTileStores(tile::KernelOp kernel, const TargetInfo &target, SharedMemory &memory,
                      llvm::function_ref<bool()> makeRoom) {
  SmallVector<std::pair<tile::ElementLoop, TileStore>, 1> stores;
  SmallVector<tile::ElementLoop> loops;
  kernel.walk([&](tile::ElementLoop loop) { loops.push_back(loop); });
  for (tile::ElementLoop loop : loops) {
    if (!loop->getParentOfType<tile::ElementLoop>())
      hoistInvariants(loop);
  }
  for (tile::ElementLoop loop : llvm::to_vector(loops))
    if (!loop->getParentOfType<tile::ElementLoop>() && !matchTileStore(loop, target))
      splitWholeTile(loop, [&](tile::ElementLoop whole) {
        hoistInvariants(whole);
        if (!storeOf(whole, kernel, target))
          return false;
        loops.push_back(whole);
        return true;
      });
  // Updates are merged into a loop behind them, so from behind.
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (tile::ElementLoop loop : llvm::reverse(loops)) {
    if (gone.contains(loop) || !matchTileStore(loop, target))
      continue;
    loop = mergeUpdates(loop, kernel, target, gone);
    if (std::optional<TileStore> store = storeOf(loop, kernel, target))
      stores.insert(stores.begin(), {loop, *store});
  }
  if (stores.empty())
    return;
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
  while (bytesWith(1) < 0 && makeRoom())
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
  memory.addStaging(stagingBytes(kernel, buffers, bytes, target));
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

} // namespace tilec
