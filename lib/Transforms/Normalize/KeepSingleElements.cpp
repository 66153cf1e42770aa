//===- KeepSingleElements.cpp - fragments of one element ------------------===//
//
// One that all threads set alike is a copy in every thread.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_KEEPSINGLEELEMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A fragment of one element that all threads set alike, by no tile operation, is a copy in every
/// thread: nobody has to ask another thread for it.
void keepSingleElements(tile::KernelOp kernel) {
  tile::Uniformity uniformity(kernel);
  auto setsAlike = [&](tile::StoreOp store) {
    return !store->getParentOfType<tile::ParallelOp>() &&
           !uniformity.isDivergent(store->getBlock()) && uniformity.isUniform(store.getValue());
  };
  SmallVector<tile::AllocOp> single;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    bool isKept = type.isFragment() && type.numElems() == 1 && !alloc.getLayout() &&
                  alloc->getParentOp() == kernel;
    for (Operation *user : alloc->getUsers()) {
      auto store = dyn_cast<tile::StoreOp>(user);
      isKept &= isa<tile::LoadOp>(user) || (store && setsAlike(store));
    }
    if (isKept)
      single.push_back(alloc);
  });
  for (tile::AllocOp alloc : single) {
    tile::BufferType type = alloc.getResult().getType();
    alloc.getResult().setType(
        tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Local));
  }
}

struct KeepSingleElementsPass : impl::KeepSingleElementsPassBase<KeepSingleElementsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      keepSingleElements(kernel);
  }
};

} // namespace

} // namespace tilec
