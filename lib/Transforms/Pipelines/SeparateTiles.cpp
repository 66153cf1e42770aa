//===- SeparateTiles.cpp - a tile of its own for each loop ----------------===//
//
// A tile that several loops fill anew in each round becomes one a loop: rings are a loop's own.
// Their bytes are shared, as they are needed at different times.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/SerialRounds.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SEPARATETILESPASS
#include "tilec/Transforms/Passes.h.inc"

/// The outermost of `loops` that the op stands in, or, if it is in none, of all; null: it is in no
/// loop.
static tile::ForOp topLoopOf(Operation *op, ArrayRef<tile::ForOp> loops) {
  tile::ForOp among, any;
  for (; op; op = op->getParentOp())
    if (auto loop = dyn_cast<tile::ForOp>(op)) {
      any = loop;
      among = llvm::is_contained(loops, loop) ? loop : among;
    }
  return among ? among : any;
}

void separateTiles(tile::KernelOp kernel, ArrayRef<tile::ForOp> loops) {
  SmallVector<tile::AllocOp> tiles;
  for (tile::ForOp loop : loops)
    for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>())
      if (auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
          tile && tile->getParentOp() == kernel && tile.getResult().getType().isShared() &&
          !llvm::is_contained(tiles, tile))
        tiles.push_back(tile);
  for (tile::AllocOp tile : tiles) {
    llvm::SetVector<Operation *> users;
    bool isOfLoops = llvm::all_of(tile->getUsers(), [&](Operation *user) {
      tile::ForOp loop = topLoopOf(user, loops);
      if (loop)
        users.insert(loop);
      return bool(loop);
    });
    // What a loop leaves in the tile may be read by the loop around it.
    bool isNested = llvm::any_of(users, [&](Operation *loop) {
      return llvm::any_of(users, [&](Operation *other) { return loop->isProperAncestor(other); });
    });
    if (!isOfLoops || isNested || !llvm::all_of(users, [&](Operation *loop) {
          return isFilledFirst(*cast<tile::ForOp>(loop).bodyBlock(), tile.getResult());
        }))
      continue;
    for (Operation *loop : users.getArrayRef().drop_front()) {
      auto own = cast<tile::AllocOp>(OpBuilder(tile).clone(*tile));
      tile.getResult().replaceUsesWithIf(
          own.getResult(), [&](OpOperand &use) { return loop->isAncestor(use.getOwner()); });
    }
  }
}

namespace {
struct SeparateTilesPass : impl::SeparateTilesPassBase<SeparateTilesPass> {
  using SeparateTilesPassBase::SeparateTilesPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      SmallVector<tile::ForOp> pipelined;
      kernel.walk([&](tile::ForOp loop) {
        if (loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1)
          pipelined.push_back(loop);
      });
      separateTiles(kernel, pipelined);
    }
  }
};
} // namespace

} // namespace tilec
