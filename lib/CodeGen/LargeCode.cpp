//===- LargeCode.cpp - code generation that stays linear ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LargeCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilec::codegen {

namespace {

/// What one block may hold, and what its parts hold if it has more. 1000 accesses in a block take
/// LLVM 22's machine scheduler about 1.5 s, 250 take 0.1 s (x86-64, 3 GHz).
/// Instructions are limited as tuned kernels do not reach it.
struct Size {
  unsigned accesses, instructions;
};
constexpr Size longest = {1024, 4096}, part = {256, 1024};
/// Instructions of a function from which on it is large: some 500 loops of a statement. Of 400,
/// LLVM's straight-line strength reduction takes half a second.
constexpr unsigned largeFunction = 2 * longest.instructions;

/// Uses from which on a value has a register in each part: of less, all pairs are no time.
constexpr unsigned manyUses = 2048;

/// Where the parts begin, but the first. None: the block is not long.
SmallVector<Instruction *> cutsOf(BasicBlock &block) {
  Size all = {0, 0}, since = {0, 0};
  SmallVector<Instruction *> cuts;
  for (Instruction &instr : make_range(block.getFirstNonPHIIt(), block.end())) {
    if (isa<AllocaInst>(instr))
      cuts.clear(); // they stay in the first block
    bool access = instr.mayReadOrWriteMemory();
    if (since.instructions >= part.instructions || since.accesses + access > part.accesses) {
      cuts.push_back(&instr);
      since = {0, 0};
    }
    for (Size *size : {&all, &since}) {
      size->accesses += access;
      ++size->instructions;
    }
  }
  bool isLong = all.accesses >= longest.accesses || all.instructions >= longest.instructions;
  return isLong ? cuts : SmallVector<Instruction *>();
}

/// Selection folds these into the instruction that uses them, if they are in its block.
bool isFolded(const Instruction &instr) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&instr))
    return address->hasAllConstantIndices();
  if (instr.getOpcode() == Instruction::Add || instr.getOpcode() == Instruction::Or)
    return isa<ConstantInt>(instr.getOperand(1));
  return isa<BitCastInst, AddrSpaceCastInst, TruncInst, ZExtInst>(instr);
}

/// Which values vary between the lanes of a wave.
class Lanes {
public:
  Lanes(Function &function, TargetMachine &machine) {
    analyses.registerPass([] { return PassInstrumentationAnalysis(); });
    analyses.registerPass([] { return DominatorTreeAnalysis(); });
    analyses.registerPass([] { return CycleAnalysis(); });
    analyses.registerPass([] { return UniformityInfoAnalysis(); });
    analyses.registerPass([&] { return machine.getTargetIRAnalysis(); });
    uniformity = &analyses.getResult<UniformityInfoAnalysis>(function);
  }
  bool differAt(const Use &use) const { return uniformity->isDivergentUse(use); }

private:
  FunctionAnalysisManager analyses;
  const UniformityInfo *uniformity;
};

/// Makes the parts of long blocks their own: of what other blocks have computed and selection
/// folds, a part has copies; of a value of very many uses, a register on AMD.
class OwnValues {
public:
  OwnValues(const SmallPtrSetImpl<BasicBlock *> &parts, const Lanes *lanes)
      : parts(parts), lanes(lanes) {}

  void of(BasicBlock &block) {
    copies.clear();
    for (auto at = block.getFirstNonPHIIt(); at != block.end(); ++at)
      inputsOf(*at);
  }

private:
  /// Copies stand before their first use, so that they are there for the later ones, too.
  void inputsOf(Instruction &user);
  /// The copy of `use`'s value, null where it needs none.
  Instruction *copyOf(Use &use);
  /// Of `value`, also by what is folded; not all, where they are many.
  unsigned usesOf(const Value &value);

  const SmallPtrSetImpl<BasicBlock *> &parts;
  const Lanes *lanes; ///< on AMD
  DenseMap<Value *, Instruction *> copies;
  DenseMap<const Value *, unsigned> uses; ///< as they were
};

unsigned OwnValues::usesOf(const Value &value) {
  auto [it, isNew] = uses.try_emplace(&value, 0);
  if (!isNew)
    return it->second;
  unsigned all = 0;
  for (const User *user : value.users()) {
    auto *folded = dyn_cast<Instruction>(user);
    all += folded && isFolded(*folded) ? usesOf(*folded) : 1;
    if (all >= manyUses)
      break;
  }
  return uses[&value] = all;
}

Instruction *OwnValues::copyOf(Use &use) {
  Value *value = use.get();
  auto &user = *cast<Instruction>(use.getUser());
  auto *input = dyn_cast<Instruction>(value);
  if (input ? input->getParent() == user.getParent() : !isa<Argument>(value))
    return nullptr;
  if (input && isFolded(*input) && parts.contains(input->getParent())) {
    Instruction *copy = input->clone();
    copy->insertBefore(user.getIterator());
    return copy;
  }
  Type *type = value->getType();
  bool isRegister = type->isIntegerTy(32) || type->isFloatTy() || type->isPointerTy();
  if (!lanes || !isRegister || usesOf(*value) < manyUses)
    return nullptr;
  // Operands of AMD's folding are looked at again for each copy that is folded: time by the square
  // of the uses of one register. No pass looks through an asm, even one without text.
  auto *hide = InlineAsm::get(FunctionType::get(type, {type}, false), "",
                              lanes->differAt(use) ? "=v,0" : "=s,0", /*hasSideEffects=*/false);
  return IRBuilder<>(&user).CreateCall(hide, {value});
}

void OwnValues::inputsOf(Instruction &user) {
  for (Use &use : user.operands()) {
    auto known = copies.find(use.get());
    if (known != copies.end()) {
      use.set(known->second);
    } else if (Instruction *copy = copyOf(use)) {
      copies[use.get()] = copy;
      use.set(copy);
      if (!isa<CallInst>(copy))
        inputsOf(*copy);
    }
  }
}

/// Cuts `block` and adds its parts, the last one first.
void cut(BasicBlock &block, bool isAmd, SmallVectorImpl<BasicBlock *> &parts) {
  SmallVector<Instruction *> cuts = cutsOf(block);
  for (Instruction *at : reverse(cuts)) { // a split moves what is behind it
    parts.push_back(block.splitBasicBlock(at));
    // The parts are one block again when AMD's second scheduler runs.
    IRBuilder<> builder(at);
    if (isAmd)
      builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                              {builder.getInt32(0)});
  }
  if (!cuts.empty())
    parts.push_back(&block);
}

} // namespace

bool isLarge(const Module &module) {
  return any_of(module, [](const Function &f) { return f.getInstructionCount() >= largeFunction; });
}

char CutLongBlocks::ID = 0;

void CutLongBlocks::getAnalysisUsage(AnalysisUsage &usage) const {
  usage.addRequired<TargetPassConfig>();
}

bool CutLongBlocks::runOnFunction(Function &function) {
  bool isAmd = function.getParent()->getTargetTriple().isAMDGCN();
  SmallVector<BasicBlock *> blocks(make_pointer_range(function)), parts;
  for (BasicBlock *block : blocks)
    cut(*block, isAmd, parts);
  if (parts.empty())
    return false;
  std::unique_ptr<Lanes> lanes;
  if (isAmd)
    lanes =
        std::make_unique<Lanes>(function, getAnalysis<TargetPassConfig>().getTM<TargetMachine>());
  SmallPtrSet<BasicBlock *, 16> set(llvm::from_range, parts);
  OwnValues own(set, lanes.get());
  for (BasicBlock *part : parts)
    own.of(*part);
  return true;
}

} // namespace tilec::codegen
