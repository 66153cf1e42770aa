//===- Shared.h - what shared memory is needed for -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

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

} // namespace tilec
