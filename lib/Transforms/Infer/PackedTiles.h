//===- PackedTiles.h - shared tiles of 4-bit elements as bytes -------------===//
//
// Takes a kernel, makes its shared tiles of 4-bit elements that copies fill tiles of bytes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Before layouts: of what loops with stages bring from tensors of 4-bit integers, and loops over
/// elements read.
void packTiles(tile::KernelOp kernel);

} // namespace tilec
