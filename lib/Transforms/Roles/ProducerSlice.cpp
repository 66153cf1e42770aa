//===- ProducerSlice.cpp - what a producer warp repeats of a kernel -------===//
//
// A backward slice: from the copies to the loops and branches around them, to what
// their conditions are computed from, to all writes of the variables among that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ProducerSlice.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

llvm::Error refuse(const Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

} // namespace

ProducerSlice::ProducerSlice(tile::KernelOp kernel, ArrayRef<Value> written)
    : kernel(kernel), written(written) {}

llvm::Error ProducerSlice::add(Operation *op, ValueRange values) {
  auto before = ops;
  llvm::Error error = reach(op);
  for (Value value : values)
    if (!error)
      error = need(value);
  if (error)
    ops = std::move(before);
  return error;
}

llvm::Error ProducerSlice::addRound(tile::ForOp loop, Block &round, ArrayRef<tile::CopyOp> copies) {
  SmallVector<Value> values = {loop.getLower(), loop.getUpper(), loop.getStep()};
  for (tile::CopyOp copy : copies)
    values.push_back(copy.getSrc());
  return add(&round.front(), values);
}

/// The loops and branches around `op`.
llvm::Error ProducerSlice::reach(Operation *op) {
  for (Operation *up = op->getParentOp(); up != kernel; up = up->getParentOp()) {
    if (!isa<tile::ForOp, tile::WhileOp, scf::IfOp>(up))
      return refuse("it stands in a `" + up->getName().getStringRef() + "`");
    if (llvm::Error error = include(up))
      return error;
  }
  return llvm::Error::success();
}

/// Adds the op with its operands; of loops and branches, what decides how often they run.
llvm::Error ProducerSlice::include(Operation *op) {
  if (!ops.insert(op).second)
    return llvm::Error::success();
  // Rounds that are dead for a warp group are none for the producer.
  auto counted = dyn_cast<tile::ForOp>(op);
  for (Value operand : counted ? op->getOperands().take_front(3) : op->getOperands())
    if (llvm::Error error = need(operand))
      return error;
  if (auto loop = dyn_cast<tile::WhileOp>(op))
    return include(loop.getCondition().front().getTerminator());
  bool leaves = false;
  if (auto loop = dyn_cast<tile::ForOp>(op))
    loop.walk([&](tile::BreakOp) { leaves = true; });
  return leaves ? refuse("a loop around it is left early") : llvm::Error::success();
}

llvm::Error ProducerSlice::need(Value value) {
  if (!kernel->isAncestor(value.getParentRegion()->getParentOp()))
    return llvm::Error::success();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (isa<tile::KernelOp, tile::ForOp>(owner))
      return llvm::Error::success(); // what uses it stands in that loop
    return refuse("it depends on an element of a T.Parallel");
  }
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return llvm::Error::success();
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return needLoad(load);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Operation *part :
         {op, branch.thenYield().getOperation(), branch.elseYield().getOperation()})
      if (llvm::Error error = include(part))
        return error;
    return llvm::Error::success();
  }
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return refuse("it depends on a `" + op->getName().getStringRef() + "`");
  return include(op);
}

llvm::Error ProducerSlice::needLoad(tile::LoadOp load) {
  Value buffer = load.getBuffer(), root = rootOf(buffer);
  tile::BufferType type = load.getBuffer().getType();
  if (type.isGlobal()) {
    if (isChangedBy(written, root))
      return refuse("it depends on elements of " + quotedName(root) +
                    (llvm::is_contained(written, root) ? ", which the kernel writes"
                                                       : ", which may overlap what it writes"));
    if (root != buffer)
      if (llvm::Error error = need(buffer))
        return error;
  } else if (!type.isLocal()) {
    return refuse("it depends on elements of " + quotedName(root) + ", which the block computes");
  } else if (llvm::Error error = needVariable(buffer)) {
    return error;
  }
  return include(load);
}

/// A variable with all that is ever written to it.
llvm::Error ProducerSlice::needVariable(Value variable) {
  auto alloc = variable.getDefiningOp<tile::AllocOp>();
  if (!alloc)
    return refuse("it depends on a view of " + quotedName(variable));
  if (!ops.insert(alloc).second)
    return llvm::Error::success();
  if (llvm::Error error = reach(alloc))
    return error;
  for (Operation *user : alloc->getUsers()) {
    if (isa<tile::LoadOp>(user))
      continue;
    if (!isa<tile::StoreOp>(user))
      return refuse("it depends on " + quotedName(variable) + ", which a `" +
                    user->getName().getStringRef() + "` touches");
    if (llvm::Error error = reach(user))
      return error;
    if (llvm::Error error = include(user))
      return error;
  }
  return llvm::Error::success();
}

void ProducerSlice::repeat(Block &block, OpBuilder &b, IRMapping &values, const Hooks &hooks) {
  for (Operation &op : block) {
    hooks.before(&op);
    if (!ops.contains(&op))
      continue;
    if (isa<tile::ForOp, tile::WhileOp, scf::IfOp>(op))
      repeatStructure(&op, b, values, hooks);
    else
      b.clone(op, values);
  }
}

/// The loop or branch without its body, and without results that nobody in the slice needs.
Operation *ProducerSlice::shellOf(Operation *op, OpBuilder &b, IRMapping &values) {
  if (auto loop = dyn_cast<tile::ForOp>(op))
    return tile::ForOp::create(b, loop.getLoc(), values.lookupOrDefault(loop.getLower()),
                               values.lookupOrDefault(loop.getUpper()),
                               values.lookupOrDefault(loop.getStep()));
  auto branch = dyn_cast<scf::IfOp>(op);
  if (branch && !ops.contains(branch.thenYield()))
    return scf::IfOp::create(b, branch.getLoc(), values.lookupOrDefault(branch.getCondition()),
                             /*withElseRegion=*/!branch.getElseRegion().empty());
  return b.insert(op->cloneWithoutRegions(values));
}

void ProducerSlice::repeatStructure(Operation *op, OpBuilder &b, IRMapping &values,
                                    const Hooks &hooks) {
  Operation *own = shellOf(op, b, values);
  for (auto [from, to] : llvm::zip(op->getRegions(), own->getRegions())) {
    if (from.empty())
      continue;
    Block &block = to.empty() ? to.emplaceBlock() : to.front();
    for (auto [outer, inner] : llvm::zip(from.getArguments(), to.getArguments()))
      values.map(outer, inner);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&block);
    repeat(from.front(), b, values, hooks);
    hooks.atEnd(from.front());
  }
}

} // namespace tilec
