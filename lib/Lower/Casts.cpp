//===- Casts.cpp - conversions between numbers ----------------------------===//
//
// f8 and f4 go through f32, with the chip's own conversion where it has one for the
// format and FloatFormats.cpp where not.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "FloatFormats.h"
#include "KernelLowering.h"
#include "ShortNans.h"
#include "Types.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace tilec::lower {

namespace arith = mlir::arith;
using mlir::LogicalResult;

static unsigned countOf(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

/// i8 codes as f32 by the chip, word by word.
static llvm::Value *decodeInHardware(Emitter &e, DType format, llvm::Value *codes) {
  Builder &b = e.b;
  unsigned count = countOf(codes->getType());
  if (!codes->getType()->isVectorTy())
    return e.unpackSmallFloat(format, b.CreateZExt(codes, b.getInt32Ty()), 0);
  llvm::Value *word = nullptr;
  llvm::Value *result = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getFloatTy(), count));
  for (unsigned i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      llvm::SmallVector<int> mask;
      for (unsigned j = i; j < i + 4; ++j)
        mask.push_back(j < count ? static_cast<int>(j) : llvm::PoisonMaskElem);
      word = b.CreateBitCast(b.CreateShuffleVector(codes, mask), b.getInt32Ty());
    }
    result = b.CreateInsertElement(result, e.unpackSmallFloat(format, word, i % 4), i);
  }
  return result;
}

/// f32 as i8 codes by the chip.
static llvm::Value *encodeInHardware(Emitter &e, DType format, llvm::Value *values) {
  Builder &b = e.b;
  if (!e.packSaturates())
    values = clampToFormat(b, format, values);
  if (!values->getType()->isVectorTy())
    return b.CreateTrunc(e.packSmallFloats(format, values, values), b.getInt8Ty());
  unsigned count = countOf(values->getType());
  // Pairs become the 16-bit elements of one vector, so that four codes end in one register.
  auto *pairs = llvm::FixedVectorType::get(b.getInt16Ty(), (count + 1) / 2);
  llvm::Value *result = llvm::PoisonValue::get(pairs);
  for (unsigned i = 0; i < count; i += 2) {
    llvm::Value *low = b.CreateExtractElement(values, i);
    llvm::Value *high = i + 1 < count ? b.CreateExtractElement(values, i + 1) : low;
    llvm::Value *packed = e.packSmallFloats(format, low, high);
    result = b.CreateInsertElement(result, b.CreateTrunc(packed, b.getInt16Ty()), i / 2);
  }
  result =
      b.CreateBitCast(result, llvm::FixedVectorType::get(b.getInt8Ty(), 2 * ((count + 1) / 2)));
  if (count % 2 == 0)
    return result;
  llvm::SmallVector<int> mask;
  for (unsigned i = 0; i < count; ++i)
    mask.push_back(static_cast<int>(i));
  return b.CreateShuffleVector(result, mask);
}

/// bf16 pairs as f32: a bf16 is the upper half of its f32, so each takes one instruction on the
/// word that holds the pair. NVPTX takes words apart into halves first.
static llvm::Value *extendPairs(Builder &b, llvm::Value *values) {
  unsigned count = countOf(values->getType());
  auto *words = llvm::FixedVectorType::get(b.getInt32Ty(), count / 2);
  values = b.CreateBitCast(values, words);
  llvm::Value *result = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getFloatTy(), count));
  for (unsigned i = 0; i < count; i += 2) {
    llvm::Value *word = b.CreateExtractElement(values, i / 2);
    llvm::Value *halves[] = {b.CreateShl(word, 16), b.CreateAnd(word, 0xffff0000)};
    for (unsigned j = 0; j < 2; ++j)
      result = b.CreateInsertElement(result, b.CreateBitCast(halves[j], b.getFloatTy()), i + j);
  }
  return result;
}

llvm::Value *KernelLowering::extendFloat(llvm::Value *value, mlir::Type from, mlir::Type to) {
  llvm::Type *target = typeOf(to);
  std::optional<DType> format = smallFloat(wave::elementOf(from));
  llvm::Type *source = value->getType();
  bool isPairs = source->getScalarType()->isBFloatTy() && target->getScalarType()->isFloatTy() &&
                 countOf(source) % 2 == 0;
  if (isPairs && e.target.vendor == Vendor::Nvidia)
    return extendPairs(b, value);
  if (!format)
    return b.CreateFPExt(value, target);
  llvm::Value *wide = e.convertsSmallFloat(*format) ? decodeInHardware(e, *format, value)
                                                    : decodeSmallFloat(b, *format, value);
  llvm::Type *element = target->getScalarType();
  if (element->isFloatTy())
    return wide;
  if (element->isDoubleTy())
    return b.CreateFPExt(wide, target);
  if (element->isHalfTy())
    return b.CreateFPTrunc(wide, target);
  // At most 4 significant bits: the upper half of the f32 is the bf16.
  llvm::Value *bits = b.CreateBitCast(wide, withShapeOf(target, b.getInt32Ty()));
  bits = b.CreateTrunc(b.CreateLShr(bits, 16), withShapeOf(target, b.getInt16Ty()));
  return b.CreateBitCast(bits, target);
}

