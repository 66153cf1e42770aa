//===- Butterflies.cpp - values that lanes exchange to combine them -------===//
//
// A reduction over lanes combines each value with that of lane ^ 1, the results with
// those of lane ^ 2, and so on. Two things are known then that make the exchange
// cheaper, whether the compiler wrote it or the author: behind the first steps lanes in
// groups hold the same value, so that any lane of the partner's group will do; and
// the operation does not care which of the two values comes first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "Types.h"

namespace tilec::lower {

namespace arith = mlir::arith;
using mlir::LogicalResult;
using mlir::success;

/// The exchange whose result the operation combines with the value that went into it, in either
/// order; null if it does anything else.
static wave::ShuffleXorOp exchangeOf(mlir::Operation *op) {
  if (!mlir::isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::MaxNumFOp, arith::MinNumFOp,
                             arith::MaximumFOp, arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
                             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
                             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
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

LogicalResult KernelLowering::lowerShuffleXor(wave::ShuffleXorOp shuffle) {
  llvm::Value *value = at(shuffle.getValue());
  int64_t mask = shuffle.getMask();
  if (mask == 0)
    return done(*shuffle, value);
  mlir::Value result = shuffle.getResult();
  mlir::Operation *user = result.hasOneUse() ? *result.getUsers().begin() : nullptr;
  if (user && exchangeOf(user) == shuffle && bitsOf(value->getType()) == 32) {
    llvm::Value *word = b.CreateBitCast(value, b.getInt32Ty());
    if (auto [first, second] = e.bothOfXor(word, mask); first) {
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
