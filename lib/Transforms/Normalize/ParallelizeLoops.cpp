//===- ParallelizeLoops.cpp - serial loops with independent iterations ----===//
//
// Takes serial loops outside of parallels, gives parallels where no iteration touches what another
// one writes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PARALLELIZELOOPSPASS
#include "tilec/Transforms/Passes.h.inc"

static void parallelizeSerialLoops(tile::ProgramOp program) {
  SmallVector<tile::ForOp> nests;
  program.walk<WalkOrder::PreOrder>([&](tile::ForOp loop) {
    if (loop->getParentOfType<tile::ParallelOp>())
      return WalkResult::skip();
    if (loop->getParentOfType<tile::KernelOp>().getLockstep())
      return WalkResult::skip(); // a loop of each thread
    if (!countsOn(loop) || !areRoundsIndependent(loop, loop.iv()))
      return WalkResult::advance();
    nests.push_back(loop);
    return WalkResult::skip();
  });
  for (tile::ForOp outer : nests) {
    // As many loops of the perfect nest as are independent.
    SmallVector<tile::ForOp> loops = {outer};
    for (tile::ForOp next = onlyLoopIn(*outer.bodyBlock()); next;
         next = onlyLoopIn(*next.bodyBlock())) {
      if (!countsOn(next) || !areRoundsIndependent(outer, next.iv()))
        break;
      loops.push_back(next);
    }
    OpBuilder b(outer);
    Location loc = outer.getLoc();
    SmallVector<Value> extents;
    for (tile::ForOp loop : loops)
      extents.push_back(
          arith::ConstantIndexOp::create(b, loc, *tile::constantInt(loop.getUpper())));
    auto parallel = tile::ParallelOp::create(b, loc, extents);
    OpBuilder inner = OpBuilder::atBlockEnd(parallel.bodyBlock());
    IRMapping mapping;
    for (auto [n, loop] : llvm::enumerate(loops)) {
      mapping.map(loop.iv(), parallel.ivs()[n]);
      bool isLast = n + 1 == loops.size();
      for (Operation &op : *loop.bodyBlock())
        if (isLast || &op != loops[n + 1].getOperation())
          inner.clone(op, mapping);
    }
    outer.erase();
  }
}

namespace {
struct ParallelizeLoopsPass : impl::ParallelizeLoopsPassBase<ParallelizeLoopsPass> {
  void runOnOperation() override { parallelizeSerialLoops(getOperation()); }
};
} // namespace

} // namespace tilec
