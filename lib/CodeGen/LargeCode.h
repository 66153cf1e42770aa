//===- LargeCode.h - code generation that stays linear --------------------===//
//
// A script of a thousand statements without a loop is one basic block, and passes of LLVM take
// time by its square: the machine scheduler's graph has an edge for each pair of accesses that may
// be the same place, instruction selection looks through all uses of a constant or a result to
// find out whether there is another. Such a block is cut into several. Nothing here touches code
// of ordinary size.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Pass.h"

namespace llvm {
class Function;
class LoopInfo;
class Module;
class TargetMachine;
} // namespace llvm

namespace tilec::codegen {

/// Whether a function is so large that passes of speed alone are left out which are quadratic in
/// it.
bool isLarge(const llvm::Function &function);
bool isLarge(const llvm::Module &module);
/// Whether a block of very many instructions has more values alive at once than a lane of AMD has
/// registers.
bool isCrowded(const llvm::Module &module);
/// Whether a function has very many blocks.
bool hasManyBlocks(const llvm::Module &module);
/// Whether a function has very many loops.
bool hasManyLoops(const llvm::Function &function, const llvm::LoopInfo &loops);
/// Whether a function is so large that passes that gain little in it are left out, and whether even
/// some that keep the code short are.
bool isHuge(const llvm::Function &function);
bool isHuge(const llvm::Module &module);
bool isVast(const llvm::Module &module);
/// In functions of very many blocks, hides from analyses that integers of very many uses (a
/// thread's number, of which each branch asks something) are the same everywhere.
void hideIntegers(llvm::Module &module, llvm::TargetMachine &machine);
/// In functions of very many blocks, gives each return a block of its own: what a chain through all
/// of them computes stays where it is, as LLVM moves it into the block that uses it if that
/// returns.
void separateReturns(llvm::Module &module);
/// Cuts long blocks of large functions for two passes of LLVM before selection, and
/// `codegenprepare` joins the parts again: itself it numbers all of a block's instructions for each
/// one that takes a sign, a magnitude or an element of another block's (AMD), and
/// `load-store-vectorizer` does for each access that it makes of others (NVIDIA; on AMD it runs
/// later, on the parts of `CutLongBlocks`).
void cutBeforePreparing(llvm::Module &module);
/// In functions of very many loops, hides from analyses what their counters count.
void hideCounters(llvm::Module &module, llvm::TargetMachine &machine);

/// In such a function, `llvm.sideeffect` in front of some loops: for each load that leaves a loop,
/// memory SSA looks for what has written memory before, back through all loops that only read, and
/// makes and drops a phi in each. Of these calls no alias analysis says that they write what a load
/// reads.
struct MarkLoops : llvm::PassInfoMixin<MarkLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};
/// Takes the calls out again.
struct UnmarkLoops : llvm::PassInfoMixin<UnmarkLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Runs behind `codegenprepare`, which would join the blocks again, and before what takes time by
/// the square of a block's instructions: `load-store-vectorizer` and `sink`, which compares each
/// load of a block with all stores behind it (AMD).
class CutLongBlocks : public llvm::FunctionPass {
public:
  static char ID;
  CutLongBlocks() : FunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: cut long blocks"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override;
  bool runOnFunction(llvm::Function &function) override;
};

} // namespace tilec::codegen
