//===- Persistent.h - one block a multiprocessor, many tiles a block ------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Rewrites the kernel's grid to the blocks that run at once and loops over tiles. False, and
/// nothing changed, when there are no more tiles than that.
bool makePersistent(tile::KernelOp kernel);

} // namespace tilec
