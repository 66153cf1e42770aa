//===- HalfSums.cpp - sums of products that stay f16 ----------------------===//
//
// Runs before InstCombine, which makes the conversion of an integer to f16 and on to f32 one to
// f32.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "HalfSums.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {
namespace {

/// What the f32 was as an f16; null where it may not be one.
Value *halfOf(Value *wide, IRBuilder<> &b) {
  Value *half;
  if (match(wide, m_FPExt(m_Value(half))) && half->getType()->isHalfTy())
    return half;
  auto *constant = dyn_cast<ConstantFP>(wide);
  bool loses = true;
  if (constant) {
    APFloat value = constant->getValueAPF();
    value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
    if (!loses)
      return ConstantFP::get(b.getHalfTy(), value);
  }
  return nullptr;
}

bool fuse(Instruction &instr) {
  auto *sum = instr.getOpcode() == Instruction::FPTrunc && instr.getType()->isHalfTy()
                  ? dyn_cast<BinaryOperator>(instr.getOperand(0))
                  : nullptr;
  if (!sum || !sum->getType()->isFloatTy() || sum->getOpcode() != Instruction::FAdd ||
      !sum->hasAllowContract())
    return false;
  IRBuilder<> b(&instr);
  for (unsigned at : {0U, 1U}) {
    auto *product = dyn_cast<BinaryOperator>(sum->getOperand(at));
    if (!product || product->getOpcode() != Instruction::FMul || !product->hasAllowContract() ||
        !product->hasOneUse())
      continue;
    Value *left = halfOf(product->getOperand(0), b), *right = halfOf(product->getOperand(1), b);
    Value *old = halfOf(sum->getOperand(1 - at), b);
    if (!left || !right || !old)
      continue;
    instr.replaceAllUsesWith(
        b.CreateIntrinsic(Intrinsic::fma, {b.getHalfTy()}, {left, right, old}));
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses HalfSums::run(Function &function, FunctionAnalysisManager &) {
  if (!Triple(function.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool changed = false;
  for (Instruction &instr : instructions(function))
    changed |= fuse(instr);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
