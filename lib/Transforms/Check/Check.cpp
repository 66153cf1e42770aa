//===- Check.cpp - tile-check: what the script cannot mean ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHECKPASS
#include "tilec/Transforms/Passes.h.inc"

llvm::StringRef nameOfRoot(Value root) {
  Operation *op = root.getDefiningOp();
  auto name = op ? op->getAttrOfType<StringAttr>("name") : StringAttr();
  return name ? name.getValue() : "buffer";
}

namespace {
struct CheckPass : impl::CheckPassBase<CheckPass> {
  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    expandTilesInParallels(program);
    foldViews(program);
    bool failedAny = false;
    for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>()) {
      failedAny |= failed(checkBounds(kernel));
      failedAny |= failed(checkInitialised(kernel));
      // Threads that a lockstep kernel names are its author's to keep apart.
      if (!kernel.getLockstep())
        failedAny |= failed(checkDependences(kernel));
      checkBlockWrites(kernel);
    }
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace

} // namespace tilec
