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
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include <limits>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNROLLLOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t mostOps = 8192, mostOfInner = 32768;

/// Whether the value is a number once `variable` is one.
bool isKnownBy(Value value, Value variable) {
  Operation *op = value.getDefiningOp();
  return value == variable || tile::constantInt(value) ||
         (op && isPure(op) && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
          llvm::all_of(op->getOperands(), [&](Value v) { return isKnownBy(v, variable); }));
}

bool setsRounds(Value variable, tile::ForOp inner) {
  SmallVector<Value, 3> bounds = {inner.getLower(), inner.getUpper(), inner.getStep()};
  auto isKnown = [&](Value v) { return isKnownBy(v, variable); };
  auto isConstant = [](Value v) { return tile::constantInt(v).has_value(); };
  return llvm::all_of(bounds, isKnown) && !llvm::all_of(bounds, isConstant);
}

bool picksLocalElement(tile::ForOp loop) {
  auto result = loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    bool hits = access && access->type().isLocal() && access->type().numElems() > 1 &&
                llvm::any_of(access->indices, [&](Value v) { return isMadeOf(v, loop.iv()); });
    return hits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Ops that inner loops over elements become in one round of the loop, on average, whose number
/// says how many rounds they have; 0 where there are none.
int64_t opsOfInner(tile::ForOp loop) {
  int64_t ops = 0;
  loop.walk([&](tile::ForOp inner) {
    std::optional<IndexRange> lower = rangeOf(inner.getLower()), upper = rangeOf(inner.getUpper());
    if (inner == loop || !setsRounds(loop.iv(), inner) || !picksLocalElement(inner))
      return;
    int64_t ofRound = 0;
    inner.walk([&](Operation *) { ++ofRound; });
    int64_t fewest = 0, most = mostOfInner;
    if (lower && upper) {
      fewest = std::clamp<int64_t>(upper->low - lower->high, 0, mostOfInner);
      most = std::clamp<int64_t>(upper->high - lower->low, 0, mostOfInner);
    }
    ops += (fewest + most) / 2 * ofRound;
  });
  return ops;
}

/// Loops whose bounds are known now, at most to `most` ops a loop and `left` in all.
bool unrollKnownLocalLoops(tile::KernelOp kernel, int64_t most, int64_t &left) {
  constexpr int64_t mostRounds = 256;
  bool unrolled = false;
  for (KnownLoop known : knownLoops(kernel)) {
    if (known.rounds > mostRounds)
      continue;
    if (!picksLocalElement(known.loop)) {
      int64_t ofRound = opsOfInner(known.loop);
      if (ofRound == 0 || known.rounds * ofRound > mostOfInner)
        continue;
    }
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
