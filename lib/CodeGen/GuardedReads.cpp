//===- GuardedReads.cpp - reads of lanes that take part, side by side ---------===//
//
// Goes through a block from read to read. Those that do not hang on what the first one gives move
// up behind it, with what their places and masks are computed from, as many as a few registers
// hold; the next one begins a new group. Nobody writes what they read, so that nothing they pass
// matters to them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "GuardedReads.h"

#include "MatrixProducts.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilec::codegen {

bool isGuardedConstantRead(const CallBase &call) {
  return call.doesNotAccessMemory() && asmOf(call).contains("@p ld.global.nc");
}

namespace {

class Group {
public:
  explicit Group(Instruction &first) : last(&first) { members.insert(&first); }

  /// Moves a read of the block up behind the last one, if it can be.
  bool take(Instruction &read);

private:
  /// What the value is computed from in this block behind the group, in order; false: from a
  /// member, or by something that has to stay.
  bool addSources(Instruction &instr, SmallVectorImpl<Instruction *> &sources);

  Instruction *last;
  SmallPtrSet<Instruction *, 8> members;
  SmallPtrSet<Instruction *, 32> seen;
};

bool Group::addSources(Instruction &instr, SmallVectorImpl<Instruction *> &sources) {
  for (Value *operand : instr.operands()) {
    auto *source = dyn_cast<Instruction>(operand);
    if (!source || source->getParent() != instr.getParent() || isa<PHINode>(source))
      continue;
    if (members.contains(source))
      return false;
    if (!last->comesBefore(source) || !seen.insert(source).second)
      continue;
    if (source->mayReadOrWriteMemory() || source->mayHaveSideEffects() || isa<CallBase>(source) ||
        !addSources(*source, sources))
      return false;
    sources.push_back(source);
  }
  return true;
}

bool Group::take(Instruction &read) {
  SmallVector<Instruction *> sources;
  seen.clear();
  if (!addSources(read, sources))
    return false;
  sources.push_back(&read);
  for (Instruction *source : sources) {
    source->moveAfter(last);
    last = source;
  }
  members.insert(&read);
  return true;
}

bool gatherReads(BasicBlock &block) {
  const DataLayout &layout = block.getDataLayout();
  SmallVector<Instruction *> reads;
  for (Instruction &instr : block)
    if (auto *call = dyn_cast<CallBase>(&instr); call && isGuardedConstantRead(*call))
      reads.push_back(&instr);
  bool changed = false;
  for (size_t first = 0; first < reads.size();) {
    Group group(*reads[first]);
    uint64_t bits = layout.getTypeSizeInBits(reads[first]->getType());
    size_t next = first + 1;
    for (; next < reads.size(); ++next) {
      bits += layout.getTypeSizeInBits(reads[next]->getType());
      if (bits > 32 * wordsOfGuardedReads || !group.take(*reads[next]))
        break;
      changed = true;
    }
    first = next;
  }
  return changed;
}

} // namespace

PreservedAnalyses GatherGuardedReads::run(Function &function, FunctionAnalysisManager &) {
  // A kernel of matrix instructions has its registers for accumulators.
  if (!Triple(function.getParent()->getTargetTriple()).isNVPTX() ||
      any_of(instructions(function), multipliesMatrices))
    return PreservedAnalyses::all();
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= gatherReads(block);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
