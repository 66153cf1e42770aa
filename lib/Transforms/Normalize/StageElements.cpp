//===- StageElements.cpp - elements of fragments for single threads -------===//
//
// What one thread reads or writes of a fragment goes through a copy in shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STAGEELEMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void stageFragmentElements(tile::KernelOp kernel) {
  SmallVector<Operation *> accesses;
  tile::Uniformity uniformity(kernel);
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    // Equal stores of equal elements are left to tile-unify-meetings.
    auto store = dyn_cast<tile::StoreOp>(op);
    bool differs =
        store && llvm::any_of(op->getOperands(), [&](Value v) { return !uniformity.isUniform(v); });
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isFragment())
      accesses.push_back(op);
    if (differs && store.getBuffer().getType().isFragment())
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    auto load = dyn_cast<tile::LoadOp>(op);
    Value fragment = load ? load.getBuffer() : cast<tile::StoreOp>(op).getBuffer();
    auto type = cast<tile::BufferType>(fragment.getType());
    OpBuilder b(op);
    auto sharedType =
        tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared);
    Value copy = tile::AllocOp::create(b, op->getLoc(), sharedType, "elements", Attribute());
    expandCopy(b, op->getLoc(), fragment, copy);
    if (load) {
      load.getBufferMutable().assign(copy);
      continue;
    }
    cast<tile::StoreOp>(op).getBufferMutable().assign(copy);
    b.setInsertionPointAfter(op);
    expandCopy(b, op->getLoc(), copy, fragment);
  }
}

struct StageElementsPass : impl::StageElementsPassBase<StageElementsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      stageFragmentElements(kernel);
  }
};

} // namespace

} // namespace tilec
