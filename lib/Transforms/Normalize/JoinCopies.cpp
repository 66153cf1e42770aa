//===- JoinCopies.cpp - one copy for two branches -------------------------===//
//
// Walks through both branches side by side; what the copies' places are computed from goes in
// front.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_JOINCOPIESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Copies of a branch that does nothing else; empty where it does.
SmallVector<tile::CopyOp> copiesOf(Block &block) {
  SmallVector<tile::CopyOp> copies;
  for (Operation &op : block.without_terminator())
    if (auto copy = dyn_cast<tile::CopyOp>(op))
      copies.push_back(copy);
    else if (!isPure(&op) || op.getNumRegions() != 0)
      return {};
  return copies;
}

class Join {
public:
  explicit Join(scf::IfOp branch) : branch(branch) {}

  void run() {
    if (branch.getNumResults() != 0 || !branch.elseBlock())
      return;
    SmallVector<tile::CopyOp> first = copiesOf(*branch.thenBlock()),
                              second = copiesOf(*branch.elseBlock());
    if (first.empty() || first.size() != second.size())
      return;
    for (auto [one, other] : llvm::zip(first, second))
      if (one->getAttrDictionary() != other->getAttrDictionary() ||
          one.getDst() != other.getDst() || !isSameBox(one.getSrc(), other.getSrc()))
        return;
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      for (Operation &op : llvm::make_early_inc_range(block->without_terminator()))
        if (!isa<tile::CopyOp>(op))
          op.moveBefore(branch);
    OpBuilder b(branch);
    for (auto [one, other] : llvm::zip(first, second)) {
      one->moveBefore(branch);
      b.setInsertionPoint(one);
      one.getSrcMutable().assign(joined(b, one.getSrc(), other.getSrc()));
    }
    branch.erase();
  }

private:
  /// Whether both are boxes of one tensor, of the same extents.
  static bool isSameBox(Value one, Value other) {
    if (one == other)
      return true;
    auto view = one.getDefiningOp<tile::SubviewOp>(),
         otherView = other.getDefiningOp<tile::SubviewOp>();
    return view && otherView && view.getType() == otherView.getType() &&
           view.getDropped() == otherView.getDropped() &&
           isSameBox(view.getSource(), otherView.getSource());
  }

  Value joined(OpBuilder &b, Value one, Value other) {
    if (one == other)
      return one;
    auto view = one.getDefiningOp<tile::SubviewOp>(),
         otherView = other.getDefiningOp<tile::SubviewOp>();
    Value source = joined(b, view.getSource(), otherView.getSource());
    SmallVector<Value> offsets;
    for (auto [offset, otherOffset] : llvm::zip(view.getOffsets(), otherView.getOffsets()))
      offsets.push_back(isSameOffset(offset, otherOffset)
                            ? offset
                            : arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(),
                                                      offset, otherOffset));
    return tile::SubviewOp::create(b, view.getLoc(), view.getType(), source, offsets,
                                   view.getDropped());
  }

  static bool isSameOffset(Value one, Value other) {
    std::optional<int64_t> constant = tile::constantInt(one);
    return one == other || (constant && constant == tile::constantInt(other));
  }

  scf::IfOp branch;
};

} // namespace

/// Both branches copy boxes of the same tensors to the same tiles in the same order, and do nothing
/// else: a copy that each round executes can run ahead.
static void joinCopies(tile::ProgramOp program) {
  SmallVector<scf::IfOp> branches;
  program.walk([&](scf::IfOp branch) {
    // In a lockstep kernel threads may go different ways.
    if (!branch->getParentOfType<tile::ElementLoop>() &&
        !branch->getParentOfType<tile::KernelOp>().getLockstep())
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    Join(branch).run();
}

namespace {
struct JoinCopiesPass : impl::JoinCopiesPassBase<JoinCopiesPass> {
  void runOnOperation() override { joinCopies(getOperation()); }
};
} // namespace

} // namespace tilec
