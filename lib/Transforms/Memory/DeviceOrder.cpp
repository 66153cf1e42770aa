//===- DeviceOrder.cpp - barriers that device memory has no part in -------===//
//
// What stands in a loop around the barrier is in front of it and behind it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/DeviceOrder.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {

DeviceOrder::DeviceOrder(tile::KernelOp kernel) : kernel(kernel) {
  int64_t next = 0;
  auto visit = [&](Operation *op, auto &&self) -> void {
    AccessSpan &own = numbers[op];
    own.first = next++;
    bool isLeaf = op->getNumRegions() == 0;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        self(&inner, self);
    numbers[op] = {numbers[op].first, next - 1};
    if (!isLeaf)
      return;
    auto note = [&](ArrayRef<Value> roots, AccessSpan Uses::*uses) {
      for (Value root : roots)
        if (cast<tile::BufferType>(root.getType()).isGlobal())
          (tensors[root].*uses).add(next - 1);
    };
    Accesses accesses = accessesOf(op);
    note(accesses.reads, &Uses::reads);
    note(accesses.writes, &Uses::writes);
  };
  visit(kernel, visit);
}

bool DeviceOrder::isKeptBy(Operation *barrier) const {
  Operation *around = barrier;
  for (Operation *at = barrier; at != kernel; at = at->getParentOp())
    if (isa<tile::ForOp, tile::WhileOp>(at))
      around = at;
  auto found = numbers.find(around);
  if (found == numbers.end())
    return true;
  auto [begin, end] = found->second;
  auto isBefore = [end = end](AccessSpan span) { return span.first >= 0 && span.first <= end; };
  for (const auto &[tensor, uses] : tensors)
    if (isBefore(uses.writes))
      return true;
  for (const auto &[read, uses] : tensors) {
    if (!isBefore(uses.reads))
      continue;
    for (const auto &[written, others] : tensors)
      if (others.writes.last >= begin && isChangedBy({written}, read))
        return true;
  }
  return false;
}

} // namespace tilec
