//===- Corner.cpp - conditions on indices, asked of a whole tile ----------===//
//
// Bounds linear forms over all elements of a tile; Corner.h says what is asked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Corner.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {
namespace {

/// What is asked of `left - right`: to be at least or at most a number.
struct Question {
  bool wantsMore, isStrict;
};
std::optional<Question> questionOf(arith::CmpIOp op, bool wanted) {
  using P = arith::CmpIPredicate;
  P predicate = wanted ? op.getPredicate() : arith::invertPredicate(op.getPredicate());
  bool wantsMore = predicate == P::sge || predicate == P::sgt;
  if (!wantsMore && predicate != P::sle && predicate != P::slt)
    return std::nullopt;
  return Question{wantsMore, predicate == P::sgt || predicate == P::slt};
}

} // namespace

Value Corner::hoisted(Value value) {
  if (isOutside(value))
    return value;
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  bool isConstantLoad = load &&
                        isa_and_nonnull<tile::TensorOp>(rootOf(load.getBuffer()).getDefiningOp()) &&
                        !isChangedBy(accessesOf(loop->getParentOfType<tile::KernelOp>()).writes,
                                     rootOf(load.getBuffer()));
  if (!op || op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || isConstantLoad))
    return {};
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value outside = hoisted(operand);
    if (!outside)
      return {};
    operands.map(operand, outside);
  }
  // As far out as it can be: a load in a pipelined loop would keep its gemms from being overlapped.
  Operation *place = loop;
  for (Operation *up = place->getParentOp(); !isa<tile::KernelOp>(up); up = up->getParentOp()) {
    bool needsUp = llvm::any_of(op->getOperands(), [&](Value operand) {
      return up->isAncestor(operands.lookup(operand).getParentRegion()->getParentOp());
    });
    if (needsUp)
      break;
    place = up;
  }
  return OpBuilder(place).clone(*op, operands)->getResult(0);
}

/// The linear form of an integer in the loop's own variables and values in front of it.
std::optional<LinearForm> Corner::formOf(Value value) {
  // Scripts compare with int32 values; indices have 32 bits as well.
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>();
      cast && cast.getIn().getType().isIndex())
    value = cast.getIn();
  if (!value.getType().isIndex()) {
    value = value.getType().isInteger(32) ? hoisted(value) : Value();
    if (!value)
      return std::nullopt;
    value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  }
  LinearForm form = linearize(value);
  for (auto &[term, factor] : form.terms)
    if (!isVariable(term) && !(term = hoisted(term)))
      return std::nullopt;
  return form;
}

Value Corner::sum(const LinearForm &form, bool wantLow) {
  int64_t fixed = form.constant;
  Value total;
  auto add = [&](Value value, int64_t factor) {
    Value part = arith::MulIOp::create(b, loc, value, constant(factor));
    total = total ? arith::AddIOp::create(b, loc, total, part).getResult() : part;
  };
  for (auto [term, factor] : form.terms) {
    if (isVariable(term)) {
      unsigned number = cast<BlockArgument>(term).getArgNumber();
      bool isRow = rows && number == 0;
      int64_t last = isRow ? rows->count - 1 : (*loop.constantExtents())[number] - 1;
      fixed += (factor > 0) == wantLow ? 0 : factor * last;
      if (isRow && rows->groups > 1) {
        if (!group) {
          group = tile::WarpGroupOp::create(b, loc, b.getIndexType());
          group = tile::BelowOp::create(b, loc, b.getIndexType(), group, rows->groups);
        }
        add(group, factor * rows->step);
      }
      continue;
    }
    Value value = term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    add(value, factor);
  }
  Value offset = constant(fixed);
  return total ? arith::AddIOp::create(b, loc, total, offset).getResult() : offset;
}

