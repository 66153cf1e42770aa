//===- Exchange.h - what waves tell each other in reductions ---------------===//
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

/// Bytes for what waves tell each other that are not shared with other reductions.
constexpr int64_t mostOwnScratch = 1024;

/// Shared memory that the kernel's reductions and scans need for it beside its buffers; at most a
/// kilobyte too much.
int64_t exchangeNeed(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
