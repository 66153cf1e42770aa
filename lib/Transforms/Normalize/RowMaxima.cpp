//===- RowMaxima.cpp - exponentials of what lies below a row's maximum ----===//
//
// Statements of a block are looked at from a loop backwards, to the one that has written a fragment
// last.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RowMaxima.h"

#include "Layouts/Stores.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

std::optional<double> constantOf(Value value) {
  FloatAttr number;
  if (!matchPattern(value, m_Constant(&number)))
    return std::nullopt;
  return number.getValueAsDouble();
}

/// What a value is a multiple of, by a constant.
std::pair<Value, double> scaledArgument(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    for (int n : {0, 1})
      if (std::optional<double> factor = constantOf(product->getOperand(n)))
        return {product->getOperand(1 - n), *factor};
  return {value, 1.0};
}

/// The difference that the argument of an exponential is, perhaps times something.
arith::SubFOp differenceIn(Operation *exponential) {
  Value argument = exponential->getOperand(0);
  auto scaled = argument.getDefiningOp<arith::MulFOp>();
  if (scaled)
    for (Value factor : scaled->getOperands())
      if (auto difference = factor.getDefiningOp<arith::SubFOp>())
        return difference;
  return argument.getDefiningOp<arith::SubFOp>();
}

/// The fragment element that a factor or term is: looks through products with constants.
tile::LoadOp elementIn(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>()) {
    tile::LoadOp left = elementIn(product.getLhs());
    return left ? left : elementIn(product.getRhs());
  }
  return value.getDefiningOp<tile::LoadOp>();
}

/// Whether the loop only raises what `top` holds.
static bool raises(Operation *op, Value top) {
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop)
    return false;
  bool onlyRaises = true;
  loop.walk([&](tile::StoreOp store) {
    if (store.getBuffer() != top)
      return;
    Operation *value = store.getValue().getDefiningOp();
    bool isMaximum = isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(value);
    onlyRaises &= isMaximum && llvm::any_of(value->getOperands(), [&](Value term) {
                    auto load = term.getDefiningOp<tile::LoadOp>();
                    return load && load.getBuffer() == top &&
                           llvm::equal(load.getIndices(), store.getIndices());
                  });
  });
  return onlyRaises;
}

/// Whether every store of the loop into `to` is of the same element of `from`.
static bool copies(Operation *op, Value from, Value to) {
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop)
    return false;
  auto result = loop.walk([&](tile::StoreOp store) {
    auto load = store.getValue().getDefiningOp<tile::LoadOp>();
    bool isOther = store.getBuffer() == to && (!load || load.getBuffer() != from ||
                                               !llvm::equal(load.getIndices(), store.getIndices()));
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether the loop sets `top` to the maximum of something and `old`.
static bool raisesOver(Operation *op, Value top, Value old) {
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop)
    return false;
  bool isRaised = false;
  auto result = loop.walk([&](tile::StoreOp store) {
    if (store.getBuffer() != top)
      return WalkResult::advance();
    Operation *value = store.getValue().getDefiningOp();
    isRaised = isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(value) &&
               llvm::any_of(value->getOperands(), [&](Value term) {
                 auto load = term.getDefiningOp<tile::LoadOp>();
                 return load && load.getBuffer() == old &&
                        llvm::equal(load.getIndices(), store.getIndices());
               });
    return isRaised ? WalkResult::advance() : WalkResult::interrupt();
  });
  return isRaised && !result.wasInterrupted();
}

/// Whether in front of the loop `top` is what `old` was, or more, element by element.
bool isRaisedFrom(Value top, Value old, tile::ElementLoop loop) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    llvm::SmallVector<Value, 4> writes = accessesOf(op).writes;
    bool writesTop = llvm::is_contained(writes, top), writesOld = llvm::is_contained(writes, old);
    if (writesOld)
      return !writesTop && copies(op, top, old);
    if (!writesTop)
      continue;
    if (raisesOver(op, top, old))
      return true;
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    bool isMaximum = reduce && reduce.getKind() == tile::ReduceKind::Max && !reduce.getClear();
    if (!isMaximum && !raises(op, top))
      return false;
  }
  return false;
}

/// Whether `top` holds the maxima of the rows of `tile`, or more, in front of the loop.
bool holdsMaxima(Value top, Value tile, tile::ElementLoop loop) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (reduce && reduce.getKind() == tile::ReduceKind::Max && reduce.getSrc() == tile &&
        reduce.getDst() == top)
      return true;
    llvm::SmallVector<Value, 4> writes = accessesOf(op).writes;
    if ((llvm::is_contained(writes, top) && !raises(op, top)) || llvm::is_contained(writes, tile))
      return false;
  }
  return false;
}

/// Whether an exponential is 2^x of some x that is not positive: (x - m) s or x s - m s with a
/// row's maximum m.
static bool isAtMostOne(math::Exp2Op power, tile::ElementLoop loop) {
  auto [argument, outer] = scaledArgument(power.getOperand());
  auto difference = argument.getDefiningOp<arith::SubFOp>();
  if (!difference || outer <= 0)
    return false;
  auto [left, leftFactor] = scaledArgument(difference.getLhs());
  auto [right, rightFactor] = scaledArgument(difference.getRhs());
  auto element = left.getDefiningOp<tile::LoadOp>(), top = right.getDefiningOp<tile::LoadOp>();
  return element && top && leftFactor == rightFactor && leftFactor > 0 &&
         holdsMaxima(top.getBuffer(), element.getBuffer(), loop);
}

/// Whether the loop stores such a power, none of them a denormal number, into each element of
/// `fragment`, and nothing else.
static bool fillsWithPowers(tile::ElementLoop loop, Value fragment) {
  bool isFilled = false;
  auto result = loop.walk([&](tile::StoreOp store) {
    if (store.getBuffer() != fragment)
      return WalkResult::advance();
    auto power = store.getValue().getDefiningOp<math::Exp2Op>();
    bool isNormal = power && bitEnumContainsAll(power.getFastmath(), arith::FastMathFlags::afn);
    isFilled |= store->getParentOp() == loop && writesAll(store, loop);
    return isNormal && isAtMostOne(power, loop) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return isFilled && !result.wasInterrupted();
}

bool isSumOfPowers(Value value, tile::ElementLoop loop) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  Value fragment = load ? load.getBuffer() : Value();
  bool isSummed = false;
  for (Operation *op = loop->getPrevNode(); op && fragment; op = op->getPrevNode()) {
    if (!llvm::is_contained(accessesOf(op).writes, fragment))
      continue;
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (!reduce) {
      auto powers = dyn_cast<tile::ElementLoop>(op);
      return isSummed && powers && fillsWithPowers(powers, fragment);
    }
    if (isSummed || reduce.getKind() != tile::ReduceKind::Sum || !reduce.getClear())
      return false;
    fragment = reduce.getSrc();
    isSummed = true;
  }
  return false;
}

} // namespace tilec
