//===- Updates.cpp - stores of op(what is there, e) -----------------------===//
//
// Flattens what is stored into the terms of one combination, of which one is the old element.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Updates.h"

#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {
namespace {

std::optional<tile::ReduceKind> combinationOf(Operation *op) {
  using Kind = tile::ReduceKind;
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Kind::Sum;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Kind::Prod;
  if (isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return Kind::Max;
  if (isa<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(op))
    return Kind::Min;
  if (isa<arith::AndIOp>(op))
    return Kind::BitAnd;
  if (isa<arith::OrIOp>(op))
    return Kind::BitOr;
  if (isa<arith::XOrIOp>(op))
    return Kind::BitXor;
  return std::nullopt;
}

/// Whether two values of one iteration are computed alike, as those of `H[I[i]]` and `H[I[i]]` are:
/// from the same values, and from memory that the parallel around them does not write.
bool areAlike(Value x, Value y) {
  if (x == y)
    return true;
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  if (!a || !b || a->getNumRegions() != 0)
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(a)) {
    auto outermost = a->getParentOfType<tile::ParallelOp>();
    while (outermost && outermost->getParentOfType<tile::ParallelOp>())
      outermost = outermost->getParentOfType<tile::ParallelOp>();
    if (!outermost || !outermost->isAncestor(b) ||
        isChangedBy(accessesOf(outermost).writes, rootOf(load.getBuffer())))
      return false;
  } else if (!isPure(a)) {
    return false;
  }
  return OperationEquivalence::isEquivalentTo(
      a, b, [](Value left, Value right) { return success(areAlike(left, right)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

} // namespace

Value computed(OpBuilder &b, Value value, tile::ElementLoop loop, IRMapping &mapping) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || !op || !loop->isProperAncestor(op))
    return mapping.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    computed(b, operand, loop, mapping);
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

bool sameIndices(ValueRange a, ValueRange b) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (areAlike(x, y))
      continue;
    LinearForm left = linearize(x);
    left.add(linearize(y), -1);
    if (left.constant != 0 || !left.terms.empty())
      return false;
  }
  return true;
}

/// Flattens a tree of one combination; `negated` tracks subtraction. False when the old value
/// occurs twice or under another operation.
static bool flatten(Value value, Update &update, bool negated) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op);
      load && load.getBuffer() == update.store.getBuffer() &&
      sameIndices(load.getIndices(), update.store.getIndices())) {
    if (update.old || negated)
      return false;
    update.old = load;
    return true;
  }
  if (op && update.kind == tile::ReduceKind::Sum && isa<arith::SubFOp, arith::SubIOp>(op) &&
      op->hasOneUse())
    return flatten(op->getOperand(0), update, negated) &&
           flatten(op->getOperand(1), update, !negated);
  if (op && combinationOf(op) == update.kind && op->hasOneUse())
    return flatten(op->getOperand(0), update, negated) &&
           flatten(op->getOperand(1), update, negated);
  update.terms.push_back({value, negated});
  return true;
}

std::optional<Update> matchUpdate(tile::StoreOp store) {
  Operation *op = store.getValue().getDefiningOp();
  if (!op)
    return std::nullopt;
  Update update;
  update.store = store;
  std::optional<tile::ReduceKind> kind =
      isa<arith::SubFOp, arith::SubIOp>(op) ? tile::ReduceKind::Sum : combinationOf(op);
  if (!kind)
    return std::nullopt;
  update.kind = *kind;
  update.isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  if (!flatten(store.getValue(), update, false) || !update.old || update.terms.empty())
    return std::nullopt;
  return update;
}

Value makeTerm(OpBuilder &b, Location loc, const Update &update) {
  Value sum;
  for (auto [value, negated] : update.terms) {
    Value term = value;
    if (negated) {
      if (isa<FloatType>(term.getType())) {
        term = arith::NegFOp::create(b, loc, term);
      } else {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(term.getType()));
        term = arith::SubIOp::create(b, loc, zero, term);
      }
    }
    sum = sum ? combine(b, loc, update.kind, sum, term, update.isUnsigned, false) : term;
  }
  return sum;
}

void eraseUpdate(tile::StoreOp store, tile::ParallelOp loop) {
  Operation *oldValue = store.getValue().getDefiningOp();
  store.erase();
  SmallVector<Operation *> dead = {oldValue};
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    if (!op || !op->use_empty() || !(isPure(op) || isa<tile::LoadOp>(op)) ||
        !loop->isProperAncestor(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      if (operand.getDefiningOp() && !llvm::is_contained(dead, operand.getDefiningOp()))
        dead.push_back(operand.getDefiningOp());
  }
}

std::optional<ReductionUpdate> matchReduction(tile::StoreOp store) {
  std::optional<Update> update = matchUpdate(store);
  return update ? std::optional(ReductionUpdate{update->old, update->kind}) : std::nullopt;
}

} // namespace tilec
