//===- ThreadRows.h - tiles whose rows single threads read and write -------===//
//
// Takes a lockstep kernel, gives the shared tiles that threads meet in banks less often where rows
// are permuted.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tilec {

/// Allocations of two dimensions. What threads touch at places that more than their numbers and
/// constants decide says nothing.
llvm::SmallPtrSet<mlir::Operation *, 4> tilesMetByThreads(tile::KernelOp kernel,
                                                          const TargetInfo &target);

} // namespace tilec
