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

void boundSchedulingRegions(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      bound(block);
}

} // namespace tilec::codegen
