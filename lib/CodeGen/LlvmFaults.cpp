//===- LlvmFaults.cpp - IR that LLVM 22 would make wrong code of ----------===//
//
// Each is seen in a program of test/e2e that is wrong without it (llvm-faults.py and
// negated-integers.py).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LlvmFaults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilec::codegen {

PreservedAnalyses SplitNegations::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instr : make_early_inc_range(instructions(function))) {
    auto *type = dyn_cast<FixedVectorType>(instr.getType());
    auto *cast = instr.getOpcode() == Instruction::FNeg ? dyn_cast<BitCastInst>(instr.getOperand(0))
                                                        : nullptr;
    if (!type || !cast || !cast->getSrcTy()->isIntOrIntVectorTy())
      continue;
    IRBuilder<> b(&instr);
    Value *whole = PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      whole = b.CreateInsertElement(whole, b.CreateFNeg(b.CreateExtractElement(cast, i)), i);
    instr.replaceAllUsesWith(whole);
    instr.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses ChooseSigned::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instr : make_early_inc_range(instructions(function))) {
    auto *cast = dyn_cast<SIToFPInst>(&instr);
    if (!cast || !cast->getSrcTy()->isIntOrIntVectorTy(1))
      continue;
    Type *type = cast->getType();
    IRBuilder<> b(cast);
    cast->replaceAllUsesWith(b.CreateSelect(cast->getOperand(0), ConstantFP::get(type, -1.0),
                                            ConstantFP::getZero(type)));
    cast->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

namespace {

SmallVector<IntrinsicInst *> callsOf(Function &function, Intrinsic::ID id) {
  SmallVector<IntrinsicInst *> calls;
  for (Instruction &instr : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instr); call && call->getIntrinsicID() == id)
      calls.push_back(call);
  return calls;
}

/// c + the four products of bytes of a and b, modulo 2^32.
Value *writtenOut(IRBuilder<> &b, IntrinsicInst *dot) {
  Value *sum = dot->getArgOperand(2);
  for (unsigned byte = 0; byte < 4; ++byte) {
    auto element = [&](unsigned operand) {
      return b.CreateAnd(b.CreateLShr(dot->getArgOperand(operand), 8 * byte), 0xff);
    };
    sum = b.CreateAdd(sum, b.CreateMul(element(0), element(1)));
  }
  return sum;
}

/// The low byte of `bits`, whose others are 0, with its sign.
Value *signedByte(IRBuilder<> &b, Value *bits) {
  Constant *sign = ConstantInt::get(bits->getType(), 0x80);
  return b.CreateSub(b.CreateXor(bits, sign), sign);
}

/// What `instr` gives, without a shift of 16 bits by 8 to the right that LLVM would make an operand
/// of; null where there is none.
Value *withoutByteShift(BinaryOperator *instr) {
  IRBuilder<> b(instr);
  Value *x = instr->getOperand(0);
  auto *by = dyn_cast<Constant>(instr->getOperand(1));
  if (!by)
    return nullptr;
  if (instr->getOpcode() == Instruction::AShr) {
    const APInt *bits = nullptr;
    bool isByte = match(by, PatternMatch::m_APInt(bits)) && *bits == 8;
    return isByte ? signedByte(b, b.CreateLShr(x, by)) : nullptr;
  }
  if (instr->getOpcode() != Instruction::SDiv && instr->getOpcode() != Instruction::SRem)
    return nullptr;
  Type *wide = instr->getType()->getWithNewBitWidth(32);
  Value *result = b.CreateBinOp(instr->getOpcode(), b.CreateSExt(x, wide), b.CreateSExt(by, wide));
  return b.CreateTrunc(result, instr->getType());
}

} // namespace

/// The magnitude of `call`'s first operand with the sign of its second, by masks.
static Value *masked(IRBuilder<> &b, IntrinsicInst &call) {
  Type *bits = call.getType()->getWithNewType(b.getInt32Ty());
  auto part = [&](unsigned operand, uint32_t mask) {
    return b.CreateAnd(b.CreateBitCast(call.getArgOperand(operand), bits), mask);
  };
  return b.CreateBitCast(b.CreateOr(part(0, 0x7fffffff), part(1, 0x80000000)), call.getType());
}

/// The same by NVIDIA's instruction, which selection does not see: of masks ptxas makes two.
static Value *hidden(IRBuilder<> &b, IntrinsicInst &call) {
  Type *type = call.getType();
  auto *instruction = InlineAsm::get(FunctionType::get(type, {type, type}, false),
                                     "copysign.f32 $0, $2, $1;", "=r,r,r",
                                     /*hasSideEffects=*/false);
  CallInst *sign = b.CreateCall(instruction, {call.getArgOperand(0), call.getArgOperand(1)});
  sign->setDoesNotAccessMemory();
  sign->addFnAttr(Attribute::NoUnwind);
  return sign;
}

