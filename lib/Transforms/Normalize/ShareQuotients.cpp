//===- ShareQuotients.cpp - quotients and remainders of places ------------===//
//
// What threads read and write one by one (`A[i // 64, i % 64]`) is merged into wide accesses by
// LLVM, which has to see that places differ by constants. It does not where a constant has been
// added to another one before: of 4 x + 1025 nothing says that 1 carries into no higher bit.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SHAREQUOTIENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A sum as what comes first in it and a constant that is less than what divides both the former
/// and `by`; nothing where that is 0.
std::optional<std::pair<Value, int64_t>> splitSum(Value value, int64_t by, OpBuilder &b) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> constant = sum ? tile::constantInt(sum.getRhs()) : std::nullopt;
  if (!constant || *constant <= 0 || !value.getType().isIndex())
    return std::nullopt;
  int64_t low = *constant % std::gcd(divisorOf(sum.getLhs()), by);
  if (low == 0)
    return std::nullopt;
  if (low == *constant)
    return std::pair(sum.getLhs(), low);
  Location loc = sum.getLoc();
  Value rest = arith::ConstantIndexOp::create(b, loc, *constant - low);
  return std::pair(arith::AddIOp::create(b, loc, sum.getLhs(), rest).getResult(), low);
}

void shareQuotients(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (!isa<arith::DivUIOp, arith::RemUIOp>(op))
      return;
    std::optional<int64_t> by = tile::constantInt(op->getOperand(1));
    OpBuilder b(op);
    auto split = by && *by > 0 ? splitSum(op->getOperand(0), *by, b) : std::nullopt;
    if (!split)
      return;
    op->setOperand(0, split->first);
    if (isa<arith::DivUIOp>(op))
      return;
    b.setInsertionPointAfter(op);
    Value low = arith::ConstantIndexOp::create(b, op->getLoc(), split->second);
    Value sum = arith::AddIOp::create(b, op->getLoc(), op->getResult(0), low);
    op->getResult(0).replaceAllUsesExcept(sum, sum.getDefiningOp());
  });
}

struct ShareQuotientsPass : impl::ShareQuotientsPassBase<ShareQuotientsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : lockstepKernels(getOperation()))
      shareQuotients(kernel);
  }
};

} // namespace

} // namespace tilec
