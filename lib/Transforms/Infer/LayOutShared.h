//===- LayOutShared.h - layouts of shared tiles --------------------------===//
//
// Takes a kernel whose fragments have layouts, gives its shared tiles theirs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// `passedOver`: so many layouts without bank conflicts are, each of as many bytes as the others.
void layOutShared(tile::KernelOp kernel, const TargetInfo &target, int64_t passedOver = 0);

} // namespace tilec
