//===- HalfPairs.cpp - pairs of f32 that come from f16, or become it ------===//
//
// Rewrites pairs of f32 arithmetic whose operands were f16, or whose results become it, where
// mixed instructions do the same for less.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "HalfPairs.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilec::codegen {
namespace {

/// An element of a vector, behind what only puts vectors together: `vector`[index], or `scalar`.
struct Element {
  Value *scalar = nullptr, *vector = nullptr;
  unsigned index = 0;
};

Element elementOf(Value *vector, unsigned i);

Element elementOf(Value *scalar) {
  auto *extract = dyn_cast<ExtractElementInst>(scalar);
  auto *at = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
  if (!at || at->uge(cast<FixedVectorType>(extract->getVectorOperandType())->getNumElements()))
    return {scalar};
  return elementOf(extract->getVectorOperand(), at->getZExtValue());
}

Element elementOf(Value *vector, unsigned i) {
  if (auto *insert = dyn_cast<InsertElementInst>(vector))
    if (auto *at = dyn_cast<ConstantInt>(insert->getOperand(2)))
      return at->equalsInt(i) ? elementOf(insert->getOperand(1))
                              : elementOf(insert->getOperand(0), i);
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(vector)) {
    int from = shuffle->getMaskValue(i);
    int count = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
    if (from >= 0)
      return elementOf(shuffle->getOperand(from >= count), from % count);
  }
  return {nullptr, vector, i};
}

bool isHalf(Value *value) { return value->getType()->getScalarType()->isHalfTy(); }

/// The extension from f16 that an element is the result of; null if it is none.
FPExtInst *extensionOf(const Element &element) {
  auto *wide = dyn_cast<FPExtInst>(element.scalar ? element.scalar : element.vector);
  return wide && isHalf(wide->getOperand(0)) ? wide : nullptr;
}

Value *halfOf(IRBuilder<> &b, const Element &element) {
  Value *half = extensionOf(element)->getOperand(0);
  return element.scalar ? half : b.CreateExtractElement(half, element.index);
}

bool isPair(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getNumElements() == 2 && vector->getElementType()->isFloatTy();
}

bool wasHalf(Value *pair) {
  return extensionOf(elementOf(pair, 0)) && extensionOf(elementOf(pair, 1));
}

Value *pairOf(IRBuilder<> &b, Value *low, Value *high) {
  Value *none = PoisonValue::get(FixedVectorType::get(low->getType(), 2));
  return b.CreateInsertElement(b.CreateInsertElement(none, low, uint64_t(0)), high, uint64_t(1));
}

