//===- OneFill.h - tiles that the producer fills beside the loops ---------===//
//
// Takes a kernel whose copies say which of them a producer does, gives those beside the rounds of
// its loops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/ProducerLoop.h"

namespace tilec {

/// A copy outside of the pipelined loops into a tile that only gemms of warp groups read, after it:
/// the producer does it, in a pipe of one slot.
struct OneFill {
  tile::CopyOp copy;
  tile::AllocOp tile;
  int64_t bytes = 0;
  bool isRepeated = false; ///< perhaps: the slot is released after the last reader
};

/// Copies with `transfers` that are of no round of `plans`, in order.
llvm::SmallVector<OneFill> oneFillsOf(tile::KernelOp kernel, llvm::ArrayRef<ProducerLoop> plans,
                                      const TargetInfo &target);

} // namespace tilec
