//===- SelectValues.cpp - values instead of branches of an element ---------===//
//
// Takes loops over elements of pipelined rounds that unpack or scale in a branch,
//
//   if v < 8: B[i, j] = v * scales[i, k]
//   else:     B[i, j] = (v - 16) * scales[i, k]
//
// and lets them compute both values and select one: what they read of tensors stands in no branch
// then, and can be read a round ahead (Pipelines/HeldRounds). So in all loops over elements where
// both sides read tiles alone, or where an element that is read, as one of a mask, chooses for its
// neighbours of a row each: the reads of a lane start together, and neighbours are one access. What
// both sides read is read once. And `if i >= n: A[i, j] = 0` of a tile that the round copies stores
// all of it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Normalize/Locals.h"
#include "Normalize/MeetingIterations.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SELECTVALUESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Both sides are computed for each element: more than that many operations are worth a branch.
constexpr int64_t mostOps = 64;

/// Whether the place is inside of the tile, whichever side is chosen.
bool isInside(Value index, int64_t extent) {
  std::optional<IndexRange> range = rangeOf(index);
  return range && range->low >= 0 && range->high < extent;
}

/// Whether all of the tile is written before the loop begins, and the loop leaves it alone: a place
/// that its side would not have read holds a number, too, and nobody writes it meanwhile.
bool isThere(Value tile, tile::ParallelOp loop) {
  if (isChangedBy(accessesOf(loop).writes, tile))
    return false;
  for (Operation *at = loop; at && !isa<tile::KernelOp>(at); at = at->getParentOp())
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode())
      if (overwritesAll(op, tile) || storesAll(op, tile))
        return true;
  return false;
}

/// Places outside of a tensor are zeros, one outside of a shared tile is not read; others have to
/// be known to be inside.
bool isSafe(tile::LoadOp load) {
  tile::BufferType type = load.getBuffer().getType();
  if (type.isShared())
    return isThere(rootOf(load.getBuffer()), outermostParallelOf(load));
  return type.isGlobal() ||
         llvm::all_of(llvm::zip_equal(load.getIndices(), type.getShape()),
                      [](auto pair) { return isInside(std::get<0>(pair), std::get<1>(pair)); });
}

/// Where its side is not chosen, a place that may lie outside of a shared tile is its first one.
void keepInside(tile::LoadOp load, Value condition, bool isChosen) {
  tile::BufferType type = load.getBuffer().getType();
  if (!type.isShared())
    return;
  OpBuilder b(load);
  for (OpOperand &index : load.getIndicesMutable()) {
    if (isInside(index.get(), type.getShape()[index.getOperandNumber() - 1]))
      continue;
    Value first = arith::ConstantIndexOp::create(b, load.getLoc(), 0);
    Value yes = isChosen ? index.get() : first, no = isChosen ? first : index.get();
    index.set(arith::SelectOp::create(b, load.getLoc(), condition, yes, no));
  }
}

/// Whether what is computed in the loop hangs on a read: one that `counts`.
bool hangsOnRead(ValueRange values, tile::ParallelOp loop,
                 llvm::function_ref<bool(tile::LoadOp)> counts) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> open(values);
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !loop->isProperAncestor(op) || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op); load && counts(load))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// Whether neighbours of a row each read what they choose by: a lane would take the branch for each
/// of its elements, and read one at a time.
bool choosesByElement(scf::IfOp branch) {
  auto loop = dyn_cast<tile::ParallelOp>(branch->getParentOp());
  return loop && hangsOnRead(branch.getCondition(), loop, [&](tile::LoadOp load) {
           return variablesIn(load.getIndices(), loop).contains(loop.ivs().size() - 1);
         });
}

/// What the sides of a branch read.
struct SideReads {
  bool tensors = false, shared = false;
  bool gathered = false; ///< where a number says that is read

  void add(Operation &op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      tensors |= load.getBuffer().getType().isGlobal();
      shared |= load.getBuffer().getType().isShared();
      gathered |= hangsOnRead(load.getIndices(), outermostParallelOf(load),
                              [](tile::LoadOp) { return true; });
    }
  }
};

bool isSame(Value one, Value other) {
  std::optional<int64_t> constant = tile::constantInt(one);
  return one == other || (constant && constant == tile::constantInt(other));
}

/// The one store of a side, behind which nothing stands; null: it has others, or none.
tile::StoreOp storeOf(Block *side) {
  auto store = dyn_cast_or_null<tile::StoreOp>(side->getTerminator()->getPrevNode());
  return store && llvm::hasSingleElement(side->getOps<tile::StoreOp>()) ? store : tile::StoreOp();
}

