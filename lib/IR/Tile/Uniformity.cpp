//===- Uniformity.cpp - what differs between the threads of a block -------===//
//
// Marks grow until nothing changes: a store in a loop may make what was read before it
// differ.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec::tile {

Value bufferBehind(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<SubviewOp, ReshapeOp, Im2colOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return buffer;
}

bool isTileOperation(Operation *op) {
  return isa<CopyOp, AsyncCopyOp, FillOp, GemmOp, ReduceOp, ScanOp, PrintOp, ElementLoop>(op);
}

bool hasGridSync(KernelOp kernel) {
  return kernel.walk([](GridSyncOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static bool isLocal(Value value) {
  auto type = dyn_cast<BufferType>(value.getType());
  return type && type.isLocal();
}

Uniformity::Uniformity(KernelOp kernel) {
  if (!kernel.getLockstep())
    return;
  do {
    changed = false;
    visit(kernel.getBody().front(), false);
  } while (changed);
}

void Uniformity::differ(Value value) { changed |= differing.insert(value).second; }

bool Uniformity::anyDiffers(ValueRange values) const {
  return llvm::any_of(values, [&](Value v) { return differing.contains(v); });
}

void Uniformity::visit(Block &block, bool divergent) {
  if (divergent)
    changed |= divergentBlocks.insert(&block).second;
  for (Operation &op : block)
    visit(op, divergent || divergentBlocks.contains(&block));
}

/// A tile.break of this loop that only some threads get to.
static bool hasDivergentBreak(Operation *loop, const llvm::DenseSet<Block *> &divergentBlocks) {
  auto result = loop->walk([&](BreakOp jump) {
    Operation *target = jump->getParentOp();
    while (!isa<ForOp, WhileOp>(target))
      target = target->getParentOp();
    bool isOurs = target == loop && divergentBlocks.contains(jump->getBlock());
    return isOurs ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void Uniformity::visitTileOp(Operation &op, bool divergent) {
  bool writesLocal = false, uses = false;
  llvm::SmallSetVector<Value, 4> written;
  auto use = [&](Operation *user, Value value) {
    Operation *def = value.getDefiningOp();
    if ((def && op.isProperAncestor(def)) ||
        (!def && op.isAncestor(value.getParentBlock()->getParentOp())))
      return;
    uses |= differing.contains(value);
    Value root = isa<BufferType>(value.getType()) ? bufferBehind(value) : Value();
    if (!root || !isLocal(root) ||
        (root.getDefiningOp() && op.isProperAncestor(root.getDefiningOp())))
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    if (auto memory = dyn_cast<MemoryEffectOpInterface>(user))
      memory.getEffectsOnValue(value, effects);
    bool writes = llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
    writesLocal |= writes;
    uses |= differing.contains(root);
    if (writes)
      written.insert(root);
  };
  op.walk([&](Operation *user) {
    for (Value operand : user->getOperands())
      use(user, operand);
  });
  if (uses || writesLocal)
    changed |= perThread.insert(&op).second;
  if (uses || (writesLocal && divergent))
    changed |= usesOwn.insert(&op).second;
  if (auto parallel = dyn_cast<ElementLoop>(op))
    return visit(*parallel.bodyBlock(), divergent);
  // A local that only some threads write, or that is made of what differs.
  for (Value root : written)
    if (uses || divergent)
      differ(root);
}

void Uniformity::visit(Operation &op, bool divergent) {
  if (isTileOperation(&op))
    return visitTileOp(op, divergent);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool differs = differing.contains(branch.getCondition());
    for (Region &region : op.getRegions())
      for (Block &block : region)
        visit(block, divergent || differs);
    for (auto [n, result] : llvm::enumerate(op.getResults()))
      if (differs || differing.contains(branch.thenYield().getOperand(n)) ||
          differing.contains(branch.elseYield().getOperand(n)))
        differ(result);
    return;
  }
  if (auto loop = dyn_cast<ForOp>(op)) {
    if (anyDiffers({loop.getLower(), loop.getStep()}))
      differ(loop.iv());
    return visit(*loop.bodyBlock(), divergent || anyDiffers(op.getOperands()) ||
                                        hasDivergentBreak(&op, divergentBlocks));
  }
  if (auto loop = dyn_cast<WhileOp>(op)) {
    auto condition = cast<ConditionOp>(loop.getCondition().front().back());
    bool differs =
        differing.contains(condition.getValue()) || hasDivergentBreak(&op, divergentBlocks);
    visit(loop.getCondition().front(), divergent || differs);
    return visit(loop.getBody().front(), divergent || differs);
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    Value root = bufferBehind(store.getBuffer());
    if (isLocal(root) && (divergent || anyDiffers(op.getOperands())))
      differ(root);
    return;
  }
  bool isSource = isa<ThreadIdOp, ShuffleOp, VoteOp, BallotOp, MatchOp, WarpReduceOp>(op) ||
                  (isa<AtomicOp>(op) && !op.getParentOfType<ElementLoop>());
  if (auto load = dyn_cast<LoadOp>(op))
    isSource = differing.contains(bufferBehind(load.getBuffer()));
  if (isa<BlockVoteOp>(op) || (!isSource && !anyDiffers(op.getOperands())))
    return;
  for (Value result : op.getResults())
    differ(result);
}

} // namespace tilec::tile
