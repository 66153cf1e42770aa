//===- BlocksAtOnce.h - how many blocks a chip holds at once --------------===//
//
// Takes what a block needs of a unit, gives how many blocks of a launch the whole chip holds at
// once: what a cooperative launch may have.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

namespace tilec {

/// What a block takes of a compute unit or multiprocessor. What is 0 is not known, and limits
/// nothing.
struct BlockNeeds {
  int64_t threads = 1, sharedBytes = 0, registersOfLane = 0;
};

/// Blocks of a launch that all units of the chip together hold at once: at most so many, where
/// something is not known.
int64_t blocksAtOnce(const TargetInfo &target, const BlockNeeds &needs);

} // namespace tilec
