//===- OneFill.h - tiles that the producer fills beside the loops ---------===//
//
// Takes a kernel and its loops with a producer, gives the copies beside them that the producer can
// do, too.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/ProducerSlice.h"

namespace tilec {

/// A copy outside of the pipelined loops into a tile that only gemms of warp groups read, after it:
/// the producer can do it, in a pipe of one slot.
struct OneFill {
  tile::CopyOp copy;
  tile::AllocOp tile;
  tile::TransfersAttr transfers;
  int64_t bytes = 0;
  bool isRepeated = false; ///< perhaps: the slot is released after the last reader
};

/// Those of the kernel; `loops` are the loops that have a producer, whose slice they are added to.
llvm::SmallVector<OneFill> findOneFills(tile::KernelOp kernel, llvm::ArrayRef<tile::ForOp> loops,
                                        ProducerSlice &slice, const TargetInfo &target);

} // namespace tilec
