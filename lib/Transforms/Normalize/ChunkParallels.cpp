//===- ChunkParallels.cpp - parallels whose extents only the run knows ----===//
//
// Takes an outermost parallel with such an extent, gives loops over parallels of a block's lanes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHUNKPARALLELSPASS
#include "tilec/Transforms/Passes.h.inc"

static void chunkDynamicParallels(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](tile::ParallelOp loop) {
    if (!loop.constantExtents() && !loop->getParentOfType<tile::ParallelOp>())
      loops.push_back(loop);
  });
  for (tile::ParallelOp loop : loops) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    int64_t threads = tile::threadsAt(loop);
    SmallVector<Value> bounds, starts(loop.ivs().size());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    // The last dynamic dimension is cut into pieces of a block's lanes, others are walked.
    bool isFirst = true;
    SmallVector<Value> chunks(loop.ivs().size());
    for (int n = int(loop.ivs().size()) - 1; n >= 0; --n) {
      Value extent = loop.getExtents()[n];
      if (tile::constantInt(extent)) {
        chunks[n] = extent;
        continue;
      }
      chunks[n] = arith::ConstantIndexOp::create(b, loc, isFirst ? threads : 1);
      isFirst = false;
    }
    OpBuilder inner = b;
    for (auto [n, extent] : llvm::enumerate(loop.getExtents())) {
      if (tile::constantInt(extent))
        continue;
      auto outer = tile::ForOp::create(inner, loc, zero, extent, chunks[n]);
      starts[n] = outer.iv();
      inner = OpBuilder::atBlockEnd(outer.bodyBlock());
    }
    auto chunk = tile::ParallelOp::create(inner, loc, chunks);
    OpBuilder body = OpBuilder::atBlockEnd(chunk.bodyBlock());
    IRMapping mapping;
    Value isInside;
    for (auto [n, iv] : llvm::enumerate(loop.ivs())) {
      Value at = chunk.ivs()[n];
      if (starts[n]) {
        at = arith::AddIOp::create(body, loc, starts[n], at);
        Value inside =
            arith::CmpIOp::create(body, loc, arith::CmpIPredicate::slt, at, loop.getExtents()[n]);
        isInside =
            isInside ? arith::AndIOp::create(body, loc, isInside, inside).getResult() : inside;
      }
      mapping.map(iv, at);
    }
    auto guard = scf::IfOp::create(body, loc, isInside, /*withElseRegion=*/false);
    OpBuilder guarded = OpBuilder::atBlockBegin(&guard.getThenRegion().front());
    for (Operation &op : *loop.bodyBlock())
      guarded.clone(op, mapping);
    loop.erase();
  }
}

namespace {
struct ChunkParallelsPass : impl::ChunkParallelsPassBase<ChunkParallelsPass> {
  void runOnOperation() override { chunkDynamicParallels(getOperation()); }
};
} // namespace

} // namespace tilec
