//===- AsyncCopy.cpp - global to shared memory without registers ----------===//
//
// Shared addresses run with the lanes (an LDS DMA can do nothing else, cp.async does
// it without bank conflicts); the swizzle is on the global side: a lane asks which
// element its place holds and fetches that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/Pipeline.h"
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"

#include <numeric>

using namespace mlir;

namespace tilec {

constexpr int64_t outside = outsideOfTensors;

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

class AsyncCopyEmitter {
public:
  AsyncCopyEmitter(Emitter &emitter, tile::AsyncCopyOp copy, int64_t pieceBytes, Elements &elements)
      : e(emitter), b(emitter.b), loc(copy.getLoc()), pieceBytes(pieceBytes), elements(elements),
        source(boxOf(copy.getSrc())), dest(boxOf(copy.getDst())), boxType(copy.getDst().getType()),
        tensor(emitter.tensors.find(source.root)->second),
        place(emitter.shared.find(dest.root)->second), sourceType(copy.getSrc().getType()),
        loop(copy->getParentOp()), uncounted(copy.getUncounted()) {
    while (loop && !isa<tile::ForOp, scf::ForOp, scf::WhileOp>(loop))
      loop = loop->getParentOp();
    elemBytes = bytesOf(place.dtype);
    pieceElems = pieceBytes / elemBytes;
  }

  void run();
  /// The copies of one wave, named and with the advance that `wave.pipeline` wants.
  void runTemplates(const PipelineOperand &operand);

private:
  /// Coordinates in the destination box of the element at `offset` (elements, from the box's
  /// start).
  SmallVector<Value, 4> pointAt(Value offset);
  SmallVector<Value, 4> pointAt(Value row, Value inRow);
  /// Index of each source dimension for a point of the box, and whether it is inside the tensor.
  struct SourcePlace {
    SmallVector<Value, 4> indices;
    SmallVector<Value, 4> lanePart; ///< without the box's own (uniform) offset
    Value mask;                     ///< of the rows further on; `indices` are those of the point
    SmallVector<Value, 4> masks;    ///< its parts; null where the dimension needs none
    bool endsTensor = false;        ///< rows behind the last: the descriptor's check is their mask
    int64_t end = 0; ///< bytes: no place without a mask lies behind (`hasDescriptor`)
  };
  /// `rowsOn` rows further on than the point, where the box has rows (`rowDimOfSource`).
  SourcePlace sourceOf(ArrayRef<Value> point, int64_t rowsOn = 0, bool hasDescriptor = false);
  /// The tensor's dimension along which the rows of a box of rank 2 lie; -1: not known.
  int64_t rowDimOfSource() const;
  Value slotStart(); ///< byte address of the box in shared memory, uniform
  /// Where the loop is to add up the addresses of a wave's copies in shared memory, what they begin
  /// at; null where they may stay in registers.
  Value findCommonTarget(Value start, int64_t rounds);
  /// Whether the pieces of a wave's lanes lie in one row.
  bool isInOneRow() const {
    return place.layout.pitchElems % (e.target.waveLanes * pieceElems) == 0;
  }
  void emitDma(int64_t round, Value piece, Value start);
  Value chunkOf(int64_t round);
  Value pieceOf(int64_t round);
  /// Of the element with which a lane's piece begins.
  SmallVector<Value, 4> pointOf(int64_t round, Value piece);
  /// The first round in which a lane's piece lies at the same place of its row, and the rows from
  /// there on.
  std::pair<int64_t, int64_t> sameColumn(int64_t round);
  /// Of a place for which no bound was left to check: the lane's part and the uniform one.
  std::pair<Value, Value> splitOffset(const SourcePlace &from);
  /// A descriptor from the box on, for a tensor whose end only 64 bits reach, or only the run
  /// knows.
  Value describeBox();
  /// The place of a lane from there on; behind the descriptor's end where the mask is false.
  Value offsetInBox(const SourcePlace &from);
  /// Of one with a mask: past the end of any tensor where it is false.
  Value maskedOffset(const SourcePlace &from);
  /// The same where the descriptor checks the rest: what is not masked is added behind the choice.
  Value checkedOffset(const SourcePlace &from);
  void emitCpAsync(Value piece);
  /// The same for whole rounds of all lanes, whose pieces lie at one place of their rows.
  bool emitRounds(int64_t rounds);

