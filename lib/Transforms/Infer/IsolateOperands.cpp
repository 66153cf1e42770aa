//===- IsolateOperands.cpp - tile ops work on whole buffers --------------===//
//
// Takes products, reductions and scans, gives them operands that are laid out for them alone where
// they name a part of a buffer, or memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"
#include "Layouts/GemmPlan.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ISOLATEOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool isWhole(Value buffer, tile::Scope scope) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return type.getScope() == scope && buffer.getDefiningOp<tile::AllocOp>();
}

void isolate(tile::GemmOp gemm, const TargetInfo &target) {
  const bool isOfLanes = isLaneProduct(gemm, target);
  for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()}) {
    Value buffer = operand->get();
    auto type = cast<tile::BufferType>(buffer.getType());
    // A box of a shared tile is read in place; lanes read nothing else.
    if (!type.isShared() && (isOfLanes || !isWhole(buffer, tile::Scope::Fragment)))
      replaceOperand(*operand, tile::Scope::Shared, true, false);
  }
  if (!isWhole(gemm.getC(), tile::Scope::Fragment))
    replaceOperand(gemm.getCMutable(), tile::Scope::Fragment, !overwritesC(gemm), true);
}

void isolate(tile::ReduceOp reduce) {
  if (!isWhole(reduce.getSrc(), tile::Scope::Fragment))
    replaceOperand(reduce.getSrcMutable(), tile::Scope::Fragment, true, false);
  if (!isWhole(reduce.getDst(), tile::Scope::Fragment))
    replaceOperand(reduce.getDstMutable(), tile::Scope::Fragment, !reduce.getClear(), true);
}

void isolate(tile::ScanOp scan) {
  if (!isWhole(scan.getSrc(), tile::Scope::Fragment))
    replaceOperand(scan.getSrcMutable(), tile::Scope::Fragment, true, false);
  if (!isWhole(scan.getDst(), tile::Scope::Fragment))
    replaceOperand(scan.getDstMutable(), tile::Scope::Fragment, false, true);
}

struct IsolateOperandsPass : impl::IsolateOperandsPassBase<IsolateOperandsPass> {
  using IsolateOperandsPassBase::IsolateOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<tile::GemmOp, tile::ReduceOp, tile::ScanOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto gemm = dyn_cast<tile::GemmOp>(op))
        isolate(gemm, *chip);
      else if (auto scan = dyn_cast<tile::ScanOp>(op))
        isolate(scan);
      else
        isolate(cast<tile::ReduceOp>(op));
    }
  }
};

} // namespace

} // namespace tilec
