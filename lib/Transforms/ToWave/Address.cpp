//===- Address.cpp - coordinates of a lane, places in memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Emitter.h"

#include "tilec/Base/Math.h"

#include <numeric>

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// The coordinates that lane and wave give, register 0, as index arithmetic. Runs of lane bits that
/// map to runs of coordinate bits become one shift and mask.
SmallVector<LaneCoord, 4> Emitter::laneCoords(const FragmentLayout &layout) {
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

SmallVector<LaneCoord, 4> Emitter::computeLaneCoords(const FragmentLayout &layout) {
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

SmallVector<Coords, 8> Emitter::elementsOfRep(const FragmentLayout &layout, int64_t rep) {
  SmallVector<Coords, 8> deltas;
  Coords origin = layout.coords(rep * layout.atomRegs(), 0, 0);
  for (int64_t e = 0; e < layout.atomRegs(); ++e) {
    deltas.push_back(layout.coords(rep * layout.atomRegs() + e, 0, 0));
    for (unsigned d = 0; d < layout.rank(); ++d)
      deltas.back()[d] -= origin[d];
  }
  return deltas;
}

/// True in one of the lanes that hold copies of the same elements.
Value Emitter::primaryMask(const FragmentLayout &layout) {
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

/// Whether the elements of a group lie inside the tile, where that is not certain: one mask when
/// the group is inside or outside as a whole. `onlyDim`: the other dimensions do not matter.
SmallVector<Value, 8> Emitter::insideMasks(const FragmentLayout &layout, ArrayRef<LaneCoord> coords,
                                           ArrayRef<Coords> deltas,
                                           std::optional<unsigned> onlyDim) {
  SmallVector<unsigned, 4> open;
  bool isWhole = true;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    int64_t span = 1, size = layout.shape()[d];
    for (const Coords &delta : deltas)
      span = std::max(span, delta[d] + 1);
    int64_t box = layout.atom().boxShape()[d] * layout.repsPerDim()[d] * layout.wavesPerDim()[d];
    bool isInside =
        box <= size || (coords[d].most >= 0 && coords[d].most + coords[d].constant + span <= size);
    if (isInside || (onlyDim && d != *onlyDim))
      continue;
    open.push_back(d);
    // The group may have gaps (rows r and r + 8 of mma.sync), and begin anywhere in a block of 2^n.
    isWhole &= size % int64_t(llvm::PowerOf2Ceil(uint64_t(span))) == 0;
  }
  SmallVector<Value, 8> masks;
  if (open.empty())
    return masks;
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

Value Emitter::indexFor(Value value, int64_t element, Elements &elements) {
  Value image = lookup(value, element, elements);
  if (!image.getType().isIndex())
    image = arith::IndexCastOp::create(b, loc, b.getIndexType(), image);
  return image;
}

int64_t Emitter::accessWidth(ValueRange indices, Value root, Elements &elements) {
  if (elements.count == 1 || indices.empty())
    return 1;
  auto type = cast<tile::BufferType>(root.getType());
  int64_t elemBits = bitsOf(tile::dtypeOf(type.getElementType()));
  if (type.isShared())
    elemBits = std::max<int64_t>(elemBits, 8); // a byte at least
  int64_t width = std::min<int64_t>(elements.count, std::max<int64_t>(1, 128 / elemBits));
  // How each index moves from element to element, and what divides its first value.
  SmallVector<LinearForm, 4> forms;
  for (Value value : indices)
    forms.push_back(linearize(value));
  auto moves = [&](size_t d, int64_t e) {
    int64_t by = 0;
    for (auto [n, iv] : llvm::enumerate(elements.loop.ivs()))
      by += forms[d].coefficient(iv) * elements.deltas[e][n];
    return by;
  };
  // An index that is no linear form of the loop variables may depend on them in any way.
  for (const LinearForm &form : forms)
    for (auto [term, factor] : form.terms)
      if (!isSameForAll(term, elements) && !llvm::is_contained(elements.loop.ivs(), term))
        return 1;
  for (int64_t e = 1; e < width; ++e)
    for (size_t d = 0; d < forms.size(); ++d)
      if (moves(d, e) != (d + 1 == forms.size() ? e : 0)) {
        width = int64_t(1) << log2Floor(e);
        e = elements.count; // leave both loops
        break;
      }
  int64_t divisor = 1 << 20;
  const LinearForm &last = forms.back();
  divisor = std::gcd(divisor, last.constant == 0 ? divisor : std::abs(last.constant));
  for (auto [term, factor] : last.terms) {
    int64_t own = divisorOf(term);
    for (auto [n, iv] : llvm::enumerate(elements.loop.ivs()))
      if (term == iv)
        own = std::gcd(elements.coords[n].divisor, elements.coords[n].constant == 0
                                                       ? divisor
                                                       : std::abs(elements.coords[n].constant));
    divisor = std::gcd(divisor, std::min<int64_t>(std::abs(factor) * own, 1 << 20));
  }
  while (width > 1 && divisor % width != 0)
    width /= 2;
  if (auto it = shared.find(root); it != shared.end()) {
    const SharedLayout &layout = it->second.layout;
    while (width > 1 &&
           (layout.pitchElems % width != 0 || (layout.phases > 1 && layout.vecElems % width != 0)))
      width /= 2;
    return width;
  }
  const TensorPlace &place = tensors.find(root)->second;
  if (place.staticStrides.back() != 1)
    return 1;
  for (int64_t d = 0; d + 1 < int64_t(place.staticStrides.size()); ++d)
    while (width > 1 &&
           (ShapedType::isDynamic(place.staticStrides[d]) || place.staticStrides[d] % width != 0))
      width /= 2;
  // A vector that may straddle the end of a row is taken apart.
  std::optional<IndexRange> range = rangeOf(indices.back());
  int64_t rowElems = place.staticShape.back();
  bool isInside =
      range && !ShapedType::isDynamic(rowElems) && range->low >= 0 && range->high < rowElems;
  if (!isInside)
    while (width > 1 && (ShapedType::isDynamic(rowElems) || rowElems % width != 0))
      width /= 2;
  return width;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Value Emitter::globalOffset(const TensorPlace &place, ArrayRef<Value> indices) {
  int64_t elemBytes = bytesOf(place.dtype);
  Type i64 = b.getI64Type();
  Value sum;
  for (auto [d, at] : llvm::enumerate(indices)) {
    bool isStatic = !ShapedType::isDynamic(place.staticStrides[d]);
    if (!place.isWide) {
      Value part = mulIndex(at, place.staticStrides[d] * elemBytes);
      sum = sum ? addIndex(sum, part) : part;
      continue;
    }
    Value wide = arith::IndexCastOp::create(b, loc, i64, at);
    Value stride =
        isStatic
            ? arith::ConstantIntOp::create(b, loc, place.staticStrides[d] * elemBytes, 64)
                  .getResult()
            : arith::MulIOp::create(b, loc, place.strides[d],
                                    arith::ConstantIntOp::create(b, loc, elemBytes, 64).getResult())
                  .getResult();
    Value part = arith::MulIOp::create(b, loc, wide, stride);
    sum = sum ? arith::AddIOp::create(b, loc, sum, part).getResult() : part;
  }
  return sum ? sum : index(0);
}

/// Whether a wave's index is certainly not negative.
static bool isNotNegative(Value value) {
  if (auto constant = tile::constantInt(value))
    return *constant >= 0;
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    return loop && value == loop.getInductionVar() && isNotNegative(loop.getLowerBound());
  }
  if (isa<wave::LaneIdOp, wave::WaveIdOp, wave::BlockIdOp>(op))
    return true;
  auto areNotNegative = [](ValueRange values) { return llvm::all_of(values, isNotNegative); };
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return areNotNegative(op->getOperands());
  return isa<arith::SelectOp>(op) && areNotNegative(op->getOperands().drop_front());
}

Value Emitter::accessOffset(const TensorPlace &place, ArrayRef<Value> indices) {
  if (target.constants.global == 0 || place.isWide)
    return globalOffset(place, indices);
  LinearForm bytes;
  for (auto [d, at] : llvm::enumerate(indices))
    bytes.add(linearize(at), place.staticStrides[d] * bytesOf(place.dtype));
  if (bytes.constant <= 0 || bytes.constant >= target.constants.global || bytes.terms.empty() ||
      !llvm::all_of(bytes.terms, [](auto &term) {
        return term.second > 0 && term.first.getType().isIndex() && isNotNegative(term.first);
      }))
    return globalOffset(place, indices);
  Value sum;
  for (auto [term, factor] : bytes.terms) {
    Value part = mulIndex(term, factor);
    sum = sum ? addIndex(sum, part) : part;
  }
  // The tensor ends within 4 GiB, so that what is accessed is reached without a wrap.
  return arith::AddIOp::create(b, loc, sum, index(bytes.constant),
                               arith::IntegerOverflowFlags::nuw);
}

Value Emitter::boundsMask(const TensorPlace &place, ValueRange tileIndices, ArrayRef<Value> indices,
                          Elements &elements) {
  Value mask;
  for (size_t d = 0; d < indices.size(); ++d) {
    std::optional<IndexRange> range = rangeOf(tileIndices[d]);
    int64_t size = place.staticShape[d];
    bool isStatic = !ShapedType::isDynamic(size);
    bool needsLow = !range || range->low < 0;
    bool needsHigh = !range || !isStatic || range->high >= size;
    if (!needsLow && !needsHigh)
      continue;
    Value extent = isStatic ? index(size) : place.extents[d];
    // One unsigned comparison covers both ends.
    auto predicate = needsLow ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    mask = andMasks(mask, arith::CmpIOp::create(b, loc, predicate, indices[d], extent));
  }
  return mask;
}

int64_t Emitter::globalAlign(const TensorPlace &place, int64_t elems) const {
  return elems * bytesOf(place.dtype);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value Emitter::phaseOf(const SharedLayout &layout, Value row) {
  Value q = divIndex(row, layout.rowsPerPhase);
  if (layout.isGray)
    q = arith::XOrIOp::create(b, loc, q, divIndex(q, 2));
  return remIndex(q, layout.phases);
}

Value Emitter::sharedOffset(const SharedPlace &place, ArrayRef<Value> indices) {
  SmallVector<LaneCoord, 4> coords;
  for (Value value : indices)
    coords.push_back({value, 0, 1});
  int64_t imm = 0;
  SmallVector<Value, 4> none(indices.size());
  Value base = sharedOffset(place, coords, none, imm);
  return addIndex(base, imm);
}

/// A tile in panels: all rows of a matrix, as wide as the panel, panel after panel.
Value Emitter::panelOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords,
                           ArrayRef<Value> offsets) {
  const SharedLayout &layout = place.layout;
  size_t rank = coords.size();
  SmallVector<Value, 4> at;
  for (auto [coord, offset] : llvm::zip(coords, offsets)) {
    Value value = coord.value && offset ? addIndex(coord.value, offset)
                  : coord.value         ? coord.value
                                        : offset;
    at.push_back(addIndex(value, coord.constant));
  }
  Value row = at[rank - 2], col = at[rank - 1];
  Value offset = mulIndex(row, layout.panelElems);
  Value chunk = divIndex(remIndex(col, layout.panelElems), layout.vecElems);
  Value phase = phaseOf(layout, row);
  Value swizzled = arith::XOrIOp::create(b, loc, chunk, phase);
  offset = addIndex(offset, mulIndex(swizzled, layout.vecElems));
  offset = addIndex(offset, remIndex(col, layout.vecElems));
  int64_t panel = layout.matrixRows() * layout.panelElems;
  offset = addIndex(offset, mulIndex(divIndex(col, layout.panelElems), panel));
  int64_t stride = panel * layout.panels();
  for (int64_t d = int64_t(rank) - 3; d >= 0; --d) {
    offset = addIndex(offset, mulIndex(at[d], stride));
    stride *= layout.shape[d];
  }
  return mulIndex(offset, bytesOf(place.dtype));
}

Value Emitter::swizzledColumn(const SharedPlace &place, Value row, int64_t rowConstant,
                              const LaneCoord &col, int64_t &imm) {
  const SharedLayout &layout = place.layout;
  // The phase is linear over bits: that of row + constant is that of the row XOR the constant's.
  int64_t chunks = (col.constant / layout.vecElems) ^ layout.phaseOf(rowConstant);
  int64_t low = chunks % layout.phases; // what the XOR with the lane's phase mixes with
  int64_t elems = rowConstant * layout.pitchElems + (chunks - low) * layout.vecElems +
                  col.constant % layout.vecElems;
  imm += elems * int64_t(bytesOf(place.dtype));
  Value swizzled = col.value ? divIndex(col.value, layout.vecElems) : index(0);
  if (row)
    swizzled = arith::XOrIOp::create(b, loc, swizzled, phaseOf(layout, row));
  if (low != 0)
    swizzled = arith::XOrIOp::create(b, loc, swizzled, index(low));
  Value elem = mulIndex(swizzled, layout.vecElems);
  bool startsChunk = !col.value || col.divisor % layout.vecElems == 0;
  return startsChunk ? elem : addIndex(elem, remIndex(col.value, layout.vecElems));
}

Value Emitter::sharedOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords,
                            ArrayRef<Value> offsets, int64_t &imm) {
  const SharedLayout &layout = place.layout;
  int64_t elemBytes = bytesOf(place.dtype);
  int64_t period = layout.periodRows();
  imm = place.baseBytes;
  if (coords.empty())
    return index(0);
  if (layout.panelElems != 0)
    return panelOffset(place, coords, offsets);
  // Rows: the part that moves the swizzle's phase, and the part that does not.
  int64_t rowStride = 1;
  Value phased, plain;
  int64_t rowConstant = 0;
  for (int d = int(coords.size()) - 2; d >= 0; --d) {
    if (coords[d].value) {
      Value part = mulIndex(coords[d].value, rowStride);
      phased = phased ? addIndex(phased, part) : part;
    }
    rowConstant += coords[d].constant * rowStride;
    if (offsets[d]) {
      Value part = mulIndex(offsets[d], rowStride);
      bool keepsPhase = (rowStride % period == 0) || period == 1;
      Value &sum = keepsPhase ? plain : phased;
      sum = sum ? addIndex(sum, part) : part;
    }
    rowStride *= layout.shape[d];
  }
  if (rowConstant % period == 0) {
    imm += rowConstant * layout.pitchElems * elemBytes;
    rowConstant = 0;
  }
  LaneCoord last = coords.back();
  // What varies in the row is one coordinate whose bits are known, and so is the column.
  bool isSplit = layout.phases > 1 && coords.size() >= 2 && !offsets.back() &&
                 phased == coords[coords.size() - 2].value &&
                 (coords[coords.size() - 2].bits & rowConstant) == 0 &&
                 (last.bits & last.constant) == 0;
  Value row = !isSplit && (phased || rowConstant) ? addIndex(phased, rowConstant) : phased;

  if (offsets.back())
    last.value = last.value ? addIndex(last.value, offsets.back()) : offsets.back();
  Value inRow; // elements
  if (layout.phases == 1) {
    inRow = last.value;
    imm += last.constant * elemBytes;
  } else if (isSplit) {
    inRow = swizzledColumn(place, row, rowConstant, last, imm);
  } else {
    Value phase = row ? phaseOf(layout, row) : index(0);
    Value col = addIndex(last.value, last.constant);
    Value chunk = divIndex(col, layout.vecElems);
    Value swizzled = arith::XOrIOp::create(b, loc, chunk, phase);
    inRow = mulIndex(swizzled, layout.vecElems);
    // Accesses that start at a chunk need no rest.
    bool startsChunk = last.divisor % layout.vecElems == 0 &&
                       last.constant % layout.vecElems == 0 && !offsets.back();
    if (!startsChunk)
      inRow = addIndex(inRow, remIndex(col, layout.vecElems));
  }
  Value offset;
  auto accumulate = [&](Value elems, int64_t factor) {
    if (!elems)
      return;
    Value part = mulIndex(elems, factor);
    offset = offset ? addIndex(offset, part) : part;
  };
  accumulate(inRow, elemBytes);
  accumulate(row, layout.pitchElems * elemBytes);
  accumulate(plain, layout.pitchElems * elemBytes);
  return offset ? offset : index(0);
}

} // namespace tilec
