//===- GroupGuards.h - branches that cut a row of elements ----------------===//
//
// Takes a branch of a loop over elements, says whether a lane's elements take it together as a
// rule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ToWave/Ops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// Whether the branch compares what goes up or down along a group's elements, so that most groups
/// take it whole or not at all, and has accesses that move several of these at once.
bool cutsGroup(Emitter &e, mlir::scf::IfOp branch, Elements &elements);

/// Under which condition any element of the group takes such a branch, and under which all do.
Value anyTakes(Emitter &e, Value condition, Elements &elements);
Value allTake(Emitter &e, Value condition, Elements &elements);

} // namespace tilec
