//===- HoistTiles.cpp - tiles that a round has for itself -----------------===//
//
// Takes pipelined loops, puts the shared tiles that their copies fill in front of them: what they
// hold when a round begins is nobody's, so that they may have several slots as well.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_HOISTTILESPASS
#include "tilec/Transforms/Passes.h.inc"

static void hoistTiles(tile::ForOp loop) {
  for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>()) {
    auto alloc = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (alloc && alloc->getBlock() == loop.bodyBlock() && alloc.getResult().getType().isShared())
      alloc->moveBefore(loop);
  }
}

namespace {
struct HoistTilesPass : impl::HoistTilesPassBase<HoistTilesPass> {
  using HoistTilesPassBase::HoistTilesPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      kernel.walk([](tile::ForOp loop) {
        if (loop.getStages() > 1)
          hoistTiles(loop);
      });
  }
};
} // namespace

} // namespace tilec