/// Whether the branch chooses a value, or what is stored in one place, and both sides can be
/// computed.
bool choosesValue(scf::IfOp branch, bool isOfRound) {
  if (!branch.elseBlock())
    return false;
  int64_t count = 0;
  SideReads reads;
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : side->without_terminator()) {
      auto load = dyn_cast<tile::LoadOp>(op);
      bool isPlain = op.getNumRegions() == 0 && isMemoryEffectFree(&op) && isSpeculatable(&op);
      if (!isPlain && !(load && isSafe(load)) && &op != storeOf(side))
        return false;
      reads.add(op);
      ++count;
    }
  tile::StoreOp one = storeOf(branch.thenBlock()), other = storeOf(branch.elseBlock());
  if (bool(one) != bool(other) || bool(one) == (branch.getNumResults() != 0))
    return false;
  bool isOnePlace = !one || (one.getBuffer() == other.getBuffer() &&
                             one.getValue().getType() == other.getValue().getType() &&
                             llvm::equal(one.getIndices(), other.getIndices(), isSame));
  bool isWorthIt =
      reads.tensors ? isOfRound || (!reads.gathered && choosesByElement(branch)) : reads.shared;
  return isOnePlace && isWorthIt && count <= mostOps;
}

/// What computes or reads the same as an op; null: nothing does.
Operation *findSame(Operation &op, ArrayRef<Operation *> others) {
  if (!isa<tile::LoadOp>(op) && !isMemoryEffectFree(&op))
    return nullptr;
  auto found = llvm::find_if(others, [&](Operation *other) {
    return OperationEquivalence::isEquivalentTo(&op, other, OperationEquivalence::IgnoreLocations);
  });
  return found == others.end() ? nullptr : *found;
}

/// What stands on both sides is computed once; a place that both read is read whatever is chosen.
void shareSides(scf::IfOp branch) {
  SmallVector<Operation *> first;
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : llvm::make_early_inc_range(side->without_terminator())) {
      Operation *same = findSame(op, first);
      if (!same) {
        if (side == branch.thenBlock())
          first.push_back(&op);
        continue;
      }
      op.replaceAllUsesWith(same);
      op.erase();
      // Its operands are shared, too, and stand in front of it.
      if (side == branch.elseBlock() && same->getBlock() == branch.thenBlock())
        same->moveBefore(branch);
    }
}

void select(scf::IfOp branch) {
  shareSides(branch);
  tile::StoreOp one = storeOf(branch.thenBlock()), other = storeOf(branch.elseBlock());
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : llvm::make_early_inc_range(side->without_terminator())) {
      op.moveBefore(branch);
      if (auto load = dyn_cast<tile::LoadOp>(op))
        keepInside(load, branch.getCondition(), side == branch.thenBlock());
    }
  OpBuilder b(branch);
  auto choose = [&](Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(), yes, no);
  };
  if (one) {
    other.getValueMutable().assign(choose(one.getValue(), other.getValue()));
    other->moveBefore(branch);
    one->erase();
  }
  for (auto [n, result] : llvm::enumerate(branch.getResults()))
    result.replaceAllUsesWith(
        choose(branch.thenYield().getOperand(n), branch.elseYield().getOperand(n)));
  branch.erase();
}

/// Whether the branch changes some elements of a tile that a copy of the round fills, each of its
/// own iteration: one that changes them all is something that copies run ahead of.
bool changesSome(scf::IfOp branch, tile::ForOp loop) {
  tile::StoreOp store = storeOf(branch.thenBlock());
  auto parallel = dyn_cast<tile::ParallelOp>(branch->getParentOp());
  if (!store || !parallel || branch.elseBlock() || branch.getNumResults() != 0 ||
      !store.getBuffer().getType().isShared() ||
      !llvm::equal(store.getIndices(), parallel.ivs(),
                   [](Value index, BlockArgument iv) { return index == iv; }) ||
      !isFilledFirst(*loop.bodyBlock(), store.getBuffer()))
    return false;
  return llvm::all_of(branch.thenBlock()->without_terminator(), [&](Operation &op) {
    return &op == store ||
           (op.getNumRegions() == 0 && isMemoryEffectFree(&op) && isSpeculatable(&op));
  });
}

/// Stores what is chosen, or what is there.
void storeAlways(scf::IfOp branch) {
  tile::StoreOp store = storeOf(branch.thenBlock());
  OpBuilder b(branch);
  Type scalar = tile::scalarTypeOf(store.getBuffer().getType().getElementType());
  Value old = tile::LoadOp::create(b, branch.getLoc(), scalar, store.getBuffer(),
                                   store.getIndices(), FloatAttr());
  for (Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    op.moveBefore(branch);
  b.setInsertionPoint(store);
  store.getValueMutable().assign(
      arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(), store.getValue(), old));
  branch.erase();
}

struct SelectValuesPass : impl::SelectValuesPassBase<SelectValuesPass> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches; // inner ones first
    getOperation().walk([&](scf::IfOp branch) {
      if (branch->getParentOfType<tile::ParallelOp>() &&
          !branch->getParentOfType<tile::KernelOp>().getLockstep())
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches) {
      auto loop = outermostParallelOf(branch)->getParentOfType<tile::ForOp>();
      bool isOfRound = loop && loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1;
      if (choosesValue(branch, isOfRound))
        select(branch);
      else if (isOfRound && changesSome(branch, loop))
        storeAlways(branch);
    }
  }
};

} // namespace

} // namespace tilec
