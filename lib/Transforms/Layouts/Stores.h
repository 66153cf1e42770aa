//===- Stores.h - what a loop over elements leaves in a buffer -------------===//
//
// Takes an op and a buffer, says whether what was in the buffer is gone behind it, and what is
// there instead. The one place that knows when a loop fills a buffer.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether the store writes every element of its buffer in the rounds of the loop around it.
bool writesAll(tile::StoreOp store, tile::ParallelOp loop);

/// The store that writes every element of the buffer, where the op is a parallel that has one and
/// reads nothing of the buffer; the first of several.
tile::StoreOp wholeStore(mlir::Operation *op, mlir::Value buffer);

/// Whether the op, a copy, a product that clears C or a parallel, writes every element of the
/// buffer and reads none.
bool overwritesAll(mlir::Operation *op, mlir::Value buffer);

/// Whether the value is a constant zero; of floats, with either sign.
bool isZero(mlir::Value value);

/// Whether the op sets every element of the buffer to zero, whatever it does beside.
bool fillsWithZero(mlir::Operation *op, mlir::Value buffer);

/// The only store of the loop, in its body itself, where the rest of it computes and reads.
tile::StoreOp onlyStore(tile::ParallelOp loop);

} // namespace tilec
