//===- Pipeline.h - running copies ahead of their use ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// What is decided about one loop.
struct PipelinePlan {
  int64_t stages = 1; ///< buffers of each ring; copies run stages - 1 iterations ahead
  /// Copies from global memory whose destination only this loop's iteration reads.
  llvm::SmallVector<tile::CopyOp, 4> copies;
  /// The shared buffers they fill, each once.
  llvm::SmallVector<tile::AllocOp, 4> rings;
  int64_t sharedBytes = 0; ///< of all rings together

  void print(llvm::raw_ostream &os) const;
};

/// On a shared tile.alloc: its first byte. Set by tile-place-shared.
inline constexpr llvm::StringLiteral sharedPlaceAttrName = "shared_place";

/// Two buffers that are needed at the same time and whose places have bytes in common.
std::optional<std::pair<tile::AllocOp, tile::AllocOp>> buffersInEachOther(tile::KernelOp kernel);

/// Bytes of a shared buffer that has a layout, with what lies between two buffers.
int64_t sharedBytesOf(tile::AllocOp alloc);

/// How long a buffer that is filled from a tensor is needed. Before there is a producer warp, whose
/// copies run ahead, the rings that it will have are not known.
enum class FilledBuffers {
  AsAccessed,
  FromStart, ///< a producer fills it as early as it can
  Always,    ///< and in a persistent kernel for the next tile while the last one is finished
};

/// Shared memory that the kernel's buffers need together, in bytes; those that are never needed at
/// the same time share. What a pipelined loop fills shares with nothing of that loop.
int64_t sharedNeed(tile::KernelOp kernel, FilledBuffers filled = FilledBuffers::AsAccessed);

/// Shared memory that comes to that for what waves tell each other in reductions; at most a
/// kilobyte too much. In ToWave/Reduce.cpp.
int64_t exchangeNeed(tile::KernelOp kernel, const TargetInfo &target);

/// A copy that the target can do without registers, in pieces of so many bytes per lane; 0 when it
/// cannot: the pieces must be contiguous and aligned on both sides and entirely inside or outside
/// the tensor.
int64_t asyncPieceBytes(mlir::Value src, mlir::Value dst, const TargetInfo &target);

/// Decides; changes nothing. `sharedLeftBytes` is what the other shared buffers leave.
PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target, int64_t sharedLeftBytes);

/// Rewrites the loop as planned.
void applyPipeline(tile::ForOp loop, PipelinePlan plan);

} // namespace tilec
