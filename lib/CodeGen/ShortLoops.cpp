//===- ShortLoops.cpp - loops of a few rounds, written out ----------------===//
//
// Takes a function of NVIDIA, marks the innermost loops that are worth it and lets LLVM unroll
// them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ShortLoops.h"

#include "GuardedReads.h"
#include "LargeCode.h"

#include "tilec/CodeGen/CodeGen.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {

namespace {

constexpr unsigned mostRounds = 16;
constexpr unsigned mostInstructions = 640; // of all rounds
constexpr unsigned mostBehindReads = 3072; // the same where every round waits for device memory
constexpr unsigned mostGathered = 8;       // rounds that become one where each reads by number
constexpr unsigned mostAhead = 16;    // where each reads little, and no other block runs beside it
constexpr unsigned fewWords = 2;      // that a lane reads in a round
constexpr unsigned mostLevels = 2;    // of loops in each other
constexpr unsigned longestPeriod = 8; // of a condition, in rounds
constexpr unsigned mostPeriods = 4;   // side by side in a round
constexpr unsigned mostWithConditions = 2560; // instructions of such a round, before they go
constexpr unsigned mostComputed = 65536;      // of all rounds that give constants, here
constexpr unsigned timesFewer = 8;            // are left of them

/// A load or store that a lane leaves out where it has nothing to move (Lower/NVPTX).
bool isMaskedAccess(const CallBase &call) {
  auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
  return text &&
         (text->getAsmString().contains("@p ld.") || text->getAsmString().contains("@p st."));
}

/// Instructions of a round; nothing where threads do something together.
std::optional<unsigned> sizeOf(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block) {
      if (auto *call = dyn_cast<CallBase>(&instr))
        if (call->isConvergent() || (call->isInlineAsm() && !isMaskedAccess(*call)))
          return std::nullopt;
      size += !isa<PHINode>(instr) && !instr.isDebugOrPseudoInst();
    }
  return size;
}

/// Whether it reads what nobody writes.
bool readsConstant(const Instruction &instr) {
  auto *call = dyn_cast<CallBase>(&instr);
  return (isa<LoadInst>(instr) && instr.hasMetadata(LLVMContext::MD_invariant_load)) ||
         (call && isGuardedConstantRead(*call));
}

/// Whether the loop has such reads: the assembler starts those of all rounds at once where they
/// stand in one piece of code.
bool readsConstants(const Loop &loop) {
  return any_of(loop.blocks(),
                [](const BasicBlock *block) { return any_of(*block, readsConstant); });
}

/// A comparison of a few low bits of a number that all rounds move on by the same: after how many
/// rounds such a condition comes again. 1: the loop has none.
unsigned periodOf(const Loop &loop, ScalarEvolution &evolution) {
  unsigned period = 1;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block) {
      auto *compare = dyn_cast<ICmpInst>(&instr);
      Value *number;
      const APInt *mask;
      if (!compare || !isa<ConstantInt>(compare->getOperand(1)) ||
          !match(compare->getOperand(0), m_And(m_Value(number), m_LowBitMask(mask))) ||
          mask->uge(longestPeriod))
        continue;
      // Rounds of which it is not known which place they have would not lose their conditions.
      auto *places = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(number));
      if (places && places->getLoop() == &loop && places->isAffine() &&
          places->getStepRecurrence(evolution)->isOne() &&
          evolution.getMinTrailingZeros(places->getStart()) >= mask->countr_one())
        period = std::max(period, unsigned(mask->getZExtValue()) + 1);
    }
  return period;
}

/// Rounds to be made one; 1: it stays. What a condition with a period leaves of them is that of one
/// round in each period.
unsigned roundsTogether(unsigned rounds, unsigned size, unsigned period) {
  unsigned together = 1;
  if (period == 1)
    return together;
  for (unsigned periods = 1; periods <= mostPeriods; periods *= 2)
    if (rounds % (period * periods) == 0 && size * periods <= mostInstructions &&
        size * period * periods <= mostWithConditions)
      together = period * periods;
  return together;
}

/// Whether a round reads where a number says that it reads first, and writes nothing: ptxas brings
/// no such read of a later round forward, and each round waits for memory twice.
bool readsByNumbers(const Loop &loop) {
  SmallPtrSet<const Instruction *, 32> read; // and what is computed of it
  bool found = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block) {
      if (instr.mayWriteToMemory())
        return false;
      bool follows = !isa<PHINode>(instr) && any_of(instr.operands(), [&](const Use &use) {
        auto *source = dyn_cast<Instruction>(use.get());
        return source && read.contains(source);
      });
      auto *call = dyn_cast<CallBase>(&instr);
      bool reads = isa<LoadInst>(instr) || (call && isGuardedConstantRead(*call));
      found |= follows && reads;
      if (follows || reads)
        read.insert(&instr);
    }
  return found;
}

