//===- ProducerLoop.h - loops whose copies a producer warp can do ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Hopper/Overlap.h"

namespace tilec {

/// A pipelined loop around gemms of warp groups, all of whose copies TMA can do.
struct ProducerLoop {
  tile::ForOp loop;
  llvm::SmallVector<tile::CopyOp, 4> copies;
  llvm::SmallVector<tile::AllocOp, 4> rings;
  int64_t stages = 1, slotBytes = 0; ///< slotBytes: what one round copies
  bool everyThread = false;          ///< threads read slots by themselves
  tile::GemmOp inFlight;             ///< the only consumer
  std::optional<OverlapPlan> overlap;

  /// The copies that share a pipe, by number: those of each gemm of an overlapped loop, else all.
  llvm::SmallVector<llvm::SmallVector<unsigned>> pipes();
  int64_t bytesOf(llvm::ArrayRef<unsigned> numbers);
};

/// Whether the producer can compute the value: index arithmetic on block coordinates, parameters
/// and loop variables.
bool isComputable(mlir::Value value, tile::KernelOp kernel);

/// Nothing when the loop is none, or shared memory holds no two slots.
std::optional<ProducerLoop> planProducerLoop(tile::ForOp loop, tile::KernelOp kernel,
                                             int64_t sharedLeftBytes);

} // namespace tilec
