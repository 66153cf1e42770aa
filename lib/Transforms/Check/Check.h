//===- Check.h - the parts of tile-check ----------------------------------===//
//
// Each takes a kernel as the script means it, and reports what it cannot mean, at the script's
// place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tile.h"

#include "llvm/ADT/StringRef.h"

namespace tilec {

/// Iterations of a tile.parallel that touch what another iteration writes: error, unless the update
/// is a reduction.
mlir::LogicalResult checkDependences(tile::KernelOp kernel);

/// Reads of on-chip buffers that nothing has written: error when certain, warning when possible.
mlir::LogicalResult checkInitialised(tile::KernelOp kernel);

/// Element accesses that certainly leave a shared, fragment or local buffer: error.
mlir::LogicalResult checkBounds(tile::KernelOp kernel);

/// T.sync_grid where a branch or a loop around it may differ between blocks: error.
mlir::LogicalResult checkGridSyncs(tile::KernelOp kernel);

/// Elements of a tensor that several blocks write without an atomic: warning.
void checkBlockWrites(tile::KernelOp kernel);

} // namespace tilec
