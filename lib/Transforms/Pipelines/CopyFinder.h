//===- CopyFinder.h - the copies of a loop that can run ahead -------------===//
//
// Takes a loop's blocks and branches one by one, adds to a plan what can be started in an earlier
// round. Changes nothing.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Pipeline.h"

#include "tilec/Analysis/Buffers.h"

namespace tilec {

/// Whether the copy's source can be moved out of its tensor along its first dimension, whole as it
/// is: it brings nothing from there.
bool canLieOutside(tile::CopyOp copy);

class CopyFinder {
public:
  CopyFinder(tile::ForOp loop, const TargetInfo &target, PipelinePlan &plan);

  /// The block that the loop's copies stand in: its body, or the branch that is all of it, which is
  /// the plan's round then.
  mlir::Block *block();
  /// The copies of that block, or of a side of a branch.
  void addCopies(mlir::Block *block);
  /// Of a branch beside other statements of the round: what its sides choose between, or what they
  /// bring for themselves.
  void addFromBranch(mlir::scf::IfOp branch);

private:
  /// Whether a later round's value is known in this one.
  bool isIndex(mlir::Value value);
  bool mayRunAhead(tile::CopyOp copy, mlir::Operation *fill);
  void add(tile::CopyOp copy, mlir::Operation *fill);

  tile::ForOp loop;
  const TargetInfo &target;
  PipelinePlan &plan;
  tile::KernelOp kernel;
  Accesses all;
  /// Of what a condition or a place may be read from: a kernel of many loops is not walked through
  /// for each of them.
  std::optional<Accesses> read;
  bool isCounted, mayLoad;
};

} // namespace tilec
