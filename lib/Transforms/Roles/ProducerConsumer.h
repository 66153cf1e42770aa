//===- ProducerConsumer.h - pipelined loops with a producer warp ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// What may leave more shared memory to the rings, before that is counted.
void prepareProducerConsumer(tile::KernelOp kernel, const TargetInfo &target);

/// Gives the pipelined loops of a kernel whose copies TMA can do to a producer warp. A kernel that
/// is one product follows `strategy`, or its loop's own when that is empty (ProductPlan.h). Other
/// loops are left as they are. Returns how much of `sharedBytes` the kernel needs with the rings, 0
/// where there is no producer; fails, with a diagnostic, when a named strategy does not fit.
mlir::FailureOr<int64_t> expandProducerConsumer(tile::KernelOp kernel, const TargetInfo &target,
                                                int64_t sharedBytes, llvm::StringRef strategy);

} // namespace tilec
