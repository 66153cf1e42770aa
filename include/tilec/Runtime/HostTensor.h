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
