//===- Im2col.h - images that are read as matrices -------------------------===//
//
// Takes copies of boxes of a `tile.im2col`, gives loops over the image's elements.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// The matrix whose box is copied; null for other copies.
tile::Im2colOp im2colOf(mlir::Value box);

/// The loops over the image's elements in place of the kernel's copies of a matrix, but for those
/// that `stays` keeps.
llvm::SmallVector<tile::ParallelOp> expandIm2cols(tile::KernelOp kernel,
                                                  llvm::function_ref<bool(tile::CopyOp)> stays);

} // namespace tilec
