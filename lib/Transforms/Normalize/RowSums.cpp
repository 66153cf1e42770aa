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
  if (fragments.empty())
    return false;
  // Expressions share parts: each is looked at once.
  SmallVector<Value> open = {value};
  llvm::SmallDenseSet<Operation *> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (fragments.contains(load.getBuffer()))
        return true;
    } else if (op->getParentOfType<tile::ElementLoop>()) {
      llvm::append_range(open, op->getOperands());
    }
  }
  return false;
}

} // namespace tilec
