//===- UnseenRows.h - rows that are only stored outside of tensors --------===//
//
// Takes a loop and the rows of a warp group, gives the condition under which all of them are
// stored outside of tensors.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/GroupRows.h"

namespace tilec {

/// Whether nobody gets to see what the loop computes in the rows of the warp group that asks: it is
/// only stored, behind the end of tensors. Made in front of the loop, which stays in its rows
/// (SymbolicRound.h). Null when there are no such rows, or that cannot be told.
mlir::Value findUnseenRows(tile::ForOp loop, const GroupRows &rows);

} // namespace tilec
