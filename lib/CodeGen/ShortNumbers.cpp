//===- ShortNumbers.cpp - small integers that become f16 ------------------===//
//
// Looks for conversions whose integers are known to be small: nibbles and bytes of quantised
// weights. Runs late: InstCombine makes conversions of them again, as far as it can follow.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ShortNumbers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {
namespace {

constexpr unsigned mostBits = 10; ///< of an f16's fraction
constexpr int64_t steps = 1024;   ///< numbers from there to twice as much have steps of 1
constexpr uint16_t bitsOf1024 = 0x6400, bitsOf1536 = 0x6600;
constexpr unsigned bitsOfWord = 32, bitsOfHalf = 16;

/// A conversion to f16 whose integer has few bits.
struct Short {
  CastInst *cast = nullptr;
  bool isNatural = false; ///< from 0 to 1023; else it has a sign, and nine bits
};

std::optional<Short> shortOf(llvm::Instruction &instr, const DataLayout &layout) {
  auto *cast = dyn_cast<CastInst>(&instr);
  auto *type = cast ? dyn_cast<IntegerType>(cast->getOperand(0)->getType()) : nullptr;
  bool isSigned = isa<SIToFPInst>(instr);
  if (!type || !cast->getType()->isHalfTy() || !(isSigned || isa<UIToFPInst>(instr)))
    return std::nullopt;
  Value *number = cast->getOperand(0);
  unsigned width = type->getBitWidth();
  KnownBits known = computeKnownBits(number, layout);
  if (known.countMinLeadingZeros() + mostBits >= width && (!isSigned || known.isNonNegative()))
    return Short{cast, true};
  if (isSigned && ComputeNumSignBits(number, layout) + mostBits > width)
    return Short{cast, false};
  return std::nullopt;
}

/// `width` bits of a word of 32 from bit `offset` on, and a number that is added to them.
struct Field {
  Value *word = nullptr; ///< of 32 bits, or a vector
  unsigned element = 0;  ///< which 32 bits of a vector
  unsigned offset = 0, width = 0;
  int64_t added = 0;
};

/// What is read of which word; null word: not known.
Field fieldOf(Value *value) {
  Value *inner;
  const APInt *number;
  uint64_t at;
  if (match(value, m_ZExt(m_Value(inner))))
    return fieldOf(inner);
  if (match(value, m_Trunc(m_Value(inner)))) {
    Field field = fieldOf(inner);
    field.width = std::min(field.width, value->getType()->getIntegerBitWidth());
    return field;
  }
  if (match(value, m_And(m_Value(inner), m_APInt(number))) && number->isMask()) {
    Field field = fieldOf(inner);
    field.width = std::min(field.width, number->popcount());
    return field;
  }
  if (match(value, m_LShr(m_Value(inner), m_APInt(number)))) {
    Field field = fieldOf(inner);
    if (!field.word || number->uge(field.width))
      return {};
    field.offset += number->getZExtValue();
    field.width -= number->getZExtValue();
    return field;
  }
  if (match(value, m_ExtractElt(m_Value(inner), m_ConstantInt(at)))) {
    auto *type = cast<FixedVectorType>(inner->getType());
    unsigned bits = type->getScalarSizeInBits();
    bool isOfWords = type->getElementType()->isIntegerTy() && bits <= bitsOfWord &&
                     type->getNumElements() * bits % bitsOfWord == 0;
    if (!isOfWords || at >= type->getNumElements())
      return {};
    return {inner, unsigned(at * bits / bitsOfWord), unsigned(at * bits % bitsOfWord), bits, 0};
  }
  return value->getType()->isIntegerTy(bitsOfWord) ? Field{value, 0, 0, bitsOfWord, 0} : Field();
}

/// The same of a conversion's integer, to which a constant may have been added.
Field fieldOf(const Short &number) {
  Value *value = number.cast->getOperand(0), *inner;
  const APInt *added;
  Field field;
  if (match(value, m_Add(m_Value(inner), m_APInt(added))) &&
      added->getSignificantBits() <= mostBits) {
    field = fieldOf(inner);
    field.added = added->getSExtValue();
    if (std::max(field.width, added->getSignificantBits()) + 1 >= added->getBitWidth())
      return {}; // the sum may wrap
  } else if (number.isNatural) {
    field = fieldOf(value);
  }
  return field.word && field.width < mostBits ? field : Field();
}

Value *wordOf(const Field &field, IRBuilder<> &b) {
  if (!field.word->getType()->isVectorTy())
    return field.word;
  unsigned words = field.word->getType()->getPrimitiveSizeInBits() / bitsOfWord;
  if (words == 1)
    return b.CreateBitCast(field.word, b.getInt32Ty());
  Value *vector = b.CreateBitCast(field.word, FixedVectorType::get(b.getInt32Ty(), words));
  return b.CreateExtractElement(vector, field.element);
}

/// Two numbers of a word, 16 bits apart, become f16 together.
void expandPair(const Field &low, const Field &high, CastInst *first, CastInst *second) {
  IRBuilder<> b(first->comesBefore(second) ? first : second);
  auto both = [](uint32_t bits) { return bits | bits << bitsOfHalf; };
  Value *word = b.CreateLShr(wordOf(low, b), low.offset);
  Value *bits = b.CreateOr(b.CreateAnd(word, both((1U << low.width) - 1)), both(bitsOf1024));
  auto *pair = FixedVectorType::get(b.getHalfTy(), 2);
  auto offset = [&](const Field &field) {
    return ConstantFP::get(b.getHalfTy(), double(field.added - steps));
  };
  Value *halves =
      b.CreateFAdd(b.CreateBitCast(bits, pair), ConstantVector::get({offset(low), offset(high)}));
  first->replaceAllUsesWith(b.CreateExtractElement(halves, uint64_t(0)));
  second->replaceAllUsesWith(b.CreateExtractElement(halves, uint64_t(1)));
  first->eraseFromParent();
  second->eraseFromParent();
}

void expandOne(const Short &number) {
  IRBuilder<> b(number.cast);
  Value *value = number.cast->getOperand(0);
  Value *bits =
      number.isNatural
          ? b.CreateOr(b.CreateZExtOrTrunc(value, b.getInt16Ty()), b.getInt16(bitsOf1024))
          : b.CreateAdd(b.CreateSExtOrTrunc(value, b.getInt16Ty()), b.getInt16(bitsOf1536));
  Value *offset = ConstantFP::get(b.getHalfTy(), number.isNatural ? steps : steps + steps / 2);
  number.cast->replaceAllUsesWith(b.CreateFSub(b.CreateBitCast(bits, b.getHalfTy()), offset));
  number.cast->eraseFromParent();
}

SmallVector<Short> shortsOf(BasicBlock &block, const DataLayout &layout) {
  SmallVector<Short> found;
  for (llvm::Instruction &instr : block)
    if (std::optional<Short> number = shortOf(instr, layout))
      found.push_back(*number);
  return found;
}

void expandIn(BasicBlock &block, const DataLayout &layout) {
  using Key = std::tuple<Value *, unsigned, unsigned, unsigned>; // word, element, width, offset
  MapVector<Key, std::pair<CastInst *, Field>> waiting;
  for (const Short &number : shortsOf(block, layout)) {
    Field field = fieldOf(number);
    if (!field.word)
      continue;
    auto key = [&](unsigned offset) { return Key(field.word, field.element, field.width, offset); };
    auto take = [&](unsigned offset) -> std::pair<CastInst *, Field> {
      auto *it = waiting.find(key(offset));
      if (it == waiting.end())
        return {};
      std::pair<CastInst *, Field> other = it->second;
      waiting.erase(it);
      return other;
    };
    if (auto [other, low] = take(field.offset - bitsOfHalf); field.offset >= bitsOfHalf && other)
      expandPair(low, field, other, number.cast);
    else if (auto [other, high] = take(field.offset + bitsOfHalf); other)
      expandPair(field, high, number.cast, other);
    else
      waiting.insert({key(field.offset), {number.cast, field}});
  }
  for (const Short &number : shortsOf(block, layout))
    expandOne(number);
}

} // namespace

PreservedAnalyses ShortNumbers::run(Function &function, FunctionAnalysisManager &analyses) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  if (llvm::none_of(instructions(function),
                    [&](llvm::Instruction &instr) { return shortOf(instr, layout).has_value(); }))
    return PreservedAnalyses::all();
  // Bytes of a word are in sight once they are read together.
  analyses.invalidate(function, LoadStoreVectorizerPass().run(function, analyses));
  for (BasicBlock &block : function)
    expandIn(block, layout);
  return PreservedAnalyses::none();
}

} // namespace tilec::codegen
