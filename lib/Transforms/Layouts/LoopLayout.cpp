//===- LoopLayout.cpp - which lane runs which iteration of a parallel -----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Layout/SameLayout.h"

using namespace mlir;

namespace tilec {

const FragmentLayout *fragmentLayoutOf(Value root) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if (!alloc || !alloc.getLayout())
    return nullptr;
  auto attr = dyn_cast<tile::FragmentLayoutAttr>(*alloc.getLayout());
  return attr ? &attr.getLayout() : nullptr;
}

const SharedLayout *sharedLayoutOf(Value root) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if (!alloc || !alloc.getLayout())
    return nullptr;
  auto attr = dyn_cast<tile::SharedLayoutAttr>(*alloc.getLayout());
  return attr ? &attr.getLayout() : nullptr;
}

SmallVector<int, 4> directIndices(ValueRange indices, tile::ParallelOp loop) {
  SmallVector<int, 4> result;
  for (Value index : indices) {
    LinearForm form = linearize(index);
    int found = -1;
    if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1)
      for (auto [n, iv] : llvm::enumerate(loop.ivs()))
        if (form.terms[0].first == iv)
          found = n;
    result.push_back(found);
  }
  return result;
}

namespace {

/// `layout` with its dimensions reordered: dimension d of the result is dimension order[d].
FragmentLayout permuted(const FragmentLayout &layout, ArrayRef<int> order) {
  unsigned rank = layout.rank();
  SmallVector<int, 4> where(rank); // old dimension -> new
  Coords shape(rank);
  for (unsigned d = 0; d < rank; ++d) {
    where[order[d]] = d;
    shape[d] = layout.shape()[order[d]];
  }
  SmallVector<LayoutInput, 3> inputs(layout.atom().inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases) {
      Coords moved(rank);
      for (unsigned d = 0; d < rank; ++d)
        moved[where[d]] = base[d];
      base = moved;
    }
  auto moved = [&](ArrayRef<Factor> factors) {
    SmallVector<Factor, 4> result(factors);
    for (Factor &f : result)
      if (f.dim >= 0)
        f.dim = where[f.dim];
    return result;
  };
  return FragmentLayout(shape, LinearLayout(rank, inputs), moved(layout.reps()),
                        moved(layout.waves()));
}

bool isPermutation(ArrayRef<int> indices, size_t rank) {
  SmallVector<bool, 4> seen(rank, false);
  for (int index : indices) {
    if (index < 0 || seen[index])
      return false;
    seen[index] = true;
  }
  return indices.size() == rank;
}

struct FragmentAccess {
  Value root;
  ValueRange indices;
  bool isStore;
  size_t order;
};

SmallVector<FragmentAccess> fragmentAccesses(tile::ParallelOp loop) {
  SmallVector<FragmentAccess> result;
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isFragment())
      result.push_back({load.getBuffer(), load.getIndices(), false, result.size()});
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getBuffer().getType().isFragment())
      result.push_back({store.getBuffer(), store.getIndices(), true, result.size()});
  });
  return result;
}

} // namespace

std::optional<FragmentLayout> layoutFromFragments(tile::ParallelOp loop) {
  auto extents = loop.constantExtents();
  if (!extents)
    return std::nullopt;
  SmallVector<FragmentAccess> accesses = fragmentAccesses(loop);
  // What is stored decides before what is read: a load can be staged more cheaply.
  llvm::sort(accesses, [](auto &a, auto &b) {
    return std::make_pair(!a.isStore, a.order) < std::make_pair(!b.isStore, b.order);
  });
  for (const FragmentAccess &access : accesses) {
    const FragmentLayout *layout = fragmentLayoutOf(access.root);
    if (!layout)
      continue;
    SmallVector<int, 4> direct = directIndices(access.indices, loop);
    // Dimensions of size 1 do not matter; the rest must be all loop variables.
    FragmentLayout reduced = *layout;
    for (int d = int(direct.size()) - 1; d >= 0; --d)
      if (direct[d] < 0 && reduced.shape()[d] == 1) {
        reduced = reduced.withoutDim(d);
        direct.erase(direct.begin() + d);
      }
    if (!isPermutation(direct, extents->size()))
      continue;
    SmallVector<int, 4> order(direct.size());
    for (auto [d, iv] : llvm::enumerate(direct))
      order[iv] = d;
    FragmentLayout candidate = permuted(reduced, order);
    if (ArrayRef(candidate.shape()) == ArrayRef(*extents))
      return candidate;
  }
  return std::nullopt;
}

