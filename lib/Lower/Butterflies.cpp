//===- Butterflies.cpp - values that lanes exchange to combine them -------===//
//
// A reduction over lanes combines each value with that of lane ^ 1, the results with
// those of lane ^ 2, and so on. Two things are known then that make the exchange
// cheaper, whether the compiler wrote it or the author: behind the first steps lanes in
// groups hold the same value, so that any lane of the partner's group will do; and
// the operation does not care which of the two values comes first. Where each of two
// lanes combines one of two values, both may come from one exchange of registers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Types.h"

#include "mlir/IR/Matchers.h"

namespace tilec::lower {

namespace arith = mlir::arith;
using mlir::LogicalResult;

static bool isCommutative(mlir::Operation *op) {
  return mlir::isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::MaxNumFOp, arith::MinNumFOp,
                               arith::MaximumFOp, arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
                               arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
                               arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

/// The exchange whose result the operation combines with the value that went into it, in either
/// order; null if it does anything else.
static wave::ShuffleXorOp exchangeOf(mlir::Operation *op) {
  if (!isCommutative(op))
    return nullptr;
  for (unsigned n : {0, 1}) {
    auto shuffle = op->getOperand(n).getDefiningOp<wave::ShuffleXorOp>();
    if (shuffle && shuffle.getValue() == op->getOperand(1 - n) &&
        shuffle->getBlock() == op->getBlock())
      return shuffle;
  }
  return nullptr;
}

/// How many lanes in a row, from a multiple of that on, are known to hold the same value.
static int64_t equalLanes(mlir::Value value, mlir::Block *block) {
  mlir::Operation *op = value.getDefiningOp();
  wave::ShuffleXorOp exchange = op && op->getBlock() == block ? exchangeOf(op) : nullptr;
  if (!exchange)
    return 1;
  int64_t equal = equalLanes(exchange.getValue(), block);
  return int64_t(exchange.getMask()) == equal ? 2 * equal : 1;
}

/// Whether it is true in the lanes with that bit.
static bool isLaneBit(mlir::Value condition, int64_t mask) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne ||
      !mlir::matchPattern(compare.getRhs(), mlir::m_Zero()))
    return false;
  auto bits = compare.getLhs().getDefiningOp<arith::AndIOp>();
  llvm::APInt constant;
  return bits && bits.getLhs().getDefiningOp<wave::LaneIdOp>() &&
         mlir::matchPattern(bits.getRhs(), mlir::m_ConstantInt(&constant)) && constant == mask;
}

/// What lanes without and with the bit combine, of both of them: these send the other value.
/// Nothing where the exchange is something else.
static std::pair<mlir::Value, mlir::Value> tradedBy(wave::ShuffleXorOp shuffle,
                                                    mlir::Operation *user) {
  auto sent = shuffle.getValue().getDefiningOp<arith::SelectOp>();
  if (!isCommutative(user) || !sent || !isLaneBit(sent.getCondition(), shuffle.getMask()))
    return {};
  mlir::Value shuffled = shuffle.getResult();
  mlir::Value other = user->getOperand(user->getOperand(0) == shuffled ? 1 : 0);
  auto kept = other.getDefiningOp<arith::SelectOp>();
  if (!kept || kept.getCondition() != sent.getCondition() ||
      kept.getTrueValue() != sent.getFalseValue() || kept.getFalseValue() != sent.getTrueValue())
    return {};
  return {sent.getTrueValue(), sent.getFalseValue()};
}

LogicalResult KernelLowering::lowerShuffleXor(wave::ShuffleXorOp shuffle) {
  llvm::Value *value = at(shuffle.getValue());
  int64_t mask = shuffle.getMask();
  if (mask == 0)
    return done(*shuffle, value);
  mlir::Value result = shuffle.getResult();
  mlir::Operation *user = result.hasOneUse() ? *result.getUsers().begin() : nullptr;
  auto [low, high] = tradedBy(shuffle, user);
  if (user && exchangeOf(user) == shuffle)
    low = high = shuffle.getValue();
  if (low && bitsOf(value->getType()) == 32) {
    auto wordOf = [&](mlir::Value of) { return b.CreateBitCast(at(of), b.getInt32Ty()); };
    if (auto [first, second] = e.bothOfXor(wordOf(low), wordOf(high), mask); first) {
      folds[user] = {b.CreateBitCast(first, value->getType()),
                     b.CreateBitCast(second, value->getType())};
      return done(*shuffle, folds[user].second);
    }
  }
  int64_t equal = equalLanes(shuffle.getValue(), shuffle->getBlock());
  return done(*shuffle, laneExchange(value, [&](llvm::Value *word) {
    return e.shuffleXor(word, mask, equal);
  }));
}

} // namespace tilec::lower
