//===- GridSync.h - blocks that wait for each other -----------------------===//
//
// Runs the blocks of a cooperative launch by turns, from one barrier of the grid to the next.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"

namespace tilec::reference {

/// Runs all blocks of a kernel with tile.grid_sync.
void runTogether(Frame &frame, const Instr &instr, std::array<int64_t, 3> grid);
void execGridSync(Frame &frame, const Instr &instr);

} // namespace tilec::reference
