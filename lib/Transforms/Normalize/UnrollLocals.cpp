//===- UnrollLocals.cpp - loops that pick elements of local arrays --------===//
//
// Registers have no addresses: a loop whose number picks an element of a thread's array is unrolled
// where its bounds are known.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include <limits>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNROLLLOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool picksLocalElement(tile::ForOp loop) {
  auto result = loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    bool hits = access && access->type().isLocal() && access->type().numElems() > 1 &&
                llvm::any_of(access->indices, [&](Value v) { return isMadeOf(v, loop.iv()); });
    return hits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Loops whose bounds are known now, at most to `most` ops a loop and `left` in all.
bool unrollKnownLocalLoops(tile::KernelOp kernel, int64_t most, int64_t &left) {
  constexpr int64_t mostRounds = 256;
  bool unrolled = false;
  for (KnownLoop known : knownLoops(kernel)) {
    if (known.rounds > mostRounds || !picksLocalElement(known.loop))
      continue;
    int64_t ops = 0;
    bool leaves = false;
    known.loop.walk([&](Operation *op) {
      ++ops;
      leaves |= isa<tile::BreakOp>(op);
    });
    if (leaves || known.rounds * ops > std::min(most, left))
      continue;
    left -= known.rounds * ops;
    known.unroll();
    unrolled = true;
  }
  return unrolled;
}

/// An inner loop whose bounds an outer one's variable gives is known once that one is unrolled.
void unrollLocalLoops(tile::KernelOp kernel) {
  constexpr int64_t mostOps = 8192, mostOfInner = 32768;
  int64_t noLimit = std::numeric_limits<int64_t>::max(), left = mostOfInner;
  if (!unrollKnownLocalLoops(kernel, mostOps, noLimit))
    return;
  while (unrollKnownLocalLoops(kernel, mostOps, left)) {
  }
}

struct UnrollLocalsPass : impl::UnrollLocalsPassBase<UnrollLocalsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      unrollLocalLoops(kernel);
  }
};

} // namespace

} // namespace tilec
