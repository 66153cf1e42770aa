//===- Fences.cpp - membar and fence --------------------------------------===//
//
// Orders between blocks are not looked at where a kernel has fences for them (GlobalOrder.h), and
// inside of a cluster barriers and mbarriers hand on what a fence would say as well. What is left
// are the proxies (PTX ISA 9.0, "membar / fence").
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Machine.h"

namespace tilec::ptx {
namespace {

/// What the warp knows becomes visible to asynchronous instructions.
Step fenceProxy(Warp &warp, const Instruction &, uint32_t) {
  warp.clock.visible = warp.clock.before;
  warp.advance();
  return Step::Next;
}

/// A barrier of the grid has one before the arrival and one behind the meeting. More are the
/// kernel's own: what they order is not known here.
Step fenceGrid(Warp &warp, const Instruction &, uint32_t) {
  Cluster &cluster = warp.block.cluster;
  if (++cluster.gridFences > 2 * cluster.gridMeetings + 1)
    warp.machine.ordersBlocks = true;
  return Step::Next;
}

} // namespace

bool decodeFences(const Statement &s, Instruction &i) {
  i.run = s.has("async") || s.has("mbarrier_init") ? fenceProxy
          : i.isGridFence                          ? fenceGrid
                                                   : ignore;
  return true;
}

} // namespace tilec::ptx
