//===- WaveBuilder.cpp - arithmetic of a wave, elements as values ---------===//
//
// Index arithmetic with constants folded, and elements of vectors; WaveBuilder.h says what for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/WaveBuilder.h"

using namespace mlir;

namespace tilec {

Value WaveBuilder::index(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    // Before the lane: what is computed from it later may be put right behind it.
    b.setInsertionPoint(constantAnchor);
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value WaveBuilder::addIndex(Value a, Value c) {
  if (!a || !c)
    return a ? a : c ? c : index(0);
  return arith::AddIOp::create(b, loc, a, c);
}

Value WaveBuilder::addIndex(Value a, int64_t c) {
  if (!a)
    return index(c);
  if (auto constant = tile::constantInt(a))
    return index(*constant + c);
  return c == 0 ? a : arith::AddIOp::create(b, loc, a, index(c)).getResult();
}

Value WaveBuilder::mulIndex(Value a, int64_t factor) {
  if (auto constant = tile::constantInt(a))
    return index(*constant * factor);
  return factor == 1 ? a : arith::MulIOp::create(b, loc, a, index(factor)).getResult();
}

Value WaveBuilder::divIndex(Value a, int64_t by) {
  if (auto constant = tile::constantInt(a))
    return index(*constant / by);
  return by == 1 ? a : arith::DivUIOp::create(b, loc, a, index(by)).getResult();
}

Value WaveBuilder::remIndex(Value a, int64_t by) {
  if (auto constant = tile::constantInt(a))
    return index(*constant % by);
  return by == 1 ? index(0) : arith::RemUIOp::create(b, loc, a, index(by)).getResult();
}

Value WaveBuilder::andMasks(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, loc, a, c);
}

Type WaveBuilder::vectorOf(int64_t count, Type element) {
  return count == 1 ? element : VectorType::get({count}, element);
}

Type WaveBuilder::memoryType(DType dtype) {
  // On chip, 4-bit elements have a byte each: neighbours belong to different lanes.
  if (dtype == DType::Bool || isPacked(dtype))
    return b.getI8Type();
  if (isUnsigned(dtype))
    return b.getIntegerType(bitsOf(dtype));
  return tile::elementTypeOf(dtype, b.getContext());
}

/// A byte with the code of an e2m1 element, and back.
Value WaveBuilder::decodeE2M1(Value code) {
  Value narrow = arith::TruncIOp::create(b, loc, b.getIntegerType(4), code);
  Value element =
      wave::BitcastOp::create(b, loc, tile::elementTypeOf(DType::E2M1, b.getContext()), narrow);
  return arith::ExtFOp::create(b, loc, b.getF32Type(), element);
}

Value WaveBuilder::encodeE2M1(Value value) {
  Value element =
      arith::TruncFOp::create(b, loc, tile::elementTypeOf(DType::E2M1, b.getContext()), value);
  Value narrow = wave::BitcastOp::create(b, loc, b.getIntegerType(4), element);
  return arith::ExtUIOp::create(b, loc, b.getI8Type(), narrow);
}

/// `convert` for each element of a value that may be a vector.
Value WaveBuilder::elementwise(Value value, llvm::function_ref<Value(Value)> convert) {
  SmallVector<Value, 8> parts = unpack(value, wave::elementsOf(value.getType()));
  for (Value &part : parts)
    part = convert(part);
  return pack(parts);
}

Value WaveBuilder::toScalar(Value value, DType dtype) {
  int64_t count = wave::elementsOf(value.getType());
  if (dtype == DType::E2M1)
    return elementwise(value, [&](Value code) { return decodeE2M1(code); });
  if (dtype == DType::Bool) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (isFloat(dtype) && dtype != DType::F32 && dtype != DType::F64)
    return arith::ExtFOp::create(b, loc, vectorOf(count, b.getF32Type()), value);
  return value;
}

Value WaveBuilder::beforeExtension(Value value, Type element) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    return wave::elementOf(extension.getIn().getType()) == element ? extension.getIn() : Value();
  if (auto extract = value.getDefiningOp<wave::ExtractOp>()) {
    Value narrow = beforeExtension(extract.getVector(), element);
    int64_t count = wave::elementsOf(value.getType());
    return narrow ? wave::ExtractOp::create(b, loc, vectorOf(count, element), narrow,
                                            extract.getPosition())
                        .getResult()
                  : Value();
  }
  auto together = value.getDefiningOp<wave::PackOp>();
  if (!together)
    return {};
  SmallVector<Value, 8> parts;
  for (Value part : together->getOperands()) {
    Value narrow = beforeExtension(part, element);
    if (!narrow)
      return {};
    parts.push_back(narrow);
  }
  return pack(parts);
}

