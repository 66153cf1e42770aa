//===- LoopIds.cpp - which loop is which -----------------------------------===//
//
// An id is a part of a loop's location: whatever replaces the loop takes its location, as it does
// for lines, and two loops of one line are still told apart.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"

using namespace mlir;

namespace tilec::tile {

void numberLoops(ProgramOp program) {
  int64_t number = 0;
  MLIRContext *context = program.getContext();
  program.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    auto id = LoopIdAttr::get(context, ++number);
    loop->setLoc(FusedLoc::get({loop.getLoc()}, id, context));
  });
}

int64_t loopIdOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused)
    return 0;
  if (auto id = dyn_cast_if_present<LoopIdAttr>(fused.getMetadata()))
    return id.getNumber();
  // Of loops that became one, the first.
  for (Location part : fused.getLocations())
    if (int64_t id = loopIdOf(part))
      return id;
  return 0;
}

Location withoutLoopId(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused || loopIdOf(location) == 0)
    return location;
  SmallVector<Location> parts = llvm::map_to_vector(fused.getLocations(), withoutLoopId);
  return parts.size() == 1 ? parts.front() : FusedLoc::get(location.getContext(), parts);
}

} // namespace tilec::tile
