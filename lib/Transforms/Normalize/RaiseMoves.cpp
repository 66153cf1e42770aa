//===- RaiseMoves.cpp - parallels that move elements ----------------------===//
//
// Takes a tile.parallel that moves elements and does nothing else, gives a tile.move.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RAISEMOVESPASS
#include "tilec/Transforms/Passes.h.inc"

static void raiseMoves(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](tile::ParallelOp loop) {
    if (!loop->getParentOfType<tile::ParallelOp>() && tile::MoveOp::isBodyOf(loop))
      loops.push_back(loop);
  });
  for (tile::ParallelOp loop : loops)
    tile::turnInto<tile::MoveOp>(loop);
}

namespace {
struct RaiseMovesPass : impl::RaiseMovesPassBase<RaiseMovesPass> {
  void runOnOperation() override { raiseMoves(getOperation()); }
};
} // namespace

} // namespace tilec
