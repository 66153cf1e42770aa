//===- WaveFacts.h - what holds of wave kernels ---------------------------===//
//
// Each gives what is wrong with one op.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/Contracts.h"

namespace tilec {

std::optional<std::string> hasTileOp(mlir::Operation *op);
std::optional<std::string> isMissingOn(mlir::Operation *op, const TargetInfo &target);
std::optional<std::string> waitsForOrder(mlir::Operation *op);

} // namespace tilec
