//===- PlaceShared.cpp - where shared memory lies ---------------------------===//
//
// Writes on each op what SharedMemory says. Barriers come after this: two buffers that
// share bytes are one to them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/SharedMemory.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PLACESHAREDPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {
struct PlaceSharedPass : impl::PlaceSharedPassBase<PlaceSharedPass> {
  using PlaceSharedPassBase::PlaceSharedPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      SharedMemory memory(kernel, *chip);
      for (const SharedNeed &need : memory.needs())
        for (Operation *op : need.ops)
          setSharedPlace(op, need.place);
      kernel.setSharedBytes(memory.bytes());
    }
  }
};
} // namespace

} // namespace tilec
