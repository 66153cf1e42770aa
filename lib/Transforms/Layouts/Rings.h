//===- Rings.h - a shared tile that copies run ahead of -------------------===//
//
// The buffer that takes a tile's place while its loop is pipelined: the same tile
// several times, a slot for each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A buffer of `slots` tiles as `tile` is, each laid out as `layout` (of one tile).
tile::AllocOp makeRing(mlir::OpBuilder &builder, tile::AllocOp tile, int64_t slots,
                       SharedLayout layout);

/// A slot of `ring`, which is of `type`'s tiles, as a buffer.
mlir::Value slotOf(mlir::OpBuilder &builder, mlir::Location loc, tile::AllocOp ring,
                   tile::BufferType type, mlir::Value slot);

} // namespace tilec
