//===- LoopMemory.h - shared memory while loops are expanded ---------------===//
//
// Takes the loops of a kernel that become pipelines one after the other, tells how much shared
// memory the kernel takes in between.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Pipeline.h"

namespace tilec {

/// Shared memory of a kernel whose loops are expanded in turn. What a loop changes is followed
/// where that is easy to say; else the kernel is looked at anew when the next loop asks.
class LoopMemory {
public:
  LoopMemory(tile::KernelOp kernel, const TargetInfo &chip, llvm::ArrayRef<tile::ForOp> loops)
      : kernel(kernel), chip(chip), loops(loops) {}

  /// As the kernel stands.
  SharedMemory &now();
  /// With the rings of all loops that are still to be expanded, as they are asked for.
  SharedMemory &wished();

  /// The loop is a pipeline: its plan's buffers are gone, and rings are there instead.
  void replace(tile::ForOp loop, const PipelinePlan &plan, llvm::ArrayRef<tile::AllocOp> rings);
  /// The loop stays as it is, and copies nothing ahead.
  void leave(tile::ForOp loop, const PipelinePlan &plan);
  /// Something else has become of a loop.
  void forget();

private:
  tile::KernelOp kernel;
  const TargetInfo &chip;
  llvm::ArrayRef<tile::ForOp> loops;
  std::optional<SharedMemory> standing, asked;
};

} // namespace tilec
