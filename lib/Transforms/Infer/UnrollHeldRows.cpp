//===- UnrollHeldRows.cpp - rounds through what a lane has whole ---------===//
//
// Takes serial loops within parallels that index fragments by their variable, gives their rounds,
// where every lane has what it needs then: registers have no numbers at run time.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/HeldRows.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNROLLHELDROWSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void unrollHeldRows(tile::KernelOp kernel) {
  SmallVector<KnownLoop> inner;
  kernel.walk([&](tile::ForOp loop) {
    auto parallel = loop->getParentOfType<tile::ElementLoop>();
    std::optional<KnownLoop> known = shortLoop(loop);
    std::optional<FragmentLayout> layout =
        parallel && known ? layoutFromFragments(parallel) : std::nullopt;
    if (!layout)
      return;
    bool picks = false, isServed = true;
    loop.walk([&](Operation *op) {
      std::optional<ElementAccess> access = elementAccess(op);
      if (!access || !access->type().isFragment())
        return;
      const FragmentLayout *own = fragmentLayoutOf(access->buffer);
      bool isPicked = llvm::any_of(access->indices, [&](Value index) {
        return linearize(index).coefficient(loop.iv()) != 0;
      });
      picks |= isPicked;
      for (int64_t round = 0; isServed && round < (isPicked ? known->rounds : 1); ++round)
        isServed = own && matchRegisters(*layout, *own, access->indices, parallel,
                                         {{loop.iv(), known->lower + round * known->step}});
    });
    if (picks && isServed)
      inner.push_back(*known);
  });
  for (KnownLoop &loop : inner)
    loop.unroll();
}

struct UnrollHeldRowsPass : impl::UnrollHeldRowsPassBase<UnrollHeldRowsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      unrollHeldRows(kernel);
  }
};

} // namespace

} // namespace tilec
