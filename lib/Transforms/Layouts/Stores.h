//===- Stores.h - what a loop over elements leaves in a buffer -------------===//
//
// Takes an op and a buffer, says whether what was in the buffer is gone behind it, and what is
// there instead. The one place that knows when a loop fills buffers: tile-raise-fills asks it, and
// what it finds is tile.fill from there on.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether the store writes every element of its buffer in the rounds of the loop around it.
bool writesAll(tile::StoreOp store, tile::ElementLoop loop);

/// Whether the op, a copy, a fill, a product that clears C or a parallel, writes every element of
/// the buffer and reads none.
bool overwritesAll(mlir::Operation *op, mlir::Value buffer);
/// Whether the op is a parallel that writes every element of the buffer, which it may read as well.
bool storesAll(mlir::Operation *op, mlir::Value buffer);

/// Whether the value is a constant zero; of floats, with either sign.
bool isZero(mlir::Value value);

/// Whether the buffer is a whole fragment or shared tile, and no view of one.
bool isWholeTile(mlir::Value buffer);

/// The stores of a loop that set whole tiles, element by element, to values that are the same in
/// all of its rounds.
llvm::SmallVector<tile::StoreOp, 1> fillsIn(tile::ElementLoop loop);

/// Whether the loop does nothing else.
bool onlyFills(tile::ElementLoop loop);

/// The only store of the loop, in its body itself, where the rest of it computes and reads.
tile::StoreOp onlyStore(tile::ElementLoop loop);

} // namespace tilec
