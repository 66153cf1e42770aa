//===- RowSums.cpp - what hangs on sums by reductions ---------------------===//
//
// Follows stores to fragments until nothing new is found.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RowSums.h"

using namespace mlir;

namespace tilec {

RowSums::RowSums(tile::KernelOp kernel) {
  kernel.walk([&](tile::ReduceOp reduce) {
    if (reduce.getKind() == tile::ReduceKind::Sum)
      fragments.insert(reduce.getDst());
  });
  for (size_t before = 0; before != fragments.size();) {
    before = fragments.size();
    kernel.walk([&](tile::StoreOp store) {
      if (reach(store.getValue()))
        fragments.insert(store.getBuffer());
    });
  }
}

bool RowSums::reach(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op))
    return fragments.contains(load.getBuffer());
  return op && op->getParentOfType<tile::ElementLoop>() &&
         llvm::any_of(op->getOperands(), [&](Value v) { return reach(v); });
}

} // namespace tilec
