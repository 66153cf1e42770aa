//===- LaneBuilder.cpp - where a lane is in a layout ----------------------===//
//
// Computes coordinates from lane and wave by bits, and masks for copies of elements and for what
// is outside of a tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/LaneBuilder.h"

#include "tilec/Base/Math.h"

#include <numeric>

using namespace mlir;

namespace tilec {

/// The coordinates that lane and wave give, register 0, as index arithmetic. Runs of lane bits that
/// map to runs of coordinate bits become one shift and mask.
SmallVector<LaneCoord, 4> LaneBuilder::laneCoords(const FragmentLayout &layout) {
  for (auto &[known, coords] : laneCoordCache)
    if (known == layout)
      return coords;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(topAnchor);
  SmallVector<LaneCoord, 4> coords = computeLaneCoords(layout);
  if (b.getInsertionPoint() != std::next(topAnchor->getIterator()))
    topAnchor = &*std::prev(b.getInsertionPoint());
  laneCoordCache.push_back({layout, coords});
  return coords;
}

SmallVector<LaneCoord, 4> LaneBuilder::computeLaneCoords(const FragmentLayout &layout) {
  SmallVector<LaneCoord, 4> coords(layout.rank());
  const LayoutInput &lanes = layout.atom().inputs()[1];
  for (unsigned d = 0; d < layout.rank(); ++d) {
    LaneCoord &coord = coords[d];
    coord.divisor = 1 << 20;
    coord.most = 0;
    for (unsigned bit = 0; bit < lanes.bits();) {
      int64_t step = lanes.bases[bit][d];
      unsigned run = 1;
      while (step && bit + run < lanes.bits() && lanes.bases[bit + run][d] == step << run)
        ++run;
      if (step) {
        Value part = divIndex(laneId, int64_t(1) << bit);
        if (bit + run < lanes.bits())
          part = remIndex(part, int64_t(1) << run);
        part = mulIndex(part, step);
        coord.value = coord.value ? addIndex(coord.value, part) : part;
        coord.divisor = std::gcd(coord.divisor, step);
        coord.most += step * ((int64_t(1) << run) - 1);
      }
      bit += run;
    }
  }
  // Waves: mixed-radix digits, scaled by what one wave covers.
  Coords box = layout.atom().boxShape(), reps = layout.repsPerDim();
  Coords weight(layout.rank(), 1);
  int64_t below = 1;
  for (const Factor &f : layout.waves()) {
    if (f.dim >= 0) {
      Value digit = divIndex(waveId, below);
      if (below * f.count < numWaves)
        digit = remIndex(digit, f.count);
      int64_t step = box[f.dim] * reps[f.dim] * weight[f.dim];
      LaneCoord &coord = coords[f.dim];
      Value part = mulIndex(digit, step);
      coord.value = coord.value ? addIndex(coord.value, part) : part;
      coord.divisor = std::gcd(coord.divisor, step);
      coord.most += step * (f.count - 1);
      weight[f.dim] *= f.count;
    }
    below *= f.count;
  }
  return coords;
}

SmallVector<int64_t, 4> LaneBuilder::bitsOfLanes(const FragmentLayout &layout) {
  for (auto &[known, bits] : bitsCache)
    if (known == layout)
      return bits;
  Coords box = layout.atom().boxShape(), reps = layout.repsPerDim();
  SmallVector<int64_t, 4> bits(layout.rank(), -1);
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (isPowerOf2(box[d] * reps[d])) { // of a wave
      bits[d] = -box[d] * reps[d];
      for (const Coords &base : layout.atom().inputs()[1].bases)
        bits[d] |= base[d];
    }
  for (int64_t reg = 0; reg < layout.numRegs(); ++reg) {
    Coords at = layout.coords(reg, 0, 0);
    for (unsigned d = 0; d < layout.rank(); ++d)
      if (bits[d] & at[d])
        bits[d] = -1;
  }
  return bitsCache.emplace_back(layout, std::move(bits)).second;
}

void LaneBuilder::setLane(Value id) {
  laneId = id;
  topAnchor = laneId.getDefiningOp();
  laneCoordCache.clear();
  primaryCache.clear();
}

void LaneBuilder::renewLane() {
  if (target.keepsOrder || b.getInsertionBlock() != laneId.getParentBlock())
    return;
  setLane(wave::LaneIdOp::create(b, loc, b.getIndexType(), /*fresh=*/true));
}

/// True in one of the lanes that hold copies of the same elements.
Value LaneBuilder::primaryMask(const FragmentLayout &layout) {
  for (auto &[known, mask] : primaryCache)
    if (known == layout)
      return mask;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(topAnchor);
  Value mask;
  auto require = [&](Value digits) {
    Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digits, index(0));
    mask = andMasks(mask, isZero);
  };
  const LayoutInput &lanes = layout.atom().inputs()[1];
  int64_t copyBits = 0;
  for (auto [bit, base] : llvm::enumerate(lanes.bases))
    if (llvm::all_of(base, [](int64_t c) { return c == 0; }))
      copyBits |= int64_t(1) << bit;
  if (copyBits)
    require(arith::AndIOp::create(b, loc, laneId, index(copyBits)));
  int64_t below = 1;
  for (const Factor &f : layout.waves()) {
    if (f.dim < 0)
      require(remIndex(divIndex(waveId, below), f.count));
    below *= f.count;
  }
  if (mask)
    topAnchor = mask.getDefiningOp();
  primaryCache.push_back({layout, mask});
  return mask;
}

