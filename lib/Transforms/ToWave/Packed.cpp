//===- Packed.cpp - 4-bit elements in device memory -----------------------===//
//
// Two elements a byte, the low nibble first, numbered over the whole tensor. A lane
// that holds both elements of a byte moves bytes; one that holds a single element
// changes its nibble with two atomic operations on the word, because the other nibbles
// belong to other lanes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/MemoryBuilder.h"

using namespace mlir;

namespace tilec {

Value MemoryBuilder::elementNumber(const TensorPlace &place, ArrayRef<Value> indices) {
  TensorPlace bytes = place;
  bytes.dtype = DType::U8; // offsets in elements
  return globalOffset(bytes, indices);
}

Value MemoryBuilder::loadPacked(const TensorPlace &place, ArrayRef<Value> indices, int64_t width,
                                Value mask, bool isConstant) {
  Value number = elementNumber(place, indices);
  Type type = number.getType();
  Value two = constantLike(b, loc, type, 2);
  Value offset = arith::DivUIOp::create(b, loc, number, two);
  int64_t bytes = std::max<int64_t>(1, width / 2);
  Value raw = wave::GlobalReadOp::create(b, loc, vectorOf(bytes, b.getI8Type()), place.base, offset,
                                         mask, bytes, /*scalar=*/false, isConstant);
  Value four = constantLike(b, loc, b.getI8Type(), 4);
  auto high = [&](Value byte) -> Value { return arith::ShRUIOp::create(b, loc, byte, four); };
  SmallVector<Value, 8> elements;
  if (width == 1) {
    Value isHigh = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         arith::RemUIOp::create(b, loc, number, two).getResult(),
                                         constantLike(b, loc, type, 0));
    return lowNibble(arith::SelectOp::create(b, loc, isHigh, high(raw), raw), place.dtype);
  }
  for (Value byte : unpack(raw, bytes)) {
    elements.push_back(lowNibble(byte, place.dtype));
    elements.push_back(lowNibble(high(byte), place.dtype));
  }
  return pack(elements);
}

void MemoryBuilder::storePacked(Value value, const TensorPlace &place, ArrayRef<Value> indices,
                                Value mask) {
  int64_t width = wave::elementsOf(value.getType());
  Value number = elementNumber(place, indices);
  Type type = number.getType();
  if (width > 1) {
    SmallVector<Value, 8> elements = unpack(value, width), bytes;
    Value four = constantLike(b, loc, b.getI8Type(), 4);
    for (int64_t i = 0; i < width; i += 2) {
      Value high = arith::ShLIOp::create(b, loc, elements[i + 1], four);
      bytes.push_back(
          arith::OrIOp::create(b, loc, lowNibble(elements[i], DType::U4), high).getResult());
    }
    Value offset = arith::DivUIOp::create(b, loc, number, constantLike(b, loc, type, 2));
    wave::GlobalWriteOp::create(b, loc, pack(bytes), place.base, offset, mask, width / 2);
    return;
  }
  // Clear the nibble, then set it.
  Type word = b.getI32Type();
  Value eight = constantLike(b, loc, type, 8);
  Value offset =
      arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, number, eight).getResult(),
                            constantLike(b, loc, type, 4));
  Value nibble = arith::RemUIOp::create(b, loc, number, eight);
  nibble = type.isIndex() ? arith::IndexCastOp::create(b, loc, word, nibble).getResult()
                          : arith::TruncIOp::create(b, loc, word, nibble).getResult();
  Value shift = arith::MulIOp::create(b, loc, nibble, constantLike(b, loc, word, 4));
  Value own = arith::ShLIOp::create(b, loc, constantLike(b, loc, word, 15), shift);
  Value others = arith::XOrIOp::create(b, loc, own, constantLike(b, loc, word, -1));
  Value bits = arith::ExtUIOp::create(b, loc, word, lowNibble(value, DType::U4));
  bits = arith::ShLIOp::create(b, loc, bits, shift);
  wave::GlobalAtomicOp::create(b, loc, word, wave::AtomicKind::And, others, place.base, offset,
                               mask);
  wave::GlobalAtomicOp::create(b, loc, word, wave::AtomicKind::Or, bits, place.base, offset, mask);
}

} // namespace tilec
