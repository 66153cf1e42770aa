//===- MergeParallels.cpp - nests of parallels with extents of run time ---===//
//
// One parallel right inside another one becomes one loop over both, where an extent of theirs is
// known only at run time: pieces of it then fill a block's lanes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_MERGEPARALLELSPASS
#include "tilec/Transforms/Passes.h.inc"

bool hoistBefore(Value value, tile::ParallelOp loop) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || !isPure(def) || def->getNumRegions() != 0 ||
      !llvm::all_of(def->getOperands(), [&](Value v) { return hoistBefore(v, loop); }))
    return false;
  def->moveBefore(loop);
  return true;
}

SmallVector<tile::ParallelOp> outermostParallels(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk<WalkOrder::PreOrder>([&](tile::ParallelOp loop) {
    loops.push_back(loop);
    return WalkResult::skip();
  });
  return loops;
}

namespace {

/// The parallel that is all there is in the body of `loop`, beside index arithmetic.
tile::ParallelOp onlyParallelIn(tile::ParallelOp loop) {
  tile::ParallelOp found;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto nested = dyn_cast<tile::ParallelOp>(op)) {
      if (found)
        return {};
      found = nested;
    } else if (!isPure(&op)) {
      return {};
    }
  }
  return found;
}

/// parallel (i) { parallel (j) { B } } with extents known at run time, as parallel (i, j) { B }.
bool mergePerfectNest(tile::ParallelOp loop) {
  tile::ParallelOp nested = onlyParallelIn(loop);
  if (!nested || (loop.constantExtents() && nested.constantExtents()) ||
      !llvm::all_of(nested.getExtents(), [&](Value v) { return hoistBefore(v, loop); }))
    return false;
  SmallVector<Value> extents(loop.getExtents());
  llvm::append_range(extents, nested.getExtents());
  OpBuilder b(loop);
  auto merged = tile::ParallelOp::create(b, loop.getLoc(), extents);
  size_t outer = loop.ivs().size();
  for (auto [n, iv] : llvm::enumerate(loop.ivs()))
    Value(iv).replaceAllUsesWith(merged.ivs()[n]);
  for (auto [n, iv] : llvm::enumerate(nested.ivs()))
    Value(iv).replaceAllUsesWith(merged.ivs()[outer + n]);
  auto &ops = merged.bodyBlock()->getOperations();
  auto &outerOps = loop.bodyBlock()->getOperations();
  ops.splice(ops.end(), outerOps, outerOps.begin(), nested->getIterator());
  ops.splice(ops.end(), nested.bodyBlock()->getOperations());
  nested->remove();
  ops.splice(ops.end(), outerOps);
  nested->destroy();
  loop.erase();
  return true;
}

} // namespace

static void mergeParallels(tile::ProgramOp program) {
  while (llvm::any_of(outermostParallels(program), mergePerfectNest)) {
  }
}

namespace {
struct MergeParallelsPass : impl::MergeParallelsPassBase<MergeParallelsPass> {
  void runOnOperation() override { mergeParallels(getOperation()); }
};
} // namespace

} // namespace tilec