/// How far the elements of a group reach in a dimension.
static int64_t spanOf(ArrayRef<Coords> deltas, unsigned dim) {
  int64_t span = 1;
  for (const Coords &delta : deltas)
    span = std::max(span, delta[dim] + 1);
  return span;
}

SmallVector<unsigned, 4> LaneBuilder::openDims(const FragmentLayout &layout,
                                               ArrayRef<LaneCoord> coords,
                                               ArrayRef<Coords> deltas) {
  SmallVector<unsigned, 4> open;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    int64_t size = layout.shape()[d], span = spanOf(deltas, d);
    int64_t box = layout.atom().boxShape()[d] * layout.repsPerDim()[d] * layout.wavesPerDim()[d];
    bool isInside =
        box <= size || (coords[d].most >= 0 && coords[d].most + coords[d].constant + span <= size);
    if (!isInside)
      open.push_back(d);
  }
  return open;
}

SmallVector<Value, 8> LaneBuilder::insideMasks(const FragmentLayout &layout,
                                               ArrayRef<LaneCoord> coords, ArrayRef<Coords> deltas,
                                               std::optional<unsigned> onlyDim) {
  SmallVector<unsigned, 4> open = openDims(layout, coords, deltas);
  if (onlyDim)
    llvm::erase_if(open, [&](unsigned d) { return d != *onlyDim; });
  SmallVector<Value, 8> masks;
  if (open.empty())
    return masks;
  // The group may have gaps (rows r and r + 8 of mma.sync), and begin anywhere in a block of 2^n.
  bool isWhole = llvm::all_of(open, [&](unsigned d) {
    return layout.shape()[d] % int64_t(llvm::PowerOf2Ceil(uint64_t(spanOf(deltas, d)))) == 0;
  });
  for (size_t e = 0; e < (isWhole ? 1 : deltas.size()); ++e) {
    Value mask;
    for (unsigned d : open) {
      Value at = addIndex(coords[d].value, coords[d].constant + deltas[e][d]);
      mask = andMasks(mask, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                                  index(layout.shape()[d])));
    }
    masks.push_back(mask);
  }
  return masks;
}

SmallVector<Coords, 8> elementsOfRep(const FragmentLayout &layout, int64_t rep) {
  SmallVector<Coords, 8> deltas;
  Coords origin = layout.coords(rep * layout.atomRegs(), 0, 0);
  for (int64_t e = 0; e < layout.atomRegs(); ++e) {
    deltas.push_back(layout.coords(rep * layout.atomRegs() + e, 0, 0));
    for (unsigned d = 0; d < layout.rank(); ++d)
      deltas.back()[d] -= origin[d];
  }
  return deltas;
}

LaneScope::LaneScope(LaneBuilder &lanes, bool isShort) : lanes(lanes) {
  if (!isShort)
    return;
  saved.emplace(static_cast<LaneState &>(lanes));
  auto hidden = [&](Value id) {
    return wave::OpaqueOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), id).getResult();
  };
  lanes.isShort = true;
  lanes.waveId = hidden(lanes.waveId);
  lanes.setLane(lanes.remIndex(hidden(lanes.laneId), lanes.target.waveLanes));
}

LaneScope::~LaneScope() {
  if (saved)
    static_cast<LaneState &>(lanes) = std::move(*saved);
}

WavesScope::WavesScope(LaneBuilder &lanes, int64_t first, int64_t count)
    : lanes(lanes), saved(lanes), numWaves(lanes.numWaves) {
  lanes.numWaves = count;
  lanes.laneCoordCache.clear();
  lanes.primaryCache.clear();
  if (count == 1) {
    lanes.waveId = lanes.index(0);
    lanes.threadId = lanes.laneId;
  } else {
    auto from = [&](Value number, int64_t start) {
      return start == 0 ? number
                        : arith::SubIOp::create(lanes.b, lanes.loc, number, lanes.index(start))
                              .getResult();
    };
    lanes.waveId = from(lanes.blockWave, first);
    lanes.threadId = from(lanes.blockThread, first * int64_t(lanes.target.waveLanes));
  }
  if (Operation *last = lanes.threadId.getDefiningOp();
      last->getBlock() == lanes.b.getInsertionBlock())
    lanes.topAnchor = last;
}

WavesScope::~WavesScope() {
  static_cast<LaneState &>(lanes) = std::move(saved);
  lanes.numWaves = numWaves;
}

} // namespace tilec
