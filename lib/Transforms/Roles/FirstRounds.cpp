//===- FirstRounds.cpp - first rounds that ignore what C holds -------------===//
//
// A C that is filled with zero in front of a loop whose gemm stays in flight: the first round's
// instructions ignore what is in it, and no register has to be set.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CLEARFIRSTROUNDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The fill with zeros that is the last to touch the buffer in front of the loop; null where that
/// is something else.
tile::FillOp fillBefore(tile::ForOp loop, Value buffer) {
  Operation *before = loop->getPrevNode();
  while (before && (isa<tile::AllocOp>(before) || !touches(before, buffer)))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<tile::FillOp>(before);
  return fill && fill.getDst() == buffer && isZero(fill.getValue()) ? fill : tile::FillOp();
}

void clearInFirstRound(tile::ForOp loop, tile::GemmOp gemm) {
  auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
  if (gemm.getClear() || !lower || !upper || *lower >= *upper)
    return;
  tile::FillOp fill = fillBefore(loop, gemm.getC());
  if (!fill)
    return;
  fill.erase();
  OpBuilder b(gemm);
  Value isFirst =
      arith::CmpIOp::create(b, gemm.getLoc(), arith::CmpIPredicate::eq, loop.iv(), loop.getLower());
  gemm.getClearMutable().assign(isFirst);
}

struct ClearFirstRoundsPass : impl::ClearFirstRoundsPassBase<ClearFirstRoundsPass> {
  using ClearFirstRoundsPassBase::ClearFirstRoundsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      for (ProducerLoop &plan : producerLoopsOf(kernel, *chip))
        if (tile::GemmOp gemm = plan.gemmInFlight())
          clearInFirstRound(plan.loop, gemm);
  }
};

} // namespace

} // namespace tilec
