//===- Schedulable.h - which pipelined loops get a planned order ----------===//
//
// Takes a pipelined loop, gives its copies and product where it is nothing else, or why no order
// can be planned for it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Pipeline.h"

#include "llvm/Support/Error.h"

#include <array>
#include <string>

namespace tilec {

/// The copies and the matrix product of a loop that is nothing else.
struct MatrixLoop {
  tile::GemmOp gemm;
  std::array<tile::CopyOp, 2> copies; ///< A, B
};

/// Fails with the reason why the order of this loop cannot be planned.
llvm::Expected<MatrixLoop> matrixLoop(tile::ForOp loop, const PipelinePlan &plan,
                                      const TargetInfo &target);

/// Bytes by which the source of a copy moves per iteration, when that is a constant and no bound
/// that the iteration decides has to be checked.
std::optional<int64_t> advanceBytes(mlir::Value source, tile::ForOp loop);

} // namespace tilec
