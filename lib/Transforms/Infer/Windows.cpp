//===- Windows.cpp - loops that walk over a fragment piece by piece --------===//
//
// Registers have no numbers at run time: a fragment that is indexed by the variable of a serial
// loop would go through shared memory in every round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Windows.h"

#include "Layouts/LoopLayout.h"
#include "Normalize/KnownLoops.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

struct Access {
  Value buffer;
  ValueRange indices;
};

/// Accesses of the loop to fragments.
SmallVector<Access> fragmentAccesses(tile::ElementLoop loop) {
  SmallVector<Access> accesses;
  loop.walk([&](Operation *op) {
    Access access;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      access = {load.getBuffer(), load.getIndices()};
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      access = {store.getBuffer(), store.getIndices()};
    if (access.buffer && cast<tile::BufferType>(access.buffer.getType()).isFragment())
      accesses.push_back(access);
  });
  return accesses;
}

bool isOfLoop(Value value, tile::ElementLoop loop) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == loop.bodyBlock();
}

/// Whether the index is the loop's variable `iv` in a piece of `extent` elements, whose place the
/// variables of serial loops and a constant say.
bool isWindow(Value index, tile::ElementLoop loop, Value iv, int64_t extent) {
  LinearForm form = linearize(index);
  for (auto [term, factor] : form.terms) {
    if (term == iv && factor == 1)
      continue;
    auto argument = dyn_cast<BlockArgument>(term);
    if (!argument || isOfLoop(term, loop) || factor % extent != 0 ||
        !isa<tile::ForOp>(argument.getOwner()->getParentOp()))
      return false;
  }
  return form.coefficient(iv) == 1 && form.constant % extent == 0;
}

/// The layout of the first `extent` elements along a dimension, where every lane has as many of
/// each such piece, and in the same order.
std::optional<FragmentLayout> windowOf(const FragmentLayout &layout, unsigned dim, int64_t extent) {
  if (!isPowerOf2(extent) || layout.atom().boxShape()[dim] < extent)
    return std::nullopt;
  SmallVector<LayoutInput, 3> inputs(layout.atom().inputs());
  for (auto [n, input] : llvm::enumerate(inputs)) {
    SmallVector<Coords> kept;
    for (const Coords &base : input.bases) {
      if (base[dim] < extent)
        kept.push_back(base);
      else if (n != 0) // not registers
        return std::nullopt;
    }
    input.bases.assign(kept.begin(), kept.end());
  }
  auto isAlong = [&](const Factor &f) { return f.dim == int64_t(dim) && f.count > 1; };
  if (llvm::any_of(layout.waves(), isAlong))
    return std::nullopt;
  SmallVector<Factor, 4> reps(layout.reps());
  llvm::erase_if(reps, isAlong);
  Coords shape = layout.shape();
  shape[dim] = extent;
  return FragmentLayout(shape, LinearLayout(layout.rank(), inputs), reps,
                        SmallVector<Factor, 4>(layout.waves()));
}

/// What fragments say of the loop's iterations, if need be those that it reads pieces of.
std::optional<FragmentLayout> layoutOfIterations(tile::ElementLoop loop) {
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  return layout ? layout : layoutFromWindow(loop);
}

/// Whether each lane has what it needs of fragments in every round, with the loop's variable known.
bool servesRounds(KnownLoop outer, tile::ElementLoop loop) {
  Value iv = outer.loop.iv();
  SmallVector<Access> accesses = fragmentAccesses(loop);
  std::optional<FragmentLayout> layout = layoutOfIterations(loop);
  if (!layout)
    return accesses.empty();
  for (const Access &access : accesses) {
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
    for (const Access &access : fragmentAccesses(loop))
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

} // namespace

std::optional<FragmentLayout> layoutFromWindow(tile::ElementLoop loop) {
  auto extents = loop.constantExtents();
  if (!extents)
    return std::nullopt;
  for (const Access &access : fragmentAccesses(loop)) {
    const FragmentLayout *layout = fragmentLayoutOf(access.buffer);
    if (!layout || access.indices.size() != extents->size())
      continue;
    SmallVector<int, 4> direct = directIndices(access.indices, loop);
    std::optional<FragmentLayout> window = *layout;
    for (size_t d = 0; window && d < direct.size(); ++d) {
      // The dimensions of the loop in their order.
      if (direct[d] == int(d) && layout->shape()[d] == (*extents)[d])
        continue;
      window = isWindow(access.indices[d], loop, loop.ivs()[d], (*extents)[d])
                   ? windowOf(*window, d, (*extents)[d])
                   : std::nullopt;
    }
    if (window && ArrayRef(window->shape()) == ArrayRef(*extents))
      return window;
  }
  return std::nullopt;
}

/// A loop whose fragments do not say who runs an iteration, but of which one is read in a piece at
/// a constant place, is run by the lanes that have the piece, if these have all that it needs.
static void followPiece(tile::ElementLoop loop) {
  if (layoutFromFragments(loop))
    return;
  std::optional<FragmentLayout> layout = layoutFromWindow(loop);
  bool serves = layout && llvm::all_of(fragmentAccesses(loop), [&](const Access &access) {
                  const FragmentLayout *own = fragmentLayoutOf(access.buffer);
                  return own && matchRegisters(*layout, *own, access.indices, loop, {});
                });
  if (serves)
    loop.setLayoutAttr(tile::FragmentLayoutAttr::get(loop.getContext(), *layout));
}

void unrollWindows(tile::KernelOp kernel) {
  constexpr int64_t mostRounds = 128, mostWork = 1024;
  for (KnownLoop known : knownLoops(kernel)) {
    bool isShort = known.rounds > 0 && known.rounds <= mostRounds;
    int64_t work = isShort ? workOfRound(known) : 0;
    if (work > 0 && work * known.rounds <= mostWork)
      known.unroll();
  }
  kernel.walk([](tile::ElementLoop loop) { followPiece(loop); });
}

} // namespace tilec
