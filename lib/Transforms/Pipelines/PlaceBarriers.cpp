//===- PlaceBarriers.cpp - barriers between dependent shared accesses -----===//
//
// One walk in program order with the set of buffers read and written since the last
// barrier. Different lanes may touch the same element in two tile operations, so any
// two of them that conflict on a buffer are separated. A loop is walked once to learn
// what its end leaves open, and once more to place barriers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PLACEBARRIERSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Shared buffers touched since the last barrier.
struct Open {
  llvm::SetVector<Value> reads, writes;

  void clear() {
    reads.clear();
    writes.clear();
  }
  void add(const Open &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
  }
};

class Placement {
public:
  /// Walks a block; with `insert`, barriers are placed, without, `open` only learns.
  void walk(Block &block, Open &open, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, open, insert);
  }

private:
  void visit(Operation *op, Open &open, bool insert);
  void visitLeaf(Operation *op, Open &open, bool insert);
};

bool isSharedAccess(Value root) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  return alloc && alloc.getResult().getType().isShared();
}

Accesses sharedAccessesOf(Operation *op) {
  Accesses accesses = accessesOf(op);
  llvm::erase_if(accesses.reads, [](Value v) { return !isSharedAccess(v); });
  llvm::erase_if(accesses.writes, [](Value v) { return !isSharedAccess(v); });
  return accesses;
}

bool conflicts(const Accesses &accesses, const Open &open) {
  return llvm::any_of(accesses.reads, [&](Value v) { return open.writes.contains(v); }) ||
         llvm::any_of(accesses.writes,
                      [&](Value v) { return open.writes.contains(v) || open.reads.contains(v); });
}

void Placement::visit(Operation *op, Open &open, bool insert) {
  if (isa<tile::BarrierOp, tile::SyncThreadsOp>(op))
    return open.clear();
  if (isa<tile::ParallelOp>(op))
    return visitLeaf(op, open, insert);
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    // What the loop needs from before it is waited for once, not in every iteration.
    if (conflicts(sharedAccessesOf(loop), open)) {
      if (insert) {
        OpBuilder builder(op);
        tile::BarrierOp::create(builder, op->getLoc());
      }
      open.clear();
    }
    // What an iteration leaves open meets the next iteration's beginning.
    Open end = open;
    walk(*loop.bodyBlock(), end, false);
    open.add(end);
    walk(*loop.bodyBlock(), open, insert);
    return open.add(end);
  }
  if (isa<scf::IfOp, tile::WhileOp>(op)) {
    Open before = open;
    if (isa<tile::WhileOp>(op)) {
      Open end = open;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          walk(block, end, false);
      before.add(end);
    }
    Open after = before;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Open branch = before;
        walk(block, branch, insert);
        after.add(branch);
      }
    open = after;
    return;
  }
  visitLeaf(op, open, insert);
}

void Placement::visitLeaf(Operation *op, Open &open, bool insert) {
  // Rings are separated by the pipeline's own barriers, a producer's by its pipes.
  if (isa<tile::AsyncCopyOp, tile::ProducerOp>(op))
    return;
  Accesses accesses = sharedAccessesOf(op);
  if (conflicts(accesses, open)) {
    if (insert) {
      OpBuilder builder(op);
      tile::BarrierOp::create(builder, op->getLoc());
    }
    open.clear();
  }
  open.reads.insert(accesses.reads.begin(), accesses.reads.end());
  open.writes.insert(accesses.writes.begin(), accesses.writes.end());
}

struct PlaceBarriersPass : impl::PlaceBarriersPassBase<PlaceBarriersPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      Open open;
      Placement().walk(kernel.getBody().front(), open, true);
    }
  }
};

} // namespace

} // namespace tilec
