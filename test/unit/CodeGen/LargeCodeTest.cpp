//===- LargeCodeTest.cpp - passes that only large functions get -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestModules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
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

/// The most accesses between two places that the last scheduler moves nothing across.
thread_local unsigned longestRegion = 0;

/// Looks at the regions where that scheduler finds them.
class SeeRegions : public MachineFunctionPass {
public:
  static char ID;
  SeeRegions() : MachineFunctionPass(ID) {}
  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    longestRegion = 0;
    for (MachineBasicBlock &block : function) {
      unsigned accesses = 0;
      for (MachineInstr &instr : block) {
        accesses = instructions.isSchedulingBoundary(instr, &block, function)
                       ? 0
                       : accesses + instr.mayLoadOrStore();
        longestRegion = std::max(longestRegion, accesses);
      }
    }
    return false;
  }
};
char SeeRegions::ID = 0;

template <typename PassType> Pass *createPass() { return new PassType(); }

/// Inserts the passes above behind those that make what they see.
void seeMachineCode() {
  static PassInfo numbers("see numbers", "test-see-numbers", &SeeNumbers::ID,
                          createPass<SeeNumbers>, false, false);
  static PassInfo regions("see regions", "test-see-regions", &SeeRegions::ID,
                          createPass<SeeRegions>, false, false);
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  static bool isRegistered = false;
  if (!isRegistered) {
    registry.registerPass(numbers);
    registry.registerPass(regions);
    isRegistered = true;
  }
  static RegisterTargetPassConfigCallback callback(
      [](TargetMachine &machine, legacy::PassManagerBase &, TargetPassConfig *config) {
        if (!machine.getTargetTriple().isAMDGCN())
          return;
        for (auto [behind, pass] : {std::pair("tilec-room-for-moves", &SeeNumbers::ID),
                                    std::pair("tilec-long-regions", &SeeRegions::ID)}) {
          const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(StringRef(behind));
          ASSERT_NE(info, nullptr);
          config->insertPass(info->getTypeInfo(), pass);
        }
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
  seeMachineCode();
  ASSERT_TRUE(bool(compileModule(*small.module, optionsFor(Arch::Gfx950))));
  EXPECT_EQ(smallestDistance, 1);
  OwnedModule large = parseText(sums(4200), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*large.module, optionsFor(Arch::Gfx950))));
  EXPECT_GE(smallestDistance, 7);
}

/// `count` sums of what is loaded from one tensor and stored to another, which may be the same.
std::string loadsAndStores(unsigned count) {
  std::string text = "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = utostr(i);
    text += "%a" + n + " = getelementptr float, ptr addrspace(1) %p, i32 " + utostr(3 * i) +
            "\n%x" + n + " = load float, ptr addrspace(1) %a" + n + "\n%y" + n +
            " = fadd float %x" + n + ", 1.0\n%b" + n +
            " = getelementptr float, ptr addrspace(1) %o, i32 " + utostr(3 * i) +
            "\nstore float %y" + n + ", ptr addrspace(1) %b" + n + "\n";
  }
  return text + "ret void\n}\n";
}

/// Ordinary blocks stay whole; those that the code generator does not cut for their length in the
/// IR have parts for its last scheduler.
TEST(LargeCode, TheLastSchedulerSeesParts) {
  OwnedModule ordinary = parseText(loadsAndStores(200), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*ordinary.module, optionsFor(Arch::Gfx950)))); // registers passes
  seeMachineCode();
  ASSERT_TRUE(bool(compileModule(*ordinary.module, optionsFor(Arch::Gfx950))));
  EXPECT_GE(longestRegion, 400U);
  OwnedModule longer = parseText(loadsAndStores(300), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*longer.module, optionsFor(Arch::Gfx950))));
  EXPECT_LE(longestRegion, 257U);
  EXPECT_GE(longestRegion, 250U);
}

/// The branches that keep the parts of a long block from `codegenprepare` are gone behind it.
TEST(LargeCode, PartsAreJoinedAgain) {
  OwnedModule module = parseText(sums(4200), Arch::Gfx950);
  auto text = emitAssembly(*module.module, optionsFor(Arch::Gfx950));
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_FALSE(StringRef(*text).contains("branch"));
}

