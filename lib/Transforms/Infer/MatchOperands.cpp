//===- MatchOperands.cpp - fragments where tile ops want them ------------===//
//
// Takes a kernel whose fragments have layouts: where an op computes with an operand in another one,
// the operand is a copy that has it (C of a product, results), or a shared tile (A, B).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/KOrder.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_MATCHOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

void setLayout(Value root, const FragmentLayout &layout) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  alloc.setLayoutAttr(tile::FragmentLayoutAttr::get(alloc.getContext(), layout));
}

void remarkConversion(Operation *op, Value operand) {
  auto alloc = rootOf(operand).getDefiningOp<tile::AllocOp>();
  op->emitRemark() << "fragment `" << (alloc ? alloc.getName() : "operand")
                   << "` goes through shared memory: other statements want its elements in other "
                      "lanes";
}

void match(tile::GemmOp gemm, const GemmPlan &plan) {
  struct Side {
    OpOperand *operand;
    FragmentLayout wanted;
  };
  Side sides[] = {
      {&gemm.getAMutable(), operandLayout(gemm, /*isB=*/false, plan)},
      {&gemm.getBMutable(), operandLayout(gemm, /*isB=*/true, plan)},
  };
  for (Side &side : sides) {
    const FragmentLayout *own = fragmentLayoutOf(side.operand->get());
    if (!own || *own == side.wanted)
      continue;
    remarkConversion(gemm, side.operand->get());
    replaceOperand(*side.operand, tile::Scope::Shared, true, false);
  }
  const FragmentLayout *c = fragmentLayoutOf(gemm.getC());
  if (c && !(*c == plan.c)) {
    remarkConversion(gemm, gemm.getC());
    replaceOperand(gemm.getCMutable(), tile::Scope::Fragment, true, true);
    setLayout(gemm.getC(), plan.c);
  }
  setMma(gemm, plan); // of operands where they are now
}

void match(tile::ReduceOp reduce) {
  const FragmentLayout *src = fragmentLayoutOf(reduce.getSrc());
  const FragmentLayout *dst = fragmentLayoutOf(reduce.getDst());
  if (!src || !dst)
    return;
  auto type = cast<tile::BufferType>(reduce.getDst().getType());
  FragmentLayout wanted = src->withoutDim(reduce.getDim());
  if (type.rank() == int64_t(src->rank()))
    wanted = wanted.withUnitDim(reduce.getDim());
  if (wanted == *dst)
    return;
  replaceOperand(reduce.getDstMutable(), tile::Scope::Fragment, !reduce.getClear(), true);
  setLayout(reduce.getDst(), wanted);
}

void match(tile::ScanOp scan, const TargetInfo &target, int64_t numWaves) {
  FragmentLayout wanted = *fragmentLayoutOf(scan.getSrc());
  if (!isScannable(wanted, scan.getDim()))
    wanted = scanLayoutOf(scan, target, numWaves);
  for (OpOperand *operand : {&scan.getSrcMutable(), &scan.getDstMutable()}) {
    if (*fragmentLayoutOf(operand->get()) == wanted)
      continue;
    bool isSource = operand == &scan.getSrcMutable();
    remarkConversion(scan, operand->get());
    replaceOperand(*operand, tile::Scope::Fragment, isSource, !isSource);
    setLayout(operand->get(), wanted);
  }
}

void matchOperands(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<tile::GemmOp, tile::ReduceOp, tile::ScanOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto scan = dyn_cast<tile::ScanOp>(op)) {
      match(scan, target, wavesOf(kernel, target));
    } else if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
      match(gemm, llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(kernel, target))));
    } else {
      match(cast<tile::ReduceOp>(op));
    }
  }
}

struct MatchOperandsPass : impl::MatchOperandsPassBase<MatchOperandsPass> {
  using MatchOperandsPassBase::MatchOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      matchOperands(kernel, *chip);
  }
};

} // namespace

} // namespace tilec
