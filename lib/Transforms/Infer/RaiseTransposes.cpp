//===- RaiseTransposes.cpp - loops that lanes run by exchanging blocks ---===//
//
// Takes moves of bytes across shared tiles whose layouts keep the words of a row together, gives
// tile.transpose_bytes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/ByteTranspose.h"
#include "Layouts/LoopLayout.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RAISETRANSPOSESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool keepsWords(Value buffer) {
  const SharedLayout *layout =
      buffer.getDefiningOp<tile::AllocOp>() ? sharedLayoutOf(buffer) : nullptr;
  return layout && layout->pitchElems % blockEdge == 0 &&
         (layout->phases <= 1 || layout->vecElems % blockEdge == 0);
}

struct RaiseTransposesPass : impl::RaiseTransposesPassBase<RaiseTransposesPass> {
  using RaiseTransposesPassBase::RaiseTransposesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (!chip->hasMatrixReads)
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      for (tile::MoveOp move : byteTranspositions(kernel))
        if (keepsWords(move.load().getBuffer()) && keepsWords(move.store().getBuffer()))
          tile::turnInto<tile::TransposeBytesOp>(move);
  }
};

} // namespace

} // namespace tilec
