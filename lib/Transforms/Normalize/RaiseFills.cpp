//===- RaiseFills.cpp - parallels that are fills --------------------------===//
//
// A tile.parallel that only fills whole tiles becomes fills; of one that does more, fills of
// fragments that it does not touch otherwise are taken out. What fills all of a tile through a view
// names the tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RAISEFILLSPASS
#include "tilec/Transforms/Passes.h.inc"

/// Whether the store is all that the loop does to its buffer, a fragment: where its registers are
/// set does not matter.
static bool canLeave(tile::StoreOp store, tile::ParallelOp loop) {
  Value buffer = store.getBuffer();
  return store.getBuffer().getType().isFragment() &&
         llvm::count_if(buffer.getUsers(),
                        [&](Operation *user) { return loop->isAncestor(user); }) == 1;
}

static void raiseFillsOf(tile::ParallelOp loop) {
  bool isAll = onlyFills(loop);
  OpBuilder builder(loop);
  for (tile::StoreOp store : fillsIn(loop)) {
    if (!isAll && !canLeave(store, loop))
      continue;
    hoistBefore(store.getValue(), loop); // fillsIn has seen that it can be
    tile::FillOp::create(builder, loop.getLoc(), store.getValue(), store.getBuffer());
    store.erase();
  }
  if (isAll)
    loop.erase();
}

/// The tile of which the view is all.
static Value behindWholeViews(Value buffer) {
  while (auto view = buffer.getDefiningOp<tile::SubviewOp>()) {
    if (view.getSource().getType().getShape() != view.getType().getShape())
      break;
    buffer = view.getSource();
  }
  return buffer;
}

static void raiseFills(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    if (auto loop = dyn_cast<tile::ParallelOp>(op))
      loops.push_back(loop);
    if (auto fill = dyn_cast<tile::FillOp>(op))
      fill.getDstMutable().assign(behindWholeViews(fill.getDst()));
  });
  for (tile::ParallelOp loop : loops)
    raiseFillsOf(loop);
}

namespace {
struct RaiseFillsPass : impl::RaiseFillsPassBase<RaiseFillsPass> {
  void runOnOperation() override { raiseFills(getOperation()); }
};
} // namespace

} // namespace tilec
