//===- Lives.h - what buffers take while they live ------------------------===//
//
// Whoever numbers the places of a program and says from where to where its buffers are needed is
// told what they take at once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A buffer that is needed at the places `first` to `last`, which are numbers from 0 on.
struct BufferLife {
  int64_t first, last, bits;
};

/// The most bits of buffers that are needed at one place.
int64_t mostBitsAlive(llvm::ArrayRef<BufferLife> lives);

/// Of all elements of a buffer.
int64_t bitsOfBuffer(mlir::Value buffer);

} // namespace tilec
