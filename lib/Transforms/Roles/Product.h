//===- Product.h - kernels that are one matrix product --------------------===//
//
// Takes a kernel, says whether it is one matrix product in one loop, and gives its parts.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/ProducerLoop.h"

#include "tilec/Target/Target.h"
#include "tilec/Transforms/ProductPlan.h"

namespace tilec {

/// One producer loop in the kernel's body, whose gemm is its only consumer: tiles take equally
/// long, so that blocks may share them out beforehand.
struct Product {
  ProducerLoop loop;
  ProductShape shape;
  int dimM = -1, dimN = -1; ///< the grid's dimension that moves A alone, B alone; -1: none
};
std::optional<Product> productOf(tile::KernelOp kernel, const TargetInfo &target,
                                 const SharedMemory &memory);

/// Whether `value` may be computed from `source`: variables may hold anything.
bool dependsOn(mlir::Value value, mlir::Value source);
/// Whether the copy, a producer's, can be cut in `parts` that TMA brings one by one.
bool isPartible(tile::CopyOp copy, int64_t parts, const TargetInfo &target);

} // namespace tilec