  Emitter &e;
  OpBuilder &b;
  Location loc;
  int64_t pieceBytes, pieceElems, elemBytes;
  Elements &elements;
  BufferBox source, dest;
  tile::BufferType boxType;
  const TensorPlace &tensor;
  const SharedPlace &place;
  tile::BufferType sourceType;
  Operation *loop; ///< the innermost one around the copy; null: none
  bool uncounted;
  Value commonTarget; ///< see findCommonTarget
  Value ofBox;        ///< see describeBox; null: the tensor's descriptor reaches it all
};

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

/// Whether a round of the loop may have another value than the round before.
static bool variesInLoop(Value value, Operation *loop) {
  if (!loop)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return loop->isAncestor(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (!isPure(op) || op->getNumRegions() != 0)
    return loop->isAncestor(op);
  return llvm::any_of(op->getOperands(), [&](Value v) { return variesInLoop(v, loop); });
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

Value AsyncCopyEmitter::maskedOffset(const SourcePlace &from) {
  return arith::SelectOp::create(b, loc, from.mask, e.globalOffset(tensor, from.indices),
                                 e.index(-outside));
}

/// A mask that stays the same in a loop leaves a lane's number behind then, instead of a pair of
/// scalar registers for each copy, of which there are too few; one that moves is the same for all
/// copies of a column. No sum wraps: all that is not masked off ends at `from.end`.
Value AsyncCopyEmitter::checkedOffset(const SourcePlace &from) {
  size_t rank = from.indices.size();
  SmallVector<Value, 4> fixed(rank, e.index(0)), free = fixed, moving = fixed;
  Value fixedMask, movingMask;
  for (size_t d = 0; d < rank; ++d) {
    bool moves = from.masks[d] && llvm::any_of(source.offsets[d].terms, [&](Value term) {
                   return variesInLoop(term, loop);
                 });
    (!from.masks[d] ? free : moves ? moving : fixed)[d] = from.indices[d];
    Value &mask = moves ? movingMask : fixedMask;
    mask = e.andMasks(mask, from.masks[d]);
  }
  auto choose = [&](Value mask, Value offset, int64_t otherwise) -> Value {
    if (!mask)
      return offset;
    return arith::SelectOp::create(b, loc, mask, offset, e.index(otherwise));
  };
  Value sum = choose(fixedMask, e.globalOffset(tensor, fixed), -outside);
  sum = e.addIndex(sum, e.globalOffset(tensor, free));
  Value last = e.globalOffset(tensor, moving);
  if (!fixedMask)
    return e.addIndex(sum, choose(movingMask, last, -outside));
  if (from.end <= outside / 2) // room for both
    return e.addIndex(sum, choose(movingMask, last, outside / 2));
  return choose(movingMask, e.addIndex(sum, last), -outside);
}

std::pair<Value, Value> AsyncCopyEmitter::splitOffset(const SourcePlace &from) {
  SmallVector<Value, 4> lane, uniform;
  for (size_t d = 0; d < from.indices.size(); ++d) {
    lane.push_back(from.lanePart[d] ? from.lanePart[d] : e.index(0));
    Value offset = e.indexFor(source.offsets[d], 0, elements);
    uniform.push_back(offset ? offset : e.index(0));
  }
  return {e.globalOffset(tensor, lane), e.globalOffset(tensor, uniform)};
}

Value AsyncCopyEmitter::describeBox() {
  SmallVector<Value, 4> start;
  for (const IndexSum &sum : source.offsets) {
    Value offset = e.indexFor(sum, 0, elements);
    start.push_back(offset ? offset : e.index(0));
  }
  Value base = wave::AddGlobalOp::create(b, loc, tensor.base.getType(), tensor.base,
                                         e.globalOffset(tensor, start));
  Value bytes = arith::ConstantIntOp::create(b, loc, outside, 64);
  return wave::BufferDescOp::create(b, loc, wave::DescType::get(b.getContext()), base, bytes);
}

Value AsyncCopyEmitter::offsetInBox(const SourcePlace &from) {
  Value offset;
  for (auto [part, stride] : llvm::zip(from.lanePart, tensor.staticStrides))
    if (part)
      offset = e.addIndex(offset, e.mulIndex(part, stride * elemBytes));
  if (!offset)
    offset = e.index(0);
  if (!from.mask)
    return offset;
  return arith::SelectOp::create(b, loc, from.mask, offset, e.index(-outside));
}

Value AsyncCopyEmitter::findCommonTarget(Value start, int64_t rounds) {
  bool moves = llvm::any_of(dest.offsets, [&](const IndexSum &offset) {
    return llvm::any_of(offset.terms, [&](Value term) { return variesInLoop(term, loop); });
  });
  if (!loop || moves)
    return Value();
  // A mask of the wave's rows takes another register for each of them.
  int64_t rowDim = rowDimOfSource();
  bool hasRowMasks = rowDim >= 0 && isInOneRow() &&
                     sourceOf(pointOf(0, pieceOf(0)), 0, /*hasDescriptor=*/true).masks[rowDim];
  int64_t targets = hasRowMasks ? rounds : 0;
  loop->walk([&](tile::AsyncCopyOp copy) {
    int64_t perRound =
        e.numWaves * e.target.waveLanes * asyncPieceBytes(copy.getSrc(), copy.getDst(), e.target);
    auto type = copy.getDst().getType();
    if (perRound != 0)
      targets += ceilDiv(type.numElems() * bytesOf(tile::dtypeOf(type.getElementType())), perRound);
  });
  // LLVM keeps each address in shared memory that stays the same in a loop in a scalar register of
  // its own. Of more than what these may take each is an addition, for which the instruction does
  // that would move it.
  if (targets <= e.target.registers.scalarsOfCopies)
    return Value();
  Value first = e.addIndex(start, e.mulIndex(e.waveId, e.target.waveLanes * pieceBytes));
  return wave::OpaqueOp::create(b, loc, b.getIndexType(), first);
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

std::pair<int64_t, int64_t> AsyncCopyEmitter::sameColumn(int64_t round) {
  const SharedLayout &layout = place.layout;
  if (rowDimOfSource() < 0 || layout.panelElems != 0)
    return {round, 0};
  int64_t elemsOn = e.numWaves * e.target.waveLanes * pieceElems;
  int64_t period = layout.periodRows() * layout.pitchElems;
  int64_t first = round % (period / std::gcd(period, elemsOn));
  return {first, (round - first) * elemsOn / layout.pitchElems};
}

void AsyncCopyEmitter::emitDma(int64_t round, Value piece, Value start) {
  int64_t chunkBytes = e.target.waveLanes * pieceBytes;
  Value target = commonTarget ? e.addIndex(commonTarget, round * e.numWaves * chunkBytes)
                              : e.addIndex(start, e.mulIndex(chunkOf(round), chunkBytes));
  if (ofBox) {
    Value voffset = offsetInBox(sourceOf(pointOf(round, piece)));
    wave::LoadToSharedOp::create(b, loc, ofBox, voffset, e.index(0), target, 0, pieceBytes);
    return;
  }
  SourcePlace from = sourceOf(pointOf(round, piece), 0, /*hasDescriptor=*/true);
  Value voffset, soffset = e.index(0);
  if (from.mask || from.endsTensor) {
    // Rows that need no mask of their own lie a constant behind others of the column.
    int64_t rowDim = rowDimOfSource();
    if (auto [first, rowsOn] = sameColumn(round);
        rowsOn != 0 && rowDim >= 0 && !from.masks[rowDim]) {
      Value offset =
          checkedOffset(sourceOf(pointOf(first, pieceOf(first)), 0, /*hasDescriptor=*/true));
      voffset = e.addIndex(offset, rowsOn * tensor.staticStrides[rowDim] * elemBytes);
    } else {
      voffset = checkedOffset(from);
    }
  } else { // the box's own offset is uniform and goes into the scalar operand
    std::tie(voffset, soffset) = splitOffset(from);
  }
  wave::LoadToSharedOp::create(b, loc, tensor.desc, voffset, soffset, target, 0, pieceBytes);
}

void AsyncCopyEmitter::runTemplates(const PipelineOperand &operand) {
  const CopyAssignment &copies = operand.copies;
  Value waveChunk;
  for (auto [bit, chunk] : llvm::enumerate(copies.waveBitChunk)) {
    Value isSet = e.remIndex(e.divIndex(e.waveId, int64_t(1) << bit), 2);
    waveChunk = e.addIndex(waveChunk, e.mulIndex(isSet, chunk));
  }
  if (!waveChunk) // a single wave
    waveChunk = e.index(0);
  int64_t chunkElems = copies.chunkBytes / elemBytes;
  Value lanePiece = e.mulIndex(e.laneId, pieceElems);
  Value firstElement = e.addIndex(lanePiece, e.mulIndex(waveChunk, chunkElems));
  Value sharedStart = e.addIndex(e.mulIndex(waveChunk, copies.chunkBytes), place.baseBytes);
  SourcePlace first = sourceOf(pointAt(firstElement), 0, /*hasDescriptor=*/!tensor.isWide);
  if (tensor.isWide)
    ofBox = describeBox();
  auto placeOfLane = [&](const SourcePlace &from) -> std::pair<Value, Value> {
    if (ofBox)
      return {offsetInBox(from), e.index(0)};
    if (from.mask)
      return {maskedOffset(from), e.index(0)};
    if (from.endsTensor)
      return {e.globalOffset(tensor, from.indices), e.index(0)};
    return splitOffset(from);
  };

  // Whole rows, and whole periods of the swizzle, further on: the same place in the row.
  int64_t period = place.layout.periodRows() * place.layout.pitchElems;
  int64_t rowDim = rowDimOfSource();
  for (auto [d, chunk] : llvm::enumerate(copies.copyChunk)) {
    int64_t elems = chunk * chunkElems;
    Value voffset, soffset;
    if (rowDim >= 0 && !first.masks[rowDim] && elems % period == 0) {
      // A place that is masked off stays behind all tensors; what the descriptor is to check is in
      // the part of which all say that it checks it.
      std::tie(voffset, soffset) = placeOfLane(first);
      int64_t rows = elems / place.layout.pitchElems;
      Value &part = first.endsTensor ? voffset : soffset;
      part = e.addIndex(part, rows * tensor.staticStrides[rowDim] * elemBytes);
    } else {
      std::tie(voffset, soffset) = placeOfLane(sourceOf(pointAt(e.addIndex(firstElement, elems)), 0,
                                                        /*hasDescriptor=*/!tensor.isWide));
    }
    auto step = wave::StepAttr::get(b.getContext(),
                                    operand.isA ? wave::StepKind::CopyA : wave::StepKind::CopyB, d,
                                    /*j=*/0, /*k=*/0, operand.slotBytes, operand.advanceBytes,
                                    /*cover=*/0, /*together=*/1);
    wave::LoadToSharedOp::create(b, loc, ofBox ? ofBox : tensor.desc, voffset, soffset,
                                 e.addIndex(sharedStart, chunk * copies.chunkBytes), 0, pieceBytes,
                                 step);
  }
}

void AsyncCopyEmitter::emitCpAsync(Value piece) {
  Value element = e.mulIndex(piece, pieceElems);
  SourcePlace from = sourceOf(pointAt(element));
  Value to = e.addIndex(slotStart(), e.mulIndex(element, elemBytes));
  wave::CpAsyncOp::create(b, loc, tensor.base, e.globalOffset(tensor, from.indices), to, from.mask,
                          0, pieceBytes);
}

/// The copies of a lane then differ by constants, which the instruction adds to its addresses.
bool AsyncCopyEmitter::emitRounds(int64_t rounds) {
  const SharedLayout &layout = place.layout;
  int64_t elemsOn = e.numWaves * e.target.waveLanes * pieceElems; // of one round
  int64_t rowDim = rowDimOfSource();
  if (rowDim < 0 || layout.panelElems != 0 || tensor.isWide ||
      elemsOn % (layout.periodRows() * layout.pitchElems) != 0)
    return false;
  int64_t rowsOn = elemsOn / layout.pitchElems;
  int64_t rowBytes = tensor.staticStrides[rowDim] * elemBytes;
  if (rounds * rowsOn * rowBytes >= int64_t(1) << 31)
    return false;
  Value piece = e.addIndex(e.mulIndex(e.waveId, e.target.waveLanes), e.laneId);
  Value element = e.mulIndex(piece, pieceElems);
  Value to = e.addIndex(slotStart(), e.mulIndex(element, elemBytes));
  SmallVector<Value, 4> point = pointAt(element);
  Value first = e.globalOffset(tensor, sourceOf(point).indices);
  for (int64_t round = 0; round < rounds; ++round) {
    // Tensors end within 2^31 bytes (asyncPieceBytes), so that what is copied is reached without a
    // wrap.
    Value at = first;
    if (round > 0)
      at = arith::AddIOp::create(b, loc, first, e.index(round * rowsOn * rowBytes),
                                 arith::IntegerOverflowFlags::nuw);
    wave::CpAsyncOp::create(b, loc, tensor.base, at, to, sourceOf(point, round * rowsOn).mask,
                            round * elemsOn * elemBytes, pieceBytes);
  }
  return true;
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

void makeDescriptor(Emitter &e, TensorPlace &place) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (!e.target.hasDescriptors || place.desc || place.isWide)
    return;
  // Once, at the top of the e.kernel.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(e.threadId.getDefiningOp());
  int64_t elems = 1;
  for (int64_t size : place.staticShape)
    elems *= size;
  Value bytes = arith::ConstantIntOp::create(b, loc, storageBytes(place.dtype, elems), 64);
  place.desc =
      wave::BufferDescOp::create(b, loc, wave::DescType::get(b.getContext()), place.base, bytes);
}

void keepGroupsApart(Emitter &e) {
  if (e.target.asyncCopies.completion != Completion::Groups && e.copies.hasEnded)
    wave::SchedFenceOp::create(e.b, e.loc, /*mask=*/wave::arithmeticPasses, StringAttr(),
                               DenseI64ArrayAttr(), /*groups=*/true);
  e.copies.hasEnded = false;
}

void emitCopyTemplates(Emitter &e, tile::AsyncCopyOp copy, const PipelineOperand &operand,
                       Elements &elements) {
  makeDescriptor(e, e.tensors.find(boxRootOf(copy.getSrc()))->second);
  int64_t pieceBytes = asyncPieceBytes(copy.getSrc(), copy.getDst(), e.target);
  AsyncCopyEmitter(e, copy, pieceBytes, elements).runTemplates(operand);
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

void emitAsyncCommit(Emitter &e) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (e.target.asyncCopies.completion == Completion::Groups) {
    wave::CpAsyncCommitOp::create(b, loc);
    return;
  }
  e.copies.ended.push_back(e.copies.inGroup);
  e.copies.inGroup = 0;
  e.copies.hasEnded = true;
}

void emitAsyncWait(Emitter &e, int64_t pending) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  if (e.target.asyncCopies.completion == Completion::Groups) {
    wave::CpAsyncWaitOp::create(b, loc, pending);
    return;
  }
  // The counter goes down in order: once no more operations are open than the latest groups have,
  // every older group has landed. Other loads issued since only make the wait stricter. A loop's
  // rounds start the groups that stand in front of it, in the same order.
  auto latest = ArrayRef(e.copies.ended).take_back(pending);
  int64_t open =
      std::min(std::accumulate(latest.begin(), latest.end(), int64_t(0)), e.target.counters.memory);
  wave::WaitOp::create(b, loc, b.getI64IntegerAttr(open), IntegerAttr(), /*groups=*/true);
  e.copies.hasEnded = false;
}

} // namespace tilec
