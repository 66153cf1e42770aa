//===- Operands.cpp - operands of tile ops in the form the target takes ---===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Operands.h"

#include "Layouts/LoopLayout.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {
namespace {

bool isWhole(Value buffer, tile::Scope scope) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return type.getScope() == scope && buffer.getDefiningOp<tile::AllocOp>();
}

Value makeTemp(Operation *op, Value like, tile::Scope scope, StringRef suffix) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto type = cast<tile::BufferType>(like.getType());
  auto alloc = rootOf(like).getDefiningOp<tile::AllocOp>();
  std::string name = ((alloc ? alloc.getName() : "tensor") + suffix).str();
  auto tempType = tile::BufferType::get(type.getShape(), type.getElementType(), scope);
  return tile::AllocOp::create(top, op->getLoc(), tempType, name, Attribute());
}

void copyBefore(Operation *op, Value from, Value to) {
  OpBuilder builder(op);
  expandCopy(builder, op->getLoc(), from, to);
}

void copyAfter(Operation *op, Value from, Value to) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  expandCopy(builder, op->getLoc(), from, to);
}

/// The op works on a temporary of this scope, filled before it and, when `isWritten`, copied back.
void replaceOperand(OpOperand &operand, tile::Scope scope, bool isRead, bool isWritten) {
  Operation *op = operand.getOwner();
  Value original = operand.get();
  Value temp = makeTemp(op, original, scope, "_whole");
  if (isRead)
    copyBefore(op, original, temp);
  operand.set(temp);
  if (isWritten)
    copyAfter(op, temp, original);
}

void isolate(tile::GemmOp gemm) {
  bool overwrites = gemm.getClear() && tile::constantInt(gemm.getClear()).value_or(0) != 0;
  for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()}) {
    Value buffer = operand->get();
    auto type = cast<tile::BufferType>(buffer.getType());
    // A box of a shared tile is read in place when no reshape is in between.
    OpBuilder scratch(gemm);
    bool isShared = type.isShared() && boxOf(buffer, scratch, gemm.getLoc()).has_value();
    if (!isShared && !isWhole(buffer, tile::Scope::Fragment))
      replaceOperand(*operand, tile::Scope::Shared, true, false);
  }
  if (!isWhole(gemm.getC(), tile::Scope::Fragment))
    replaceOperand(gemm.getCMutable(), tile::Scope::Fragment, !overwrites, true);
}

void isolate(tile::ReduceOp reduce) {
  if (!isWhole(reduce.getSrc(), tile::Scope::Fragment))
    replaceOperand(reduce.getSrcMutable(), tile::Scope::Fragment, true, false);
  if (!isWhole(reduce.getDst(), tile::Scope::Fragment))
    replaceOperand(reduce.getDstMutable(), tile::Scope::Fragment, !reduce.getClear(), true);
}

void setLayout(Value root, const FragmentLayout &layout) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  alloc.setLayoutAttr(tile::FragmentLayoutAttr::get(alloc.getContext(), layout));
}

void match(tile::GemmOp gemm, const GemmPlan &plan) {
  struct Side {
    OpOperand *operand;
    FragmentLayout wanted;
  };
  Side sides[] = {
      {&gemm.getAMutable(), gemm.getTransposeA() ? exchanged(plan.a) : plan.a},
      {&gemm.getBMutable(), gemm.getTransposeB() ? plan.b : exchanged(plan.b)},
  };
  for (Side &side : sides) {
    const FragmentLayout *own = fragmentLayoutOf(side.operand->get());
    if (own && !(*own == side.wanted))
      replaceOperand(*side.operand, tile::Scope::Shared, true, false);
  }
  const FragmentLayout *c = fragmentLayoutOf(gemm.getC());
  if (c && !(*c == plan.c)) {
    replaceOperand(gemm.getCMutable(), tile::Scope::Fragment, true, true);
    setLayout(gemm.getC(), plan.c);
  }
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

} // namespace

void isolateOperands(tile::KernelOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<tile::GemmOp, tile::ReduceOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op))
      isolate(gemm);
    else
      isolate(cast<tile::ReduceOp>(op));
  }
}

void matchOperands(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<tile::GemmOp, tile::ReduceOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
      if (std::optional<GemmPlan> plan = planGemm(gemm, target, wavesOf(kernel, target)))
        match(gemm, *plan);
    } else {
      match(cast<tile::ReduceOp>(op));
    }
  }
}

} // namespace tilec
