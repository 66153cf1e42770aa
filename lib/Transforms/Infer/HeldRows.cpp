//===- HeldRows.cpp - dimensions of fragments that a lane has whole --------===//
//
// Registers have no numbers at run time, and a lane reads no other lane's: a fragment whose rows a
// serial loop goes through would otherwise be written to shared memory and read from there in every
// round.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/HeldRows.h"

#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

std::optional<ElementAccess> fragmentAccess(Operation *op) {
  std::optional<ElementAccess> access = elementAccess(op);
  return access && access->type().isFragment() ? access : std::nullopt;
}

/// Whether serial loops of a few rounds alone say which element it is.
bool isSerial(Value index) {
  LinearForm form = linearize(index);
  return !form.terms.empty() && llvm::all_of(form.terms, [](auto &term) {
    auto argument = dyn_cast<BlockArgument>(term.first);
    auto loop =
        argument ? dyn_cast<tile::ForOp>(argument.getOwner()->getParentOp()) : tile::ForOp();
    return loop && shortLoop(loop);
  });
}

} // namespace

std::optional<KnownLoop> shortLoop(tile::ForOp loop) {
  auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
  auto step = tile::constantInt(loop.getStep());
  if (!lower || !upper || !step || *step <= 0 || *upper <= *lower)
    return std::nullopt;
  KnownLoop known{loop, *lower, *step, ceilDiv(*upper - *lower, *step)};
  return known.rounds <= mostRows ? std::optional(known) : std::nullopt;
}

HeldRows::HeldRows(tile::KernelOp kernel, const TargetInfo &target) : target(target) {
  kernel.walk([&](tile::ElementLoop loop) {
    if (loop.constantExtents())
      note(loop);
  });
  for (Dim dim : seeds)
    hold(dim);
}

void HeldRows::note(tile::ElementLoop loop) {
  loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = fragmentAccess(op);
    if (!access || op->getParentOfType<tile::ElementLoop>() != loop)
      return;
    for (auto [d, index] : llvm::enumerate(access->indices))
      if (auto argument = dyn_cast<BlockArgument>(index);
          argument && argument.getOwner() == loop.bodyBlock()) {
        alike[{access->buffer, d}].push_back({index, 0});
        alike[{index, 0}].push_back({access->buffer, d});
      }
    seed(loop, access->buffer, access->indices);
  });
}

void HeldRows::seed(tile::ElementLoop loop, Value buffer, ValueRange indices) {
  ArrayRef<int64_t> shape = cast<tile::BufferType>(buffer.getType()).getShape();
  int64_t others = 1; // elements of a row that lanes share
  SmallVector<Dim> found;
  for (auto [d, index] : llvm::enumerate(indices))
    if (isSerial(index) && shape[d] <= mostRows)
      found.push_back({buffer, d});
    else if (llvm::is_contained(loop.ivs(), index))
      others *= shape[d];
    else
      return;
  if (found.empty())
    return;
  // A small matrix in every lane; its other dimension is held where its loop is.
  if (others <= mostRows)
    seeds.append(found);
  if (others < target.waveLanes * wavesOf(loop, target))
    return;
  seeds.append(found);
  for (auto [iv, extent] : llvm::zip_equal(loop.ivs(), *loop.constantExtents()))
    if (!llvm::is_contained(indices, iv) && extent <= mostRows)
      seeds.push_back({iv, 0});
}

/// All that spreads like `first`, unless a part of it has its layout or is too long.
void HeldRows::hold(Dim first) {
  llvm::SetVector<Dim> found;
  found.insert(first);
  for (size_t n = 0; n < found.size(); ++n) {
    auto [value, d] = found[n];
    if (auto type = dyn_cast<tile::BufferType>(value.getType());
        type && (fragmentLayoutOf(value) || type.getShape()[d] > mostRows))
      return;
    auto others = alike.find(found[n]);
    if (others != alike.end())
      found.insert(others->second.begin(), others->second.end());
  }
  held.insert(found.begin(), found.end());
}

FragmentLayout HeldRows::ofLoop(tile::ElementLoop loop, const FragmentLayout &layout) const {
  SmallVector<Dim, 4> dims;
  for (Value iv : loop.ivs())
    dims.push_back({iv, 0});
  return holding(dims, layout);
}

FragmentLayout HeldRows::ofFill(Value fragment, const FragmentLayout &layout) const {
  SmallVector<Dim, 4> dims;
  for (unsigned d = 0; d < layout.rank(); ++d)
    dims.push_back({fragment, d});
  return holding(dims, layout);
}

/// The layout with those of its dimensions in each lane that are held.
FragmentLayout HeldRows::holding(ArrayRef<Dim> dims, const FragmentLayout &layout) const {
  Coords shape = layout.shape(), extents = shape;
  int64_t total = 1;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (held.contains(dim))
      extents[d] = 1;
    total *= extents[d];
  }
  if (extents == shape)
    return layout;
  // As many neighbours together as before, but enough for all lanes.
  int64_t together = layout.atomRegs(), lanes = layout.lanes() * layout.numWaves();
  while (together > 1 && (extents.back() % together != 0 || total < together * lanes))
    together /= 2;
  FragmentLayout spread = blockedLayout(extents, layout.lanes(), layout.numWaves(), together);
  SmallVector<Factor, 4> reps(spread.reps());
  for (auto [d, extent] : llvm::enumerate(extents))
    if (extent != shape[d])
      reps.push_back({int64_t(d), shape[d]});
  return FragmentLayout(shape, spread.atom(), reps, SmallVector<Factor, 4>(spread.waves()));
}

} // namespace tilec
