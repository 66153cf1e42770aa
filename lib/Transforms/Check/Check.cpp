//===- Check.cpp - tile-check: what the script cannot mean ----------------===//
//
// Runs the checks of Check.h in order over a program; what one refuses the next ones need not
// know.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "Normalize/Normalize.h"

#include "tilec/IR/Reported.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHECKPASS
#include "tilec/Transforms/Passes.h.inc"

/// A tile of which a thread would hold more than any register file by far: it would not be compiled
/// in sensible time, let alone run.
static LogicalResult checkFragments(tile::ProgramOp program) {
  constexpr int64_t mostRegisters = 16384;
  auto result = program.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (!type.isFragment())
      return WalkResult::advance();
    auto kernel = alloc->getParentOfType<tile::KernelOp>();
    int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
    int64_t registers = type.numElems() / 32 * bits / int64_t(kernel.getThreads());
    if (registers <= mostRegisters)
      return WalkResult::advance();
    (void)Reported(alloc, DiagId::TileTooLarge, alloc.getName(), registers, kernel.getThreads());
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct CheckPass : impl::CheckPassBase<CheckPass> {
  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    expandTilesInParallels(program);
    foldViews(program);
    bool failedAny = failed(checkFragments(program));
    for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>()) {
      failedAny |= failed(checkBounds(kernel));
      failedAny |= failed(checkInitialised(kernel));
      // Threads of a lockstep kernel are kept apart by tile-separate-threads.
      if (!kernel.getLockstep())
        failedAny |= failed(checkDependences(kernel));
      failedAny |= failed(checkGridSyncs(kernel));
      checkBlockWrites(kernel);
    }
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace

} // namespace tilec
