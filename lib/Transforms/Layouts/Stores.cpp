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

bool writesAll(tile::StoreOp store, tile::ElementLoop loop) {
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

bool storesAll(Operation *op, Value buffer) {
  auto loop = dyn_cast<tile::ElementLoop>(op);
  return loop && llvm::any_of(loop.bodyBlock()->getOps<tile::StoreOp>(), [&](tile::StoreOp store) {
           return store.getBuffer() == buffer && writesAll(store, loop);
         });
}

bool overwritesAll(Operation *op, Value buffer) {
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return copy.getDst() == buffer && rootOf(copy.getSrc()) != buffer;
  if (auto fill = dyn_cast<tile::FillOp>(op))
    return fill.getDst() == buffer;
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return gemm.getC() == buffer && gemm.getClear() &&
           tile::constantInt(gemm.getClear()).value_or(0) != 0;
  return storesAll(op, buffer) && !llvm::is_contained(accessesOf(op).reads, buffer);
}

bool isZero(Value value) {
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::SIToFPOp, arith::UIToFPOp, arith::TruncFOp, arith::ExtFOp>(cast))
      break;
    value = cast->getOperand(0);
  }
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

bool isWholeTile(Value buffer) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return (type.isFragment() || type.isShared()) && buffer.getDefiningOp<tile::AllocOp>();
}

/// Whether the value is computed from what is outside of the loop alone.
static bool isSameInAllRounds(Value value, tile::ElementLoop loop) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isSameInAllRounds(v, loop); });
}

/// Whether the loop comes to each element of a tile of this shape with its own variables, in order.
static bool runsOver(ArrayRef<int64_t> shape, ValueRange indices, tile::ElementLoop loop) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  if (shape.empty()) // a scalar: one round
    return llvm::all_of(extents, [](int64_t extent) { return extent == 1; });
  return shape == ArrayRef<int64_t>(extents) && llvm::equal(indices, loop.ivs());
}

SmallVector<tile::StoreOp, 1> fillsIn(tile::ElementLoop loop) {
  SmallVector<tile::StoreOp, 1> fills;
  if (!loop.constantExtents() || loop.getPart())
    return fills;
  for (auto store : loop.bodyBlock()->getOps<tile::StoreOp>())
    if (isWholeTile(store.getBuffer()) && isSameInAllRounds(store.getValue(), loop) &&
        runsOver(store.getBuffer().getType().getShape(), store.getIndices(), loop))
      fills.push_back(store);
  return fills;
}

bool onlyFills(tile::ElementLoop loop) {
  SmallVector<tile::StoreOp, 1> fills = fillsIn(loop);
  return !fills.empty() && llvm::all_of(*loop.bodyBlock(), [&](Operation &op) {
    return (isPure(&op) && op.getNumRegions() == 0) || llvm::is_contained(fills, &op);
  });
}

static bool onlyComputes(Operation &op) {
  if (isa<scf::IfOp>(op))
    return llvm::all_of(op.getRegions(), [](Region &region) {
      return region.empty() || llvm::all_of(region.front(), onlyComputes);
    });
  return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<tile::LoadOp>(op));
}

tile::StoreOp onlyStore(tile::ElementLoop loop) {
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