PreservedAnalyses MaskSigns::run(Function &function, FunctionAnalysisManager &) {
  bool isAmd = function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
  SmallVector<IntrinsicInst *> calls = callsOf(function, Intrinsic::copysign);
  erase_if(calls, [&](IntrinsicInst *call) {
    Type *type = call->getType();
    return !(isAmd ? type->getScalarType() : type)->isFloatTy();
  });
  for (IntrinsicInst *call : calls) {
    IRBuilder<> b(call);
    call->replaceAllUsesWith(isAmd ? masked(b, *call) : hidden(b, *call));
    call->eraseFromParent();
  }
  return calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses SplitSignedShorts::run(Function &function, FunctionAnalysisManager &) {
  if (function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
    return PreservedAnalyses::all();
  bool changed = false;
  for (Instruction &instr : make_early_inc_range(instructions(function))) {
    if (!instr.getType()->isIntOrIntVectorTy(16))
      continue;
    Value *other = nullptr;
    if (auto *sign = dyn_cast<SExtInst>(&instr); sign && sign->getSrcTy()->isIntOrIntVectorTy(8)) {
      IRBuilder<> b(sign);
      other = signedByte(b, b.CreateZExt(sign->getOperand(0), sign->getType()));
    } else if (auto *binary = dyn_cast<BinaryOperator>(&instr)) {
      other = withoutByteShift(binary);
    }
    if (!other)
      continue;
    instr.replaceAllUsesWith(other);
    instr.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

namespace {

/// `bits`, of which all above bit `width` - 1 are zero, with that one as their sign.
Value *withSignOf(IRBuilder<> &b, Value *bits, unsigned width) {
  Constant *sign = ConstantInt::get(bits->getType(), APInt::getOneBitSet(32, width - 1));
  return b.CreateSub(b.CreateXor(bits, sign), sign);
}

/// The same value without an arithmetic shift by whole bytes; null where there is none.
Value *withoutSignedShift(Instruction *instr) {
  IRBuilder<> b(instr);
  if (auto *sign = dyn_cast<SExtInst>(instr)) {
    unsigned width = sign->getSrcTy()->getScalarSizeInBits();
    bool isPart = width == 8 || width == 16;
    return isPart ? withSignOf(b, b.CreateZExt(sign->getOperand(0), sign->getType()), width)
                  : nullptr;
  }
  const APInt *by = nullptr;
  bool isByBytes = instr->getOpcode() == Instruction::AShr &&
                   match(instr->getOperand(1), PatternMatch::m_APInt(by)) && by->ult(32) &&
                   !by->isZero() && by->getZExtValue() % 8 == 0;
  return isByBytes ? withSignOf(b, b.CreateLShr(instr->getOperand(0), instr->getOperand(1)),
                                32 - unsigned(by->getZExtValue()))
                   : nullptr;
}

} // namespace

/// Whether each byte of what the instruction gives is a byte of an operand, a sign or zero.
static bool movesBytes(const Instruction &instr) {
  const APInt *constant = nullptr;
  bool isKnown =
      instr.getNumOperands() == 2 && match(instr.getOperand(1), PatternMatch::m_APInt(constant));
  switch (instr.getOpcode()) {
  case Instruction::Or:
  case Instruction::SExt:
    return true;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return isKnown && constant->urem(8) == 0;
  case Instruction::And:
    for (unsigned byte = 0; isKnown && byte < 4; ++byte)
      if (uint64_t bits = constant->extractBitsAsZExtValue(8, 8 * byte); bits != 0 && bits != 0xff)
        return false;
    return isKnown;
  default:
    return false;
  }
}

PreservedAnalyses SplitSignedParts::run(Function &function, FunctionAnalysisManager &) {
  if (function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
    return PreservedAnalyses::all();
  // What is put together byte by byte, seen through what moves bytes.
  SmallSetVector<Instruction *, 16> parts;
  for (Instruction &instr : instructions(function))
    if (instr.getOpcode() == Instruction::Or && instr.getType()->isIntOrIntVectorTy(32))
      parts.insert(&instr);
  for (size_t i = 0; i < parts.size(); ++i)
    for (Value *operand : parts[i]->operands()) {
      auto *op = dyn_cast<Instruction>(operand);
      bool isMoved = op && op->getType()->isIntOrIntVectorTy(32) && movesBytes(*op);
      if (isMoved)
        parts.insert(op);
    }
  bool changed = false;
  for (Instruction *part : parts)
    if (Value *other = withoutSignedShift(part)) {
      part->replaceAllUsesWith(other);
      part->eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses LeaveOutDots::run(Function &function, FunctionAnalysisManager &) {
  if (function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
    return PreservedAnalyses::all();
  bool asksForSigned = !callsOf(function, Intrinsic::amdgcn_sdot4).empty();
  function.addFnAttr("target-features", asksForSigned ? "-dot7-insts" : "-dot1-insts");
  SmallVector<IntrinsicInst *> ofUnsigned = callsOf(function, Intrinsic::amdgcn_udot4);
  if (!asksForSigned || ofUnsigned.empty())
    return PreservedAnalyses::all();
  for (IntrinsicInst *dot : ofUnsigned) {
    IRBuilder<> b(dot);
    dot->replaceAllUsesWith(writtenOut(b, dot));
    dot->eraseFromParent();
  }
  return PreservedAnalyses::none();
}

} // namespace tilec::codegen
