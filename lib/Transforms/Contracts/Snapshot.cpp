//===- Snapshot.cpp - compares the IR before and after a pass -------------===//
//
// Hashes ops with what they use, and compares two such lists.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Contracts/Snapshot.h"

#include "tilec/IR/Tile/Tile.h"
#include "tilec/IR/Wave/Wave.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace tilec {

namespace {

/// Values by the order in which they are met.
class Numbers {
public:
  size_t of(Value value) { return numbers.try_emplace(value, numbers.size()).first->second; }

private:
  llvm::DenseMap<Value, size_t> numbers;
};

llvm::hash_code hashOf(Operation &op, const Untouched &what, Numbers &numbers) {
  llvm::hash_code hash = llvm::hash_value(op.getName().getAsOpaquePointer());
  for (NamedAttribute attribute : op.getAttrDictionary())
    if (!llvm::is_contained(what.but, attribute.getName().getValue()))
      hash = llvm::hash_combine(hash, attribute.getName().getAsOpaquePointer(),
                                attribute.getValue().getAsOpaquePointer());
  for (Value operand : op.getOperands())
    hash = llvm::hash_combine(hash, numbers.of(operand));
  for (Value result : op.getResults())
    hash = llvm::hash_combine(hash, numbers.of(result), result.getType().getAsOpaquePointer());
  return llvm::hash_combine(hash, op.getNumRegions());
}

/// Names and types of parameters and kernels: what a launch of the program is made from.
std::optional<llvm::hash_code> signatureOf(Operation &op) {
  if (isa<tile::TensorOp, tile::ScalarOp, tile::DimOp, tile::WorkspaceOp>(op)) {
    llvm::hash_code hash = llvm::hash_value(op.getAttr("name").getAsOpaquePointer());
    return llvm::hash_combine(hash, op.getResult(0).getType().getAsOpaquePointer());
  }
  if (auto kernel = dyn_cast<tile::KernelOp>(op))
    return llvm::hash_value(kernel.getNameAttr().getAsOpaquePointer());
  if (auto kernel = dyn_cast<wave::KernelOp>(op)) {
    llvm::hash_code hash = llvm::hash_combine(
        kernel.getSymNameAttr().getAsOpaquePointer(), kernel.getArgNamesAttr().getAsOpaquePointer(),
        kernel.getArgAccessAttr().getAsOpaquePointer(), kernel.getThreads());
    for (Type type : kernel.getBody().getArgumentTypes())
      hash = llvm::hash_combine(hash, type.getAsOpaquePointer());
    return hash;
  }
  return std::nullopt;
}

} // namespace

Snapshot::Snapshot(Operation *root, Untouched untouched) : what(std::move(untouched)) {
  entries = entriesOf(root);
}

std::vector<Snapshot::Entry> Snapshot::entriesOf(Operation *root) const {
  std::vector<Entry> result;
  auto add = [&](Operation *op, llvm::hash_code hash) {
    result.push_back({hash, op->getLoc(), op->getName().getStringRef().str()});
  };
  Numbers numbers;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isInside = what.within.empty() || op->getName().getStringRef() == what.within;
    for (Operation *up = op->getParentOp(); up && !isInside; up = up->getParentOp())
      isInside = up->getName().getStringRef() == what.within;
    if (!isInside || llvm::is_contained(what.but, op->getName().getStringRef()))
      return;
    if (what.all)
      add(op, hashOf(*op, what, numbers));
    else if (std::optional<llvm::hash_code> signature = signatureOf(*op))
      add(op, *signature);
  });
  return result;
}

std::optional<Breach> Snapshot::differenceFrom(Operation *root) const {
  std::vector<Entry> now = entriesOf(root);
  for (size_t n = 0; n < std::min(entries.size(), now.size()); ++n)
    if (entries[n].hash != now[n].hash)
      return Breach{"`" + now[n].name + "` stands or has changed where `" + entries[n].name +
                        "` was",
                    now[n].place};
  if (entries.size() < now.size())
    return Breach{"`" + now[entries.size()].name + "` is new", now[entries.size()].place};
  if (entries.size() > now.size())
    return Breach{"`" + entries[now.size()].name + "` is gone", root->getLoc()};
  return std::nullopt;
}

} // namespace tilec
