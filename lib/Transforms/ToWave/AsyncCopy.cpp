//===- AsyncCopy.cpp - global to shared memory without registers ----------===//
//
// Shared addresses run with the lanes (an LDS DMA can do nothing else, cp.async does
// it without bank conflicts); the swizzle is on the global side: a lane asks which
// element its place holds and fetches that. Here is where pieces are; LdsDma.cpp and CpAsync.cpp
// bring them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"
#include "Pipelines/AsyncPieces.h"
#include "ToWave/AsyncCopyEmitter.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

SmallVector<Value, 4> pointInTile(Emitter &e, Location loc, const SharedLayout &layout,
                                  ArrayRef<int64_t> shape, int64_t pieceElems, Value row,
                                  Value inRow) {
  if (layout.phases > 1) {
    // The box starts at a multiple of the swizzle's period (asyncPieceBytes).
    Value phase = e.phaseOf(layout, row);
    Value chunk = arith::XOrIOp::create(e.b, loc, e.divIndex(inRow, layout.vecElems), phase);
    Value col = e.mulIndex(chunk, layout.vecElems);
    inRow =
        pieceElems == layout.vecElems ? col : e.addIndex(col, e.remIndex(inRow, layout.vecElems));
  }
  if (layout.panelElems != 0) {
    // Panel after panel, each with all rows.
    Value panel = e.divIndex(row, layout.matrixRows());
    row = e.remIndex(row, layout.matrixRows());
    inRow = e.addIndex(inRow, e.mulIndex(panel, layout.panelElems));
  }
  SmallVector<Value, 4> point(shape.size());
  point.back() = inRow;
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d) {
    point[d] = d == 0 ? row : e.remIndex(row, shape[d]);
    if (d > 0)
      row = e.divIndex(row, shape[d]);
  }
  return point;
}

SmallVector<Value, 4> AsyncCopyEmitter::pointAt(Value offset) {
  int64_t pitch = place.layout.pitchElems;
  return pointAt(e.divIndex(offset, pitch), e.remIndex(offset, pitch));
}

SmallVector<Value, 4> AsyncCopyEmitter::pointAt(Value row, Value inRow) {
  return pointInTile(e, loc, place.layout, boxType.getShape(), pieceElems, row, inRow);
}

int64_t AsyncCopyEmitter::rowDimOfSource() const {
  if (boxType.rank() != 2 || boxType.getShape()[0] == 1)
    return -1;
  // As in sourceOf: the first extent that is not 1, for a batch is a view with one of 1.
  for (auto [n, dim] : llvm::enumerate(source.dims))
    if (sourceType.getShape()[n] != 1)
      return dim;
  return -1;
}

AsyncCopyEmitter::SourcePlace AsyncCopyEmitter::sourceOf(ArrayRef<Value> point, int64_t rowsOn,
                                                         bool hasDescriptor) {
  SourcePlace result;
  size_t rank = source.offsets.size();
  SmallVector<IndexRange, 4> span(rank, {0, 0});
  result.lanePart.resize(rank);
  result.masks.resize(rank);
  if (hasDescriptor && rank > 0)
    result.end = tensor.staticShape[0] * tensor.staticStrides[0] * elemBytes;
  // Extents of size 1 may differ between the two sides: match the others in order.
  int64_t d = 0;
  for (auto [n, dim] : llvm::enumerate(source.dims)) {
    if (sourceType.getShape()[n] == 1)
      continue;
    while (boxType.getShape()[d] == 1)
      ++d;
    result.lanePart[dim] = point[d];
    // The last panel may be padded: what lies behind the box is copied as well, if it exists.
    const SharedLayout &layout = place.layout;
    int64_t size = d + 1 == boxType.rank() && layout.panelElems != 0
                       ? layout.panels() * layout.panelElems
                       : boxType.getShape()[d];
    span[dim] = {0, size - 1};
    ++d;
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    Value offset = e.indexFor(source.offsets[dim], 0, elements);
    Value at = e.addIndex(result.lanePart[dim], offset);
    result.indices.push_back(at);
    std::optional<IndexRange> start = rangeOf(source.offsets[dim]);
    int64_t size = tensor.staticShape[dim];
    bool isInside = start && start->low >= 0 && !ShapedType::isDynamic(size) &&
                    start->high + span[dim].high < size;
    if (isInside)
      continue;
    // What lies behind the last row lies behind the tensor, as far as offsets do not wrap.
    if (hasDescriptor && dim == 0 && start && start->low >= 0 && start->high < outside) {
      int64_t end = (start->high + span[0].high + 1) * tensor.staticStrides[0] * elemBytes;
      result.endsTensor = end <= outside;
      if (result.endsTensor) {
        result.end = end;
        continue;
      }
    }
    Value extent = tensor.extents[dim] ? tensor.extents[dim] : e.index(size);
    if (rowsOn != 0 && int64_t(dim) == rowDimOfSource())
      at = e.addIndex(at, rowsOn);
    result.masks[dim] = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, extent);
    result.mask = e.andMasks(result.mask, result.masks[dim]);
  }
  return result;
}

