//===- Rounds.h - a pipelined kernel, walked through by its rounds --------===//
//
// Takes a kernel, gives the first op that touches what still travels or is still multiplied.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Contracts/Snapshot.h"

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// Goes through the first rounds of each loop, with what index arithmetic gives for them, and keeps
/// the groups of copies and the products that are in flight, as waits leave them. The first op that
/// reads a slot to which a copy travels, or before all threads know that it has landed, touches
/// what a product in flight writes, gives back a slot that one reads, or waits for a fill that no
/// slot is left for. Slots whose number is not known are not looked at.
std::optional<Breach> touchedInFlight(tile::KernelOp kernel, const TargetInfo &target);

} // namespace tilec
