//===- NumberValues.cpp - equal values of a thread ------------------------===//
//
// A value number for arithmetic and for elements of registers, in program order. What a
// region adds is forgotten behind it; what it stores to is forgotten before and behind.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ThreadAccesses.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {
namespace {

class Numbering {
public:
  void visit(Block &block);

  llvm::DenseMap<Value, Value> representative;

private:
  using Key = std::tuple<const void *, const void *, const void *, std::vector<const void *>>;

  void visitRegions(Operation &op);
  void visitLoad(tile::LoadOp load);
  void forget(Value local) { registers.erase(local); }
  void forgetStores(Operation &op) {
    for (Value root : accessesOf(&op).writes)
      forget(root);
  }
  Value sameAs(Value value) {
    Value same = representative.lookup(value);
    return same ? same : value;
  }

  std::map<Key, Value> computed;
  std::vector<Key> order; ///< keys of `computed`, oldest first
  llvm::DenseMap<Value, std::map<std::vector<int64_t>, Value>> registers;
  std::vector<std::pair<Value, std::vector<int64_t>>> loaded;
};

void Numbering::visitLoad(tile::LoadOp load) {
  if (!load.getBuffer().getType().isLocal())
    return;
  std::vector<int64_t> at;
  for (Value index : load.getIndices()) {
    std::optional<int64_t> constant = tile::constantInt(index);
    if (!constant)
      return;
    at.push_back(*constant);
  }
  auto [it, isNew] = registers[load.getBuffer()].try_emplace(at, load.getResult());
  if (isNew)
    loaded.push_back({load.getBuffer(), at});
  else
    representative[load.getResult()] = it->second;
}

void Numbering::visitRegions(Operation &op) {
  forgetStores(op);
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      size_t computedBefore = order.size(), loadedBefore = loaded.size();
      visit(block);
      for (; order.size() > computedBefore; order.pop_back())
        computed.erase(order.back());
      for (; loaded.size() > loadedBefore; loaded.pop_back())
        if (auto it = registers.find(loaded.back().first); it != registers.end())
          it->second.erase(loaded.back().second);
    }
  forgetStores(op);
}

void Numbering::visit(Block &block) {
  for (Operation &op : block) {
    if (op.getNumRegions() != 0) {
      visitRegions(op);
    } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
      visitLoad(load);
    } else if (isPure(&op) && op.getNumResults() == 1) {
      std::vector<const void *> operands;
      for (Value operand : op.getOperands())
        operands.push_back(sameAs(operand).getAsOpaquePointer());
      Key key{op.getName().getAsOpaquePointer(), op.getAttrDictionary().getAsOpaquePointer(),
              op.getResult(0).getType().getAsOpaquePointer(), operands};
      auto [it, isNew] = computed.try_emplace(key, op.getResult(0));
      if (isNew)
        order.push_back(key);
      else
        representative[op.getResult(0)] = it->second;
    } else {
      forgetStores(op);
    }
  }
}

} // namespace

llvm::DenseMap<Value, Value> numberValues(tile::KernelOp kernel) {
  Numbering numbering;
  numbering.visit(kernel.getBody().front());
  return std::move(numbering.representative);
}

} // namespace tilec
