//===- PlacesFirst.cpp - places before the numbers behind them are read ----===//
//
// Takes a round that hands on a number of a row, reads the next one and finds a place by the first:
//
//   for k: set now, (get ahead); set ahead, (read k + 2); read (get now) * pitch
//
// Gives the place's arithmetic in front of that read. The number is dead there, and the next one
// has its register. Behind it both are alive, and a copy from one to the other at the round's end
// waits for the read.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PLACESFIRSTPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether one register takes what another one of the loop has had.
bool handsOn(wave::SetOp set) { return bool(set.getValue().getDefiningOp<wave::GetOp>()); }

/// The first read of a tensor behind the op, in front of which nothing but registers and arithmetic
/// stands.
Operation *nextRead(Operation *op) {
  for (op = op->getNextNode(); op; op = op->getNextNode()) {
    if (isa<wave::GlobalReadOp>(op))
      return op;
    if (!isa<wave::GetOp, wave::SetOp>(op) && !(isPure(op) && op->getNumRegions() == 0))
      return nullptr;
  }
  return nullptr;
}

/// What gets the register behind the op, before it is set again.
SmallVector<wave::GetOp> getsBehind(wave::SetOp set) {
  SmallVector<wave::GetOp> gets;
  for (Operation *op = set->getNextNode(); op && op->getNumRegions() == 0; op = op->getNextNode()) {
    auto get = dyn_cast<wave::GetOp>(op);
    if (get && get.getRegs() == set.getRegs() && get.getSlot() == set.getSlot())
      gets.push_back(get);
    auto other = dyn_cast<wave::SetOp>(op);
    if (other && other.getRegs() == set.getRegs() && other.getSlot() == set.getSlot())
      break;
  }
  return gets;
}

/// What the places of reads of tensors are computed from, in this block.
void addPlaces(Block &block, llvm::SmallPtrSetImpl<Operation *> &places) {
  SmallVector<Value> work;
  for (auto read : block.getOps<wave::GlobalReadOp>())
    llvm::append_range(work, read->getOperands());
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    bool isArithmetic = op && op->getBlock() == &block && op->getNumRegions() == 0 &&
                        (isPure(op) || isa<wave::GetOp>(op));
    if (isArithmetic && places.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
}

/// Brings the arithmetic that needs nothing from behind `read` but these values in front of it.
void bringForward(llvm::SmallPtrSet<Operation *, 16> moved, Operation *read) {
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(std::next(read->getIterator()), read->getBlock()->end()))) {
    if (op.getNumRegions() != 0 || !isPure(&op))
      continue;
    bool depends = false, isThere = true;
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      depends |= moved.contains(def);
      isThere &= !def || def->getBlock() != read->getBlock() || def->isBeforeInBlock(read);
    }
    if (!depends || !isThere)
      continue;
    op.moveBefore(read);
    moved.insert(&op);
  }
}

struct PlacesFirstPass : impl::PlacesFirstPassBase<PlacesFirstPass> {
  void runOnOperation() override {
    SmallVector<wave::SetOp> sets;
    getOperation().walk([&](wave::SetOp set) {
      if (isa<scf::ForOp>(set->getParentOp()) && handsOn(set))
        sets.push_back(set);
    });
    llvm::SmallPtrSet<Operation *, 32> places;
    llvm::SmallPtrSet<Block *, 4> blocks;
    for (wave::SetOp set : sets)
      if (blocks.insert(set->getBlock()).second)
        addPlaces(*set->getBlock(), places);
    llvm::MapVector<Operation *, llvm::SmallPtrSet<Operation *, 16>> gets; // by read
    for (wave::SetOp set : sets) {
      Operation *read = nextRead(set);
      if (!read)
        continue;
      for (wave::GetOp get : getsBehind(set)) {
        if (!places.contains(get))
          continue;
        if (read->isBeforeInBlock(get))
          get->moveBefore(read);
        gets[read].insert(get);
      }
    }
    for (auto &[read, moved] : gets)
      bringForward(moved, read);
  }
};

} // namespace

} // namespace tilec
