//===- Magnitudes.h - how small numbers may be ----------------------------===//
//
// Takes a value of a kernel, says how near to zero it may be, for arithmetic that is not exact.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Whether an f32 may be a denormal number, which hardware takes for zero and whose reciprocal is
/// infinite. Zero is none.
bool mayBeDenormal(mlir::Value value);

} // namespace tilec