Value WaveBuilder::fromScalar(Value value, DType dtype, bool isMoved) {
  int64_t count = wave::elementsOf(value.getType());
  if (dtype == DType::E2M1)
    return elementwise(value, [&](Value x) { return encodeE2M1(x); });
  if (isPacked(dtype)) // modulo 2^4
    return elementwise(value, [&](Value x) { return lowNibble(x, dtype); });
  if (dtype == DType::Bool)
    return arith::ExtUIOp::create(b, loc, vectorOf(count, b.getI8Type()), value);
  if (isFloat(dtype) && dtype != DType::F32 && dtype != DType::F64) {
    // What is not changed is not converted there and back; but where there is infinity, of which a
    // store makes the largest number, unless it only moves elements.
    bool saturates = bitsOf(dtype) < 16 && hasInfinity(dtype) && !isMoved;
    if (Value narrow = saturates ? Value() : beforeExtension(value, memoryType(dtype)))
      return narrow;
    return arith::TruncFOp::create(b, loc, vectorOf(count, memoryType(dtype)), value);
  }
  return value;
}

Value WaveBuilder::vectorOfElements(ArrayRef<Value> parts) {
  Value vector;
  int64_t first = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto extract = part.getDefiningOp<wave::ExtractOp>();
    if (extract && i == 0)
      first = extract.getPosition();
    if (!extract || int64_t(extract.getPosition()) != first + int64_t(i) ||
        (vector && extract.getVector() != vector) || wave::elementsOf(part.getType()) != 1)
      return nullptr;
    vector = extract.getVector();
  }
  int64_t count = parts.size();
  if (wave::elementsOf(vector.getType()) == count)
    return vector;
  // A register holds several of narrow ones, which then move together; others stand for themselves,
  // where arithmetic is recognized by its operands.
  constexpr unsigned registerBits = 32;
  if (wave::elementOf(vector.getType()).getIntOrFloatBitWidth() >= registerBits)
    return nullptr;
  return wave::ExtractOp::create(b, loc, vectorOf(count, wave::elementOf(vector.getType())), vector,
                                 first);
}

Value WaveBuilder::pack(ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts[0];
  if (Value vector = vectorOfElements(parts))
    return vector;
  int64_t count = 0;
  for (Value part : parts)
    count += wave::elementsOf(part.getType());
  return wave::PackOp::create(b, loc, vectorOf(count, wave::elementOf(parts[0].getType())), parts);
}

SmallVector<Value, 8> WaveBuilder::unpack(Value vector, int64_t count) {
  if (count == 1)
    return {vector};
  SmallVector<Value, 8> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(wave::ExtractOp::create(b, loc, wave::elementOf(vector.getType()), vector, i));
  return parts;
}

Value WaveBuilder::lowNibble(Value byte, DType dtype) {
  if (dtype != DType::I4)
    return arith::AndIOp::create(b, loc, byte, constantLike(b, loc, byte.getType(), 15));
  Value four = constantLike(b, loc, byte.getType(), 4);
  Value high = arith::ShLIOp::create(b, loc, byte, four);
  return arith::ShRSIOp::create(b, loc, high, four);
}

} // namespace tilec
