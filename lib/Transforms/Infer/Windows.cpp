//===- Windows.cpp - loops that walk over a fragment piece by piece --------===//
//
// Registers have no numbers at run time: a fragment that is indexed by the variable of a serial
// loop would go through shared memory in every round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Windows.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

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

} // namespace

SmallVector<ElementAccess> fragmentReadsAndWrites(tile::ElementLoop loop) {
  SmallVector<ElementAccess> accesses;
  loop.walk([&](Operation *op) {
    if (!isa<tile::LoadOp, tile::StoreOp>(op))
      return;
    ElementAccess access = *elementAccess(op);
    if (access.type().isFragment())
      accesses.push_back(access);
  });
  return accesses;
}

std::optional<FragmentLayout> layoutFromWindow(tile::ElementLoop loop) {
  auto extents = loop.constantExtents();
  if (!extents)
    return std::nullopt;
  for (const ElementAccess &access : fragmentReadsAndWrites(loop)) {
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

} // namespace tilec
