//===- Barriers.cpp - what LLVM may move across s_barrier (AMD) -----------===//
//
// Looks for reads of shared memory that LLVM's machine-sink would move behind an s_barrier;
// Barriers.h says why that matters.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Barriers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec {
namespace {

constexpr unsigned sharedSpace = 3;

/// The instructions of the block that stay there or that something keeps there: an effect, or a phi
/// behind the block, which takes its value at the block's end. Pure users move along.
SmallPtrSet<const Instruction *, 32> keptInBlock(const BasicBlock &block) {
  SmallPtrSet<const Instruction *, 32> kept;
  for (const Instruction &op : reverse(block)) {
    bool isRead = isa<LoadInst>(op) && !op.mayHaveSideEffects();
    bool stays =
        op.isTerminator() || op.mayHaveSideEffects() || (op.mayReadFromMemory() && !isRead);
    if (stays || any_of(op.users(), [&](const User *user) {
          const auto *use = cast<Instruction>(user);
          return isa<PHINode>(use) ? is_contained(successors(&block), use->getParent())
                                   : kept.contains(use);
        }))
      kept.insert(&op);
  }
  return kept;
}

bool isBarrier(const Instruction &op) {
  auto *call = dyn_cast<IntrinsicInst>(&op);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_s_barrier;
}

bool hasBarrier(const BasicBlock *block) { return any_of(*block, isBarrier); }

/// Where values are used: the block that dominates all uses in other blocks, also of what moves
/// along with the value. Null: there are none.
class Uses {
public:
  explicit Uses(const DominatorTree &dominators) : dominators(dominators) {}

  const BasicBlock *blockOf(const Instruction &value) {
    auto [known, isNew] = blocks.try_emplace(&value, nullptr);
    if (!isNew)
      return known->second;
    const BasicBlock *found = nullptr;
    for (const Use &use : value.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      const BasicBlock *block = user->getParent();
      if (auto *phi = dyn_cast<PHINode>(user))
        block = phi->getIncomingBlock(use);
      else if (block == value.getParent())
        block = blockOf(*user);
      if (block)
        found = found ? dominators.findNearestCommonDominator(found, block) : block;
    }
    return blocks[&value] = found;
  }

private:
  const DominatorTree &dominators;
  DenseMap<const Instruction *, const BasicBlock *> blocks;
};

/// Whether a barrier stands in a block between the two, of which `from` dominates `to`: it does all
/// from which control gets to `to` without passing it. What `to` dominates is behind it.
bool isBarrierBetween(const BasicBlock *from, const BasicBlock *to,
                      const DominatorTree &dominators) {
  SmallPtrSet<const BasicBlock *, 16> reached;
  SmallVector<const BasicBlock *, 16> open = {to};
  while (!open.empty())
    for (const BasicBlock *before : predecessors(open.pop_back_val()))
      if (before != from && !dominators.dominates(to, before) && reached.insert(before).second) {
        if (hasBarrier(before))
          return true;
        open.push_back(before);
      }
  return false;
}

bool mayCrossBarrier(const BasicBlock &block, const DominatorTree &dominators, Uses &uses) {
  if (block.getTerminator()->getNumSuccessors() < 2)
    return false;
  SmallPtrSet<const Instruction *, 32> kept = keptInBlock(block);
  SmallPtrSet<const BasicBlock *, 4> ends;
  bool hasFree = false;
  for (const Instruction &op : block) {
    auto *read = dyn_cast<LoadInst>(&op);
    bool isFree = read && read->getPointerAddressSpace() == sharedSpace && !kept.contains(read);
    hasFree |= isFree;
    if (hasFree && isBarrier(op))
      return true;
    const BasicBlock *end = isFree ? uses.blockOf(op) : nullptr;
    if (end && end != &block && ends.insert(end).second &&
        isBarrierBetween(&block, end, dominators))
      return true;
  }
  return false;
}

} // namespace

bool mayCrossBarriers(const Module &module) {
  return any_of(module, [](const Function &function) {
    if (function.isDeclaration() ||
        none_of(function, [](const BasicBlock &block) { return hasBarrier(&block); }))
      return false;
    DominatorTree dominators(const_cast<Function &>(function));
    Uses uses(dominators);
    return any_of(function, [&](const BasicBlock &block) {
      return mayCrossBarrier(block, dominators, uses);
    });
  });
}

} // namespace tilec