/// A kernel of steps that compute each of `count` numbers from itself and its neighbour: all are
/// alive from the first read to the last write.
std::string steps(unsigned count) {
  std::string text =
      "define amdgpu_kernel void @k(ptr addrspace(1) %p) \"amdgpu-agpr-alloc\"=\"0\" {\n"
      "%l = call i32 @llvm.amdgcn.workitem.id.x()\n"
      "%q = getelementptr float, ptr addrspace(1) %p, i32 %l\n";
  auto name = [](unsigned step, unsigned i) { return "%x" + utostr(step) + "." + utostr(i); };
  for (unsigned i = 0; i < count; ++i)
    text += name(0, i) + " = load volatile float, ptr addrspace(1) %q\n";
  for (unsigned step = 1; step <= 3; ++step)
    for (unsigned i = 0; i < count; ++i)
      text += name(step, i) + " = fadd float " + name(step - 1, i) + ", " +
              name(step - 1, (i + step) % count) + "\n";
  for (unsigned i = 0; i < count; ++i)
    text += "store volatile float " + name(3, i) + ", ptr addrspace(1) %q\n";
  return text + "ret void\n}\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n";
}

/// A block of more values at once than a lane has registers has short parts; others stay whole.
TEST(LargeCode, CrowdedBlocksHaveParts) {
  OwnedModule ordinary = parseText(steps(200), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*ordinary.module, optionsFor(Arch::Gfx950)))); // registers passes
  seeMachineCode();
  ASSERT_TRUE(bool(compileModule(*ordinary.module, optionsFor(Arch::Gfx950))));
  EXPECT_GE(longestRegion, 200U);
  OwnedModule crowded = parseText(steps(270), Arch::Gfx950);
  ASSERT_TRUE(bool(compileModule(*crowded.module, optionsFor(Arch::Gfx950))));
  EXPECT_LT(longestRegion, 270U);
}

/// A kernel of a chain of `count` multiplications and additions of what it reads, with a branch
/// behind each.
std::string chain(unsigned count, bool isAmd) {
  std::string text = isAmd ? "define amdgpu_kernel void @k(" : "define ptx_kernel void @k(";
  text += "ptr addrspace(1) %p) {\n"
          "%l = call i32 @" +
          std::string(isAmd ? "llvm.amdgcn.workitem.id.x" : "llvm.nvvm.read.ptx.sreg.tid.x") +
          "()\n%p0 = getelementptr float, ptr addrspace(1) %p, i32 %l\n"
          "%q0 = load volatile float, ptr addrspace(1) %p0\nbr label %b1\n";
  for (unsigned i = 1; i <= count; ++i) {
    std::string n = utostr(i), before = utostr(i - 1);
    text += "b" + n + ":\n%r" + n + " = load volatile float, ptr addrspace(1) %p0\n%q" + n +
            " = call float @llvm.fma.f32(float %q" + before + ", float 3.5, float %r" + n +
            ")\n%c" + n + " = icmp eq i32 %l, " + n + "\nbr i1 %c" + n + ", label %t" + n +
            ", label %b" + utostr(i + 1) + "\nt" + n + ":\nstore volatile i32 " + n +
            ", ptr addrspace(1) %p\nbr label %b" + utostr(i + 1) + "\n";
  }
  return text + "b" + utostr(count + 1) + ":\nstore volatile float %q" + utostr(count) +
         ", ptr addrspace(1) %p0\nret void\n}\n"
         "declare float @llvm.fma.f32(float, float, float)\n"
         "declare i32 @llvm.amdgcn.workitem.id.x()\n"
         "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
}

