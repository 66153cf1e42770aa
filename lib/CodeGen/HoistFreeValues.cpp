//===- HoistFreeValues.cpp - a fault of LLVM 22's StructurizeCFG ----------===//
//
// StructurizeCFG moves an instruction without cost that a phi takes from one of its
// blocks up to the blocks' common dominator, and then gives the value to phis on paths
// that must not have it: of
//     then:  br %a, other, last        other: br %b, last, join
//     last:  %x = extractelement ...   join:  phi [%x, last], [%y, other]
// it makes a join that has %y where `other` went to `last`. It only takes instructions
// that stand in that block, so they are moved up before it runs; sinking, which would
// undo an earlier move, runs before this.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "HoistFreeValues.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

bool isFree(const Instruction &instr, const TargetTransformInfo &costs) {
  for (auto kind : {TargetTransformInfo::TCK_Latency, TargetTransformInfo::TCK_SizeAndLatency,
                    TargetTransformInfo::TCK_CodeSize})
    if (costs.getInstructionCost(&instr, kind) == InstructionCost(0))
      return true;
  return false;
}

/// Whether `value` is an instruction of `block` that LLVM would move out of it.
bool isMovable(Value *value, const BasicBlock &block, const TargetTransformInfo &costs) {
  auto *instr = dyn_cast<Instruction>(value);
  return instr && instr->getParent() == &block && !isa<PHINode>(instr) && isFree(*instr, costs) &&
         isSafeToSpeculativelyExecute(instr) && none_of(instr->operands(), [&](const Use &operand) {
           auto *input = dyn_cast<Instruction>(operand.get());
           return input && input->getParent() == &block;
         });
}

bool hoistFrom(BasicBlock &block, const DominatorTree &tree, const TargetTransformInfo &costs) {
  BasicBlock *next = block.getSingleSuccessor();
  const DomTreeNode *node = tree.getNode(&block);
  if (!next || !node || !node->getIDom())
    return false;
  Instruction *place = node->getIDom()->getBlock()->getTerminator();
  bool changed = false, again = true;
  while (again) { // one that has gone may have been what another waited for
    again = false;
    for (PHINode &phi : next->phis()) {
      Value *value = phi.getIncomingValueForBlock(&block);
      if (!isMovable(value, block, costs))
        continue;
      cast<Instruction>(value)->moveBefore(place->getIterator());
      again = changed = true;
    }
  }
  return changed;
}

} // namespace

char HoistFreeValues::ID = 0;

void HoistFreeValues::getAnalysisUsage(AnalysisUsage &usage) const {
  usage.addRequired<DominatorTreeWrapperPass>();
  usage.addRequired<TargetTransformInfoWrapperPass>();
  usage.setPreservesCFG();
}

bool HoistFreeValues::runOnFunction(Function &function) {
  return hoistFreeValues(function, getAnalysis<DominatorTreeWrapperPass>().getDomTree(),
                         getAnalysis<TargetTransformInfoWrapperPass>().getTTI(function));
}

bool hoistFreeValues(Function &function, const DominatorTree &tree,
                     const TargetTransformInfo &costs) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= hoistFrom(block, tree, costs);
  return changed;
}

} // namespace tilec::codegen
