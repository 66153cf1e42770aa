//===- ReadsBeforeWrites.cpp - reads of a thread in front of its writes ----------===//
//
//   C[i + 0] = A[i + 0] + B[i + 0]
//   C[i + 1] = A[i + 1] + B[i + 1]
//
// Neither LLVM nor ptxas moves a read in front of a write to what may be the same place, so that
// each statement waits for its reads, and none is one access with its neighbour's. No tensor
// overlaps one that is written (docs/decisions/0016-tensors-do-not-overlap.md), and places in one
// tensor are others where a constant is between them: all is read first, and written together.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ReadsBeforeWrites.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

/// Whether a constant is between the places in some dimension.
static bool areApart(ValueRange one, ValueRange other) {
  return one.size() == other.size() && llvm::any_of(llvm::zip(one, other), [](auto pair) {
           LinearForm difference = linearize(std::get<0>(pair));
           difference.add(linearize(std::get<1>(pair)), -1);
           return difference.terms.empty() && difference.constant != 0;
         });
}

static bool isChangedBy(tile::LoadOp load, tile::StoreOp store) {
  if (!isChangedBy({rootOf(store.getBuffer())}, rootOf(load.getBuffer())))
    return false;
  return load.getBuffer() != store.getBuffer() || !areApart(load.getIndices(), store.getIndices());
}

void putReadsFirst(Block::iterator first, Block::iterator end) {
  constexpr int64_t mostReads = 64; // values that are held at once
  SmallVector<Operation *> up;
  SmallVector<tile::StoreOp> stores;
  tile::StoreOp front; // the first one to memory; LLVM knows what registers hold
  llvm::SmallPtrSet<Operation *, 32> stays;
  int64_t reads = 0;
  for (Operation &op : llvm::make_range(first, end)) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      stores.push_back(store);
      stays.insert(&op);
      if (!front &&
          (store.getBuffer().getType().isGlobal() || store.getBuffer().getType().isShared()))
        front = store;
      continue;
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    reads += load && load.getBuffer().getType().isGlobal();
    bool isChanged = load && llvm::any_of(stores, [&](tile::StoreOp store) {
                       return load.getBuffer().getType().isShared() || isChangedBy(load, store);
                     });
    bool waits = llvm::any_of(op.getOperands(),
                              [&](Value value) { return stays.contains(value.getDefiningOp()); });
    if (isChanged || waits)
      stays.insert(&op);
    else if (front)
      up.push_back(&op);
  }
  if (reads > mostReads)
    return;
  // Arithmetic stays where its results are used: registers would hold those of all.
  llvm::SmallPtrSet<Operation *, 32> needed;
  for (Operation *op : llvm::reverse(up)) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!needed.contains(op) && !(load && load.getBuffer().getType().isGlobal()))
      continue;
    needed.insert(op);
    for (Value value : op->getOperands())
      if (Operation *from = value.getDefiningOp())
        needed.insert(from);
  }
  for (Operation *op : up)
    if (needed.contains(op))
      op->moveBefore(front);
}

} // namespace tilec
