//===- Transfers.h - what a copy by tensor copies says of itself ----------===//
//
// The check that `tile.copy` and `tile.tma_copy` share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec::tile {

/// Whether the transfers bring the box `src` of a tensor to all columns of `dst` and to rows of it;
/// else an error at `op`.
mlir::LogicalResult verifyTransfers(mlir::Operation *op, TransfersAttr transfers, mlir::Value src,
                                    BufferType dst);

} // namespace tilec::tile
