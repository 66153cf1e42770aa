//===- InvariantGuards.cpp - a condition around all rounds of a loop ------===//
//
// Takes a function of NVIDIA, branches around loops whose rounds would all branch.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "InvariantGuards.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace tilec::codegen {

namespace {

/// A loop that a condition of its own can go around.
struct GuardedLoop {
  BasicBlock *before, *after;
  BranchInst *guard; ///< to the work, or on
  BasicBlock *work, *join;
};

bool hasMeeting(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block)
      if (auto *call = dyn_cast<CallBase>(&instr); call && call->isConvergent())
        return true;
  return false;
}

/// Whether the condition is known before the loop, or a comparison of what is.
bool isInvariant(const Loop &loop, const Value *condition) {
  auto *compare = dyn_cast<CmpInst>(condition);
  return loop.isLoopInvariant(condition) || (compare && loop.hasLoopInvariantOperands(compare));
}

/// Whether the guard leads to all that a round does to memory, or on to where that ends.
bool leadsToAllWork(const Loop &loop, const GuardedLoop &found, const DominatorTree &dominators) {
  BasicBlock *from = found.guard->getParent();
  if (found.work->getSinglePredecessor() != from || found.work == found.join ||
      !loop.contains(found.work) || !loop.contains(found.join) ||
      !dominators.dominates(from, loop.getLoopLatch()) ||
      dominators.dominates(found.work, found.join))
    return false;
  for (BasicBlock *source : predecessors(found.join))
    if (source != from && !dominators.dominates(found.work, source))
      return false;
  for (BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block)
      if ((instr.mayHaveSideEffects() || instr.isVolatile()) &&
          !dominators.dominates(found.work, block))
        return false;
  return true;
}

std::optional<GuardedLoop> match(const Loop &loop, const DominatorTree &dominators) {
  GuardedLoop found;
  found.before = loop.getLoopPredecessor();
  found.after = loop.getExitBlock();
  BasicBlock *latch = loop.getLoopLatch();
  if (!found.before || !found.before->getSingleSuccessor() || !latch || !found.after ||
      loop.getExitingBlock() != latch || found.after->getSinglePredecessor() != latch ||
      hasMeeting(loop))
    return std::nullopt;
  for (BasicBlock *block : loop.blocks()) {
    found.guard = dyn_cast<BranchInst>(block->getTerminator());
    if (!found.guard || found.guard->isUnconditional() || block == latch ||
        isa<Constant>(found.guard->getCondition()) ||
        !isInvariant(loop, found.guard->getCondition()))
      continue;
    for (unsigned side : {0, 1}) {
      found.work = found.guard->getSuccessor(side);
      found.join = found.guard->getSuccessor(1 - side);
      if (leadsToAllWork(loop, found, dominators))
        return found;
    }
  }
  return std::nullopt;
}

/// What `value` is where the guard has gone on without work.
Value *pastWork(Value *value, const GuardedLoop &guarded) {
  auto *phi = dyn_cast<PHINode>(value);
  return phi && phi->getParent() == guarded.join
             ? phi->getIncomingValueForBlock(guarded.guard->getParent())
             : value;
}

/// What `value` of a loop is behind it if no round has work; null where it changes all the same.
Value *withoutWork(Value *value, const Loop &loop, const GuardedLoop &guarded) {
  auto *phi = dyn_cast<PHINode>(pastWork(value, guarded));
  if (!phi || phi->getParent() != loop.getHeader())
    return nullptr;
  Value *next = phi->getIncomingValueForBlock(loop.getLoopLatch());
  return pastWork(next, guarded) == phi ? phi->getIncomingValueForBlock(guarded.before) : nullptr;
}

bool hoist(Loop &loop, DominatorTree &dominators) {
  std::optional<GuardedLoop> guarded = match(loop, dominators);
  if (!guarded)
    return false;
  // Values that are used behind the loop get a second source there.
  SmallVector<std::pair<Instruction *, Value *>> leaving;
  auto isOutside = [&](const User *user) {
    return !loop.contains(cast<Instruction>(user)->getParent());
  };
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instr : *block) {
      if (none_of(instr.users(), isOutside))
        continue;
      Value *otherwise = withoutWork(&instr, loop, *guarded);
      if (!otherwise)
        return false;
      leaving.push_back({&instr, otherwise});
    }
  for (auto [instr, otherwise] : leaving) {
    PHINode *merged = PHINode::Create(instr->getType(), 2, instr->getName());
    merged->insertBefore(guarded->after->begin());
    instr->replaceUsesWithIf(
        merged, [&](Use &use) { return use.getUser() != merged && isOutside(use.getUser()); });
    merged->addIncoming(instr, loop.getLoopLatch());
    merged->addIncoming(otherwise, guarded->before);
  }
  // Those that had one source there are what they merged, or come from before the loop.
  for (PHINode &phi : make_early_inc_range(guarded->after->phis()))
    if (phi.getNumIncomingValues() == 1) {
      phi.replaceAllUsesWith(phi.getIncomingValue(0));
      phi.eraseFromParent();
    }
  Value *condition = guarded->guard->getCondition();
  if (auto *compare = dyn_cast<Instruction>(condition); compare && loop.contains(compare))
    compare->moveBefore(guarded->before->getTerminator()->getIterator());
  bool entersOnTrue = guarded->guard->getSuccessor(0) == guarded->work;
  guarded->guard->setCondition(ConstantInt::getBool(condition->getContext(), entersOnTrue));
  BasicBlock *header = loop.getHeader();
  Instruction *entry = guarded->before->getTerminator();
  BranchInst::Create(entersOnTrue ? header : guarded->after, entersOnTrue ? guarded->after : header,
                     condition, entry->getIterator());
  entry->eraseFromParent();
  dominators.changeImmediateDominator(
      guarded->after, dominators.findNearestCommonDominator(guarded->before, guarded->after));
  return true;
}

} // namespace

PreservedAnalyses HoistInvariantGuards::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Triple(function.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool changed = false;
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    changed |= hoist(*loop, dominators);
  if (!changed)
    return PreservedAnalyses::all();
  analyses.invalidate(function, PreservedAnalyses::none());
  SimplifyCFGPass().run(function, analyses);
  return PreservedAnalyses::none();
}

} // namespace tilec::codegen