namespace {

/// A number, or the one element of a vector that is asked about.
struct Number {
  llvm::Value *value;
  unsigned index = 0; ///< of a vector
};

/// Where a number is computed, behind what takes vectors apart and puts them together.
Number sourceOf(Number number) {
  for (;;) {
    llvm::Value *found = nullptr;
    if (number.value->getType()->isVectorTy()) {
      found = llvm::findScalarElement(number.value, number.index);
    } else if (auto *part = llvm::dyn_cast<llvm::ExtractElementInst>(number.value)) {
      if (auto *at = llvm::dyn_cast<llvm::ConstantInt>(part->getIndexOperand())) {
        number = {part->getVectorOperand(), static_cast<unsigned>(at->getZExtValue())};
        found = llvm::findScalarElement(number.value, number.index);
      }
    }
    if (!found)
      return number;
    number = {found};
  }
}

/// Whether it is a power of two to some exponent, as the chip approximates it.
bool isApproxPower(const Emitter &e, Number number) {
  return e.isApproxExp2(sourceOf(number).value);
}

/// Whether it is such a power times the approximate reciprocal of something, as a share of a sum
/// is.
bool isApproxShare(const Emitter &e, Number number) {
  namespace match = llvm::PatternMatch;
  auto isReciprocal = [&](Number factor) {
    llvm::Value *value = sourceOf(factor).value, *rest;
    if (match::match(value, match::m_c_FMul(match::m_FPOne(), match::m_Value(rest))))
      value = rest;
    return match::match(value, match::m_FDiv(match::m_FPOne(), match::m_Value())) ||
           e.isApproxRcp(value);
  };
  Number source = sourceOf(number);
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(source.value);
  if (!product || product->getOpcode() != llvm::Instruction::FMul || !product->hasAllowReciprocal())
    return false;
  Number left = {product->getOperand(0), source.index};
  Number right = {product->getOperand(1), source.index};
  return (isApproxPower(e, left) && isReciprocal(right)) ||
         (isApproxPower(e, right) && isReciprocal(left));
}

/// Whether both are the same function of the same numbers, `depth` operations deep.
bool areEqual(Number left, Number right, unsigned depth = 8) {
  left = sourceOf(left), right = sourceOf(right);
  if (left.value == right.value)
    return !left.value->getType()->isVectorTy() || left.index == right.index;
  auto *x = llvm::dyn_cast<llvm::Instruction>(left.value);
  auto *y = llvm::dyn_cast<llvm::Instruction>(right.value);
  if (depth == 0 || !x || !y || !x->isSameOperationAs(y) || x->mayReadOrWriteMemory() ||
      llvm::isa<llvm::PHINode>(x))
    return false;
  // An operation on vectors works element by element: others have been looked through.
  bool isCall = llvm::isa<llvm::IntrinsicInst>(x);
  if (!isCall && !llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator>(x))
    return false;
  if (isCall && llvm::cast<llvm::CallBase>(x)->getCalledOperand() !=
                    llvm::cast<llvm::CallBase>(y)->getCalledOperand())
    return false;
  for (unsigned i = 0; i < x->getNumOperands() - isCall; ++i)
    if (!areEqual({x->getOperand(i), left.index}, {y->getOperand(i), right.index}, depth - 1))
      return false;
  return true;
}

/// A bf16 times a sine or cosine that the chip approximates.
struct Turned {
  bool byCosine;
  Number angle;
};

std::optional<Turned> turnedOf(const Emitter &e, Number number) {
  Number source = sourceOf(number);
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(source.value);
  if (!product || product->getOpcode() != llvm::Instruction::FMul)
    return std::nullopt;
  for (unsigned at : {0U, 1U}) {
    Number sine = sourceOf({product->getOperand(at), source.index});
    Number other = sourceOf({product->getOperand(1 - at), source.index});
    auto *wide = llvm::dyn_cast<llvm::FPExtInst>(other.value);
    bool byCosine = e.isApproxSine(sine.value, /*isCosine=*/true);
    if (wide && wide->getSrcTy()->getScalarType()->isBFloatTy() &&
        (byCosine || e.isApproxSine(sine.value, /*isCosine=*/false)))
      return Turned{byCosine,
                    {llvm::cast<llvm::CallBase>(sine.value)->getArgOperand(0), sine.index}};
  }
  return std::nullopt;
}

/// Whether it is a coordinate of a pair of bf16 that is turned: x cos a - y sin a, or with a sum.
/// Where sine and cosine are exact, one is 0 and the other 1 or -1, and the sum is a bf16.
bool isTurnedPair(const Emitter &e, Number number) {
  Number source = sourceOf(number);
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(source.value);
  if (!sum ||
      (sum->getOpcode() != llvm::Instruction::FAdd && sum->getOpcode() != llvm::Instruction::FSub))
    return false;
  std::optional<Turned> left = turnedOf(e, {sum->getOperand(0), source.index});
  std::optional<Turned> right = turnedOf(e, {sum->getOperand(1), source.index});
  return left && right && left->byCosine != right->byCosine && areEqual(left->angle, right->angle);
}

bool allElements(llvm::Value *value, llvm::function_ref<bool(Number)> holds) {
  for (unsigned i = 0; i < countOf(value->getType()); ++i)
    if (!holds({value, i}))
      return false;
  return true;
}

} // namespace

