//===- Optimize.cpp - few and cheap IR passes -----------------------------===//
//
// The IR comes from our own builder: address arithmetic is already split into
// uniform and per-lane parts, loops that matter are unrolled, and their order is
// planned. What is left to gain is the removal of allocas and of repeated scalar
// expressions. LLVM's -O2 costs several times as much and may reorder.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Optimize.h"

#include "AccessAlignment.h"
#include "GuardedReads.h"
#include "HalfPairs.h"
#include "HalfSums.h"
#include "InvariantGuards.h"
#include "JoinBases.h"
#include "JoinMasks.h"
#include "LargeCode.h"
#include "LlvmFaults.h"
#include "PreferRegisters.h"
#include "ShareDivisors.h"
#include "ShortLoops.h"
#include "ShortNumbers.h"
#include "WholeNumbers.h"
#include "WideProducts.h"
#include "WordPhis.h"

#include "tilec/CodeGen/CodeGen.h"
#include "tilec/Target/Target.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace tilec::codegen {

namespace {

/// A relaxed atomic whose result nobody reads and that leaves memory as it is: setting no bits of
/// an element of 4 bits. AtomicExpand would make it a load, of memory that may not have been
/// written.
bool isIdle(const Instruction &instr) {
  auto *atomic = dyn_cast<AtomicRMWInst>(&instr);
  if (!atomic || !atomic->use_empty() || atomic->isVolatile() ||
      atomic->getOrdering() != AtomicOrdering::Monotonic || !atomic->getType()->isIntegerTy())
    return false;
  auto *operand = dyn_cast<ConstantInt>(atomic->getValOperand());
  if (!operand)
    return false;
  switch (atomic->getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    return operand->isZero();
  case AtomicRMWInst::And:
    return operand->isMinusOne();
  default:
    return false;
  }
}

struct DropIdleAtomics : PassInfoMixin<DropIdleAtomics> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool changed = false;
    for (Instruction &instr : make_early_inc_range(instructions(function)))
      if (isIdle(instr)) {
        instr.eraseFromParent();
        changed = true;
      }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

/// Of huge code, the equal and the constant alone: a sign that each of a thousand statements passes
/// on is moved by InstCombine step by step before all of them.
struct CombineInstructions : PassInfoMixin<CombineInstructions> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (isHuge(function))
      return InstSimplifyPass().run(function, analyses);
    return InstCombinePass().run(function, analyses);
  }
};

} // namespace

ModulePassManager cleanUpPasses() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(HalfSums());
  passes.addPass(CombineInstructions());
  passes.addPass(SplitNegations());
  passes.addPass(DropIdleAtomics());
  passes.addPass(HalfPairs());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(HoistInvariantGuards());
  passes.addPass(UnrollShortLoops());
  passes.addPass(MarkLoops());
  LoopPassManager loopPasses;
  loopPasses.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loopPasses), /*UseMemorySSA=*/true));
  passes.addPass(UnmarkLoops());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(ChooseSigned());
  passes.addPass(MaskSigns());
  passes.addPass(SplitSignedShorts());
  passes.addPass(SplitSignedParts());
  passes.addPass(LeaveOutDots());
  passes.addPass(ShareDivisors());
  ModulePassManager pipeline;
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  return pipeline;
}

void optimizeWith(Module &module, TargetMachine &machine, Arch arch) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  cleanUpPasses().run(module, modules);
  if (!machine.getTargetTriple().isNVPTX()) {
    for (Function &function : module)
      WordPhis().run(function, functions);
    return;
  }
  // NVPTX merges neighbouring accesses of a thread as far as each one says how it is aligned, and
  // ptxas merges none. AMD's code generator finds the alignment itself.
  FunctionPassManager passes;
  passes.addPass(JoinBases());
  passes.addPass(InferAlignmentPass());
  passes.addPass(AccessAlignment());
  passes.addPass(WideProducts());
  passes.addPass(ShortNumbers());
  passes.addPass(WholeNumbers());
  passes.addPass(JoinMasks());
  passes.addPass(GatherGuardedReads());
  passes.addPass(PreferRegisters(targetInfo(arch).registers.ofUnit));
  ModulePassManager pipeline;
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  pipeline.run(module, modules);
  // What is known of tensors has been used; in PTX it would only be more words.
  for (Function &function : module)
    for (Argument &argument : function.args())
      if (!argument.hasByValAttr())
        argument.removeAttr(Attribute::Alignment);
}

Error optimizeModule(Module &module, Arch arch) {
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  optimizeWith(module, **machine, arch);
  return Error::success();
}

} // namespace tilec::codegen
