//===- AccessAlignment.cpp - what addresses are a multiple of -------------===//
//
// The low bits of a sum that are zero in both terms are zero, whether it overflows or not; those of
// a product are as many as in both factors together. What is no such operation is asked of LLVM.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AccessAlignment.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {
namespace {

constexpr unsigned widest = 4;    // log2 of the bytes of an access
constexpr unsigned deepest = 256; // sums of sums: code that is written out has chains of any length

class LowBits {
public:
  explicit LowBits(const DataLayout &layout) : layout(layout) {}

  /// How many are zero, at most `widest`.
  unsigned zerosOf(Value *value) {
    auto [entry, isNew] = known.try_emplace(value, 0); // of itself, through a loop: none
    if (!isNew)
      return entry->second;
    ++depth;
    unsigned zeros = std::min(compute(value), widest);
    --depth;
    return known[value] = zeros;
  }

private:
  unsigned compute(Value *value) {
    Value *left, *right;
    if (depth > deepest)
      return 0;
    if (match(value, m_Add(m_Value(left), m_Value(right))) ||
        match(value, m_Sub(m_Value(left), m_Value(right))) ||
        match(value, m_Or(m_Value(left), m_Value(right))) ||
        match(value, m_Xor(m_Value(left), m_Value(right))) ||
        match(value, m_Select(m_Value(), m_Value(left), m_Value(right))))
      return std::min(zerosOf(left), zerosOf(right));
    if (match(value, m_Mul(m_Value(left), m_Value(right))))
      return zerosOf(left) + zerosOf(right);
    if (match(value, m_ZExt(m_Value(left))) || match(value, m_SExt(m_Value(left))))
      return zerosOf(left);
    if (auto *gep = dyn_cast<GEPOperator>(value);
        gep && gep->getSourceElementType()->isIntegerTy(8) && gep->getNumIndices() == 1)
      return std::min(zerosOf(gep->getPointerOperand()), zerosOf(gep->getOperand(1)));
    if (value->getType()->isPointerTy())
      return Log2(value->getPointerAlignment(layout));
    return value->getType()->isIntegerTy() ? computeKnownBits(value, layout).countMinTrailingZeros()
                                           : 0;
  }

  const DataLayout &layout;
  DenseMap<Value *, unsigned> known;
  unsigned depth = 0;
};

} // namespace

PreservedAnalyses AccessAlignment::run(Function &function, FunctionAnalysisManager &) {
  LowBits bits(function.getDataLayout());
  for (Instruction &instr : instructions(function)) {
    Value *pointer = getLoadStorePointerOperand(&instr);
    if (!pointer)
      continue;
    Align align = std::max(getLoadStoreAlignment(&instr), Align(1u << bits.zerosOf(pointer)));
    if (auto *load = dyn_cast<LoadInst>(&instr))
      load->setAlignment(align);
    else
      cast<StoreInst>(instr).setAlignment(align);
  }
  return PreservedAnalyses::all();
}

} // namespace tilec::codegen
