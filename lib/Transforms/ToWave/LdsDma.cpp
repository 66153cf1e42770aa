//===- LdsDma.cpp - pieces that LDS DMAs bring ----------------------------===//
//
// A DMA takes a descriptor, which checks where the tensor ends, a place of each lane and one of the
// wave; and writes lane after lane from one address in shared memory on.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/AsyncPieces.h"
#include "ToWave/AsyncCopyEmitter.h"

#include "tilec/Base/Math.h"

#include <numeric>

using namespace mlir;

namespace tilec {

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

void emitCopyTemplates(Emitter &e, tile::AsyncCopyOp copy, const PipelineOperand &operand,
                       Elements &elements) {
  makeDescriptor(e, e.tensors.find(boxRootOf(copy.getSrc()))->second);
  int64_t pieceBytes = asyncPieceBytes(copy.getSrc(), copy.getDst(), e.target);
  AsyncCopyEmitter(e, copy, pieceBytes, elements).runTemplates(operand);
}

} // namespace tilec
