//===- HostTensor.cpp - a dense array in host memory ----------------------===//
//
// An array with a dtype: its elements as bits and as numbers, also of formats below a byte, and
// strided copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/HostTensor.h"

#include <cstring>

namespace tilec::rt {
namespace {

constexpr int64_t maxElems = int64_t(1) << 40;

void writeBits(std::vector<uint8_t> &bytes, unsigned bitCount, int64_t index, uint64_t bits) {
  switch (bitCount) { // sizes that the compiler knows: no call for each element
  case 4: {
    uint8_t &byte = bytes[index / 2];
    byte = index % 2 ? (byte & 0x0f) | ((bits & 15) << 4) : (byte & 0xf0) | (bits & 15);
    return;
  }
  case 8:
    bytes[index] = static_cast<uint8_t>(bits);
    return;
  case 16:
    std::memcpy(&bytes[index * 2], &bits, 2); // hosts are little-endian
    return;
  case 32:
    std::memcpy(&bytes[index * 4], &bits, 4);
    return;
  default:
    std::memcpy(&bytes[index * 8], &bits, 8);
  }
}

/// Calls `visit(dense index, storage index)` for each element in row-major order.
template <typename Visit>
void forEachStrided(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides,
                    int64_t count, Visit visit) {
  std::vector<int64_t> at(shape.size(), 0);
  int64_t place = 0;
  for (int64_t index = 0; index < count; ++index) {
    visit(index, place);
    for (size_t axis = shape.size(); axis-- > 0;) {
      place += strides[axis];
      if (++at[axis] < shape[axis])
        break;
      place -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

} // namespace

HostTensor::HostTensor(DType dtype, std::vector<int64_t> shape)
    : dtype(dtype), shape(std::move(shape)), bytes(storageBytes(dtype, elemCount())) {}

int64_t HostTensor::elemCount() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

uint64_t HostTensor::bits(int64_t index) const { return ElemBits(*this)[index]; }

void HostTensor::setBits(int64_t index, uint64_t bits) {
  writeBits(bytes, bitsOf(dtype), index, bits);
}

double HostTensor::value(int64_t index) const {
  if (isFloat(dtype))
    return decodeFloat(dtype, bits(index));
  int64_t value = decodeInt(dtype, bits(index));
  return dtype == DType::U64 ? static_cast<double>(static_cast<uint64_t>(value))
                             : static_cast<double>(value);
}

void HostTensor::setValue(int64_t index, double value) {
  setBits(index, isFloat(dtype) ? encodeFloat(dtype, value)
                                : encodeInt(dtype, static_cast<int64_t>(value)));
}

HostTensor converted(const HostTensor &tensor, DType dtype) {
  HostTensor result(dtype, tensor.shape);
  ElemBits elems(tensor);
  int64_t count = tensor.elemCount();
  // A table for the codes of floats that two bytes hold: outputs have millions of elements.
  std::vector<uint64_t> table;
  if (isHalfOrLess(tensor.dtype) && isFloat(dtype))
    for (uint64_t code = 0; code < (uint64_t(1) << bitsOf(tensor.dtype)); ++code)
      table.push_back(encodeFloat(dtype, decodeFloat(tensor.dtype, code)));
  for (int64_t i = 0; i < count; ++i)
    if (table.empty())
      result.setValue(i, tensor.value(i));
    else
      result.setBits(i, table[elems[i]]);
  return result;
}

std::vector<int64_t> HostTensor::coordinates(int64_t index) const {
  std::vector<int64_t> at(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return at;
}

Result<int64_t> elemCountOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return Error{"shape " + printShape(shape) + " has a negative extent"};
    if (extent == 0)
      empty = true;
    else if (extent > maxElems / count)
      return Error{"shape " + printShape(shape) + " has more than 2^40 elements"};
    else
      count *= extent;
  }
  return empty ? 0 : count;
}

std::string printShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

Result<int64_t> spanElems(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  Result<int64_t> count = elemCountOf(shape);
  if (!count || *count == 0)
    return count;
  int64_t last = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t step = 0;
    if (strides[axis] < 0)
      return Error{"stride " + std::to_string(strides[axis]) + " is negative"};
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &step) ||
        __builtin_add_overflow(last, step, &last) || last >= maxElems)
      return Error{"strides reach more than 2^40 elements"};
  }
  return last + 1;
}

void scatter(const HostTensor &tensor, const std::vector<int64_t> &strides,
             std::vector<uint8_t> &storage) {
  unsigned bitCount = bitsOf(tensor.dtype);
  ElemBits elems(tensor);
  forEachStrided(tensor.shape, strides, tensor.elemCount(), [&](int64_t dense, int64_t place) {
    writeBits(storage, bitCount, place, elems[dense]);
  });
}

void gather(const std::vector<uint8_t> &storage, const std::vector<int64_t> &strides,
            HostTensor &tensor) {
  unsigned bitCount = bitsOf(tensor.dtype);
  ElemBits elems(storage, tensor.dtype);
  forEachStrided(tensor.shape, strides, tensor.elemCount(), [&](int64_t dense, int64_t place) {
    writeBits(tensor.bytes, bitCount, dense, elems[place]);
  });
}

} // namespace tilec::rt
