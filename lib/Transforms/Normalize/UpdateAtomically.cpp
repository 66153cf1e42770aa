//===- UpdateAtomically.cpp - x[I[i]] = op(x[I[i]], e) --------------------===//
//
// Where memory says which element it is, nobody knows whether iterations share it: the update
// becomes an atomic one, if there is one that computes the same. What has none takes turns
// (OrderUpdates.cpp).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"
#include "Normalize/Updates.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UPDATEATOMICALLYPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void updateAtomically(tile::StoreOp store, tile::AtomicKind kind, tile::ParallelOp loop) {
  Update update = *matchUpdate(store);
  OpBuilder b(store);
  Value term = makeTerm(b, loop.getLoc(), update);
  tile::AtomicOp::create(b, store.getLoc(), term.getType(), kind, term, store.getBuffer(),
                         store.getIndices(), update.isUnsigned);
  eraseUpdate(store, loop);
}

struct UpdateAtomicallyPass : impl::UpdateAtomicallyPassBase<UpdateAtomicallyPass> {
  void runOnOperation() override {
    for (tile::ParallelOp loop : outermostParallels(getOperation())) {
      SmallVector<tile::StoreOp> stores;
      loop.walk([&](tile::StoreOp store) { stores.push_back(store); });
      for (tile::StoreOp store : stores)
        if (std::optional<tile::AtomicKind> kind = atomicOfUpdate(store))
          updateAtomically(store, *kind, loop);
    }
  }
};

} // namespace

} // namespace tilec
