//===- Places.h - which place a parameter has in the ABI ------------------===//
//
// The name of the attribute that says where a tensor or scalar stood in the script, where the
// order of Tile IR is another one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec::tile {

/// The number of a tensor or scalar among the script's parameters, where the program's order is
/// another one (`place` of tile.tensor and tile.scalar).
inline std::optional<int64_t> parameterPlace(mlir::Operation *op) {
  if (auto tensor = llvm::dyn_cast<TensorOp>(op))
    return tensor.getPlace();
  auto scalar = llvm::dyn_cast<ScalarOp>(op);
  return scalar ? scalar.getPlace() : std::nullopt;
}

inline void setParameterPlace(mlir::Operation *op, int64_t place) {
  if (auto tensor = llvm::dyn_cast<TensorOp>(op))
    tensor.setPlace(place);
  else if (auto scalar = llvm::dyn_cast<ScalarOp>(op))
    scalar.setPlace(place);
}

} // namespace tilec::tile
