//===- MemoryBuilder.cpp - places in global and shared memory -------------===//
//
// Computes offsets in tensors, places and swizzles in shared memory, and the masks of bounds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/MemoryBuilder.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Value MemoryBuilder::globalOffset(const TensorPlace &place, ArrayRef<Value> indices) {
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

Value MemoryBuilder::accessOffset(const TensorPlace &place, ArrayRef<Value> indices) {
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

bool isProvedInside(Value index, int64_t size) {
  std::optional<IndexRange> range = rangeOf(index);
  return range && range->low >= 0 && range->high < size;
}

Value MemoryBuilder::boundsOf(size_t d, const TensorPlace &place, Value tileIndex, Value index,
                              Operation *at) {
  std::optional<IndexRange> range = rangeOf(tileIndex);
  int64_t size = place.staticShape[d];
  bool isStatic = !ShapedType::isDynamic(size);
  bool needsLow = !range || range->low < 0;
  bool needsHigh = !range || !isStatic || range->high >= size;
  bool isWhole = !isStatic && place.dims[d] && isWithin(tileIndex, place.dims[d], at);
  if (isWhole || (!needsLow && !needsHigh))
    return nullptr;
  if (at && (isStatic || place.dims[d])) {
    KnownEnds known =
        knownEnds(at, tileIndex, isStatic ? Value() : place.dims[d], isStatic ? size : 0, entered);
    needsLow &= !known.isNotNegative;
    needsHigh &= !known.isBelow;
    if (!needsLow && !needsHigh)
      return nullptr;
  }
  Value extent = isStatic ? this->index(size) : place.extents[d];
  // One unsigned comparison covers both ends.
  auto predicate = needsLow ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(b, loc, predicate, index, extent);
}

Value MemoryBuilder::boundsMask(const TensorPlace &place, ValueRange tileIndices,
                                ArrayRef<Value> indices, Operation *at) {
  Value mask;
  for (size_t d = 0; d < indices.size(); ++d)
    if (Value bounds = boundsOf(d, place, tileIndices[d], indices[d], at))
      mask = andMasks(mask, bounds);
  return mask;
}

MemoryBuilder::EndMasks MemoryBuilder::endMasks(const TensorPlace &place, ValueRange tileIndices,
                                                ArrayRef<Value> indices, int64_t width,
                                                Operation *at) {
  size_t last = indices.size() - 1;
  Value begins = boundsMask(place, tileIndices, indices, at);
  Value extent = place.extents[last] ? place.extents[last] : this->index(place.staticShape[last]);
  Value end = addIndex(indices[last], width - 1);
  Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, end, extent);
  Value passes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, end, extent);
  return {andMasks(begins, ends), andMasks(begins, passes)};
}

int64_t MemoryBuilder::globalAlign(const TensorPlace &place, int64_t elems) const {
  return elems * bytesOf(place.dtype);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value MemoryBuilder::phaseOf(const SharedLayout &layout, Value row) {
  Value q = divIndex(row, layout.rowsPerPhase);
  if (layout.isGray)
    q = arith::XOrIOp::create(b, loc, q, divIndex(q, 2));
  return remIndex(q, layout.phases);
}

Value MemoryBuilder::sharedOffset(const SharedPlace &place, ArrayRef<Value> indices) {
  SmallVector<LaneCoord, 4> coords;
  for (Value value : indices)
    coords.push_back({value, 0, 1});
  int64_t imm = 0;
  SmallVector<Value, 4> none(indices.size());
  Value base = sharedOffset(place, coords, none, imm);
  return addIndex(base, imm);
}

/// A tile in panels: all rows of a matrix, as wide as the panel, panel after panel.
Value MemoryBuilder::panelOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords,
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

Value MemoryBuilder::swizzledColumn(const SharedPlace &place, Value row, int64_t rowConstant,
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

Value MemoryBuilder::sharedOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords,
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
