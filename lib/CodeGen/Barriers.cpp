//===- Barriers.cpp - what LLVM may move across s_barrier (AMD) -----------===//
//
// Looks for reads of shared memory that LLVM's machine-sink would move behind an s_barrier;
// Barriers.h says why that matters.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Barriers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
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

bool mayCrossBarrier(const BasicBlock &block) {
  if (block.getTerminator()->getNumSuccessors() < 2)
    return false;
  auto isBarrier = [](const Instruction &op) {
    auto *call = dyn_cast<IntrinsicInst>(&op);
    return call && call->getIntrinsicID() == Intrinsic::amdgcn_s_barrier;
  };
  if (none_of(block, isBarrier))
    return false;
  SmallPtrSet<const Instruction *, 32> kept = keptInBlock(block);
  bool hasFree = false;
  for (const Instruction &op : block) {
    auto *read = dyn_cast<LoadInst>(&op);
    hasFree |= read && read->getPointerAddressSpace() == sharedSpace && !kept.contains(read);
    if (hasFree && isBarrier(op))
      return true;
  }
  return false;
}

} // namespace

bool mayCrossBarriers(const Module &module) {
  return any_of(module, [](const Function &f) { return any_of(f, mayCrossBarrier); });
}

} // namespace tilec
