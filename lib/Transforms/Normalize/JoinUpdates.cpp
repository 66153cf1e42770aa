//===- JoinUpdates.cpp - tiles that are changed as they are brought --------===//
//
// Takes a copy of a tensor's box to a shared tile and the loop over elements behind it that gives
// each of them a new value. Gives one loop from the tensor to the tile, which can wait in registers
// for its round as other fills do (Pipelines/HeldRounds).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_JOINUPDATESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool touches(const Accesses &accesses, Value root) {
  return llvm::is_contained(accesses.reads, root) || llvm::is_contained(accesses.writes, root);
}

/// A loop of products whose author asks for rounds ahead, and the block that a round is.
bool isOfPipelinedProduct(tile::CopyOp copy) {
  auto loop = copy->getParentOfType<tile::ForOp>();
  return loop && loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1 &&
         !loop->getParentOfType<tile::KernelOp>().getLockstep() &&
         !copy->getBlock()->getOps<tile::GemmOp>().empty();
}

/// The first op behind the copy that reads or writes its tile, if until there nothing changes what
/// the copy reads.
tile::ParallelOp firstUse(tile::CopyOp copy, Value tile) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    if (isa<tile::SyncThreadsOp, tile::GridSyncOp>(op))
      return {};
    Accesses accesses = accessesOf(op);
    if (touches(accesses, tile))
      return dyn_cast<tile::ParallelOp>(op);
    if (isChangedBy(accesses.writes, rootOf(copy.getSrc())))
      return {};
  }
  return {};
}

/// Whether the loop gives each element of the tile a value once, from the element itself and from
/// what the loop around it does not change.
bool updatesInPlace(tile::ParallelOp parallel, Value tile) {
  auto type = cast<tile::BufferType>(tile.getType());
  if (!parallel.constantExtents() || ArrayRef(*parallel.constantExtents()) != type.getShape())
    return false;
  Accesses ofRounds = accessesOf(parallel->getParentOfType<tile::ForOp>());
  int64_t loads = 0, stores = 0;
  for (Operation &op : *parallel.bodyBlock()) {
    std::optional<ElementAccess> access = elementAccess(&op);
    if (!access) {
      if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
        return false;
      continue;
    }
    bool isOwn = access->buffer == tile && llvm::equal(access->indices, parallel.ivs());
    if (isa<tile::StoreOp>(op))
      stores += isOwn;
    else if (isa<tile::LoadOp>(op))
      loads += isOwn;
    bool isAllowed =
        isOwn ? isa<tile::LoadOp, tile::StoreOp>(op)
              : isa<tile::LoadOp>(op) && !isChangedBy(ofRounds.writes, rootOf(access->buffer));
    if (!isAllowed || (isOwn && isa<tile::LoadOp>(op) && stores != 0))
      return false;
  }
  return loads != 0 && stores == 1;
}

/// Whether something else of the round writes the tile: what is joined would be no filling of it,
/// where a copy is one of a tile of its own (tile-split-fills).
bool isChangedAgain(tile::CopyOp copy, tile::ParallelOp update, Value tile) {
  return llvm::any_of(*copy->getBlock(), [&](Operation &op) {
    return &op != copy && &op != update && llvm::is_contained(accessesOf(&op).writes, tile);
  });
}

void joinUpdate(tile::CopyOp copy) {
  auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
  tile::BufferType source = copy.getSrc().getType(), type = copy.getDst().getType();
  if (!tile || !type.isShared() || !source.isGlobal() ||
      source.getElementType() != type.getElementType() || !isOfPipelinedProduct(copy))
    return;
  tile::ParallelOp update = firstUse(copy, tile.getResult());
  if (!update || !updatesInPlace(update, tile.getResult()) ||
      isChangedAgain(copy, update, tile.getResult()))
    return;
  // The element as a copy would have brought it.
  OpBuilder builder(update);
  tile::MoveOp move = moveElements(builder, copy.getLoc(), copy.getSrc(), copy.getDst());
  IRMapping variables;
  for (auto [from, to] : llvm::zip_equal(move.ivs(), update.ivs()))
    variables.map(Value(from), Value(to));
  OpBuilder inside = OpBuilder::atBlockBegin(update.bodyBlock());
  Value brought;
  for (Operation &op : *move.bodyBlock())
    if (auto store = dyn_cast<tile::StoreOp>(op))
      brought = variables.lookup(store.getValue());
    else
      inside.clone(op, variables);
  for (auto load : llvm::make_early_inc_range(update.bodyBlock()->getOps<tile::LoadOp>()))
    if (load.getBuffer() == tile.getResult()) {
      load.getResult().replaceAllUsesWith(brought);
      load->erase();
    }
  move->erase();
  copy->erase();
}

struct JoinUpdatesPass : impl::JoinUpdatesPassBase<JoinUpdatesPass> {
  void runOnOperation() override {
    SmallVector<tile::CopyOp> copies;
    getOperation().walk([&](tile::CopyOp copy) { copies.push_back(copy); });
    llvm::for_each(copies, joinUpdate);
  }
};

} // namespace

} // namespace tilec
