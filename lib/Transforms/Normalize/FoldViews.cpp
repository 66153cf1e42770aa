//===- FoldViews.cpp - accesses name whole buffers ------------------------===//
//
// Takes loads, stores and atomics on views, gives ones on the buffer behind, with its indices.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FOLDVIEWSPASS
#include "tilec/Transforms/Passes.h.inc"

template <typename OpT> static void foldViewOf(OpT op) {
  OpBuilder builder(op);
  ElementPlace place = placeOf(op.getBuffer(), op.getIndices(), builder, op.getLoc());
  if (place.buffer == op.getBuffer())
    return;
  op.getBufferMutable().assign(place.buffer);
  op.getIndicesMutable().assign(place.indices);
}

void foldViews(tile::ProgramOp program) {
  program.walk([](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      foldViewOf(load);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      foldViewOf(store);
    else if (auto atomic = dyn_cast<tile::AtomicOp>(op))
      foldViewOf(atomic);
  });
}

namespace {
struct FoldViewsPass : impl::FoldViewsPassBase<FoldViewsPass> {
  void runOnOperation() override { foldViews(getOperation()); }
};
} // namespace

} // namespace tilec
