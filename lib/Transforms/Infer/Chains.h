//===- Chains.h - products that take what others have made ----------------===//
//
// Takes a kernel, marks the products whose operand comes from another one's result, so that both
// get layouts that meet.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// Marks the products of a kernel in which one takes a fragment that is computed from what another
/// has made, with vector work between them: they use the largest atoms, where all of them can
/// (`chained`). `all`: those of any kernel.
void markChains(tile::KernelOp kernel, const TargetInfo &target, bool all = false);

} // namespace tilec
