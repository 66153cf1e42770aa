//===- Masks.h - loops that choose elements by their place -----------------===//
//
// Takes a loop over the elements of a fragment, says whether it is a mask: one that stores one of
// two values, or leaves what is there.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A parallel that stores to each element of a whole fragment what its place says.
struct Masking {
  tile::ElementLoop loop;
  tile::StoreOp store;
  mlir::Value buffer() const { return tile::StoreOp(store).getBuffer(); }
};

std::optional<Masking> maskingOf(tile::ElementLoop loop);

/// Whether the value is what the buffer has in the element that is stored.
bool isOldElement(mlir::Value value, const Masking &masking);

/// Whether the loop leaves some elements as they are, by a condition.
bool isMask(tile::ElementLoop loop);

/// The next op of the block that touches the buffer, if it is a gemm with it as C that does not
/// ignore what is there.
tile::GemmOp gemmAfter(mlir::Operation *fill, mlir::Value buffer);

} // namespace tilec
