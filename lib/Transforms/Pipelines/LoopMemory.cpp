//===- LoopMemory.cpp - shared memory while loops are expanded -------------===//
//
// A kernel of a thousand pipelined loops is not walked through for each of them. The order of its
// ops stays when a loop that stands in no other becomes a pipeline: new ones come right before it,
// in it and right behind it, and use no buffers but its rings.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/LoopMemory.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {

static bool isUsedOnlyIn(tile::ForOp loop, Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    return loop->isAncestor(user) &&
           (!isa<tile::SubviewOp, tile::ReshapeOp>(user) || isUsedOnlyIn(loop, user->getResult(0)));
  });
}

/// Whether a buffer may be needed for less now that no copies of the loop run ahead: one that it
/// alone uses and fills from a tensor.
static bool mayFreeBuffers(tile::ForOp loop) {
  return loop
      .walk([&](tile::CopyOp copy) {
        auto buffer = rootOf(copy.getDst()).getDefiningOp<tile::AllocOp>();
        bool mayFree = copy.getSrc().getType().isGlobal() && buffer &&
                       buffer.getResult().getType().isShared() && !loop->isAncestor(buffer) &&
                       isUsedOnlyIn(loop, buffer.getResult());
        return mayFree ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

SharedMemory &LoopMemory::now() {
  if (!standing)
    standing.emplace(kernel, chip);
  return *standing;
}

SharedMemory &LoopMemory::wished() {
  if (asked)
    return *asked;
  asked = now();
  for (tile::ForOp loop : loops) {
    if (loop.getStages() < 2)
      continue;
    PipelinePlan plan = planPipeline(loop, chip);
    setSlots(plan, *asked);
  }
  return *asked;
}

void LoopMemory::replace(tile::ForOp loop, const PipelinePlan &plan,
                         ArrayRef<tile::AllocOp> rings) {
  if (loop->getParentOp() != kernel || mayFreeBuffers(loop))
    return forget();
  for (std::optional<SharedMemory> *memory : {&standing, &asked})
    if (*memory)
      for (auto [gone, ring] : llvm::zip_equal(plan.rings, rings))
        (*memory)->replace(gone, ring, loop);
}

void LoopMemory::leave(tile::ForOp loop, const PipelinePlan &plan) {
  if (loop->getParentOp() != kernel || mayFreeBuffers(loop))
    return forget();
  for (std::optional<SharedMemory> *memory : {&standing, &asked})
    if (*memory)
      for (tile::AllocOp ring : plan.rings)
        (*memory)->setSlots(ring, 1);
}

void LoopMemory::forget() {
  standing.reset();
  asked.reset();
}

} // namespace tilec
