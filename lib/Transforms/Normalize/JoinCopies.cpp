//===- JoinCopies.cpp - one copy for two branches -------------------------===//
//
// Walks through both branches side by side; what the copies' places are computed from goes in
// front. Where the other branch of a pipelined round clears the tiles instead, what is copied there
// lies behind the end of the tensor.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
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

/// Tiles that the branch clears, doing nothing else; empty where it does.
SmallVector<Value> clearedBy(Block &block) {
  SmallVector<Value> tiles;
  for (Operation &op : block.without_terminator()) {
    auto fill = dyn_cast<tile::FillOp>(op);
    bool isZero = fill && (matchPattern(fill.getValue(), m_PosZeroFloat()) ||
                           matchPattern(fill.getValue(), m_Zero()));
    if (isZero)
      tiles.push_back(fill.getDst());
    else if (!isPure(&op) || op.getNumRegions() != 0)
      return {};
  }
  return tiles;
}

/// Whether the whole box can be behind the end of its tensor, where all is zero.
bool canBeOutside(tile::CopyOp copy) {
  auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
  return view && view.getSource().getDefiningOp<tile::TensorOp>() &&
         view.getSource().getType().rank() > 1 &&
         !ShapedType::isDynamic(view.getSource().getType().getShape().front());
}

/// `if c: copy(K[x], t) else: clear(t)` in a pipelined round copies from behind the tensor.
void copyZeros(scf::IfOp branch) {
  auto loop = dyn_cast<tile::ForOp>(branch->getParentOp());
  if (!loop || loop.getKind() != tile::LoopKind::Pipelined || loop.getStages() < 2 ||
      branch.getNumResults() != 0 || !branch.elseBlock())
    return;
  bool copiesFirst = !copiesOf(*branch.thenBlock()).empty();
  Block &from = copiesFirst ? *branch.thenBlock() : *branch.elseBlock();
  SmallVector<tile::CopyOp> copies = copiesOf(from);
  SmallVector<Value> cleared = clearedBy(copiesFirst ? *branch.elseBlock() : *branch.thenBlock());
  bool isSame = copies.size() == cleared.size() && llvm::all_of(copies, [&](tile::CopyOp copy) {
                  return canBeOutside(copy) && copy.getDst().getType().isShared() &&
                         llvm::count(cleared, copy.getDst()) == 1;
                });
  if (copies.empty() || !isSame)
    return;
  for (Operation &op : llvm::make_early_inc_range(from.without_terminator()))
    op.moveBefore(branch);
  for (tile::CopyOp copy : copies) {
    OpBuilder b(copy);
    auto moved = cast<tile::SubviewOp>(b.clone(*copy.getSrc().getDefiningOp()));
    b.setInsertionPoint(moved);
    Location loc = branch.getLoc();
    Value end = arith::ConstantIndexOp::create(b, loc, moved.getSource().getType().getShape()[0]);
    Value first = moved.getOffsets().front();
    moved->setOperand(1, arith::SelectOp::create(b, loc, branch.getCondition(),
                                                 copiesFirst ? first : end,
                                                 copiesFirst ? end : first));
    copy.getSrcMutable().assign(moved.getResult());
  }
  branch.erase();
}

class Join {
public:
  explicit Join(scf::IfOp branch) : branch(branch) {}

  /// False, and nothing is changed, where they are no such branches.
  bool run() {
    if (branch.getNumResults() != 0 || !branch.elseBlock())
      return false;
    SmallVector<tile::CopyOp> first = copiesOf(*branch.thenBlock()),
                              second = copiesOf(*branch.elseBlock());
    if (first.empty() || first.size() != second.size())
      return false;
    for (auto [one, other] : llvm::zip(first, second))
      if (one->getAttrDictionary() != other->getAttrDictionary() ||
          one.getDst() != other.getDst() || !isSameBox(one.getSrc(), other.getSrc()))
        return false;
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
    return true;
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
    if (!Join(branch).run())
      copyZeros(branch);
}

namespace {
struct JoinCopiesPass : impl::JoinCopiesPassBase<JoinCopiesPass> {
  void runOnOperation() override { joinCopies(getOperation()); }
};
} // namespace

} // namespace tilec
