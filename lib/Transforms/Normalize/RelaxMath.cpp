//===- RelaxMath.cpp - arithmetic whose last bits are rounded away --------===//
//
// What several of the passes ask and write.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"

using namespace mlir;

namespace tilec {

SmallVector<tile::KernelOp> relaxedKernels(tile::ProgramOp program) {
  if (program.getLibraryMath())
    return {};
  return llvm::to_vector(program.getBody().getOps<tile::KernelOp>());
}

SmallVector<Operation *> arithmeticOf(tile::KernelOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ElementLoop>() && op->getNumResults() == 1 &&
        op->getResult(0).getType().isF32())
      ops.push_back(op);
  });
  return ops;
}

void allow(Operation *op, arith::FastMathFlags more) {
  auto withFlags = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = withFlags.getFastMathFlagsAttr().getValue() | more;
  op->setAttr(withFlags.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

Value numberLike(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

/// The loop variables that a value is computed from.
static llvm::DenseSet<Value> variablesOf(Value value, tile::ElementLoop loop) {
  llvm::DenseSet<Value> seen, variables;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (llvm::is_contained(loop.ivs(), next))
      variables.insert(next);
    else if (Operation *op = next.getDefiningOp(); op && loop->isAncestor(op))
      llvm::append_range(work, op->getOperands());
  }
  return variables;
}

bool mustVanish(arith::SubFOp difference, tile::ElementLoop loop) {
  auto products = loop->getParentOfType<tile::KernelOp>().walk([](tile::GemmOp gemm) {
    return gemm.getChained() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return products.wasInterrupted() &&
         variablesOf(difference.getLhs(), loop) == variablesOf(difference.getRhs(), loop);
}

} // namespace tilec
