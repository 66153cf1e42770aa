//===- ShortNumbers.cpp - small integers that become floats ---------------===//
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
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec::codegen {
namespace {

constexpr unsigned bitsOfWord = 32, bitsOfHalf = 16, bitsOfByte = 8;

/// Where the numbers of a format have steps of 1: from `steps()` to twice as much.
struct Format {
  unsigned fraction = 0; ///< bits
  uint32_t first = 0;    ///< the bits of steps()
  uint32_t middle = 0;   ///< those of one and a half times as much

  int64_t steps() const { return int64_t(1) << fraction; }
};
constexpr Format half = {10, 0x6400, 0x6600}, brain = {7, 0x4300, 0x4340},
                 single = {23, 0x4B000000, 0x4B400000};

const Format *formatOf(const Type *type) {
  return type->isHalfTy()     ? &half
         : type->isBFloatTy() ? &brain
         : type->isFloatTy()  ? &single
                              : nullptr;
}

/// What an integer has of bits.
enum class Width {
  Natural, ///< from 0 on, as many as the fraction
  Signed,  ///< one less, and a sign
  Byte,    ///< of bf16: eight, which may be a sign
};

/// A conversion whose integer has few bits.
struct Short {
  CastInst *cast = nullptr;
  Width width = Width::Natural;

  const Format &format() const { return *formatOf(cast->getType()); }
};

std::optional<Short> shortOf(llvm::Instruction &instr, const DataLayout &layout) {
  auto *cast = dyn_cast<CastInst>(&instr);
  auto *type = cast ? dyn_cast<IntegerType>(cast->getOperand(0)->getType()) : nullptr;
  const Format *format = type ? formatOf(cast->getType()) : nullptr;
  bool isSigned = isa<SIToFPInst>(instr);
  if (!format || !(isSigned || isa<UIToFPInst>(instr)))
    return std::nullopt;
  Value *number = cast->getOperand(0);
  unsigned width = type->getBitWidth();
  KnownBits known = computeKnownBits(number, layout);
  if (known.countMinLeadingZeros() + format->fraction >= width &&
      (!isSigned || known.isNonNegative()))
    return Short{cast, Width::Natural};
  if (isSigned && ComputeNumSignBits(number, layout) + format->fraction > width)
    return Short{cast, Width::Signed};
  // Whether it is a byte of a word is seen later.
  if (format == &brain)
    return Short{cast, Width::Byte};
  return std::nullopt;
}

/// `width` bits of a word of 32 from bit `offset` on, and a number that is added to them.
struct Field {
  Value *word = nullptr; ///< of 32 bits, or a vector
  unsigned element = 0;  ///< which 32 bits of a vector
  unsigned offset = 0, width = 0;
  int64_t added = 0;
  bool isSigned = false; ///< the highest bit is a sign

  bool isByte() const { return width == bitsOfByte && offset % bitsOfByte == 0; }
  bool isOfByte() const { return offset % bitsOfByte + width <= bitsOfByte; }
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
  const bool isBrain = &number.format() == &brain;
  const unsigned most = number.format().fraction;
  if (match(value, m_Add(m_Value(inner), m_APInt(added))) &&
      added->getSignificantBits() <= most + isBrain) {
    field = fieldOf(inner);
    field.added = added->getSExtValue();
    if (std::max(field.width, added->getSignificantBits()) + 1 >= added->getBitWidth())
      return {}; // the sum may wrap
    if (field.added < 0 && isa<UIToFPInst>(number.cast) && number.width != Width::Natural)
      return {};
  } else {
    field = fieldOf(value);
    field.isSigned =
        isa<SIToFPInst>(number.cast) && field.width == value->getType()->getIntegerBitWidth();
    // Of a sign there is no way but that of a byte.
    if (field.isSigned && !field.isByte())
      return {};
  }
  // Whole numbers up to 2^8 are bf16.
  bool isByte = isBrain && field.isByte() && field.added <= 1 && field.added >= -256;
  return field.word && (field.width < most || isByte) ? field : Field();
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

/// `bits`, of which a number of `format` is made, and `offset` of it; exact. Before sm_90 there is
/// no addition of bf16.
Value *floatOf(Value *bits, Type *type, Constant *offset, IRBuilder<> &b) {
  Value *number = b.CreateBitCast(bits, type);
  if (!type->getScalarType()->isBFloatTy())
    return b.CreateFAdd(number, offset);
  return b.CreateIntrinsic(Intrinsic::fma, {type}, {number, ConstantFP::get(type, 1.0), offset});
}

uint32_t twice(uint32_t bits) { return bits | bits << bitsOfHalf; }
uint32_t fourTimes(uint32_t bits) { return twice(bits | bits << bitsOfByte); }

void replaceBoth(CastInst *first, CastInst *second, Value *pair, IRBuilder<> &b) {
  first->replaceAllUsesWith(b.CreateExtractElement(pair, uint64_t(0)));
  second->replaceAllUsesWith(b.CreateExtractElement(pair, uint64_t(1)));
  first->eraseFromParent();
  second->eraseFromParent();
}

/// Two numbers of a word, 16 bits apart, become floats of 16 bits together.
void expandPair(const Field &low, const Field &high, CastInst *first, CastInst *second) {
  IRBuilder<> b(first->comesBefore(second) ? first : second);
  const Format &format = *formatOf(first->getType());
  Value *word = b.CreateLShr(wordOf(low, b), low.offset);
  const uint32_t sign = low.isSigned ? 1U << (low.width - 1) : 0;
  // Without a sign both are one operation (JoinMasks.cpp).
  Value *apart = b.CreateAnd(word, twice((1U << low.width) - 1)), *bits = nullptr;
  bits = sign ? b.CreateXor(apart, twice(format.first | sign))
              : b.CreateOr(apart, twice(format.first));
  auto offset = [&](const Field &field) {
    return ConstantFP::get(first->getType(), double(field.added - format.steps() - sign));
  };
  Value *pair = floatOf(bits, FixedVectorType::get(first->getType(), 2),
                        ConstantVector::get({offset(low), offset(high)}), b);
  replaceBoth(first, second, pair, b);
}

/// Two bytes of a word that are neighbours become bf16 together. The seven low bits of a byte go
/// into the fraction of 128; its highest makes 256 of another 128, which lies by 128 below or by 0
/// above the byte's number where that is a sign, and by 256 above it where it is none.
void expandBytes(const Field &low, const Field &high, CastInst *first, CastInst *second) {
  IRBuilder<> b(first->comesBefore(second) ? first : second);
  Type *type = FixedVectorType::get(first->getType(), 2);
  const uint32_t selected = low.offset == 0 ? 0x4140 : 0x4342; // a byte, 0, its neighbour, 0
  Value *apart = b.CreateIntrinsic(Intrinsic::nvvm_prmt, {},
                                   {wordOf(low, b), b.getInt32(0), b.getInt32(selected)});
  auto partOf = [&](uint32_t mask) {
    return b.CreateOr(b.CreateAnd(apart, twice(mask)), twice(brain.first));
  };
  Value *fraction = b.CreateBitCast(partOf(0x7F), type);
  Value *sign = b.CreateBitCast(partOf(0x80), type);
  auto fma = [&](Value *x, double factor, Value *added) {
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {x, ConstantFP::get(type, factor), added});
  };
  Value *pair =
      low.isSigned
          ? fma(sign, -1.0, fraction)
          : fma(fraction, 1.0, fma(sign, 1.0, ConstantFP::get(type, -2.0 * double(brain.steps()))));
  if (low.added || high.added) {
    auto added = [&](const Field &field) {
      return ConstantFP::get(first->getType(), double(field.added));
    };
    pair = fma(pair, 1.0, ConstantVector::get({added(low), added(high)}));
  }
  replaceBoth(first, second, pair, b);
}

/// A byte of a word, or some bits of one, is put into an f32 by one instruction. What comes before
/// that, other bytes of the word have in common.
Value *placedByte(const Field &field, IRBuilder<> &b) {
  Value *word = wordOf(field, b);
  if (field.isSigned) {
    word = b.CreateXor(word, fourTimes(0x80));
  } else if (field.width < bitsOfByte) {
    word = b.CreateLShr(word, field.offset % bitsOfByte);
    word = b.CreateAnd(word, fourTimes((1U << field.width) - 1));
  }
  return b.CreateIntrinsic(
      Intrinsic::nvvm_prmt, {},
      {word, b.getInt32(single.first), b.getInt32(0x7440 | field.offset / bitsOfByte)});
}

void expandOne(const Short &number, const Field &field) {
  IRBuilder<> b(number.cast);
  const Format &format = number.format();
  Type *type = number.cast->getType(), *bitsType = b.getIntNTy(type->getScalarSizeInBits());
  Value *value = number.cast->getOperand(0), *bits;
  int64_t offset = format.steps();
  if (&format == &single && field.word && field.isOfByte()) {
    bits = placedByte(field, b);
    offset += (field.isSigned ? 128 : 0) - field.added;
  } else if (number.width == Width::Natural) {
    bits = b.CreateOr(b.CreateZExtOrTrunc(value, bitsType), format.first);
  } else {
    bits = b.CreateAdd(b.CreateSExtOrTrunc(value, bitsType),
                       ConstantInt::get(bitsType, format.middle));
    offset += offset / 2;
  }
  number.cast->replaceAllUsesWith(floatOf(bits, type, ConstantFP::get(type, -double(offset)), b));
  number.cast->eraseFromParent();
}

SmallVector<Short> shortsOf(BasicBlock &block, const DataLayout &layout) {
  SmallVector<Short> found;
  for (llvm::Instruction &instr : block)
    if (std::optional<Short> number = shortOf(instr, layout))
      found.push_back(*number);
  return found;
}

/// What is known of a conversion, and of the words that its integer is of.
struct Waiting {
  CastInst *cast = nullptr;
  Field field;
};

class Pairs {
public:
  /// Joins the conversion with one that waits for it, or lets it wait.
  void add(CastInst *cast, const Field &field) {
    bool areBytes = cast->getType()->isBFloatTy() && field.isByte();
    unsigned apart = areBytes ? bitsOfByte : bitsOfHalf;
    auto join = areBytes ? expandBytes : expandPair;
    bool mayBeLow = !areBytes || field.offset % bitsOfHalf == 0;
    bool mayBeHigh = field.offset >= apart && (!areBytes || !mayBeLow);
    if (Waiting other = mayBeHigh ? take(cast, field, field.offset - apart) : Waiting(); other.cast)
      join(other.field, field, other.cast, cast);
    else if (Waiting other = mayBeLow ? take(cast, field, field.offset + apart) : Waiting();
             other.cast)
      join(field, other.field, cast, other.cast);
    else
      waiting.insert({keyOf(cast, field, field.offset), {cast, field}});
  }

private:
  /// Type, word, element, width, whether it has a sign, offset.
  using Key = std::tuple<Type *, Value *, unsigned, unsigned, unsigned, unsigned>;

  static Key keyOf(CastInst *cast, const Field &field, unsigned offset) {
    return {cast->getType(),          field.word, field.element, field.width,
            unsigned(field.isSigned), offset};
  }
  Waiting take(CastInst *cast, const Field &field, unsigned offset) {
    auto *it = waiting.find(keyOf(cast, field, offset));
    if (it == waiting.end())
      return {};
    Waiting other = it->second;
    waiting.erase(it);
    return other;
  }

  MapVector<Key, Waiting> waiting;
};

void expandIn(BasicBlock &block, const DataLayout &layout) {
  Pairs pairs;
  for (const Short &number : shortsOf(block, layout))
    if (Field field = fieldOf(number); field.word && &number.format() != &single)
      pairs.add(number.cast, field);
  for (const Short &number : shortsOf(block, layout))
    if (number.width != Width::Byte)
      expandOne(number, fieldOf(number));
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
