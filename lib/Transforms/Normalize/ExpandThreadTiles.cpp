//===- ExpandThreadTiles.cpp - tile operations of single threads ----------===//
//
// Takes tile operations on what one thread owns, gives loops of that thread; and fills, copies and
// reductions of its arrays.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDTHREADTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The parallel as loops, which the thread runs in order.
void serialize(tile::ParallelOp parallel) {
  OpBuilder b(parallel);
  Location loc = parallel.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  IRMapping mapping;
  for (auto [iv, extent] : llvm::zip(parallel.ivs(), parallel.getExtents())) {
    auto loop = tile::ForOp::create(b, loc, zero, extent, one);
    mapping.map(iv, loop.iv());
    b.setInsertionPointToStart(loop.bodyBlock());
  }
  for (Operation &op : *parallel.bodyBlock())
    b.clone(op, mapping);
  parallel.erase();
}

/// dst = combine(dst, src) element by element; expands reductions of local arrays.
void expandReduce(tile::ReduceOp reduce) {
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  tile::BufferType src = reduce.getSrc().getType(), dst = reduce.getDst().getType();
  tile::ReduceKind kind = reduce.getKind();
  Type scalar = tile::scalarTypeOf(src.getElementType()),
       out = tile::scalarTypeOf(dst.getElementType());
  bool isUnsignedType = isUnsigned(tile::dtypeOf(src.getElementType()));
  if (reduce.getClear())
    makeElementwise(b, loc, reduce.getDst(), [&](OpBuilder &inner, ValueRange) {
      return identityOfElement(inner, loc, kind, dst.getElementType(), isUnsignedType,
                               reduce.getNanPropagate());
    });
  SmallVector<Value> extents;
  for (int64_t size : src.getShape())
    extents.push_back(arith::ConstantIndexOp::create(b, loc, size));
  auto loop = tile::ParallelOp::create(b, loc, extents);
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  SmallVector<Value> from(loop.ivs().begin(), loop.ivs().end()), to(from);
  if (dst.rank() == src.rank())
    to[reduce.getDim()] = arith::ConstantIndexOp::create(inner, loc, 0);
  else
    to.erase(to.begin() + reduce.getDim());
  to.resize(dst.rank(), arith::ConstantIndexOp::create(inner, loc, 0));
  // Of the buffers behind views.
  ElementPlace read = placeOf(reduce.getSrc(), from, inner, loc);
  Value value = tile::LoadOp::create(inner, loc, scalar, read.buffer, read.indices, FloatAttr());
  if (kind == tile::ReduceKind::AbsSum || kind == tile::ReduceKind::AbsMax) {
    Value zero = arith::ConstantOp::create(inner, loc, inner.getZeroAttr(scalar));
    Value negated = isa<FloatType>(scalar)
                        ? arith::NegFOp::create(inner, loc, value).getResult()
                        : arith::SubIOp::create(inner, loc, zero, value).getResult();
    if (!isUnsignedType)
      value = combine(inner, loc, tile::ReduceKind::Max, value, negated, false, true);
  }
  value = convertScalar(inner, loc, value, src.getElementType(), dst.getElementType());
  ElementPlace sum = placeOf(reduce.getDst(), to, inner, loc);
  Value old = tile::LoadOp::create(inner, loc, out, sum.buffer, sum.indices, FloatAttr());
  value = combine(inner, loc, kind, old, value, isUnsignedType, reduce.getNanPropagate());
  tile::StoreOp::create(inner, loc, value, sum.buffer, sum.indices);
  reduce.erase();
}

