//===- Operands.h - operands of tile ops on buffers of their own ---------===//
//
// Takes an operand, gives its op a temporary in its place, with the copies in front of it and
// behind.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// The op works on a temporary of this scope, filled before it and, when `isWritten`, copied back.
void replaceOperand(mlir::OpOperand &operand, tile::Scope scope, bool isRead, bool isWritten);

/// The same with another element type.
void convertOperand(mlir::OpOperand &operand, tile::Scope scope, DType dtype, bool isRead,
                    bool isWritten);

/// Whether what C was before the product is no matter.
bool overwritesC(tile::GemmOp gemm);

} // namespace tilec
