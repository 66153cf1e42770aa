//===- GridSync.h - blocks that wait for each other -----------------------===//
//
// Runs the blocks of a cooperative launch by turns, from one barrier of the grid to the next.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::reference {

/// Whether blocks of the kernel wait for each other.
bool waitsForBlocks(tile::KernelOp kernel);
/// Runs all blocks of a kernel with tile.grid_sync or tile.cluster_barrier, which here waits for
/// the whole grid, too. False: they are too many, and only read what others write: not run.
bool runTogether(Frame &frame, const Instr &instr, std::array<int64_t, 3> grid);
void execGridSync(Frame &frame, const Instr &instr);
/// What runs an atomic; a read in a `while` lets the other blocks go on first.
void (*atomicOf(tile::AtomicOp atomic))(Frame &, const Instr &);
/// What runs a load, of the own block's memory or another's; says which in `aux`.
void (*loadFrom(tile::LoadOp load, LoadAux &aux))(Frame &, const Instr &);

} // namespace tilec::reference
