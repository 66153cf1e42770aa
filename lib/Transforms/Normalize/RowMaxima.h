//===- RowMaxima.h - exponentials of what lies below a row's maximum ------===//
//
// Questions about fragments in front of a parallel loop: takes values of the loop, answers what the
// fragments that they come from hold.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <optional>
#include <utility>

namespace tilec {

std::optional<double> constantOf(mlir::Value value);

/// What a value is a multiple of, by a constant.
std::pair<mlir::Value, double> scaledArgument(mlir::Value value);

/// The difference that the argument of an exponential is, perhaps times something.
mlir::arith::SubFOp differenceIn(mlir::Operation *exponential);

/// The fragment element that a factor or term is: looks through products with constants.
tile::LoadOp elementIn(mlir::Value value);

/// Whether in front of the loop `top` is what `old` was, or more, element by element.
bool isRaisedFrom(mlir::Value top, mlir::Value old, tile::ElementLoop loop);

/// Whether `top` holds the maxima of the rows of `tile`, or more, in front of the loop.
bool holdsMaxima(mlir::Value top, mlir::Value tile, tile::ElementLoop loop);

/// Whether a value of the loop is a row's sum of approximate powers of at most 1, none a denormal
/// number: 0, or far from where a number or its reciprocal is a denormal.
bool isSumOfPowers(mlir::Value value, tile::ElementLoop loop);

} // namespace tilec
