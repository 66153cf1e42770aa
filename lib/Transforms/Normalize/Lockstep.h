//===- Lockstep.h - thread-level code in a form that devices run ----------===//
//
// Takes a lockstep kernel, gives one in which all threads reach every meeting.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Ops where threads meet (tile operations, barriers, exchanges) leave branches that only some
/// threads take, and get `active` or a condition of the whole block instead. Reports loops whose
/// number of rounds differs between threads that meet in them.
mlir::LogicalResult makeMeetingsUniform(tile::KernelOp kernel);

} // namespace tilec
