//===- MemoryBuilder.h - places in global and shared memory ---------------===//
//
// Takes a buffer and indices, gives the address of an element and the mask under which it may be
// touched.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ToWave/LaneBuilder.h"

#include "tilec/Layout/SharedLayout.h"

namespace tilec {

/// A tensor parameter or workspace inside the wave kernel.
struct TensorPlace {
  Value base;                          ///< !wave.global
  SmallVector<Value, 4> extents;       ///< index; null where the type is static
  SmallVector<Value, 4> dims;          ///< the tile program's extents; null as those
  SmallVector<Value, 4> strides;       ///< elements, i64; null where `staticStrides` holds
  SmallVector<int64_t, 4> staticShape; ///< dynamic: kDynamic
  SmallVector<int64_t, 4> staticStrides;
  int64_t dynamicDivisor = 1; ///< divides the strides that are not static
  DType dtype;
  bool isWide; ///< offsets need 64 bits
  Value desc;  ///< bounds-checked descriptor over the whole tensor, when one was made
};

struct SharedPlace {
  int64_t baseBytes;
  SharedLayout layout;
  DType dtype;
};

/// Whether the index is known to lie in a dimension of that size; never where it is dynamic.
bool isProvedInside(Value index, int64_t size);

/// Addresses of elements in tensors and shared buffers.
class MemoryBuilder : public LaneBuilder {
public:
  using LaneBuilder::LaneBuilder;

  /// Byte offset in the tensor.
  Value globalOffset(const TensorPlace &place, ArrayRef<Value> indices);
  /// The same of one access; a constant part is added last, as some targets' instructions can
  /// (AddressConstants::global).
  Value accessOffset(const TensorPlace &place, ArrayRef<Value> indices);
  /// The mask of the bounds that are not proved (may be null), also by what the branches ask that
  /// the op `at` is emitted in.
  Value boundsMask(const TensorPlace &place, ValueRange tileIndices, ArrayRef<Value> indices,
                   Operation *at = nullptr);
  /// Of `width` elements in a row, of which some may lie behind its end: under which mask all are
  /// elements of the tensor, and under which only some are.
  struct EndMasks {
    Value all, some;
  };
  EndMasks endMasks(const TensorPlace &place, ValueRange tileIndices, ArrayRef<Value> indices,
                    int64_t width, Operation *at);
  /// Branches of the program whose first region is being emitted, as a branch: some reads of others
  /// are made ahead of them.
  llvm::SmallPtrSet<Operation *, 8> entered;
  int64_t globalAlign(const TensorPlace &place, int64_t elems) const;

  /// Packed.cpp: `width` consecutive elements of 4 bits, as bytes; the first index is even when
  /// there are several.
  Value loadPacked(const TensorPlace &place, ArrayRef<Value> indices, int64_t width, Value mask,
                   bool isConstant);
  void storePacked(Value value, const TensorPlace &place, ArrayRef<Value> indices, Value mask);

  Value sharedOffset(const SharedPlace &place, ArrayRef<Value> indices);
  /// The same for coordinates that are split into a part that loops leave alone, offsets of a box
  /// (null: 0) and constants, of which as much as possible goes into `imm`.
  Value sharedOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords, ArrayRef<Value> offsets,
                     int64_t &imm);
  /// The swizzle's phase of a row.
  Value phaseOf(const SharedLayout &layout, Value row);

  llvm::DenseMap<Value, TensorPlace> tensors;
  llvm::DenseMap<Value, SharedPlace> shared;

private:
  /// The mask of one dimension; null where it is proved.
  Value boundsOf(size_t d, const TensorPlace &place, Value tileIndex, Value index, Operation *at);
  /// The number of an element in its tensor, in `index`, or i64 where the tensor is wide.
  Value elementNumber(const TensorPlace &place, ArrayRef<Value> indices);
  /// The place in its row, in elements, of a column of a swizzled tile. Constants that share no
  /// bits with what varies go to `imm` (bytes, with that of `rowConstant`) and into one XOR, so
  /// that places which differ by constants share addresses.
  Value swizzledColumn(const SharedPlace &place, Value row, int64_t rowConstant,
                       const LaneCoord &col, int64_t &imm);
  Value panelOffset(const SharedPlace &place, ArrayRef<LaneCoord> coords, ArrayRef<Value> offsets);
};

} // namespace tilec
