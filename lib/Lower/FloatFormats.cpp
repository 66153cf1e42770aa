//===- FloatFormats.cpp - 8-bit and 4-bit floats in plain arithmetic ------===//
//
// A code's magnitude, moved to where f32 keeps exponent and mantissa, is the value
// times a power of two, subnormals included: one exact multiplication decodes it.
// Encoding rounds in integers where the code is normal, and by adding a float whose
// last place is the code's last place where it is subnormal.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "FloatFormats.h"

#include "Types.h"

#include <cmath>

namespace tilec::lower {

namespace {

struct Shape {
  unsigned bits, mantissaBits;
  int bias;
};

Shape shapeOf(DType format) {
  switch (format) {
  case DType::E4M3FN:
    return {8, 3, 7};
  case DType::E4M3FNUZ:
    return {8, 3, 8};
  case DType::E5M2:
    return {8, 2, 15};
  case DType::E5M2FNUZ:
    return {8, 2, 16};
  case DType::E2M1:
    return {4, 1, 1};
  default:
    llvm_unreachable("no small float with a sign");
  }
}

bool isFnuz(DType format) { return format == DType::E4M3FNUZ || format == DType::E5M2FNUZ; }

uint32_t bitsOfFloat(float value) { return llvm::bit_cast<uint32_t>(value); }

/// Vector or scalar constants in the shape of one value.
class Shaped {
public:
  Shaped(llvm::IRBuilder<> &b, llvm::Type *like)
      : i32(withShapeOf(like, b.getInt32Ty())), f32(withShapeOf(like, b.getFloatTy())) {}
  llvm::Constant *integer(uint32_t value) const { return llvm::ConstantInt::get(i32, value); }
  llvm::Constant *number(double value) const { return llvm::ConstantFP::get(f32, value); }
  llvm::Type *i32, *f32;
};

llvm::Value *decodeE8M0(llvm::IRBuilder<> &b, const Shaped &s, llvm::Value *code) {
  llvm::Value *bits = b.CreateShl(code, s.integer(23));
  bits = b.CreateSelect(b.CreateICmpEQ(code, s.integer(0)), s.integer(0x00400000), bits);
  bits = b.CreateSelect(b.CreateICmpEQ(code, s.integer(255)), s.integer(0x7fc00000), bits);
  return b.CreateBitCast(bits, s.f32);
}

/// The power of two at or above |value|, clamped.
llvm::Value *encodeE8M0(llvm::IRBuilder<> &b, const Shaped &s, llvm::Value *value) {
  llvm::Value *bits = b.CreateAnd(b.CreateBitCast(value, s.i32), s.integer(0x7fffffff));
  llvm::Value *code = b.CreateLShr(b.CreateAdd(bits, s.integer(0x007fffff)), s.integer(23));
  // 2^-127 is a subnormal of f32.
  code = b.CreateSelect(b.CreateICmpULE(bits, s.integer(0x00400000)), s.integer(0), code);
  code = b.CreateSelect(b.CreateICmpUGT(code, s.integer(254)), s.integer(254), code);
  llvm::Value *isNan = b.CreateICmpUGT(bits, s.integer(0x7f800000));
  return b.CreateSelect(isNan, s.integer(255), code);
}

} // namespace

llvm::Value *decodeSmallFloat(llvm::IRBuilder<> &b, DType format, llvm::Value *codes) {
  Shaped s(b, codes->getType());
  llvm::Value *code = b.CreateZExt(codes, s.i32);
  if (format == DType::E8M0)
    return decodeE8M0(b, s, code);
  Shape shape = shapeOf(format);
  uint32_t signBit = 1u << (shape.bits - 1);
  llvm::Value *magnitude = b.CreateAnd(code, s.integer(signBit - 1));
  llvm::Value *sign = b.CreateShl(b.CreateAnd(code, s.integer(signBit)), 32 - shape.bits);
  llvm::Value *scaled = b.CreateBitCast(b.CreateShl(magnitude, 23 - shape.mantissaBits), s.f32);
  llvm::Value *value = b.CreateFMul(scaled, s.number(std::ldexp(1.0, 127 - shape.bias)));
  llvm::Value *bits = b.CreateBitCast(value, s.i32);
  if (format == DType::E5M2) {
    // Infinity and NaN keep their mantissa under f32's top exponent.
    llvm::Value *special = b.CreateOr(bits, s.integer(0x7f800000));
    bits = b.CreateSelect(b.CreateICmpUGE(magnitude, s.integer(0x7c)), special, bits);
  }
  if (format == DType::E4M3FN)
    bits = b.CreateSelect(b.CreateICmpEQ(magnitude, s.integer(0x7f)), s.integer(0x7fc00000), bits);
  bits = b.CreateOr(bits, sign);
  if (isFnuz(format))
    bits = b.CreateSelect(b.CreateICmpEQ(code, s.integer(0x80)), s.integer(0x7fc00000), bits);
  return b.CreateBitCast(bits, s.f32);
}

llvm::Value *clampToFormat(llvm::IRBuilder<> &b, DType format, llvm::Value *values) {
  Shaped s(b, values->getType());
  llvm::Constant *largest = s.number(maxValue(format));
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, values);
  llvm::Value *limit = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, largest, values);
  return b.CreateSelect(b.CreateFCmpOGT(magnitude, largest), limit, values);
}

