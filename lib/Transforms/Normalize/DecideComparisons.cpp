//===- DecideComparisons.cpp - comparisons that every iteration answers alike -===//
//
// Takes a program, decides comparisons of indices by the ranges of their linear forms and takes the
// branches that hang on them: a guard `k * 32 + j < 128` in a loop over four tiles of 32 columns
// does not keep a lane's loads apart.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_DECIDECOMPARISONSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What `value` comes to for every value of its terms that there is.
std::optional<IndexRange> rangeOfForm(const LinearForm &form) {
  IndexRange sum{form.constant, form.constant};
  for (auto [term, factor] : form.terms) {
    std::optional<IndexRange> range = rangeOf(term);
    if (!range)
      return std::nullopt;
    int64_t a, b;
    if (llvm::MulOverflow(range->low, factor, a) || llvm::MulOverflow(range->high, factor, b) ||
        llvm::AddOverflow(sum.low, std::min(a, b), sum.low) ||
        llvm::AddOverflow(sum.high, std::max(a, b), sum.high))
      return std::nullopt;
  }
  return sum;
}

/// What one index is more than the other.
std::optional<IndexRange> rangeOfDifference(Value left, Value right) {
  LinearForm difference = linearize(left);
  difference.add(linearize(right), -1);
  return rangeOfForm(difference);
}

/// The outcome of a comparison of indices that is the same for all of them.
std::optional<bool> outcomeOf(arith::CmpIOp compare) {
  using enum arith::CmpIPredicate;
  if (!compare.getLhs().getType().isIndex() ||
      !llvm::is_contained({slt, sle, sgt, sge}, compare.getPredicate()))
    return std::nullopt;
  std::optional<IndexRange> range = rangeOfDifference(compare.getLhs(), compare.getRhs());
  if (!range)
    return std::nullopt;
  auto decided = [](bool always, bool never) {
    return always || never ? std::optional(always) : std::nullopt;
  };
  switch (compare.getPredicate()) {
  case slt:
    return decided(range->high < 0, range->low >= 0);
  case sle:
    return decided(range->high <= 0, range->low > 0);
  case sgt:
    return decided(range->low > 0, range->high <= 0);
  default:
    return decided(range->low >= 0, range->high < 0);
  }
}

/// The operand that a minimum or maximum of indices always is; null where that depends.
Value alwaysTaken(Operation *op) {
  bool isMin = isa<arith::MinSIOp>(op);
  if ((!isMin && !isa<arith::MaxSIOp>(op)) || !op->getResult(0).getType().isIndex())
    return {};
  Value left = op->getOperand(0), right = op->getOperand(1);
  std::optional<IndexRange> range = rangeOfDifference(left, right);
  if (!range || (range->high > 0 && range->low < 0))
    return {};
  return (range->high <= 0) == isMin ? left : right;
}

/// A branch whose condition is a constant: what it runs stands in its place.
void takeBranch(scf::IfOp branch, bool isTaken) {
  Region &chosen = isTaken ? branch.getThenRegion() : branch.getElseRegion();
  if (!chosen.empty()) {
    Block &block = chosen.front();
    auto yield = cast<scf::YieldOp>(block.getTerminator());
    branch->replaceAllUsesWith(yield.getOperands());
    yield.erase();
    branch->getBlock()->getOperations().splice(branch->getIterator(), block.getOperations());
  }
  branch.erase();
}

} // namespace

/// Operands first: a bound that is known makes others known.
static void decideComparisons(tile::ProgramOp program) {
  program.walk([](Operation *op) {
    if (Value taken = alwaysTaken(op))
      op->getResult(0).replaceAllUsesWith(taken);
  });
  program.walk([](arith::CmpIOp compare) {
    if (std::optional<bool> outcome = outcomeOf(compare); outcome && !compare->use_empty()) {
      OpBuilder builder(compare);
      Value constant =
          arith::ConstantOp::create(builder, compare.getLoc(), builder.getBoolAttr(*outcome));
      compare.replaceAllUsesWith(constant);
    }
  });
  // What hangs on them, operands first.
  program.walk([](Operation *op) {
    OpBuilder builder(op);
    SmallVector<Value, 1> folded;
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op) && !op->use_empty() &&
        succeeded(builder.tryFold(op, folded)) && !folded.empty())
      op->replaceAllUsesWith(folded);
  });
  program.walk<WalkOrder::PostOrder>([](scf::IfOp branch) {
    if (std::optional<int64_t> decided = tile::constantInt(branch.getCondition()))
      takeBranch(branch, *decided != 0);
  });
}

namespace {
struct DecideComparisonsPass : impl::DecideComparisonsPassBase<DecideComparisonsPass> {
  using DecideComparisonsPassBase::DecideComparisonsPassBase;

  void runOnOperation() override {
    if (!lockstep || !lockstepKernels(getOperation()).empty())
      decideComparisons(getOperation());
  }
};
} // namespace

} // namespace tilec
