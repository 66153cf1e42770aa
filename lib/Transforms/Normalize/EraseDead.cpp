//===- EraseDead.cpp - what nothing uses any more -------------------------===//
//
// Takes views, index arithmetic and buffers that other passes have left without uses, erases them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ERASEDEADPASS
#include "tilec/Transforms/Passes.h.inc"

void eraseDeadOps(Operation *root) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> ops;
    root->walk([&](Operation *op) {
      if (op != root && op->getNumRegions() == 0)
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops)) {
      // An allocation that nothing names is dead although it allocates.
      bool isDead = isOpTriviallyDead(op) || (isa<tile::AllocOp>(op) && op->use_empty());
      if (!isDead || isa<tile::TensorOp, tile::ScalarOp, tile::DimOp, tile::WorkspaceOp>(op))
        continue;
      op->erase();
      changed = true;
    }
  }
}

namespace {
struct EraseDeadPass : impl::EraseDeadPassBase<EraseDeadPass> {
  void runOnOperation() override { eraseDeadOps(getOperation()); }
};
} // namespace

} // namespace tilec