bool touchesFragment(Operation *op) {
  auto result = op->walk([](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (auto type = dyn_cast<tile::BufferType>(operand.getType()); type && type.isFragment())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// What the user wrote, for messages.
llvm::StringRef spelling(Operation *op) {
  return llvm::TypeSwitch<Operation *, llvm::StringRef>(op)
      .Case([](tile::CopyOp) { return "T.copy"; })
      .Case([](tile::FillOp) { return "T.fill"; })
      .Case([](tile::GemmOp) { return "T.gemm"; })
      .Case([](tile::ReduceOp) { return "T.reduce"; })
      .Case([](tile::ScanOp) { return "T.cumsum"; })
      .Default([](Operation *) { return "T.Parallel"; });
}

/// Whether both are computed alike.
bool isSameIndex(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return a == b || (x && y && isMemoryEffectFree(x) && x->getName() == y->getName() &&
                    x->getAttrs() == y->getAttrs() && x->getNumRegions() == 0 &&
                    x->getNumOperands() == y->getNumOperands() &&
                    llvm::all_of_zip(x->getOperands(), y->getOperands(), isSameIndex));
}

/// Whether what is stored is made of the element that it takes the place of, the same one in every
/// iteration.
bool updatesOneElement(tile::StoreOp store, tile::ParallelOp loop) {
  auto walksAlong = [&](Value index) {
    return llvm::any_of(loop.ivs(), [&](Value iv) { return isMadeOf(index, iv); });
  };
  if (llvm::any_of(store.getIndices(), walksAlong))
    return false;
  SmallVector<Value> work = {store.getValue()};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !loop->isAncestor(op) || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && load.getBuffer() == store.getBuffer() &&
        llvm::all_of_zip(load.getIndices(), store.getIndices(), isSameIndex))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Whether all that the loop leaves in local buffers are such updates.
bool onlyUpdatesLocals(tile::ParallelOp loop) {
  auto result = loop.walk([&](tile::StoreOp store) {
    Operation *root = tile::bufferBehind(store.getBuffer()).getDefiningOp();
    bool isLeft = store.getBuffer().getType().isLocal() && root && !loop->isAncestor(root);
    return isLeft && !updatesOneElement(store, loop) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether the op has to be done by each thread. What is the same in all threads and reads a
/// fragment is done once, and all threads get the result (`s += f[i]` into a variable).
bool belongsToThread(Operation *op, const tile::Uniformity &uniformity) {
  if (!uniformity.runsPerThread(op))
    return false;
  auto loop = dyn_cast<tile::ParallelOp>(op);
  return !loop || uniformity.usesDiffering(op) || !touchesFragment(op) || !onlyUpdatesLocals(loop);
}

LogicalResult expandThreadTiles(tile::KernelOp kernel) {
  tile::Uniformity uniformity(kernel);
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!belongsToThread(op, uniformity))
      return WalkResult::advance();
    ops.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : ops) {
    if (isa<tile::PrintOp>(op))
      continue;
    if (isa<tile::GemmOp, tile::ScanOp>(op))
      return Reported(op, DiagId::BlockOperandsDiffer, spelling(op));
    if (touchesFragment(op))
      return Reported(op, DiagId::FragmentByThread, spelling(op));
  }
  for (Operation *op : ops) {
    OpBuilder b(op);
    if (auto copy = dyn_cast<tile::CopyOp>(op))
      expandCopy(b, op->getLoc(), copy.getSrc(), copy.getDst());
    else if (auto fill = dyn_cast<tile::FillOp>(op))
      expandFill(b, op->getLoc(), fill.getValue(), fill.getDst());
    else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      expandReduce(reduce);
    if (isa<tile::CopyOp, tile::FillOp>(op))
      op->erase();
  }
  // The new loops over elements belong to threads as well: they do what the ops did.
  while (true) {
    tile::Uniformity now(kernel);
    tile::ParallelOp next;
    kernel.walk<WalkOrder::PreOrder>([&](tile::ParallelOp parallel) {
      auto outer = parallel->getParentOfType<tile::ParallelOp>();
      if (!belongsToThread(parallel, now) || outer)
        return WalkResult::advance();
      next = parallel;
      return WalkResult::interrupt();
    });
    if (!next)
      return success();
    serialize(next);
  }
}

struct ExpandThreadTilesPass : impl::ExpandThreadTilesPassBase<ExpandThreadTilesPass> {
  void runOnOperation() override {
    SmallVector<tile::KernelOp> kernels = lockstepKernels(getOperation());
    if (kernels.empty())
      return;
    // Those of an iteration are the thread's as well, and loops name buffers, not views.
    expandTilesInParallels(getOperation());
    foldViews(getOperation());
    for (tile::KernelOp kernel : kernels)
      if (failed(expandThreadTiles(kernel)))
        return signalPassFailure();
  }
};

} // namespace

} // namespace tilec
