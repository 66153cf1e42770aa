//===- UnrollReads.cpp - short loops of threads that read tensors ---------===//
//
// A round waits for what it reads, and neither LLVM nor ptxas moves reads of the next one up:
// unrolled, reads of all rounds start together, in front of what is written
// (ReadsBeforeWrites.cpp).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"
#include "Normalize/ReadsBeforeWrites.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNROLLREADSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether all that a loop of threads does besides arithmetic is to read and write elements, and
/// some of it is reads of tensors that the kernel does not write: those of all rounds may start
/// together.
bool readsAhead(tile::ForOp loop, const Accesses &ofKernel) {
  bool reads = false;
  auto result = loop.getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      reads |= load.getBuffer().getType().isGlobal() &&
               !isChangedBy(ofKernel.writes, rootOf(load.getBuffer()));
    bool isPlain = isa<tile::LoadOp, tile::StoreOp, tile::AllocOp>(op) ||
                   (isPure(op) && op->getNumRegions() == 0) ||
                   op->hasTrait<OpTrait::IsTerminator>();
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reads && !result.wasInterrupted();
}

void unrollReadingLoops(tile::KernelOp kernel) {
  constexpr int64_t mostRounds = 8, mostOps = 8192;
  std::optional<Accesses> ofKernel;
  for (KnownLoop known : knownLoops(kernel)) {
    int64_t ops = std::distance(known.loop.bodyBlock()->begin(), known.loop.bodyBlock()->end());
    if (known.rounds > mostRounds || known.rounds * ops > mostOps ||
        known.loop.getKind() != tile::LoopKind::Serial)
      continue;
    if (!ofKernel)
      ofKernel = accessesOf(kernel);
    if (!readsAhead(known.loop, *ofKernel))
      continue;
    Operation *before = known.loop->getPrevNode();
    Block *block = known.loop->getBlock();
    Block::iterator end = std::next(known.loop->getIterator());
    known.unroll();
    putReadsFirst(before ? std::next(before->getIterator()) : block->begin(), end);
  }
}

struct UnrollReadsPass : impl::UnrollReadsPassBase<UnrollReadsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      unrollReadingLoops(kernel);
  }
};

} // namespace

} // namespace tilec
