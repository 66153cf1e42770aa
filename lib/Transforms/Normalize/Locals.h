//===- Locals.h - where the local buffers of a block are ------------------===//
//
// Takes a kernel without threads of its own, gives its local buffers a place: shared memory or
// fragments.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Outside of lockstep mode: local buffers of the block of which not every thread can have a copy
/// become shared buffers, which are returned; what writes the others is done by every thread.
llvm::SmallVector<tile::AllocOp> placeLocals(tile::KernelOp kernel);

/// Of those, buffers that are only gone through element by element become fragments. Serial loops
/// that are parallels have become such.
void spreadLocals(llvm::ArrayRef<tile::AllocOp> shared);

} // namespace tilec