FragmentLayout defaultLoopLayout(tile::ParallelOp loop, const TargetInfo &target,
                                 int64_t numWaves) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  // As many elements a lane as 16 bytes of the widest type hold, but enough iterations for all.
  unsigned widest = 8;
  int64_t fewest = 1; // elements a lane: both of a byte that holds two
  loop.walk([&](Operation *op) {
    auto note = [&](tile::BufferType type) {
      DType dtype = tile::dtypeOf(type.getElementType());
      if (type.isGlobal() || type.isShared())
        widest = std::max(widest, bitsOf(dtype));
      if (type.isGlobal() && bitsOf(dtype) == 4)
        fewest = 2;
    };
    if (auto load = dyn_cast<tile::LoadOp>(op))
      note(load.getBuffer().getType());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      note(store.getBuffer().getType());
  });
  int64_t total = 1;
  for (int64_t extent : extents)
    total *= extent;
  int64_t lanes = target.waveLanes * numWaves;
  int64_t vec = std::max<int64_t>(1, 128 / widest);
  while (vec > 1 && (extents.back() % vec != 0 || (vec > fewest && total < vec * lanes)))
    vec /= 2;
  return blockedLayout(extents, target.waveLanes, numWaves, vec);
}

std::optional<FragmentLayout> fragmentFromLoop(const FragmentLayout &loop, ValueRange indices,
                                               ArrayRef<int64_t> shape, tile::ParallelOp op) {
  SmallVector<int, 4> direct = directIndices(indices, op);
  SmallVector<int, 4> used; // loop variables in the order of the fragment's dimensions
  SmallVector<int64_t, 4> unitDims;
  for (auto [d, iv] : llvm::enumerate(direct)) {
    if (iv < 0) {
      if (shape[d] != 1)
        return std::nullopt;
      unitDims.push_back(d);
      continue;
    }
    if (llvm::is_contained(used, iv) || shape[d] != loop.shape()[iv])
      return std::nullopt;
    used.push_back(iv);
  }
  FragmentLayout layout = loop;
  SmallVector<int, 4> left;
  for (int d = int(loop.rank()) - 1; d >= 0; --d) {
    if (llvm::is_contained(used, d))
      left.insert(left.begin(), d);
    else
      layout = layout.withoutDim(d);
  }
  SmallVector<int, 4> order;
  for (int iv : used)
    order.push_back(llvm::find(left, iv) - left.begin());
  layout = permuted(layout, order);
  for (int64_t d : unitDims)
    layout = layout.withUnitDim(d);
  return layout;
}

std::optional<SmallVector<int64_t>> matchRegisters(const FragmentLayout &loop,
                                                   const FragmentLayout &fragment,
                                                   ValueRange indices, tile::ParallelOp op) {
  if (loop.lanes() != fragment.lanes() || loop.numWaves() != fragment.numWaves())
    return std::nullopt;
  // Each index as constant + sum over loop variables; anything else cannot be matched.
  struct Index {
    int64_t constant;
    SmallVector<int64_t, 4> factors;
  };
  SmallVector<Index, 4> forms;
  for (Value index : indices) {
    LinearForm form = linearize(index);
    Index own{form.constant, SmallVector<int64_t, 4>(op.ivs().size(), 0)};
    for (auto [term, factor] : form.terms) {
      auto iv = dyn_cast<BlockArgument>(term);
      if (!iv || iv.getOwner() != op.bodyBlock())
        return std::nullopt;
      own.factors[iv.getArgNumber()] = factor;
    }
    forms.push_back(own);
  }
  SmallVector<int64_t> registers(loop.numRegs(), -1);
  // Equal layouts match everywhere when they match in one lane; the search below takes long.
  std::optional<FragmentLayout> same = fragmentFromLoop(loop, indices, fragment.shape(), op);
  bool isSame = same && holdsLike(*same, fragment);
  for (int64_t wave = 0; wave < (isSame ? 1 : loop.numWaves()); ++wave)
    for (int64_t lane = 0; lane < (isSame ? 1 : loop.lanes()); ++lane) {
      for (int64_t reg = 0; reg < loop.numRegs(); ++reg) {
        Coords at = loop.coords(reg, lane, wave);
        if (!isSame && !loop.isInside(at))
          continue;
        Coords element;
        for (const Index &form : forms) {
          int64_t value = form.constant;
          for (auto [coordinate, factor] : llvm::zip(at, form.factors))
            value += coordinate * factor;
          element.push_back(value);
        }
        std::optional<int64_t> holder = fragment.regHolding(element, lane, wave);
        if (!holder || (registers[reg] >= 0 && registers[reg] != *holder))
          return std::nullopt;
        registers[reg] = *holder;
      }
    }
  return registers;
}

} // namespace tilec
