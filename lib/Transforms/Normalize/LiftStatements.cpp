//===- LiftStatements.cpp - statements of the block on scalars of fragments -===//
//
// Outside of T.Parallel a statement happens once per block. One that computes with fragments of one
// element, of which all lanes have copies, becomes a parallel with one iteration: nothing has to
// pass through shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LIFTSTATEMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether the load reads the only element of a fragment.
bool readsOnlyElement(Operation *op) {
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  return load && load.getBuffer().getDefiningOp<tile::AllocOp>() &&
         load.getBuffer().getType().isFragment() && load.getBuffer().getType().numElems() == 1 &&
         llvm::all_of(load.getIndices(), [](Value v) { return tile::constantInt(v) == 0; });
}

/// Whether anything between the two ops of a block writes the buffer.
bool isWrittenBetween(Value buffer, Operation *first, Operation *last) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (llvm::is_contained(accessesOf(op).writes, rootOf(buffer)))
      return true;
  return false;
}

/// What `value` is computed with from only elements of fragments, in front of `user`: loads and
/// pure ops of its block, operands first. False when one of the loads cannot be put off until then.
bool collectScalars(Value value, Operation *user, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != user->getBlock() || ops.contains(op))
    return true;
  if (readsOnlyElement(op)) {
    ops.insert(op);
    return !isWrittenBetween(op->getOperand(0), op, user);
  }
  if (!isPure(op) || op->getNumRegions() != 0)
    return true;
  size_t before = ops.size();
  for (Value operand : op->getOperands())
    if (!collectScalars(operand, user, ops))
      return false;
  bool isScalar = ops.size() != before || llvm::any_of(op->getOperands(), [&](Value operand) {
                    return ops.contains(operand.getDefiningOp());
                  });
  if (isScalar)
    ops.insert(op);
  return true;
}

/// A statement that computes with only elements of fragments, of which all lanes have copies, is a
/// parallel with one iteration: nothing has to pass through shared memory.
bool becomesParallel(tile::StoreOp store) {
  tile::BufferType type = store.getBuffer().getType();
  bool isElement =
      type.isFragment() && type.numElems() == 1 &&
      store.getBuffer().getDefiningOp<tile::AllocOp>() &&
      llvm::all_of(store.getIndices(), [](Value v) { return tile::constantInt(v) == 0; });
  llvm::SetVector<Operation *> ops;
  if ((type.isFragment() && !isElement) || !collectScalars(store.getValue(), store, ops) ||
      ops.empty())
    return false;
  OpBuilder b(store);
  Location loc = store.getLoc();
  SmallVector<Value> extents(std::max<size_t>(1, isElement ? type.rank() : 1),
                             arith::ConstantIndexOp::create(b, loc, 1));
  auto loop = tile::ParallelOp::create(b, loc, extents);
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  IRMapping mapping;
  for (Operation *op : ops)
    inner.clone(*op, mapping);
  SmallVector<Value> indices(store.getIndices());
  if (isElement && !indices.empty())
    indices.assign(loop.ivs().begin(), loop.ivs().end());
  tile::StoreOp::create(inner, loc, mapping.lookupOrDefault(store.getValue()), store.getBuffer(),
                        indices);
  store.erase();
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  return true;
}

} // namespace

static void liftStatements(tile::ProgramOp program) {
  SmallVector<tile::StoreOp> stores;
  program.walk([&](tile::StoreOp store) {
    bool isOfBlock = !store->getParentOfType<tile::ParallelOp>() &&
                     !store->getParentOfType<tile::KernelOp>().getLockstep();
    if (isOfBlock && !store.getBuffer().getType().isLocal())
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores)
    becomesParallel(store);
}

namespace {
struct LiftStatementsPass : impl::LiftStatementsPassBase<LiftStatementsPass> {
  void runOnOperation() override { liftStatements(getOperation()); }
};
} // namespace

} // namespace tilec
