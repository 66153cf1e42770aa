//===- PlainProduct.h - loops that do nothing but copy and multiply -------===//
//
// Takes a kernel before it has layouts, finds its loops that are matrix products as their author
// wrote them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// The only loop of the kernel, when it is a statement of its body.
tile::ForOp onlyLoop(tile::KernelOp kernel);

/// Whether stages and rounds of products are the compiler's choice: the chip has producers for warp
/// groups, and `--schedule=` names no strategy.
bool choosesRounds(const TargetInfo &chip, llvm::StringRef strategy);

/// The gemm of a loop that does nothing but copy to shared memory and multiply; null for others,
/// for sums that begin anew in it, and for elements that warp groups do not multiply.
tile::GemmOp onlyGemmOf(tile::ForOp loop);

/// Whether the pipelined loop counts from 0 by 1 to what is known, and its author has left stages
/// and schedule to the compiler.
bool isFreeLoop(tile::ForOp loop);

} // namespace tilec