/// Adds to words of which none becomes 2^32 or more: two by two, where LLVM has an addition of 64
/// bits, as the chips without a conversion to bf16 do.
static llvm::Value *addToEach(Builder &b, llvm::Value *words, uint32_t addend) {
  unsigned count = countOf(words->getType());
  if (!words->getType()->isVectorTy() || count % 2 != 0)
    return b.CreateAdd(words, llvm::ConstantInt::get(words->getType(), addend));
  auto *pairs = llvm::FixedVectorType::get(b.getInt64Ty(), count / 2);
  auto *both = llvm::ConstantInt::get(pairs, uint64_t(addend) << 32 | addend);
  return b.CreateBitCast(b.CreateAdd(b.CreateBitCast(words, pairs), both), words->getType());
}

/// Approximate powers as bf16 where the chip has no instruction for it. They have no sign, so one
/// minimum keeps a NaN from being rounded into a number. A tie goes up: the approximation decides
/// whether there is one (docs/decisions/0006).
static llvm::Value *roundPowersToBf16(Builder &b, llvm::Value *value, llvm::Type *target) {
  llvm::Type *words = withShapeOf(value->getType(), b.getInt32Ty());
  auto constant = [&](uint32_t bits) { return llvm::ConstantInt::get(words, bits); };
  llvm::Value *bits = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b.CreateBitCast(value, words),
                                              constant(0x7fc00000));
  bits = b.CreateLShr(addToEach(b, bits, 0x8000), 16);
  return b.CreateBitCast(b.CreateTrunc(bits, withShapeOf(words, b.getInt16Ty())), target);
}

/// f32 as bf16 where no NaN has anything in its low half, so that no carry leaves it: to nearest by
/// an addition, three instructions fewer than where a NaN must be looked for. Ties go to even, or,
/// where `tiesAreChance`, away from zero, which is one more instruction less. A power that is exact
/// is a power of two, and its share of a sum has 9 bits only if it has one; an exact turn gives one
/// of the two bf16; all others have a tie only as an approximation makes one.
static llvm::Value *roundToBf16(Builder &b, llvm::Value *value, llvm::Type *target,
                                bool tiesAreChance) {
  llvm::Type *words = withShapeOf(value->getType(), b.getInt32Ty());
  auto constant = [&](uint32_t bits) { return llvm::ConstantInt::get(words, bits); };
  llvm::Value *bits = b.CreateBitCast(value, words);
  if (tiesAreChance) {
    bits = addToEach(b, bits, 0x8000);
  } else {
    llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(bits, 16), constant(1));
    bits = b.CreateAdd(b.CreateAdd(isOdd, bits), constant(0x7fff));
  }
  bits = b.CreateLShr(bits, 16);
  return b.CreateBitCast(b.CreateTrunc(bits, withShapeOf(words, b.getInt16Ty())), target);
}

