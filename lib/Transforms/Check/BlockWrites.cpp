//===- BlockWrites.cpp - elements that several blocks write ----------------===//
//
// A store whose place, and whether it happens, do not depend on a block coordinate
// that takes several values: those blocks write the same elements. Blocks have no
// order, so any one's value conforms.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilec {
namespace {

/// What a place depends on: block coordinates, or anything that was loaded.
class Dependences {
public:
  void add(Value value) {
    if (!seen.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<tile::KernelOp>(parent))
        coordinates.insert(argument.getArgNumber());
      if (auto loop = dyn_cast<tile::ForOp>(parent))
        for (Value bound : {loop.getLower(), loop.getUpper(), loop.getStep()})
          add(bound);
      return;
    }
    Operation *op = value.getDefiningOp();
    onMemory |= isa<tile::LoadOp, tile::AtomicOp, tile::ThreadIdOp>(op);
    for (Value operand : op->getOperands())
      if (!isa<tile::BufferType>(operand.getType()))
        add(operand);
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!isa<tile::BufferType>(operand.getType()))
            add(operand);
        onMemory |= isa<tile::LoadOp, tile::AtomicOp>(inner);
      });
  }
  /// Conditions and loop bounds around an op.
  void addGuards(Operation *op) {
    for (Operation *at = op->getParentOp(); !isa<tile::KernelOp>(at); at = at->getParentOp()) {
      if (auto branch = dyn_cast<scf::IfOp>(at))
        add(branch.getCondition());
      else if (auto loop = dyn_cast<tile::ForOp>(at))
        add(loop.iv());
      else if (auto parallel = dyn_cast<tile::ParallelOp>(at))
        for (Value extent : parallel.getExtents())
          add(extent);
      else if (isa<tile::WhileOp>(at))
        onMemory = true;
    }
  }

  llvm::SmallSet<unsigned, 4> coordinates;
  bool onMemory = false;

private:
  llvm::SmallPtrSet<Value, 16> seen;
};

/// The tensor that the op writes without an atomic, and what its place is computed from.
std::optional<Value> tensorWrittenBy(Operation *op, SmallVectorImpl<Value> &place) {
  Value target;
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    target = store.getBuffer();
    llvm::append_range(place, store.getIndices());
  } else if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    target = copy.getDst();
  } else if (auto fill = dyn_cast<tile::FillOp>(op)) {
    target = fill.getDst();
  }
  if (!target || !cast<tile::BufferType>(target.getType()).isGlobal())
    return std::nullopt;
  for (Value at = target; Operation *view = at.getDefiningOp(); at = view->getOperand(0)) {
    auto box = dyn_cast<tile::SubviewOp>(view);
    if (box)
      llvm::append_range(place, box.getOffsets());
    else if (!isa<tile::ReshapeOp>(view))
      break;
  }
  return rootOf(target);
}

} // namespace

void checkBlockWrites(tile::KernelOp kernel) {
  llvm::SmallPtrSet<Value, 4> reported;
  kernel.walk([&](Operation *op) {
    SmallVector<Value> place;
    std::optional<Value> tensor = tensorWrittenBy(op, place);
    if (!tensor || reported.contains(*tensor))
      return;
    Dependences dependences;
    for (Value value : place)
      dependences.add(value);
    dependences.addGuards(op);
    if (dependences.onMemory)
      return;
    for (auto [n, extent] : llvm::enumerate(kernel.getGrid())) {
      if (dependences.coordinates.contains(n) || tile::constantInt(extent).value_or(2) == 1)
        continue;
      reported.insert(*tensor);
      Reported(op, DiagId::BlocksWriteSame, n, nameOfRoot(*tensor))
          .note(kernel, DiagId::GridGivenHere);
      return;
    }
  });
}

} // namespace tilec
