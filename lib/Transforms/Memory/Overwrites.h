//===- Overwrites.h - ops that leave nothing of a buffer's contents -------===//
//
// Takes an op and a buffer, says whether what was in the buffer is gone behind it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether the op, a copy or a parallel, writes every element of the buffer and reads none.
bool overwritesAll(mlir::Operation *op, mlir::Value buffer);

} // namespace tilec