llvm::Value *KernelLowering::truncateFloat(llvm::Value *value, mlir::Type from, mlir::Type to) {
  llvm::Type *target = typeOf(to);
  std::optional<DType> format = smallFloat(wave::elementOf(to));
  if (!format && target->getScalarType()->isBFloatTy() && !e.convertsBf16() &&
      value->getType()->getScalarType()->isFloatTy()) {
    if (!shortNans)
      shortNans = hasOnlyShortNans(kernel);
    auto isPower = [&](Number number) { return isApproxPower(e, number); };
    if (*shortNans)
      return roundToBf16(b, value, target, allElements(value, [&](Number number) {
                           return isPower(number) || isApproxShare(e, number) ||
                                  isTurnedPair(e, number);
                         }));
    if (allElements(value, isPower))
      return roundPowersToBf16(b, value, target);
  }
  if (!format)
    return b.CreateFPTrunc(value, target);
  if (smallFloat(wave::elementOf(from))) {
    // f8 to f4, without the f32 between them: a fold has taken that away.
    mlir::Type f32 = mlir::Float32Type::get(from.getContext());
    auto vector = mlir::dyn_cast<mlir::VectorType>(from);
    value = extendFloat(value, from, vector ? mlir::Type(vector.clone(f32)) : f32);
  }
  llvm::Type *source = value->getType();
  if (source->getScalarType()->isDoubleTy())
    value = roundToOdd(b, value);
  else if (!source->getScalarType()->isFloatTy())
    value = b.CreateFPExt(value, withShapeOf(source, b.getFloatTy()));
  return e.convertsSmallFloat(*format) ? encodeInHardware(e, *format, value)
                                       : encodeSmallFloat(b, *format, value);
}

/// Casts whose both sides are LLVM numbers.
static llvm::Value *plainCast(Builder &b, mlir::Operation &op, llvm::Value *value,
                              llvm::Type *type) {
  unsigned from = value->getType()->getScalarSizeInBits(), to = type->getScalarSizeInBits();
  // Saturating at 32 or 64 bits, then wrapping (docs/simulators/reference-device.md).
  auto viaInt32 = [&](bool isSigned) {
    llvm::Type *wide = to < 32 ? withShapeOf(type, b.getInt32Ty()) : type;
    llvm::Value *whole =
        b.CreateIntrinsic(isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                          {wide, value->getType()}, {value});
    return b.CreateTruncOrBitCast(whole, type);
  };
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
      .Case([&](arith::ExtSIOp) { return b.CreateSExt(value, type); })
      .Case([&](arith::ExtUIOp) { return b.CreateZExt(value, type); })
      .Case([&](arith::TruncIOp trunc) {
        llvm::Value *low = b.CreateTrunc(value, type);
        bool isNibble = trunc.getType().isInteger(4);
        return isNibble ? b.CreateAnd(low, llvm::ConstantInt::get(type, 15)) : low;
      })
      .Case([&](arith::BitcastOp) { return b.CreateBitCast(value, type); })
      .Case([&](arith::IndexCastOp) {
        return from < to ? b.CreateSExt(value, type) : b.CreateTrunc(value, type);
      })
      .Case([&](arith::IndexCastUIOp) {
        return from < to ? b.CreateZExt(value, type) : b.CreateTrunc(value, type);
      })
      .Case([&](arith::SIToFPOp) { return b.CreateSIToFP(value, type); })
      .Case([&](arith::UIToFPOp) { return b.CreateUIToFP(value, type); })
      .Case([&](arith::FPToSIOp) { return viaInt32(true); })
      .Case([&](arith::FPToUIOp) { return viaInt32(false); })
      .Default([](mlir::Operation *) { return nullptr; });
}

LogicalResult KernelLowering::lowerCast(mlir::Operation &op) {
  mlir::Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  llvm::Value *value = at(op.getOperand(0));
  if (auto truncation = mlir::dyn_cast<arith::TruncFOp>(op)) {
    auto mode = truncation.getRoundingmode();
    if (mode && *mode != arith::RoundingMode::to_nearest_even)
      return fail(op, "rounds in another way than to nearest even");
    return done(op, truncateFloat(value, from, to));
  }
  if (mlir::isa<arith::ExtFOp>(op))
    return done(op, extendFloat(value, from, to));
  // Numbers to and from f8 and f4 pass through f32; integers are exact there far beyond the range
  // of these formats.
  mlir::Type f32 = mlir::Float32Type::get(op.getContext());
  auto shaped = [&](mlir::Type like) -> mlir::Type {
    auto vector = mlir::dyn_cast<mlir::VectorType>(like);
    return vector ? mlir::Type(vector.clone(f32)) : f32;
  };
  bool isBitcast = mlir::isa<arith::BitcastOp>(op);
  if (!isBitcast && smallFloat(wave::elementOf(to)))
    return done(op, truncateFloat(plainCast(b, op, value, typeOf(shaped(to))), shaped(to), to));
  if (!isBitcast && smallFloat(wave::elementOf(from)))
    value = extendFloat(value, from, shaped(from));
  return done(op, plainCast(b, op, value, typeOf(to)));
}

} // namespace tilec::lower