llvm::Value *encodeSmallFloat(llvm::IRBuilder<> &b, DType format, llvm::Value *values) {
  Shaped s(b, values->getType());
  // See llvmType: one code of 4 bits is a byte.
  unsigned codeBits = values->getType()->isVectorTy() ? tilec::bitsOf(format) : 8;
  llvm::Type *codeType = withShapeOf(values->getType(), b.getIntNTy(codeBits));
  if (format == DType::E8M0)
    return b.CreateTrunc(encodeE8M0(b, s, values), codeType);
  Shape shape = shapeOf(format);
  unsigned dropped = 23 - shape.mantissaBits;
  llvm::Value *bits = b.CreateBitCast(values, s.i32);
  llvm::Value *magnitude = b.CreateAnd(bits, s.integer(0x7fffffff));
  llvm::Value *isNan = b.CreateICmpUGT(magnitude, s.integer(0x7f800000));
  llvm::Value *limited =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, magnitude,
                              s.integer(bitsOfFloat(static_cast<float>(maxValue(format)))));
  // Normal codes: round the mantissa in place, a carry goes into the exponent; then rebias.
  llvm::Value *odd = b.CreateAnd(b.CreateLShr(limited, dropped), s.integer(1));
  llvm::Value *rounded =
      b.CreateAdd(b.CreateAdd(limited, s.integer((1u << (dropped - 1)) - 1)), odd);
  uint32_t rebias = static_cast<uint32_t>(127 - shape.bias) << shape.mantissaBits;
  llvm::Value *normal = b.CreateSub(b.CreateLShr(rounded, dropped), s.integer(rebias));
  // Subnormal codes: a sum whose last place is 2^(1 - bias - mantissaBits).
  float aligner = std::ldexp(1.0f, 23 + 1 - shape.bias - static_cast<int>(shape.mantissaBits));
  llvm::Value *sum = b.CreateFAdd(b.CreateBitCast(limited, s.f32), s.number(aligner));
  llvm::Value *subnormal =
      b.CreateSub(b.CreateBitCast(sum, s.i32), s.integer(bitsOfFloat(aligner)));
  float smallestNormal = std::ldexp(1.0f, 1 - shape.bias);
  llvm::Value *isNormal = b.CreateICmpUGE(limited, s.integer(bitsOfFloat(smallestNormal)));
  llvm::Value *code = b.CreateSelect(isNormal, normal, subnormal);

  uint32_t nan = static_cast<uint32_t>(encodeFloat(format, std::nan("")));
  if (isFnuz(format)) { // no -0, and one NaN
    llvm::Value *sign = b.CreateAnd(b.CreateLShr(bits, 24), s.integer(0x80));
    sign = b.CreateSelect(b.CreateICmpEQ(code, s.integer(0)), s.integer(0), sign);
    code = b.CreateSelect(isNan, s.integer(nan), b.CreateOr(code, sign));
  } else {
    code = b.CreateSelect(isNan, s.integer(nan), code);
    uint32_t signBit = 1u << (shape.bits - 1);
    code = b.CreateOr(code, b.CreateAnd(b.CreateLShr(bits, 32 - shape.bits), s.integer(signBit)));
  }
  return b.CreateTrunc(code, codeType);
}

llvm::Value *roundToOdd(llvm::IRBuilder<> &b, llvm::Value *values) {
  Shaped s(b, values->getType());
  llvm::Value *nearest = b.CreateFPTrunc(values, s.f32);
  llvm::Value *back = b.CreateFPExt(nearest, values->getType());
  llvm::Value *bits = b.CreateBitCast(nearest, s.i32);
  auto abs = [&](llvm::Value *v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  llvm::Value *inexact = b.CreateFCmpONE(back, values);
  llvm::Value *even = b.CreateICmpEQ(b.CreateAnd(bits, s.integer(1)), s.integer(0));
  llvm::Value *towardsZero = b.CreateFCmpOLT(abs(back), abs(values));
  llvm::Value *step = b.CreateSelect(towardsZero, s.integer(1), s.integer(~0u));
  bits = b.CreateSelect(b.CreateAnd(inexact, even), b.CreateAdd(bits, step), bits);
  return b.CreateBitCast(bits, s.f32);
}

} // namespace tilec::lower