/// Whether a lane reads so little in a round, and nothing but what nobody writes, that it waits for
/// memory in each: ptxas makes only four of these rounds one.
bool readsLittle(const Loop &loop, const DataLayout &layout) {
  uint64_t words = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instr : *block) {
      if (readsConstant(instr))
        words += divideCeil(layout.getTypeSizeInBits(instr.getType()).getFixedValue(), 32);
      else if (instr.mayReadFromMemory())
        return false;
    }
  return words > 0 && words <= fewWords;
}

/// Whether the loop may have a counter whose rounds are known without what loops before it count.
bool startsAnew(const Loop &loop) {
  const BasicBlock *before = loop.getLoopPredecessor();
  return before && any_of(loop.getHeader()->phis(), [&](const PHINode &counter) {
           return isa<ConstantInt>(counter.getIncomingValueForBlock(before));
         });
}

/// Of a loop whose rounds follow from constants, but for where they store (random numbers of a
/// known seed): whether they are little when that is computed here.
bool becomesConstants(const Loop &loop, unsigned rounds, unsigned size) {
  const BasicBlock *before = loop.getLoopPredecessor();
  if (!before || uint64_t(rounds) * size > mostComputed)
    return false;
  SmallPtrSet<const Instruction *, 16> unknown;
  auto isUnknown = [&](const Value *value) {
    auto *instr = dyn_cast<Instruction>(value);
    return instr ? !loop.contains(instr) || unknown.contains(instr) : !isa<Constant>(value);
  };
  auto follows = [&](const Instruction &instr) {
    if (instr.mayReadOrWriteMemory())
      return false;
    if (auto *phi = dyn_cast<PHINode>(&instr); phi && phi->getParent() == loop.getHeader())
      return !any_of(phi->incoming_values(), isUnknown);
    return !any_of(instr.operands(), [&](const Use &use) {
      return !isa<BasicBlock>(use.get()) && isUnknown(use.get());
    });
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instr : *block)
        if (!unknown.contains(&instr) && !follows(instr))
          changes |= unknown.insert(&instr).second;
  }
  for (const BasicBlock *block : loop.blocks())
    if (unknown.contains(block->getTerminator()))
      return false;
  return unknown.size() * timesFewer <= size && unknown.size() * rounds <= mostInstructions;
}

bool markShortLoops(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool found = false;
  // Scalar evolution goes back through all loops that have counted, for each one that goes on.
  bool asksAll = !hasManyLoops(function, loops);
  bool isAlone = function.hasFnAttribute(oneBlockOfGrid);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !(asksAll || startsAnew(*loop)))
      continue;
    unsigned rounds = evolution.getSmallConstantTripCount(loop);
    std::optional<unsigned> size = sizeOf(*loop);
    if (rounds < 2 || !size)
      continue;
    unsigned longest = readsConstants(*loop) ? mostBehindReads : mostInstructions;
    if ((rounds <= mostRounds && *size * rounds <= longest) ||
        becomesConstants(*loop, rounds, *size)) {
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    } else {
      unsigned together = roundsTogether(rounds, *size, periodOf(*loop, evolution));
      bool byNumbers = readsByNumbers(*loop);
      bool isAhead = !byNumbers && isAlone && readsLittle(*loop, function.getDataLayout());
      unsigned most = byNumbers ? mostGathered : isAhead ? mostAhead : 1;
      for (unsigned many = most; together == 1 && many > 1; many /= 2)
        if (rounds % many == 0 && *size * many <= mostInstructions)
          together = many;
      if (together == 1)
        continue;
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", together);
      if (isAhead)
        function.addFnAttr(readsRoundsAhead);
    }
    found = true;
  }
  return found;
}

/// InstCombine sinks what is used late block by block, with all that it is made of: of the many
/// blocks in a row that loops leave when they are gone, one is made before.
struct JoinLargeCode : PassInfoMixin<JoinLargeCode> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    return isLarge(function) ? SimplifyCFGPass().run(function, analyses) : PreservedAnalyses::all();
  }
};

} // namespace

PreservedAnalyses UnrollShortLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Triple(function.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool changed = false;
  for (unsigned level = 0; level < mostLevels && markShortLoops(function, analyses); ++level) {
    FunctionPassManager passes;
    passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
    passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
    passes.addPass(JoinLargeCode());
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
    analyses.invalidate(function, passes.run(function, analyses));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
