//===- Stores.cpp - what a loop over elements leaves in a buffer -----------===//
//
// Takes an op and a buffer, says whether what was in the buffer is gone behind it, and what is
// there instead.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilec {

bool writesAll(tile::StoreOp store, tile::ParallelOp loop) {
  if (!loop.constantExtents())
    return false;
  ArrayRef<int64_t> shape = cast<tile::BufferType>(store.getBuffer().getType()).getShape();
  // Each index is another loop variable, which runs over the whole dimension.
  SmallVector<int, 4> direct = directIndices(store.getIndices(), loop);
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  llvm::SmallSet<int, 4> used;
  bool covers = true;
  for (auto [d, iv] : llvm::enumerate(direct))
    covers &= iv >= 0 && used.insert(iv).second && extents[iv] == shape[d];
  return covers;
}

tile::StoreOp wholeStore(Operation *op, Value buffer) {
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop || llvm::is_contained(accessesOf(op).reads, buffer))
    return {};
  for (tile::StoreOp store : loop.bodyBlock()->getOps<tile::StoreOp>())
    if (store.getBuffer() == buffer && writesAll(store, loop))
      return store;
  return {};
}

bool overwritesAll(Operation *op, Value buffer) {
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return copy.getDst() == buffer && rootOf(copy.getSrc()) != buffer;
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return gemm.getC() == buffer && gemm.getClear() &&
           tile::constantInt(gemm.getClear()).value_or(0) != 0;
  return bool(wholeStore(op, buffer));
}

bool isZero(Value value) {
  if (auto cast = value.getDefiningOp<arith::SIToFPOp>())
    value = cast.getIn();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

bool fillsWithZero(Operation *op, Value buffer) {
  tile::StoreOp whole = wholeStore(op, buffer);
  return whole && isZero(whole.getValue()) &&
         !op->walk([&](tile::StoreOp store) {
              bool isOther = store != whole && store.getBuffer() == buffer;
              return isOther ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

static bool onlyComputes(Operation &op) {
  if (isa<scf::IfOp>(op))
    return llvm::all_of(op.getRegions(), [](Region &region) {
      return region.empty() || llvm::all_of(region.front(), onlyComputes);
    });
  return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<tile::LoadOp>(op));
}

tile::StoreOp onlyStore(tile::ParallelOp loop) {
  tile::StoreOp found;
  for (Operation &op : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store ? bool(found) : !onlyComputes(op))
      return {};
    if (store)
      found = store;
  }
  return found;
}

} // namespace tilec
