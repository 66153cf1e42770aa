//===- Schedulable.h - which pipelined loops get a planned order ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Pipeline.h"

#include "llvm/Support/Error.h"

#include <array>
#include <string>

namespace tilec {

/// Attribute of a `tile.for` whose body is one iteration in order, on slot 0 of its rings:
/// iteration i may use slot i % value instead. tile-to-wave makes a `wave.pipeline` of it.
constexpr llvm::StringLiteral rotateAttrName = "tile.rotate";
/// Attribute of a `tile.for`: the strategy its author asked for; of several names, outermost first
/// and with spaces between them, `chooseSchedules` keeps the one that is meant for the target.
constexpr llvm::StringLiteral scheduleAttrName = "strategy";
/// Attribute of a `tile.for`: its author's `num_stages` is no wish (`schedule.exact`). Set by
/// `chooseSchedules`.
constexpr llvm::StringLiteral exactAttrName = "exact";

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