bool narrowExtrema(Function &function) {
  bool changed = false;
  for (Instruction &instr : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instr);
    if (!call || !isPair(call->getType()) ||
        (call->getIntrinsicID() != Intrinsic::maxnum &&
         call->getIntrinsicID() != Intrinsic::minnum) ||
        !wasHalf(call->getArgOperand(0)) || !wasHalf(call->getArgOperand(1)))
      continue;
    IRBuilder<> b(call);
    auto halves = [&](Value *pair) {
      return pairOf(b, halfOf(b, elementOf(pair, 0)), halfOf(b, elementOf(pair, 1)));
    };
    Value *extreme = b.CreateBinaryIntrinsic(call->getIntrinsicID(), halves(call->getArgOperand(0)),
                                             halves(call->getArgOperand(1)));
    call->replaceAllUsesWith(b.CreateFPExt(extreme, call->getType()));
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

bool mayContract(Value *value) {
  auto *op = dyn_cast<FPMathOperator>(value);
  return op && op->hasAllowContract();
}

/// The sum that a product of pairs is fused with; null if it is not.
BinaryOperator *sumOf(BinaryOperator *product) {
  if (!product->hasOneUse() || !mayContract(product))
    return nullptr;
  auto *sum = dyn_cast<BinaryOperator>(*product->user_begin());
  bool isSum =
      sum && (sum->getOpcode() == Instruction::FAdd || sum->getOpcode() == Instruction::FSub);
  return isSum && mayContract(sum) ? sum : nullptr;
}

/// Whether all that the value goes to, behind what only takes vectors apart and puts them together,
/// satisfies `is`.
bool allUsers(Value *value, function_ref<bool(Instruction *)> is) {
  return llvm::all_of(value->users(), [&](User *user) {
    if (isa<ExtractElementInst, InsertElementInst, ShuffleVectorInst>(user))
      return allUsers(user, is);
    auto *instr = cast<Instruction>(user);
    return (instr->use_empty() && !instr->mayHaveSideEffects()) || is(instr);
  });
}

/// The same operation on each element.
Value *apart(IRBuilder<> &b, BinaryOperator *op, Value *product, Value *const (&products)[2]) {
  Value *results[2];
  for (unsigned i : {0, 1}) {
    auto operand = [&](unsigned n) -> Value * {
      Value *pair = op->getOperand(n);
      if (pair == product)
        return products[i];
      Element element = elementOf(pair, i);
      if (extensionOf(element))
        return b.CreateFPExt(halfOf(b, element), b.getFloatTy());
      return element.scalar ? element.scalar
                            : b.CreateExtractElement(element.vector, element.index);
    };
    results[i] = b.CreateBinOp(op->getOpcode(), operand(0), operand(1));
    if (auto *instr = dyn_cast<Instruction>(results[i]))
      instr->copyFastMathFlags(op);
  }
  return pairOf(b, results[0], results[1]);
}

/// Takes products apart that become v_fma_mix_f32: where the conversions are for them alone.
bool mixSums(Function &function) {
  auto isMixed = [](Instruction *instr) {
    auto *product = dyn_cast<BinaryOperator>(instr);
    return product && product->getOpcode() == Instruction::FMul && isPair(product->getType()) &&
           sumOf(product) && (wasHalf(product->getOperand(0)) || wasHalf(product->getOperand(1)));
  };
  auto areForIt = [&](Value *pair) {
    return !wasHalf(pair) || llvm::all_of(std::array{0, 1}, [&](unsigned i) {
      return allUsers(extensionOf(elementOf(pair, i)), isMixed);
    });
  };
  SmallVector<BinaryOperator *> products;
  for (Instruction &instr : instructions(function))
    if (isMixed(&instr) && areForIt(instr.getOperand(0)) && areForIt(instr.getOperand(1)))
      products.push_back(cast<BinaryOperator>(&instr));
  for (BinaryOperator *product : products) {
    BinaryOperator *sum = sumOf(product);
    if (!sum) // the sum of two such products, taken apart with the other one
      continue;
    IRBuilder<> b(sum);
    auto *pair = cast<InsertElementInst>(apart(b, product, nullptr, {nullptr, nullptr}));
    Value *low = cast<InsertElementInst>(pair->getOperand(0))->getOperand(1);
    sum->replaceAllUsesWith(apart(b, sum, product, {low, pair->getOperand(1)}));
    sum->eraseFromParent();
    product->eraseFromParent();
  }
  return !products.empty();
}

/// Takes products apart that become v_fma_mixlo_f16.
bool mixRoundings(Function &function) {
  SmallVector<BinaryOperator *> products;
  for (Instruction &instr : instructions(function)) {
    auto *product = dyn_cast<BinaryOperator>(&instr);
    if (product && product->getOpcode() == Instruction::FMul && isPair(product->getType()) &&
        !product->use_empty() &&
        allUsers(product, [](Instruction *user) { return isa<FPTruncInst>(user) && isHalf(user); }))
      products.push_back(product);
  }
  for (BinaryOperator *product : products) {
    IRBuilder<> b(product);
    product->replaceAllUsesWith(apart(b, product, nullptr, {nullptr, nullptr}));
    product->eraseFromParent();
  }
  return !products.empty();
}

} // namespace

PreservedAnalyses HalfPairs::run(Function &function, FunctionAnalysisManager &) {
  if (function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
    return PreservedAnalyses::all();
  bool changed = narrowExtrema(function);
  changed |= mixSums(function);
  // gfx950 rounds pairs at once.
  if (function.getFnAttribute("target-cpu").getValueAsString() == "gfx942")
    changed |= mixRoundings(function);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilec::codegen
