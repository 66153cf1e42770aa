//===- ForwardTransposes.cpp - tiles that products could read across ------===//
//
//   parallel (i, j) { t[i, j] = s[j, i] }; gemm t, b, c   becomes   gemm s, b, c transpose_a
//
// where t is for products alone: matrix descriptors and transposing reads take an operand of 16-bit
// elements in either order. Of 8 bits a transposed tile is what targets want
// (tile-raise-transposes).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ForwardOperands.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDTRANSPOSESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The shared tile of which the loop writes the transpose to all of that one; null: it does
/// anything else.
Value transposedBy(tile::ParallelOp loop, tile::AllocOp tile) {
  tile::StoreOp store;
  for (Operation &op : *loop.bodyBlock()) {
    auto other = dyn_cast<tile::StoreOp>(op);
    if (op.getNumRegions() != 0 || (store && other) || isa<tile::AtomicOp>(op))
      return {};
    if (other)
      store = other;
  }
  auto load = store ? store.getValue().getDefiningOp<tile::LoadOp>() : tile::LoadOp();
  if (!load || load->getParentOp() != loop || store.getBuffer() != tile.getResult() ||
      load.getPad() || !loop.constantExtents())
    return {};
  tile::BufferType to = tile.getResult().getType(), from = load.getBuffer().getType();
  if (to.rank() != 2 || from.rank() != 2 || !from.isShared() ||
      !load.getBuffer().getDefiningOp<tile::AllocOp>() ||
      from.getElementType() != to.getElementType() ||
      to.getElementType().getIntOrFloatBitWidth() != 16 || loop.ivs().size() != 2 ||
      store.getIndices()[0] == store.getIndices()[1])
    return {};
  for (unsigned d : {0, 1}) {
    Value variable = store.getIndices()[d];
    auto number = llvm::find(loop.ivs(), variable) - loop.ivs().begin();
    if (number == 2 || load.getIndices()[1 - d] != variable ||
        (*loop.constantExtents())[number] != to.getShape()[d] ||
        from.getShape()[1 - d] != to.getShape()[d])
      return {};
  }
  return load.getBuffer();
}

/// The loop that writes the tile for this product, if nothing changes what it reads in between.
tile::ParallelOp bringerOf(tile::GemmOp gemm, tile::AllocOp tile) {
  Operation *op = gemm->getPrevNode();
  while (op && !writes(op, tile.getResult()))
    op = op->getPrevNode();
  auto loop = dyn_cast_or_null<tile::ParallelOp>(op);
  Value source = loop ? transposedBy(loop, tile) : Value();
  for (op = source ? loop->getNextNode() : gemm; op != gemm; op = op->getNextNode())
    if (writes(op, source))
      return {};
  return source ? loop : tile::ParallelOp();
}

void forwardTile(tile::AllocOp tile) {
  llvm::SmallSetVector<tile::GemmOp, 2> gemms;
  llvm::SmallSetVector<Operation *, 2> loops;
  SmallVector<Operation *> others;
  for (Operation *user : usersBehindViews(tile.getResult())) {
    if (auto gemm = dyn_cast<tile::GemmOp>(user)) {
      tile::ParallelOp loop = bringerOf(gemm, tile);
      if (!loop || gemm.getC() == tile.getResult() || gemm.getTfloat32())
        return;
      gemms.insert(gemm);
      loops.insert(loop);
    } else {
      others.push_back(user->getParentOp());
    }
  }
  if (gemms.empty() || !llvm::all_of(others, [&](Operation *loop) { return loops.contains(loop); }))
    return;
  for (tile::GemmOp gemm : gemms)
    for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()})
      if (rootOf(operand->get()) == tile.getResult() && !isWholeRoot(operand->get()))
        return;
  for (tile::GemmOp gemm : gemms) {
    Value source = transposedBy(bringerOf(gemm, tile), tile);
    if (rootOf(gemm.getA()) == tile.getResult()) {
      gemm.getAMutable().assign(source);
      gemm.setTransposeA(!gemm.getTransposeA());
    }
    if (rootOf(gemm.getB()) == tile.getResult()) {
      gemm.getBMutable().assign(source);
      gemm.setTransposeB(!gemm.getTransposeB());
    }
  }
  for (Operation *loop : loops)
    loop->erase();
}

struct ForwardTransposesPass : impl::ForwardTransposesPassBase<ForwardTransposesPass> {
  void runOnOperation() override {
    SmallVector<tile::AllocOp> tiles;
    getOperation().walk([&](tile::AllocOp tile) {
      tile::BufferType type = tile.getResult().getType();
      bool isTile = (type.isShared() || type.isFragment()) && !tile.getLayout();
      if (isTile && !tile->getParentOfType<tile::KernelOp>().getLockstep())
        tiles.push_back(tile);
    });
    llvm::for_each(tiles, forwardTile);
  }
};

} // namespace

} // namespace tilec
