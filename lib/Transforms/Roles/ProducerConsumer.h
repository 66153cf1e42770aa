//===- ProducerConsumer.h - pipelined loops with a producer warp ----------===//
//
// Takes a kernel with pipelined loops, gives one in which a producer warp fills the slots that the
// others read.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// What may leave more shared memory to the rings, before that is counted.
void prepareProducerConsumer(tile::KernelOp kernel, const TargetInfo &target,
                             llvm::StringRef strategy);

/// Gives the pipelined loops of a kernel whose copies TMA can do to a producer warp. A kernel that
/// is one product follows `strategy`, or its loop's own when that is empty (ProductPlan.h). Other
/// loops are left as they are. Fails, with a diagnostic, when a named strategy does not fit.
mlir::LogicalResult expandProducerConsumer(tile::KernelOp kernel, const TargetInfo &target,
                                           llvm::StringRef strategy);

} // namespace tilec
