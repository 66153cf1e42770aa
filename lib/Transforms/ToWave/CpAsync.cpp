//===- CpAsync.cpp - pieces that cp.async brings --------------------------===//
//
// Each lane has an address of its own on both sides, and constants that are added to them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/AsyncCopyEmitter.h"

using namespace mlir;

namespace tilec {

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

} // namespace tilec
