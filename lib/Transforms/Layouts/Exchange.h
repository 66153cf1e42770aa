//===- Exchange.h - what waves tell each other in reductions ---------------===//
//
// Takes a layout and a dimension, gives which waves have to exchange what when it is reduced.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// `count` steps of the wave number, of `below` waves each.
struct WaveDigit {
  int64_t below, count;
};

/// Digits of the wave number that run along a dimension, fastest first.
llvm::SmallVector<WaveDigit, 2> digitsAlong(const FragmentLayout &layout, int64_t dim);

/// Whether all lanes of a wave come to the same results.
bool isUniformWithout(const FragmentLayout &layout, int64_t dim);

/// What waves tell each other through shared memory in one op.
struct Exchange {
  int64_t bytes = 0; ///< 0: nothing
  /// In bytes that nothing else uses, so that no barrier keeps others' uses away: a small one,
  /// after which all threads meet, and before it if it is executed again.
  bool isOwn = false;
};

/// Of a tile.reduce, tile.scan or tile.block_vote; of other ops nothing.
Exchange exchangeOf(mlir::Operation *op, const TargetInfo &target);

} // namespace tilec
