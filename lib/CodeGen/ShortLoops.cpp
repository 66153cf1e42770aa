//===- ShortLoops.cpp - loops of a few rounds, written out ----------------===//
//
// Takes a function of NVIDIA, marks the innermost loops that are worth it and lets LLVM unroll
// them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ShortLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilec::codegen {

namespace {

constexpr unsigned mostRounds = 16;
constexpr unsigned mostInstructions = 640; // of all rounds
constexpr unsigned mostLevels = 2;         // of loops in each other

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

bool markShortLoops(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool found = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    unsigned rounds = evolution.getSmallConstantTripCount(loop);
    std::optional<unsigned> size = sizeOf(*loop);
    if (rounds < 2 || rounds > mostRounds || !size || *size * rounds > mostInstructions)
      continue;
    addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    found = true;
  }
  return found;
}

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
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
    analyses.invalidate(function, passes.run(function, analyses));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
