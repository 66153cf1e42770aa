//===- LargeCode.cpp - code generation that stays linear ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LargeCode.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec::codegen {

namespace {

/// Instructions of a function from which on it is large. Attention of the tables has about 5000.
constexpr unsigned largeFunction = 20000;

/// The scheduler's graph has an edge for each pair of accesses that may be the same place. 1000
/// accesses in a block take LLVM 22 about 1.5 s, 250 take 0.1 s (x86-64, 3 GHz).
constexpr unsigned accessesOfLongBlock = 1024, accessesOfRegion = 256;

void bound(BasicBlock &block) {
  SmallVector<Instruction *> accesses;
  for (Instruction &instr : block)
    if (instr.mayReadOrWriteMemory())
      accesses.push_back(&instr);
  if (accesses.size() < accessesOfLongBlock)
    return;
  for (size_t i = accessesOfRegion; i < accesses.size(); i += accessesOfRegion) {
    IRBuilder<> builder(accesses[i]);
    builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                            {builder.getInt32(0)});
  }
}

} // namespace

bool isLarge(const Module &module) {
  return llvm::any_of(module,
                      [](const Function &f) { return f.getInstructionCount() >= largeFunction; });
}

bool isQuadratic(StringRef pass) {
  // Each copy of a value that is folded goes over all uses of the value.
  return pass == "peephole-opt" || pass == "si-fold-operands";
}

void boundSchedulingRegions(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      bound(block);
}

} // namespace tilec::codegen
