//===- JoinMasks.cpp - two constants in one operation of bits on NVIDIA -----===//
//
// The table of lop3 has the result for each of the eight values of three bits; it is what the two
// operations make of the tables of its inputs (PTX ISA, "lop3").
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "JoinMasks.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

/// The inputs of lop3, each as its own table.
constexpr uint8_t tableOfA = 0xf0, tableOfB = 0xcc, tableOfC = 0xaa;

/// `x op constant` of 32 bits.
struct Masked {
  llvm::Instruction::BinaryOps op;
  Value *x = nullptr;
  ConstantInt *constant = nullptr;
};

std::optional<Masked> maskedOf(Value *value) {
  auto *binary = dyn_cast<BinaryOperator>(value);
  if (!binary || !binary->isBitwiseLogicOp() || !binary->getType()->isIntegerTy(32))
    return std::nullopt;
  auto *constant = dyn_cast<ConstantInt>(binary->getOperand(1));
  // `x ^ -1` costs nothing: lop3 takes x inverted.
  if (!constant || constant->isMinusOne())
    return std::nullopt;
  return Masked{binary->getOpcode(), binary->getOperand(0), constant};
}

uint8_t apply(llvm::Instruction::BinaryOps op, uint8_t left, uint8_t right) {
  switch (op) {
  case llvm::Instruction::And:
    return left & right;
  case llvm::Instruction::Or:
    return left | right;
  default:
    return left ^ right;
  }
}

/// Whether the bits are those of floats: of whole numbers, often addresses and descriptors, the
/// assembler decides by itself.
bool isOfFloats(const llvm::Instruction &bits) {
  return !bits.use_empty() && all_of(bits.users(), [](const User *user) {
    return isa<BitCastInst>(user) && user->getType()->isFPOrFPVectorTy();
  });
}

} // namespace

PreservedAnalyses JoinMasks::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instr : make_early_inc_range(instructions(function))) {
    std::optional<Masked> outer = maskedOf(&instr);
    if (!outer || !outer->x->hasOneUse() || !isOfFloats(instr))
      continue;
    std::optional<Masked> inner = maskedOf(outer->x);
    if (!inner)
      continue;
    IRBuilder<> b(&instr);
    Type *word = instr.getType();
    uint8_t table = apply(outer->op, apply(inner->op, tableOfA, tableOfB), tableOfC);
    auto *lop3 = InlineAsm::get(FunctionType::get(word, {word, word, word, word}, false),
                                "lop3.b32 $0, $1, $2, $3, $4;", "=r,r,n,n,n",
                                /*hasSideEffects=*/false);
    CallInst *joined =
        b.CreateCall(lop3, {inner->x, inner->constant, outer->constant, b.getInt32(table)});
    joined->setDoesNotAccessMemory();
    joined->addFnAttr(Attribute::NoUnwind);
    instr.replaceAllUsesWith(joined);
    instr.eraseFromParent();
    cast<llvm::Instruction>(outer->x)->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
