//===- TensorReads.cpp - what a loop over elements reads of tensors --------===//
//
// Walks back from what the loop stores.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/TensorReads.h"

#include "tilec/Analysis/Index.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

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

/// How many values in a row of the variable give the same value; 0: all do.
static int64_t runOf(Value value, Value variable, tile::ElementLoop parallel) {
  Operation *op = value.getDefiningOp();
  if (value == variable)
    return 1;
  if (!op || op->getBlock() != parallel.bodyBlock())
    return 0;
  int64_t run = 0;
  for (Value operand : op->getOperands())
    run = std::gcd(run, runOf(operand, variable, parallel));
  std::optional<int64_t> divisor =
      isa<arith::DivUIOp>(op) && run == 1 ? tile::constantInt(op->getOperand(1)) : std::nullopt;
  LinearForm form = divisor ? linearize(op->getOperand(0)) : LinearForm();
  LinearForm rest = form.without(variable);
  bool isSum = divisor && form.coefficient(variable) == 1 &&
               llvm::all_of(rest.terms,
                            [&](auto &term) { return runOf(term.first, variable, parallel) == 0; });
  if (!isSum)
    return run;
  // What is added, and the divisor, are multiples of the run: no quotient changes within one.
  run = std::gcd(*divisor, rest.constant);
  for (auto [term, factor] : rest.terms)
    run = std::gcd(run, factor * divisorOf(term));
  return run;
}

SmallVector<HeldVariable, 4> heldVariablesOf(tile::LoadOp load, tile::ElementLoop parallel) {
  SmallVector<HeldVariable, 4> variables;
  for (unsigned n : variablesOf(load.getIndices(), parallel)) {
    int64_t extent = (*parallel.constantExtents())[n], run = extent;
    for (Value index : load.getIndices())
      run = std::gcd(run, runOf(index, parallel.ivs()[n], parallel));
    if (run != extent)
      variables.push_back({n, run});
  }
  return variables.empty() ? SmallVector<HeldVariable, 4>{{0}} : variables;
}

} // namespace tilec
