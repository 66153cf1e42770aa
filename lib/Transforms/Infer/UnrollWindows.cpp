//===- UnrollWindows.cpp - rounds through the pieces of a fragment -------===//
//
// Takes loops around parallels that index fragments by their variable, gives their rounds, where
// every lane has what it needs of every piece then, and that is not too much code: registers have
// no numbers at run time.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Windows.h"
#include "Layouts/LoopLayout.h"
#include "Normalize/KnownLoops.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_UNROLLWINDOWSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What fragments say of the loop's iterations, if need be those that it reads pieces of.
std::optional<FragmentLayout> layoutOfIterations(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  return layout ? layout : layoutFromWindow(loop);
}

/// Whether each lane has what it needs of fragments in every round, with the loop's variable known.
bool servesRounds(KnownLoop outer, tile::ElementLoop loop) {
  Value iv = outer.loop.iv();
  SmallVector<ElementAccess> accesses = fragmentReadsAndWrites(loop);
  std::optional<FragmentLayout> layout = layoutOfIterations(loop);
  if (!layout)
    return accesses.empty();
  for (const ElementAccess &access : accesses) {
    const FragmentLayout *own = fragmentLayoutOf(access.buffer);
    if (!own)
      return false;
    bool isMoved = llvm::any_of(access.indices,
                                [&](Value index) { return linearize(index).coefficient(iv) != 0; });
    for (int64_t round = 0; round < (isMoved ? outer.rounds : 1); ++round)
      if (!matchRegisters(*layout, *own, access.indices, loop,
                          {{iv, outer.lower + round * outer.step}}))
        return false;
  }
  return true;
}

/// What a lane computes in a round of the loop, if its variable picks registers and each parallel
/// in it can be a round of its own; 0 when not.
int64_t workOfRound(KnownLoop outer) {
  constexpr int64_t otherOps = 64;
  int64_t work = 0, ops = 0;
  bool picks = false;
  for (Operation &op : *outer.loop.bodyBlock()) {
    auto loop = dyn_cast<tile::ElementLoop>(op);
    if (auto fill = dyn_cast<tile::FillOp>(op)) {
      const FragmentLayout *layout = fragmentLayoutOf(fill.getDst());
      if (!layout)
        return 0;
      work += layout->numRegs();
      continue;
    }
    if (!loop) {
      bool isScalar = isPure(&op) || isa<tile::LoadOp>(op);
      if (!isScalar || op.getNumRegions() != 0 || ++ops > otherOps)
        return 0;
      continue;
    }
    if (!loop.constantExtents())
      return 0;
    for (const ElementAccess &access : fragmentReadsAndWrites(loop))
      picks |= llvm::any_of(access.indices, [&](Value index) {
        return linearize(index).coefficient(outer.loop.iv()) != 0;
      });
    if (!servesRounds(outer, loop))
      return 0;
    // Without fragments the iterations are shared out evenly.
    std::optional<FragmentLayout> layout = layoutOfIterations(loop);
    int64_t threads = tile::threadsAt(loop);
    int64_t iterations = llvm::product_of(*loop.constantExtents());
    work += layout ? layout->numRegs() : llvm::divideCeil(iterations, threads);
  }
  return picks ? work : 0;
}

void unrollWindows(tile::KernelOp kernel) {
  constexpr int64_t mostRounds = 128, mostWork = 1024;
  for (KnownLoop known : knownLoops(kernel)) {
    bool isShort = known.rounds > 0 && known.rounds <= mostRounds;
    int64_t work = isShort ? workOfRound(known) : 0;
    if (work > 0 && work * known.rounds <= mostWork)
      known.unroll();
  }
}

struct UnrollWindowsPass : impl::UnrollWindowsPassBase<UnrollWindowsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      unrollWindows(kernel);
  }
};

} // namespace

} // namespace tilec
