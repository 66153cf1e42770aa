//===- GridSyncs.cpp - T.sync_grid where not every block comes to it ------===//
//
// Blocks that come to a barrier of the grid differently often wait for ever. What a
// branch or a loop around one depends on has to be the same in all of them: sizes,
// scalars, constants, variables computed from these, and elements of global memory at
// places that are the same for all.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Check/Check.h"

#include "tilec/IR/Reported.h"
#include "tilec/IR/Tile/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Why a value may differ between blocks, as a message has it; empty: it does not.
using Cause = llvm::StringRef;

constexpr llvm::StringLiteral ofBlock = "the block's place in the grid", ofThread = "the thread",
                              ofOrder = "the order in which threads or blocks come";

class GridUniformity {
public:
  explicit GridUniformity(tile::KernelOp kernel) {
    for (auto [extent, id] : llvm::zip(kernel.getGrid(), kernel.getBody().getArguments()))
      if (tile::constantInt(extent) != 1)
        differ(id, ofBlock);
    do {
      changed = false;
      visit(kernel.getBody().front(), {}, nullptr);
    } while (changed);
    report = true;
    visit(kernel.getBody().front(), {}, nullptr);
  }
  bool isLegal = true;

private:
  void visit(Block &block, Cause divergent, Operation *around);
  void visit(Operation &op, Cause divergent, Operation *around);
  void visitLoop(Operation &op, Cause bounds, Cause divergent, Operation *around);
  void visitMemory(Operation &op, Cause divergent);

  void differ(Value value, Cause cause) {
    if (!cause.empty())
      changed |= causes.try_emplace(value, cause).second;
  }
  Cause causeOf(ValueRange values) const {
    for (Value value : values)
      if (auto it = causes.find(value); it != causes.end())
        return it->second;
    return {};
  }
  static Cause either(Cause a, Cause b) { return a.empty() ? b : a; }

  llvm::DenseMap<Value, Cause> causes; ///< of scalars, views, and buffers on the chip
  llvm::DenseMap<Operation *, Cause> leftEarly;
  bool changed = false, report = false;
};

void GridUniformity::visit(Block &block, Cause divergent, Operation *around) {
  for (Operation &op : block)
    visit(op, divergent, around);
}

/// `around` is the loop or branch that first is not the same for all blocks.
void GridUniformity::visit(Operation &op, Cause divergent, Operation *around) {
  if (isa<tile::GridSyncOp>(op)) {
    if (!report || divergent.empty())
      return;
    (void)Reported(&op, DiagId::GridSyncDivergent, isa<scf::IfOp>(around) ? "branch" : "loop",
                   divergent);
    isLegal = false;
    return;
  }
  if (isa<tile::BreakOp>(op)) {
    Operation *loop = op.getParentOp();
    while (!isa<tile::ForOp, tile::WhileOp>(loop))
      loop = loop->getParentOp();
    if (!divergent.empty())
      changed |= leftEarly.try_emplace(loop, divergent).second;
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Cause own = causeOf(branch.getCondition());
    for (Region &region : op.getRegions())
      for (Block &block : region)
        visit(block, either(divergent, own), divergent.empty() ? &op : around);
    for (auto [n, result] : llvm::enumerate(op.getResults()))
      differ(result, either(own, causeOf({branch.thenYield().getOperand(n),
                                          branch.elseYield().getOperand(n)})));
    return;
  }
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    differ(loop.iv(), causeOf({loop.getLower(), loop.getStep()}));
    return visitLoop(op, causeOf(op.getOperands()), divergent, around);
  }
  if (auto loop = dyn_cast<tile::WhileOp>(op)) {
    auto condition = cast<tile::ConditionOp>(loop.getCondition().front().back());
    return visitLoop(op, causeOf(condition.getValue()), divergent, around);
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      visit(block, divergent, around);
  visitMemory(op, divergent);
}

void GridUniformity::visitLoop(Operation &op, Cause bounds, Cause divergent, Operation *around) {
  Cause own = either(bounds, leftEarly.lookup(&op));
  for (Region &region : op.getRegions())
    for (Block &block : region)
      visit(block, either(divergent, own), divergent.empty() ? &op : around);
}

/// What an op gives, and what it leaves in memory on the chip.
void GridUniformity::visitMemory(Operation &op, Cause divergent) {
  Cause cause = causeOf(op.getOperands());
  if (isa<tile::ThreadIdOp>(op))
    cause = ofThread;
  else if (isa<tile::AtomicOp, tile::ShuffleOp, tile::VoteOp, tile::BallotOp, tile::MatchOp,
               tile::WarpReduceOp, tile::BlockVoteOp>(op))
    cause = ofOrder;
  if (isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp>(op))
    cause = either(cause, causeOf(rootOf(op.getResult(0))));
  for (Value result : op.getResults())
    differ(result, cause);
  if (op.getNumRegions() != 0)
    return; // its statements have been looked at
  Accesses accesses = accessesOf(&op);
  for (Value root : accesses.reads)
    cause = either(cause, causeOf(root));
  for (Value root : accesses.writes)
    if (!cast<tile::BufferType>(root.getType()).isGlobal())
      differ(root, either(cause, divergent));
  if (isa<tile::LoadOp>(op))
    differ(op.getResult(0), cause);
}

} // namespace

LogicalResult checkGridSyncs(tile::KernelOp kernel) {
  if (!tile::hasGridSync(kernel))
    return success();
  return success(GridUniformity(kernel).isLegal);
}

} // namespace tilec
