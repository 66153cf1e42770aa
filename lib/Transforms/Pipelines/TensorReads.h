//===- TensorReads.h - what a loop over elements reads of tensors ----------===//
//
// Takes a loop over elements that fills a tile; gives its loads of tensors, what they are computed
// from, and which of the loop's variables they depend on. Changes nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace tilec {

/// What the values are computed from in the loop over elements, in order; what `ends` says is there
/// without what it is computed from.
llvm::SetVector<mlir::Operation *>
sliceOf(mlir::ValueRange values, tile::ElementLoop parallel,
        llvm::function_ref<bool(mlir::Operation *)> ends = nullptr);

/// Values around the loop over elements that these ops use, without buffers.
llvm::SmallVector<mlir::Value> usedFromOutside(llvm::ArrayRef<mlir::Operation *> ops,
                                               tile::ElementLoop parallel);

/// Loads of tensors: those whose elements become values of the tile, and those that say where such
/// a value lies (numbers of rows) and are found without others. One may be both.
struct TensorReads {
  llvm::SmallVector<tile::LoadOp> values, places;
};
TensorReads tensorReadsOf(tile::ElementLoop parallel);

/// Whether both read the same element, where `variables` maps those of the first one's loop to
/// those of the second one's.
bool isSameRead(tile::LoadOp a, tile::LoadOp b, const mlir::IRMapping &variables);

/// The loop's variables that the values depend on.
llvm::SmallVector<unsigned, 4> variablesOf(mlir::ValueRange values, tile::ElementLoop parallel);

/// A loop's variable, of which `run` values in a row name the same: its quotient by that counts.
struct HeldVariable {
  unsigned number;
  int64_t run = 1;
  bool operator==(const HeldVariable &) const = default;
};
/// Those that name the registers in which lanes hold what the load reads: of one element for all,
/// the rows. A scale of 32 columns is one of each run of 32.
llvm::SmallVector<HeldVariable, 4> heldVariablesOf(tile::LoadOp load, tile::ElementLoop parallel);

} // namespace tilec
