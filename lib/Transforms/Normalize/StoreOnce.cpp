//===- StoreOnce.cpp - stores that all threads do alike -------------------===//
//
// One to shared memory is the first thread's: waves do not write at once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STOREONCEPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void storeOnce(tile::KernelOp kernel) {
  tile::Uniformity uniformity(kernel);
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) {
    bool isAlike =
        !uniformity.isDivergent(store->getBlock()) &&
        llvm::all_of(store->getOperands(), [&](Value v) { return uniformity.isUniform(v); });
    if (isAlike && store.getBuffer().getType().isShared() &&
        !store->getParentOfType<tile::ParallelOp>())
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores) {
    OpBuilder b(store);
    Location loc = store.getLoc();
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          tile::ThreadIdOp::create(b, loc, b.getIndexType()),
                                          arith::ConstantIndexOp::create(b, loc, 0));
    auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    store->moveBefore(branch.thenBlock()->getTerminator());
  }
}

struct StoreOncePass : impl::StoreOncePassBase<StoreOncePass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      storeOnce(kernel);
  }
};

} // namespace

} // namespace tilec
