//===- MutantsLlvm.cpp - faults in LLVM IR --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Mutants.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace tilec::fuzz {
namespace {

using namespace llvm;

/// Replaces every instruction for which `make` gives a value.
bool replaceAll(Module &module, function_ref<Value *(Instruction &, IRBuilder<> &)> make) {
  SmallVector<Instruction *> list;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      list.push_back(&instruction);
  bool any = false;
  for (Instruction *instruction : list) {
    IRBuilder<> b(instruction);
    Value *value = make(*instruction, b);
    if (!value)
      continue;
    any = true;
    instruction->replaceAllUsesWith(value);
    instruction->eraseFromParent();
  }
  return any;
}

/// f32 to a half type with the bits below cut off.
Value *truncateTowardsZero(Instruction &instruction, IRBuilder<> &b) {
  auto *cast = dyn_cast<FPTruncInst>(&instruction);
  if (!cast || !cast->getSrcTy()->getScalarType()->isFloatTy())
    return nullptr;
  bool isBrain = cast->getDestTy()->getScalarType()->isBFloatTy();
  Type *bits = cast->getSrcTy()->getWithNewType(b.getInt32Ty());
  Value *whole = b.CreateBitCast(cast->getOperand(0), bits);
  Value *cut = b.CreateAnd(whole, ConstantInt::get(bits, isBrain ? 0xffff0000u : 0xffffe000u));
  return b.CreateFPTrunc(b.CreateBitCast(cut, cast->getSrcTy()), cast->getDestTy());
}

Value *signExtensionAsZero(Instruction &instruction, IRBuilder<> &b) {
  auto *extension = dyn_cast<SExtInst>(&instruction);
  // An i1 is extended for other reasons.
  if (!extension || extension->getSrcTy()->getScalarSizeInBits() < 8 ||
      extension->getSrcTy()->getScalarSizeInBits() > 16)
    return nullptr;
  return b.CreateZExt(extension->getOperand(0), extension->getType());
}

Value *minimumAsMaximum(Instruction &instruction, IRBuilder<> &b) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::minnum)
    return nullptr;
  return b.CreateIntrinsic(Intrinsic::maxnum, {call->getType()},
                           {call->getArgOperand(0), call->getArgOperand(1)});
}

} // namespace

std::vector<Mutant> llvmMutants() {
  using Make = Value *(*)(Instruction &, IRBuilder<> &);
  auto on = [](const char *name, const char *text, Make make) {
    return Mutant{name, text, Stage::Llvm, [make](mlir::ModuleOp, llvm::Module *module) {
                    return replaceAll(*module, make);
                  }};
  };
  return {
      on("cast-truncates", "casts to f16 and bf16 round towards zero", truncateTowardsZero),
      on("sign-lost", "negative bytes and halfwords are extended with zeros", signExtensionAsZero),
      on("minimum-as-maximum", "minnum is maxnum", minimumAsMaximum),
  };
}

} // namespace tilec::fuzz
