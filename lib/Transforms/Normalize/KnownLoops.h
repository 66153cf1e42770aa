//===- KnownLoops.h - serial loops whose rounds are known -----------------===//
//
// Takes the serial loops of a kernel, gives those whose bounds are constants, and unrolls them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

struct KnownLoop {
  tile::ForOp loop;
  int64_t lower = 0, step = 1, rounds = 0;

  /// Puts a copy of the body for each round in the loop's place.
  void unroll();
};

/// Rounds of a loop with these bounds; the step is not 0.
int64_t roundsBetween(int64_t lower, int64_t upper, int64_t step);

/// Those outside of T.Parallel, inner ones first; some may have no round.
llvm::SmallVector<KnownLoop> knownLoops(tile::KernelOp kernel);

/// Whether the loop counts from 0 by ones to a constant, more than once, and its rounds are not
/// asked to run ahead.
bool countsOn(tile::ForOp loop);

/// Whether different values of `iv` touch different elements of everything that is written: some
/// dimension is iv plus something that does not vary in the nest, the same in every access. What
/// the nest does to `folded` is not looked at, but that it lies over nothing else.
bool areRoundsIndependent(tile::ForOp nest, mlir::Value iv,
                          llvm::ArrayRef<mlir::Value> folded = {});

/// The loop that is all there is in a body, beside index arithmetic.
tile::ForOp onlyLoopIn(mlir::Block &body);

} // namespace tilec
