//===- WideProducts.cpp - 32 x 32 to 64 bits on NVIDIA ----------------------===//
//
// LLVM's code generator makes mul.wide.u32 of a product whose operands are extended where they
// stand. In generators of random numbers (Philox) the halves of one product are the operands of the
// next, and InstCombine has moved the truncations between them behind the `xor`s: the operands have
// 64 bits, of which 32 are zero. That became mul.lo.s64, of which ptxas leaves an addition of zero
// on the chain from one product to the next.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "WideProducts.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

constexpr unsigned halfBits = 32;

bool isExtended(const Value *value) { return isa<ZExtInst>(value) || isa<ConstantInt>(value); }

/// Whether the code generator does not see that both operands have 32 bits, and they have.
bool isHiddenProduct(const llvm::Instruction &instr, const DataLayout &layout) {
  if (instr.getOpcode() != llvm::Instruction::Mul || !instr.getType()->isIntegerTy(2 * halfBits))
    return false;
  const Value *left = instr.getOperand(0), *right = instr.getOperand(1);
  return !(isExtended(left) && isExtended(right)) &&
         computeKnownBits(left, layout).countMinLeadingZeros() >= halfBits &&
         computeKnownBits(right, layout).countMinLeadingZeros() >= halfBits;
}

} // namespace

PreservedAnalyses WideProducts::run(Function &function, FunctionAnalysisManager &) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (llvm::Instruction &instr : make_early_inc_range(instructions(function))) {
    if (!isHiddenProduct(instr, layout))
      continue;
    IRBuilder<> b(&instr);
    Value *left = b.CreateTrunc(instr.getOperand(0), b.getInt32Ty());
    Value *right = b.CreateTrunc(instr.getOperand(1), b.getInt32Ty());
    Value *high = b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::nvvm_mulhi_ui, {left, right});
    Value *low = b.CreateZExt(b.CreateMul(left, right), instr.getType());
    Value *above = b.CreateShl(b.CreateZExt(high, instr.getType()), halfBits);
    instr.replaceAllUsesWith(b.CreateOr(above, low));
    instr.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
