//===- Lockstep.h - thread-level code in a form that devices run ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Tile operations that each thread does on its own become loops of that thread. Reports those
/// that cannot be: parts of a fragment are in registers of other threads.
mlir::LogicalResult expandThreadTiles(tile::KernelOp kernel);

/// Single elements of fragments go through a shared copy, which every thread can reach.
void stageFragmentElements(tile::KernelOp kernel);

/// Loops of constant length whose number picks an element of a local array, unrolled: registers
/// have no addresses.
void unrollLocalLoops(tile::KernelOp kernel);

/// Ops where threads meet (tile operations, barriers, exchanges) leave branches that only some
/// threads take, and get `active` or a condition of the whole block instead. Reports loops whose
/// number of rounds differs between threads that meet in them.
mlir::LogicalResult makeMeetingsUniform(tile::KernelOp kernel);

} // namespace tilec
