//===- Locals.cpp - local buffers of a block ------------------------------===//
//
// Looks up what touches a local buffer, through views of it, and where its iterations differ.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

/// The users of the buffer and of its views, without the views.
static void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users,
                         SmallVectorImpl<Operation *> &views) {
  for (Operation *user : buffer.getUsers()) {
    if (!isa<tile::SubviewOp, tile::ReshapeOp>(user)) {
      users.push_back(user);
      continue;
    }
    views.push_back(user);
    collectUsers(user->getResult(0), users, views);
  }
}

Local::Local(tile::AllocOp alloc) : alloc(alloc) { collectUsers(alloc.getResult(), users, views); }

bool Local::writes(Operation *op) {
  return llvm::is_contained(accessesOf(op).writes, alloc.getResult());
}

void Local::setScope(tile::Scope scope) {
  auto change = [&](Value buffer) {
    auto type = cast<tile::BufferType>(buffer.getType());
    buffer.setType(tile::BufferType::get(type.getShape(), type.getElementType(), scope));
  };
  change(alloc.getResult());
  for (Operation *view : views)
    change(view->getResult(0));
}

std::vector<Local> localsOf(tile::KernelOp kernel) {
  std::vector<Local> locals;
  kernel.walk([&](tile::AllocOp alloc) {
    if (alloc.getResult().getType().isLocal() && !outermostParallelOf(alloc))
      locals.emplace_back(alloc);
  });
  return locals;
}

tile::ParallelOp outermostParallelOf(Operation *op) {
  tile::ParallelOp found;
  for (auto at = op->getParentOfType<tile::ParallelOp>(); at;
       at = at->getParentOfType<tile::ParallelOp>())
    found = at;
  return found;
}

bool hasOneIteration(tile::ParallelOp loop) {
  return llvm::all_of(loop.getExtents(), [](Value v) { return tile::constantInt(v) == 1; });
}

bool isComputedFrom(Value value, BlockArgument iv) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t n = 0; n < values.size(); ++n)
    if (Operation *op = values[n].getDefiningOp())
      values.insert_range(op->getOperands());
  return values.contains(iv);
}

bool variesIn(Value value, tile::ParallelOp loop) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || !isPure(op) || op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperands(), [&](Value v) { return variesIn(v, loop); });
}

} // namespace tilec
