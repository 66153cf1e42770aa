//===- LargeCodeTest.cpp - passes that only large functions get -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::codegen::test {

namespace {

/// The smallest distance of two neighbours' numbers that the code generator has seen, in those
/// that neighbours have at first.
thread_local int smallestDistance = 0;

/// Looks at the numbers where the scheduler finds them.
class SeeNumbers : public MachineFunctionPass {
public:
  static char ID;
  SeeNumbers() : MachineFunctionPass(ID) {}
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<SlotIndexesWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    SlotIndexes &numbers = getAnalysis<SlotIndexesWrapperPass>().getSI();
    int smallest = std::numeric_limits<int>::max();
    for (MachineBasicBlock &block : function) {
      const MachineInstr *before = nullptr;
      for (MachineInstr &instr : block) {
        if (!numbers.hasIndex(instr))
          continue;
        if (before)
          smallest = std::min(smallest, numbers.getInstructionIndex(*before).distance(
                                            numbers.getInstructionIndex(instr)));
        before = &instr;
      }
    }
    smallestDistance = smallest / SlotIndex::InstrDist;
    return false;
  }
};
char SeeNumbers::ID = 0;

Pass *createSeeNumbers() { return new SeeNumbers(); }

/// Inserts the pass above behind the one that makes room.
void seeNumbers() {
  static PassInfo own("see numbers", "test-see-numbers", &SeeNumbers::ID, createSeeNumbers, false,
                      false);
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  registry.registerPass(own);
  static RegisterTargetPassConfigCallback callback(
      [](TargetMachine &machine, legacy::PassManagerBase &, TargetPassConfig *config) {
        const PassInfo *room =
            PassRegistry::getPassRegistry()->getPassInfo(StringRef("tilec-room-for-moves"));
        ASSERT_NE(room, nullptr);
        if (machine.getTargetTriple().isAMDGCN())
          config->insertPass(room->getTypeInfo(), &SeeNumbers::ID);
      });
}

/// A kernel of `count` sums that all are stored.
std::string sums(unsigned count) {
  std::string text = "define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %s0) {\n";
  for (unsigned i = 0; i < count; ++i)
    text += "%s" + utostr(i + 1) + " = mul i32 %s" + utostr(i) + ", " + utostr(2 * i + 3) +
            "\nstore volatile i32 %s" + utostr(i + 1) + ", ptr addrspace(1) %p\n";
  return text + "ret void\n}";
}

TEST(LargeCode, MovesOfTheSchedulerHaveRoom) {
  OwnedModule small = parseText(sums(10), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*small.module, optionsFor(Arch::Gfx950)))); // registers passes
  seeNumbers();
  ASSERT_TRUE(bool(compileModule(*small.module, optionsFor(Arch::Gfx950))));
  EXPECT_EQ(smallestDistance, 1);
  OwnedModule large = parseText(sums(4200), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*large.module, optionsFor(Arch::Gfx950))));
  EXPECT_GE(smallestDistance, 7);
}

} // namespace

} // namespace tilec::codegen::test
