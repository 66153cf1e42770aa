//===- HoistReads.cpp - what a loop reads alike in all rounds -------------===//
//
// Takes pipelined loops, reads in front of them what each round would read again: variables of
// which places of copies are computed, and, where copies are counted, elements of tensors.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/RoundReads.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_HOISTREADSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether an element of a variable is the same in all rounds of the loop.
bool readsTheSame(tile::LoadOp load, tile::ForOp loop) {
  Value root = rootOf(load.getBuffer());
  auto isSame = [&](Value index) {
    return tile::constantInt(index) || !loop.getBody().isAncestor(index.getParentRegion());
  };
  return cast<tile::BufferType>(root.getType()).isLocal() &&
         !loop.getBody().isAncestor(root.getParentRegion()) &&
         !llvm::is_contained(accessesOf(loop).writes, root) &&
         llvm::all_of(load.getIndices(), isSame);
}

/// Moves in front of the loop what it reads of variables, and does not write, to find the places
/// that it copies from: a read in the loop would keep the copy back.
void hoistReads(tile::ForOp loop) {
  SmallVector<Value> values;
  for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>())
    if (auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>())
      llvm::append_range(values, view.getOffsets());
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.bodyBlock() || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load) {
      llvm::append_range(values, op->getOperands());
    } else if (load.getBuffer().getParentRegion() != &loop.getBody() && readsTheSame(load, loop)) {
      for (Value index : load.getIndices())
        if (Operation *constant = index.getDefiningOp();
            constant && loop->isProperAncestor(constant))
          constant->moveBefore(loop);
      load->moveBefore(loop);
    }
  }
}

struct HoistReadsPass : impl::HoistReadsPassBase<HoistReadsPass> {
  using HoistReadsPassBase::HoistReadsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      kernel.walk([&](tile::ForOp loop) {
        if (loop.getStages() <= 1)
          return;
        if (chip->asyncCopies.completion == Completion::Counter)
          readSameElementsFirst(loop);
        hoistReads(loop);
      });
  }
};
} // namespace

} // namespace tilec
