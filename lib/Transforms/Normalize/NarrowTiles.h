//===- NarrowTiles.h - tiles no wider than their tensors ------------------===//
//
// Takes a program, gives tiles of products without rows and columns that no tensor gets.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A product in tiles of 256 columns whose C has 128 multiplies 128.
void narrowTiles(tile::ProgramOp program);

} // namespace tilec
