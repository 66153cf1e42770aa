//===- RoundReads.cpp - what a round reads for itself, in front of it ------===//
//
// Where operations in flight are counted in order, a read of a round is waited for together with
// all that was started before it: the copies of later rounds. An element that each round reads
// anew, as it stands in a loop over elements or under a condition, costs all of them their lead:
//
//   for k: start copies of k + 1; ...; mask[i, j] by k * 64 + j < lengths[b]
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/RoundReads.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {
namespace {

/// Adds the arithmetic that `value` is computed from, in order, up to what `isThere`; false where
/// more than that has a part in it.
bool addArithmetic(Value value, llvm::function_ref<bool(Value)> isThere,
                   SetVector<Operation *> &arithmetic) {
  if (isThere(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isPure(op))
    return false;
  if (arithmetic.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!addArithmetic(operand, isThere, arithmetic))
      return false;
  arithmetic.insert(op);
  return true;
}

/// The fragment that the op does nothing but fill from tensors, which nothing in the loop writes;
/// null: it does something else.
tile::AllocOp fragmentFilledBy(Operation &op, ArrayRef<Value> written) {
  if (!isa<tile::CopyOp, tile::ElementLoop>(op))
    return {};
  Accesses accesses = accessesOf(&op);
  auto stays = [&](Value root) {
    return root.getDefiningOp<tile::TensorOp>() && !isChangedBy(written, root);
  };
  auto alloc = accesses.writes.size() == 1 ? accesses.writes.front().getDefiningOp<tile::AllocOp>()
                                           : tile::AllocOp();
  bool isFragment = alloc && alloc.getResult().getType().isFragment();
  return isFragment && !accesses.reads.empty() && llvm::all_of(accesses.reads, stays)
             ? alloc
             : tile::AllocOp();
}

/// Adds what stands behind `place` and the op uses: the fragment itself, and arithmetic.
bool addWhatItNeeds(Operation &op, Operation *place, tile::AllocOp fragment,
                    SetVector<Operation *> &needed) {
  auto isThere = [&](Value value) {
    Operation *from = value.getDefiningOp();
    return from == fragment || !from || from->getBlock() != place->getBlock() ||
           from->isBeforeInBlock(place);
  };
  if (fragment->getBlock() == place->getBlock() && place->isBeforeInBlock(fragment))
    needed.insert(fragment);
  bool isArithmetic = true;
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op.isAncestor(operand.getParentBlock()->getParentOp()))
        isArithmetic = isArithmetic && addArithmetic(operand, isThere, needed);
  });
  return isArithmetic;
}

} // namespace

void readSameElementsFirst(tile::ForOp loop) {
  Accesses ofKernel = accessesOf(loop->getParentOfType<tile::KernelOp>());
  SmallVector<tile::LoadOp> loads;
  loop.getBody().walk([&](tile::LoadOp load) {
    // What else stands in a round is the same for all lanes, and read by another counter.
    if (load->getParentOfType<tile::ElementLoop>() &&
        load.getBuffer().getDefiningOp<tile::TensorOp>() &&
        !isChangedBy(ofKernel.writes, load.getBuffer()))
      loads.push_back(load);
  });
  for (tile::LoadOp load : loads) {
    SetVector<Operation *> arithmetic;
    auto isInFront = [&](Value value) {
      return !loop.getBody().isAncestor(value.getParentRegion());
    };
    if (!llvm::all_of(load.getIndices(),
                      [&](Value index) { return addArithmetic(index, isInFront, arithmetic); }))
      continue;
    // Places outside of the tensor are zeros, so that it may be read without its condition.
    for (Operation *op : arithmetic)
      op->moveBefore(loop);
    load->moveBefore(loop);
  }
}

void readFragmentsBefore(Operation *fill) {
  Block &block = *fill->getBlock();
  Accesses ofLoop = accessesOf(fill->getParentOfType<tile::ForOp>());
  Accesses between; // of what stands between the fill and the op at hand
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(fill->getIterator(), block.getTerminator()->getIterator()))) {
    tile::AllocOp fragment = fragmentFilledBy(op, ofLoop.writes);
    bool isUsed = fragment && (llvm::is_contained(between.reads, fragment.getResult()) ||
                               llvm::is_contained(between.writes, fragment.getResult()));
    SetVector<Operation *> before;
    if (fragment && !isUsed && addWhatItNeeds(op, fill, fragment, before)) {
      for (Operation *needed : before)
        needed->moveBefore(fill);
      op.moveBefore(fill);
      continue;
    }
    Accesses ofOp = accessesOf(&op);
    llvm::append_range(between.reads, ofOp.reads);
    llvm::append_range(between.writes, ofOp.writes);
  }
}

} // namespace tilec