/// What is read would be held in registers until the end, if the chain were moved there.
TEST(LargeCode, ChainsThroughBlocksStay) {
  for (Arch arch : {Arch::Gfx950, Arch::Sm90a}) {
    bool isAmd = arch == Arch::Gfx950;
    OwnedModule module = parseText(chain(600, isAmd), arch);
    auto text = emitAssembly(*module.module, optionsFor(arch));
    ASSERT_TRUE(bool(text)) << toString(text.takeError());
    StringRef assembly(*text), fma = isAmd ? "v_fma" : "fma.rn.f32";
    EXPECT_GE(assembly.count(fma) + assembly.count("v_pk_fma"), 599U);
    size_t half = assembly.find(isAmd ? "0x12c" : ", 300;"); // the branch in the middle
    ASSERT_NE(half, StringRef::npos);
    EXPECT_GT(assembly.take_front(half).count(fma), 200U);
  }
}

/// A guard of two comparisons would be one value with all branches for users.
TEST(LargeCode, EachPartAsksItsGuard) {
  std::string text = "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n"
                     "%l = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                     "%a = icmp slt i32 %l, 8\n%b = icmp slt i32 %n, 8\n"
                     "%g = and i1 %a, %b\nbr label %b0\n";
  for (unsigned i = 0; i < 600; ++i) {
    std::string n = utostr(i), next = utostr(i + 1);
    text += "b" + n + ":\nstore volatile i32 0, ptr addrspace(1) %p\nbr i1 %g, label %t" + n +
            ", label %b" + next + "\nt" + n + ":\nstore volatile i32 " + n +
            ", ptr addrspace(1) %p\nbr label %b" + next + "\n";
  }
  text += "b600:\nret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
  OwnedModule module = parseText(text, Arch::Sm90a);
  auto made = emitAssembly(*module.module, optionsFor(Arch::Sm90a));
  ASSERT_TRUE(bool(made)) << toString(made.takeError());
  EXPECT_GT(StringRef(*made).count("setp."), 15U);
}

/// Each half of a register that is converted would be asked for among all uses of a constant.
TEST(LargeCode, HalvesAreLeftAlone) {
  auto text = [](unsigned count) {
    std::string text = "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {\n"
                       "%l = call i32 @llvm.amdgcn.workitem.id.x()\n"
                       "%a = getelementptr <2 x half>, ptr addrspace(1) %p, i32 %l\n";
    for (unsigned i = 0; i < count; ++i) {
      std::string n = utostr(i);
      text += "%x" + n + " = load volatile <2 x half>, ptr addrspace(1) %a\n%h" + n +
              " = extractelement <2 x half> %x" + n + ", i32 1\n%f" + n + " = fpext half %h" + n +
              " to float\nstore volatile float %f" + n + ", ptr addrspace(1) %o\n";
    }
    return text + "ret void\n}\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n";
  };
  for (unsigned count : {10U, 2100U}) {
    OwnedModule module = parseText(text(count), Arch::Gfx950);
    auto made = emitAssembly(*module.module, optionsFor(Arch::Gfx950));
    ASSERT_TRUE(bool(made)) << toString(made.takeError());
    EXPECT_EQ(StringRef(*made).contains("_sdwa"), count == 10) << count;
  }
}

/// What a thousand statements pass on would be moved before all of them, step by step. Equal
/// instructions and those of constants are joined all the same.
TEST(LargeCode, IsSimplifiedAlone) {
  for (unsigned count : {10U, 12000U}) {
    std::string text = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n";
    for (unsigned i = 0; i < count; ++i) {
      std::string n = utostr(i);
      text += "%x" + n + " = load volatile i32, ptr addrspace(1) %p\n%e" + n +
              " = sub i32 9, 1\n%y" + n + " = mul i32 %x" + n + ", %e" + n +
              "\nstore volatile i32 %y" + n + ", ptr addrspace(1) %p\n";
    }
    OwnedModule module = parseText(text + "ret void\n}\n", Arch::Gfx950);
    ASSERT_FALSE(bool(optimizeModule(*module.module, Arch::Gfx950)));
    unsigned shifts = 0, products = 0, differences = 0;
    for (Instruction &instr : instructions(*module.module->getFunction("k"))) {
      shifts += instr.getOpcode() == Instruction::Shl;
      products += instr.getOpcode() == Instruction::Mul;
      differences += instr.getOpcode() == Instruction::Sub;
    }
    EXPECT_EQ(shifts, count == 10 ? count : 0);
    EXPECT_EQ(products, count == 10 ? 0 : count);
    EXPECT_EQ(differences, 0U);
  }
}