Value Corner::compare(arith::CmpIOp op, bool wanted) {
  std::optional<Question> question = questionOf(op, wanted);
  if (!question)
    return {};
  auto [wantsMore, isStrict] = *question;
  std::optional<LinearForm> left = formOf(op.getLhs()), right = formOf(op.getRhs());
  if (!left || !right)
    return {};
  // Each side by itself in its hardest corner: never too often true.
  Value hardest = sum(*left, wantsMore), bound = sum(*right, !wantsMore);
  std::optional<IndexRange> from = rangeOf(hardest), to = rangeOf(bound);
  bool isKnown = from && to &&
                 (wantsMore ? from->low >= to->high + isStrict : from->high <= to->low - isStrict);
  if (isKnown)
    return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  return arith::CmpIOp::create(
      b, loc, wanted ? op.getPredicate() : arith::invertPredicate(op.getPredicate()), hardest,
      bound);
}

Value Corner::everywhere(Value condition, bool wanted) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    Value left = everywhere(op->getOperand(0), wanted),
          right = everywhere(op->getOperand(1), wanted);
    if (isa<arith::AndIOp>(op) == wanted) // both have to be
      return left && right ? arith::AndIOp::create(b, loc, left, right).getResult() : Value();
    if (left && right)
      return arith::OrIOp::create(b, loc, left, right);
    return left ? left : right;
  }
  if (auto comparison = dyn_cast_or_null<arith::CmpIOp>(op))
    return compare(comparison, wanted);
  return {};
}

Value Corner::comparedFrom(arith::CmpIOp op, bool wanted, tile::ForOp rounds) {
  std::optional<Question> question = questionOf(op, wanted);
  std::optional<LinearForm> left = formOf(op.getLhs()), right = formOf(op.getRhs());
  if (!question || !left || !right)
    return {};
  // What is to be at most 0.
  LinearForm form = question->wantsMore ? *right : *left;
  form.add(question->wantsMore ? *left : *right, -1);
  form.constant += question->isStrict;
  int64_t perRound = form.coefficient(rounds.iv());
  if (perRound >= 0)
    return {}; // does not come to hold, or not for good
  form = form.without(rounds.iv());
  for (auto [term, factor] : form.terms)
    if (!isVariable(term) && rounds->isAncestor(term.getParentRegion()->getParentOp()))
      return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(rounds);
  group = {};
  return arith::CeilDivSIOp::create(b, loc, sum(form, /*wantLow=*/false), constant(-perRound));
}

Value Corner::wantedFrom(Value condition, bool wanted, tile::ForOp rounds) {
  Operation *op = condition.getDefiningOp();
  if (auto comparison = dyn_cast_or_null<arith::CmpIOp>(op))
    return comparedFrom(comparison, wanted, rounds);
  if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op))
    return {};
  Value left = wantedFrom(op->getOperand(0), wanted, rounds),
        right = wantedFrom(op->getOperand(1), wanted, rounds);
  bool needsBoth = isa<arith::AndIOp>(op) == wanted;
  if (!left || !right)
    return needsBoth ? Value() : left ? left : right;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(rounds);
  if (needsBoth)
    return arith::MaxSIOp::create(b, loc, left, right);
  return arith::MinSIOp::create(b, loc, left, right);
}

Value Corner::leastOf(Value index, tile::ForOp rounds) {
  auto isBefore = [&](Value value) {
    Operation *around = value.getParentBlock()->findAncestorOpInBlock(*rounds);
    Operation *op = value.getDefiningOp();
    return around && (!op || op->isBeforeInBlock(around));
  };
  LinearForm form = linearize(index);
  for (auto [term, factor] : form.terms)
    if (!isVariable(term) && !isBefore(term))
      return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(rounds);
  group = {};
  return sum(form, /*wantLow=*/true);
}

std::optional<Choice> choiceOf(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return Choice{select.getCondition(), select.getTrueValue(), select.getFalseValue()};
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch)
    return std::nullopt;
  unsigned number = cast<OpResult>(value).getResultNumber();
  return Choice{branch.getCondition(), branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)};
}

} // namespace tilec
