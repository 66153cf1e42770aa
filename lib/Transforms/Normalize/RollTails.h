//===- RollTails.h - last rounds that are written out ---------------------===//
//
// Takes a program, gives loops that contain their last round where authors have written it behind.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A pipelined loop takes in the round that is written out behind it: programs that order their
/// copies by hand do so, and a plan wants all rounds. The tail does what the body would do with the
/// next value of the loop variable; tiles of its own stand for those of the body.
void rollTails(tile::ProgramOp program);

} // namespace tilec