Value AsyncCopyEmitter::slotStart() {
  // The box is whole rows of the ring: its start is a number of rows.
  const SharedLayout &layout = place.layout;
  Value rows;
  int64_t stride = 1;
  for (int d = int(layout.shape.size()) - 2; d >= 0; --d) {
    if (Value offset = e.indexFor(dest.offsets[d], 0, elements)) {
      Value part = e.mulIndex(offset, stride);
      rows = rows ? e.addIndex(rows, part) : part;
    }
    stride *= layout.shape[d];
  }
  Value bytes = rows ? e.mulIndex(rows, layout.pitchElems * layout.panels() * elemBytes) : Value();
  return e.addIndex(bytes, place.baseBytes);
}

Value AsyncCopyEmitter::chunkOf(int64_t round) {
  return e.addIndex(e.waveId, round * e.numWaves); // waves take turns
}

Value AsyncCopyEmitter::pieceOf(int64_t round) {
  return e.addIndex(e.mulIndex(chunkOf(round), e.target.waveLanes), e.laneId);
}

SmallVector<Value, 4> AsyncCopyEmitter::pointOf(int64_t round, Value piece) {
  if (!commonTarget || !isInOneRow())
    return pointAt(e.mulIndex(piece, pieceElems));
  // All in one row, the wave's. Of an element's number LLVM sees that only as long as the chunk,
  // which it adds the lane to, has another use: its address.
  Value chunk = chunkOf(round);
  int64_t chunkElems = e.target.waveLanes * pieceElems;
  int64_t ofRow = place.layout.pitchElems / chunkElems;
  return pointAt(e.divIndex(chunk, ofRow),
                 e.addIndex(e.mulIndex(e.remIndex(chunk, ofRow), chunkElems),
                            e.mulIndex(e.laneId, pieceElems)));
}

void AsyncCopyEmitter::run() {
  int64_t rows = 1;
  for (int64_t d = 0; d + 1 < boxType.rank(); ++d)
    rows *= boxType.getShape()[d];
  int64_t pieces = rows * place.layout.pitchElems * place.layout.panels() / pieceElems;
  bool lanesInRow = e.target.asyncCopies.lanesInRow;
  int64_t perRound = e.numWaves * e.target.waveLanes;
  int64_t rounds = ceilDiv(pieces, perRound);
  int64_t certain = pieces / perRound; // rounds in which every wave takes part
  if (!lanesInRow && rounds == certain && emitRounds(rounds))
    return;
  Value start = slotStart();
  if (lanesInRow)
    commonTarget = findCommonTarget(start, rounds);
  if (lanesInRow && tensor.isWide)
    ofBox = describeBox();
  for (int64_t round = 0; round < rounds; ++round) {
    OpBuilder::InsertionGuard guard(b);
    Value piece = pieceOf(round);
    if (round >= certain) {
      Value isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, piece, e.index(pieces));
      auto branch = scf::IfOp::create(b, loc, isInside, false);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    if (lanesInRow)
      emitDma(round, piece, start);
    else
      emitCpAsync(piece);
  }
  if (lanesInRow && !uncounted)
    e.copies.inGroup += certain;
}

LogicalResult emitAsyncCopy(Emitter &e, tile::AsyncCopyOp copy, Elements &elements) {
  int64_t pieceBytes = asyncPieceBytes(copy.getSrc(), copy.getDst(), e.target);
  if (pieceBytes == 0)
    return e.unsupported(*copy, "this asynchronous copy");
  TensorPlace &tensor = e.tensors.find(boxRootOf(copy.getSrc()))->second;
  makeDescriptor(e, tensor);
  keepGroupsApart(e);
  // What stands in front of a group is older than all of it.
  e.copies.hasEnded = copy.getUncounted();
  auto source = boxRootOf(copy.getSrc()).getDefiningOp<tile::TensorOp>();
  int64_t pieceElems = pieceBytes / bytesOf(tensor.dtype);
  if (!tensor.extents.back() || (source && divisorOfRows(source) % pieceElems == 0)) {
    AsyncCopyEmitter(e, copy, pieceBytes, elements).run();
    return success();
  }
  // Rows of whole pieces all begin at one, as the tensor does. Others go through registers, which
  // the waits and barriers of asynchronous copies do for, too.
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  Value rest = e.remIndex(tensor.extents.back(), pieceElems);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, e.index(0));
  auto branch = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  AsyncCopyEmitter(e, copy, pieceBytes, elements).run();
  b.setInsertionPointToStart(branch.elseBlock());
  OpBuilder before(copy);
  return emitParallel(e, moveElements(before, loc, copy.getSrc(), copy.getDst()), elements);
}

} // namespace tilec
