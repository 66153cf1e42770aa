//===- Persistent.h - one block a multiprocessor, many tiles a block ----===//
//
// Takes a kernel that is one product, gives one whose blocks stay on their multiprocessor and take
// tile after tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/Product.h"

namespace tilec {

/// Rewrites the kernel's grid to the blocks that run at once and loops over tiles. Without a
/// cluster nothing is changed when there are no more tiles than that. Blocks of a cluster take
/// neighbouring tiles; one whose tile is outside of the grid goes through the product and leaves
/// out the rest. With `fastDim`, tiles that run together differ in that dimension of the grid
/// first.
void makePersistent(tile::KernelOp kernel, const TargetInfo &target, const Product &product,
                    const ProductPlan &plan, std::optional<unsigned> fastDim = {});

/// A block's rank in its cluster, made by makePersistent; null without one.
mlir::Value rankInCluster(tile::KernelOp kernel);

} // namespace tilec
