//===- TensorReads.cpp - what a loop over elements reads of tensors --------===//
//
// Walks back from what the loop stores.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/TensorReads.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

SetVector<Operation *> sliceOf(ValueRange values, tile::ElementLoop parallel,
                               llvm::function_ref<bool(Operation *)> ends) {
  llvm::SmallPtrSet<Operation *, 16> slice;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == parallel.bodyBlock() && slice.insert(op).second &&
        !(ends && ends(op)))
      llvm::append_range(work, op->getOperands());
  }
  SetVector<Operation *> ordered;
  for (Operation &op : *parallel.bodyBlock())
    if (slice.contains(&op))
      ordered.insert(&op);
  return ordered;
}

SmallVector<Value> usedFromOutside(ArrayRef<Operation *> ops, tile::ElementLoop parallel) {
  SmallVector<Value> values;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!parallel.getBody().isAncestor(operand.getParentRegion()))
        values.push_back(operand);
  return values;
}

TensorReads tensorReadsOf(tile::ElementLoop parallel) {
  auto isRead = [](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return load && load.getBuffer().getType().isGlobal();
  };
  TensorReads result;
  auto add = [](Operation *op, SmallVector<tile::LoadOp> &list) {
    auto load = cast<tile::LoadOp>(op);
    if (!llvm::is_contained(list, load))
      list.push_back(load);
  };
  for (auto store : parallel.bodyBlock()->getOps<tile::StoreOp>())
    for (Operation *op : sliceOf(store->getOperands(), parallel, isRead))
      if (isRead(op))
        add(op, result.values);
  for (tile::LoadOp value : result.values)
    for (Operation *op : sliceOf(value.getIndices(), parallel)) {
      auto load = dyn_cast<tile::LoadOp>(op);
      if (load && isRead(op) &&
          llvm::none_of(sliceOf(load.getIndices(), parallel),
                        [](Operation *inner) { return isa<tile::LoadOp>(inner); }))
        add(op, result.places);
    }
  return result;
}

static bool isSameValue(Value a, Value b, const IRMapping &variables) {
  if (variables.lookupOrDefault(a) == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return x && y && x->getName() == y->getName() && x->getNumRegions() == 0 && isPure(x) &&
         x->getAttrDictionary() == y->getAttrDictionary() && a.getType() == b.getType() &&
         x->getNumOperands() == y->getNumOperands() && x->getNumResults() == 1 &&
         llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()), [&](auto pair) {
           return isSameValue(std::get<0>(pair), std::get<1>(pair), variables);
         });
}

bool isSameRead(tile::LoadOp a, tile::LoadOp b, const IRMapping &variables) {
  return a.getBuffer() == b.getBuffer() && a->getAttrDictionary() == b->getAttrDictionary() &&
         a.getType() == b.getType() &&
         llvm::all_of(llvm::zip_equal(a.getIndices(), b.getIndices()), [&](auto pair) {
           return isSameValue(std::get<0>(pair), std::get<1>(pair), variables);
         });
}

SmallVector<unsigned, 4> variablesOf(ValueRange values, tile::ElementLoop parallel) {
  SmallVector<Value> used(values);
  for (Operation *op : sliceOf(values, parallel))
    llvm::append_range(used, op->getOperands());
  SmallVector<unsigned, 4> variables;
  for (auto [n, variable] : llvm::enumerate(parallel.ivs()))
    if (llvm::is_contained(used, variable))
      variables.push_back(n);
  return variables;
}

SmallVector<unsigned, 4> heldVariablesOf(tile::LoadOp load, tile::ElementLoop parallel) {
  SmallVector<unsigned, 4> variables = variablesOf(load.getIndices(), parallel);
  return variables.empty() ? SmallVector<unsigned, 4>{0} : variables;
}

} // namespace tilec