/// `count` loops that go on counting up to a number in memory.
std::string countingLoops(unsigned count) {
  std::string text = "define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) "
                     "noalias %o) {\nbr label %l0\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = utostr(i), from = i ? "l" + utostr(i - 1) : "0",
                start = i ? "%v" + utostr(i - 1) : "0";
    text += "l" + n + ":\n%v" + n + " = phi i32 [ " + start + ", %" + from + " ], [ %w" + n +
            ", %b" + n + " ]\n%a" + n + " = getelementptr i32, ptr addrspace(1) %p, i32 " + n +
            "\n%x" + n + " = load i32, ptr addrspace(1) %a" + n + "\n%c" + n +
            " = icmp slt i32 %v" + n + ", %x" + n + "\nbr i1 %c" + n + ", label %b" + n +
            ", label %l" + utostr(i + 1) + "\nb" + n + ":\n%w" + n + " = add i32 %v" + n +
            ", 1\nbr label %l" + n + "\n";
  }
  return text + "l" + utostr(count) + ":\nstore i32 %v" + utostr(count - 1) +
         ", ptr addrspace(1) %o\nret void\n}\n";
}

/// The marks between loops, of which memory SSA would walk through very many, are gone, and did not
/// keep what is read from leaving the loops.
TEST(LargeCode, LoadsLeaveVeryManyLoops) {
  for (unsigned count : {10U, 100U}) {
    OwnedModule module = parseText(countingLoops(count), Arch::Gfx950);
    ASSERT_FALSE(bool(optimizeModule(*module.module, Arch::Gfx950)));
    Function &function = *module.module->getFunction("k");
    DominatorTree tree(function);
    LoopInfo loops(tree);
    unsigned loads = 0;
    for (BasicBlock &block : function)
      for (Instruction &instr : block) {
        EXPECT_FALSE(isa<CallBase>(instr));
        loads += isa<LoadInst>(instr);
        EXPECT_FALSE(isa<LoadInst>(instr) && loops.getLoopFor(&block));
      }
    EXPECT_EQ(loads, count);
  }
}

/// LLVM puts the counter in registers of lanes: what it is worth where the loop is left, nothing,
/// is that of a value that lanes have.
TEST(ScalarOperands, OfAnAsmAreOfTheWave) {
  for (auto [type, words, first] :
       {std::tuple("i32", 1U, "add i32 %h, 0"), std::tuple("i64", 2U, "trunc i64 %h to i32"),
        std::tuple("<4 x i32>", 4U, "extractelement <4 x i32> %h, i32 0")}) {
    std::string text = R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, TYPE %one) {
entry:
  br label %test
test:
  %i = phi TYPE [ zeroinitializer, %entry ], [ %j, %more ]
  %a = phi TYPE [ zeroinitializer, %entry ], [ %b, %more ]
  %h = call TYPE asm "; held $0", "=s,0"(TYPE %i)
  store volatile TYPE %h, ptr addrspace(1) %p
  %x = FIRST
  %c = icmp slt i32 %x, %n
  br i1 %c, label %more, label %after
more:
  %j = or TYPE %i, %one
  %b = call TYPE asm sideeffect "", "=v,0"(TYPE %a)
  br label %test
after:
  ret void
})";
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
      text.replace(at, 4, type);
    text.replace(text.find("FIRST"), 5, first);
    OwnedModule module = parseText(text, Arch::Gfx950);
    CodeGenOptions options = optionsFor(Arch::Gfx950);
    options.verifyMachineCode = true;
    options.optimizeIr = false;
    auto made = emitAssembly(*module.module, options);
    ASSERT_TRUE(bool(made)) << toString(made.takeError());
    EXPECT_EQ(StringRef(*made).split("; held").first.count("v_readfirstlane_b32"), words);
  }
}

} // namespace

} // namespace tilec::codegen::test
