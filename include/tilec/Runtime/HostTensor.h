//===- HostTensor.h - a dense array in host memory ------------------------===//
//
// Row-major without padding. 4-bit elements are packed over the whole array, two a
// byte, low nibble first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"
#include "tilec/Runtime/Result.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace tilec::rt {

struct HostTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  HostTensor() = default;
  /// Zeros. The product of the extents must have passed `elemCountOf`.
  HostTensor(DType dtype, std::vector<int64_t> shape);

  int64_t elemCount() const;
  /// The encoding of an element, in the low bits.
  uint64_t bits(int64_t index) const;
  void setBits(int64_t index, uint64_t bits);
  /// The value: exact for floats, and for integers up to 53 bits.
  double value(int64_t index) const;
  /// Rounds (floats) or wraps (integers).
  void setValue(int64_t index, double value);
  /// Extents of `index` along each dimension.
  std::vector<int64_t> coordinates(int64_t index) const;
};

/// The encodings of elements that lie behind each other, for loops over many of them: what
/// HostTensor::bits gives. The bytes must outlive it.
class ElemBits {
public:
  ElemBits(const std::vector<uint8_t> &bytes, DType dtype)
      : base(bytes.data()), bitCount(bitsOf(dtype)) {}
  explicit ElemBits(const HostTensor &tensor) : ElemBits(tensor.bytes, tensor.dtype) {}

  uint64_t operator[](int64_t index) const {
    switch (bitCount) { // sizes that the compiler knows: no call for each element
    case 4:
      return (base[index / 2] >> (index % 2 * 4)) & 15;
    case 8:
      return base[index];
    case 16:
      return read<uint16_t>(index);
    case 32:
      return read<uint32_t>(index);
    default:
      return read<uint64_t>(index);
    }
  }

private:
  template <typename T> T read(int64_t index) const {
    T bits; // hosts are little-endian
    std::memcpy(&bits, base + index * sizeof(T), sizeof(T));
    return bits;
  }

  const uint8_t *base;
  unsigned bitCount;
};

/// The values of a tensor in another type, as setValue writes them.
HostTensor converted(const HostTensor &tensor, DType dtype);

/// The number of elements of a shape. Fails on a negative extent and beyond 2^40 elements, more
/// than any host or GPU here can hold.
Result<int64_t> elemCountOf(const std::vector<int64_t> &shape);
/// `2x3x4`; `scalar` without extents.
std::string printShape(const std::vector<int64_t> &shape);
/// Strides in elements of a row-major array without padding.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

/// Elements from the first to the last that strides reach, both included; 0 when the shape is empty
/// of elements. Fails on negative strides and beyond 2^40.
Result<int64_t> spanElems(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides);
/// Writes `tensor` into strided storage of `spanElems` elements; the gaps keep what they hold.
void scatter(const HostTensor &tensor, const std::vector<int64_t> &strides,
             std::vector<uint8_t> &storage);
/// Reads `tensor` (its dtype and shape say what) from strided storage.
void gather(const std::vector<uint8_t> &storage, const std::vector<int64_t> &strides,
            HostTensor &tensor);

} // namespace tilec::rt
