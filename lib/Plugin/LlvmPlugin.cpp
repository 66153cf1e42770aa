//===- LlvmPlugin.cpp - the passes on LLVM IR in opt, clang and llc -------===//
//
// libTilecLlvmPlugin.so. `opt-22 -load-pass-plugin` and `clang-22 -fpass-plugin` get the
// passes that keep addresses and orders; loaded into a program that generates code
// (`llc-22 -load`, clang) it also puts our machine passes into the AMDGPU back end. LLVM is
// that of the program. docs/deploy/plugin.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AmdgpuPasses.h"
#include "HoistFreeValues.h"
#include "KeepOffsets.h"
#include "Optimize.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;
using namespace tilec::codegen;

namespace {

bool isAmdgpu(const Module &module) { return module.getTargetTriple().isAMDGCN(); }

PreservedAnalyses after(bool changed) {
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

struct KeepOffsetsPass : PassInfoMixin<KeepOffsetsPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    return after(isAmdgpu(*function.getParent()) && keepOffsets(function));
  }
};

struct HoistFreeValuesPass : PassInfoMixin<HoistFreeValuesPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    return after(isAmdgpu(*function.getParent()) &&
                 hoistFreeValues(function, analyses.getResult<DominatorTreeAnalysis>(function),
                                 analyses.getResult<TargetIRAnalysis>(function)));
  }
};

/// What keeps what a kernel means through LLVM's own passes: for the end of any pipeline.
FunctionPassManager keepers() {
  FunctionPassManager passes;
  passes.addPass(HoistFreeValuesPass());
  passes.addPass(KeepOffsetsPass());
  return passes;
}

bool addFunctionPass(StringRef name, FunctionPassManager &passes,
                     ArrayRef<PassBuilder::PipelineElement>) {
  if (name == "tilec-keep-offsets")
    passes.addPass(KeepOffsetsPass());
  else if (name == "tilec-hoist-free-values")
    passes.addPass(HoistFreeValuesPass());
  else
    return false;
  return true;
}

bool addModulePass(StringRef name, ModulePassManager &passes,
                   ArrayRef<PassBuilder::PipelineElement>) {
  if (name != "tilec-clean-up")
    return false;
  passes.addPass(cleanUpPasses());
  return true;
}

void registerPasses(PassBuilder &builder) {
  builder.registerPipelineParsingCallback(addFunctionPass);
  builder.registerPipelineParsingCallback(addModulePass);
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        passes.addPass(createModuleToFunctionPassAdaptor(keepers()));
      });
}

/// The machine passes, in the thread that has loaded the plugin, which is the one that compiles.
struct MachinePasses {
  MachinePasses() { registerMachinePasses(); }
  MachinePassState state;
  MachinePassScope scope{&state};
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "tilec", "0.1", registerPasses};
}

static MachinePasses machinePasses;
