//===- DropGuards.h - guards that say what the tensors' ends say ----------===//
//
// Takes a program, leaves out of its branches what the bounds of tensors do as well.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Of branches in parallels, conditions that leave out of tensors what lies outside of these.
void dropGuards(tile::ProgramOp program);

} // namespace tilec
