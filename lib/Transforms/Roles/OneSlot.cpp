//===- OneSlot.cpp - producers for loops that ask for no ring --------------===//
//
// `num_stages=1` asks for no second slot; it does not ask for copies in series with the
// products. Where a round's gemms read different tiles, one of them is filled while the
// other is read: K's next tile during the softmax and the second gemm, V's during the
// first. A lone gemm has nothing to hide its copy behind, and stays sequential: a ring of
// one slot took 609 us where that took 352
// (docs/decisions/0011-stages-are-a-wish.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/OneSlot.h"

using namespace mlir;

namespace tilec {
namespace {

/// Whether the value is computed in the loop's body by ops that can be repeated there for another
/// round: arithmetic, views, and reads of tensors.
bool isRepeatable(Value value, tile::ForOp loop) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return true;
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isPlain = op->getNumRegions() == 0 && op->getBlock() == loop.bodyBlock() &&
                 (isMemoryEffectFree(op) || (load && load.getBuffer().getType().isGlobal()));
  return isPlain && llvm::all_of(op->getOperands(),
                                 [&](Value operand) { return isRepeatable(operand, loop); });
}

} // namespace

bool fillsBesideGemms(const ProducerLoop &plan) {
  ProducerLoop overlapped = plan;
  overlapped.served.form = tile::RoundForm::Overlapped;
  return overlapped.pipes().size() > 1;
}

bool canFillFirstAhead(ProducerLoop &plan) {
  return plan.isOverlapped() && plan.pipes().size() == 2 &&
         llvm::all_of(plan.copies,
                      [&](tile::CopyOp copy) { return isRepeatable(copy.getSrc(), plan.loop); });
}

Value sourceInRound(ProducerLoop &plan, tile::CopyOp copy, Value iv, const IRMapping &values,
                    OpBuilder &b) {
  IRMapping round = values;
  // What the body has computed for its own round is computed anew.
  auto provide = [&](auto &self, Value value) -> Value {
    if (value == plan.loop.iv())
      return iv;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != plan.loop.bodyBlock())
      return values.lookupOrDefault(value);
    for (Value operand : op->getOperands())
      round.map(operand, self(self, operand));
    return b.clone(*op, round)->getResult(0);
  };
  return provide(provide, copy.getSrc());
}

} // namespace tilec
