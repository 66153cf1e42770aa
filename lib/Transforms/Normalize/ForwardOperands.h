//===- ForwardOperands.h - what stands behind views -----------------------===//
//
// Takes a buffer or a view, for passes that leave out what is only passed on: gives whether it is a
// whole buffer, and what uses it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether the view is its root, element for element.
bool isWholeRoot(mlir::Value view);
/// What uses the buffer or a view of it; views themselves are none.
llvm::SmallVector<mlir::Operation *> usersBehindViews(mlir::Value buffer);

/// Whether the op, or what stands in it, writes to the root.
bool writes(mlir::Operation *op, mlir::Value root);

} // namespace tilec
