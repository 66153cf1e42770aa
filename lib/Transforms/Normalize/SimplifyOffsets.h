//===- SimplifyOffsets.h - where views begin, in its simplest form --------===//
//
// Takes a program, gives views whose offsets are sums of as few terms as can be.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Quotients and remainders that have a linear form are computed by it: the row and the column of
/// `by * 524288 + bx * 128` in rows of 4096 are `by * 128` and `bx * 128`. Others lose what
/// part of their divisor can be divided first: of `k * 32 + j` and 96, where j is below 32, `k /
/// 3`, or what all elements of a loop have in common: of `k * 32 + j` and 2 `k * 16 + j / 2`. A
/// view of all of a tile is the tile.
void simplifyOffsets(tile::ProgramOp program);
/// The form's value, in ops of its terms.
mlir::Value valueOf(const LinearForm &form, mlir::OpBuilder &b, mlir::Location loc);

} // namespace tilec
