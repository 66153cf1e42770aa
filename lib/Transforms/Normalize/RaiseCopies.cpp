//===- RaiseCopies.cpp - parallels that are copies ------------------------===//
//
// Takes a tile.parallel that moves a box of a global tensor to a whole shared buffer, gives a copy.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RAISECOPIESPASS
#include "tilec/Transforms/Passes.h.inc"

static bool raiseCopy(tile::ParallelOp parallel) {
  auto extents = parallel.constantExtents();
  auto [load, store] = tile::MoveOp::plainMove(parallel);
  if (!extents || !load)
    return false;
  tile::BufferType src = load.getBuffer().getType(), dst = store.getBuffer().getType();
  if (!src.isGlobal() || !dst.isShared() || src.getElementType() != dst.getElementType())
    return false;
  // The store covers the buffer in order.
  if (dst.getShape() != ArrayRef(*extents))
    return false;
  for (auto [index, iv] : llvm::zip(store.getIndices(), parallel.ivs()))
    if (index != iv)
      return false;
  // The load's indices are iv + something that the iteration does not change, each iv once and in
  // order.
  SmallVector<Value, 4> ivs(parallel.ivs().begin(), parallel.ivs().end());
  SmallVector<LinearForm, 4> offsets;
  SmallVector<int64_t> dropped;
  size_t next = 0;
  for (auto [d, index] : llvm::enumerate(load.getIndices())) {
    LinearForm form = linearize(index);
    bool usesNext = next < ivs.size() && form.coefficient(ivs[next]) == 1;
    LinearForm rest = form.without(usesNext ? ValueRange(ivs[next]) : ValueRange());
    for (auto [term, factor] : rest.terms)
      if (parallel.getBody().isAncestor(term.getParentRegion()))
        return false;
    if (usesNext)
      ++next;
    else
      dropped.push_back(d);
    offsets.push_back(rest);
  }
  if (next != ivs.size())
    return false;

  OpBuilder builder(parallel);
  Location loc = parallel.getLoc();
  SmallVector<Value> starts;
  for (const LinearForm &form : offsets) {
    Value sum;
    if (form.constant != 0 || form.terms.empty())
      sum = arith::ConstantIndexOp::create(builder, loc, form.constant);
    for (auto [term, factor] : form.terms) {
      Value part = term;
      if (!part.getType().isIndex())
        part = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), part);
      if (factor != 1)
        part = arith::MulIOp::create(builder, loc, part,
                                     arith::ConstantIndexOp::create(builder, loc, factor));
      sum = sum ? arith::AddIOp::create(builder, loc, sum, part).getResult() : part;
    }
    starts.push_back(sum);
  }
  auto boxType = tile::BufferType::get(*extents, src.getElementType(), src.getScope());
  Value view = tile::SubviewOp::create(builder, loc, boxType, load.getBuffer(), starts,
                                       builder.getDenseI64ArrayAttr(dropped));
  tile::CopyOp::create(builder, loc, view, store.getBuffer(), StringAttr());
  parallel.erase();
  return true;
}

static void raiseCopies(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> parallels;
  program.walk([&](tile::ParallelOp op) {
    if (!op->getParentOfType<tile::ParallelOp>())
      parallels.push_back(op);
  });
  for (tile::ParallelOp op : parallels)
    raiseCopy(op);
}

namespace {
struct RaiseCopiesPass : impl::RaiseCopiesPassBase<RaiseCopiesPass> {
  void runOnOperation() override { raiseCopies(getOperation()); }
};
} // namespace

} // namespace tilec
