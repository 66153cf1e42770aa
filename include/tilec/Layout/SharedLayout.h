//===- SharedLayout.h - where a block keeps the elements of a shared tile -===//
//
// Rows of the last dimension, `pitchElems` apart, cut into chunks of `vecElems`
// elements; the chunk index is XORed with the phase of the row:
//
//   phase = (row / rowsPerPhase) % phases, or (q ^ q / 2) % phases of q = row / rowsPerPhase
//   offset = row * pitchElems + ((col / vecElems) ^ phase) * vecElems + col % vecElems
//
// `row` counts all outer dimensions row-major. phases = 1 is a plain row-major tile. With
// panelElems, the columns of each matrix (the last two dimensions) are cut into panels that lie
// one after the other, each with rows panelElems apart: what TMA writes and wgmma reads. A
// power-of-two box of this map is a linear layout (`linear()`), which is what bank
// questions and inverses are asked of; larger or odd tiles repeat the box.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

struct SharedLayout {
  Coords shape;             ///< elements per dimension
  int64_t pitchElems = 0;   ///< distance of two rows
  int64_t vecElems = 1;     ///< chunk that stays together, a power of two
  int64_t rowsPerPhase = 1; ///< a power of two
  int64_t phases = 1;       ///< a power of two that divides the chunks of a row
  int64_t panelElems = 0;   ///< columns of a panel, which is the pitch then; 0: no panels
  /// The phase is the Gray code of the row: rows 0-3 and 8-11 have different ones, as rows 0-7 do.
  bool isGray = false;

  /// Row-major, no padding, no swizzle.
  static SharedLayout plain(llvm::ArrayRef<int64_t> shape);
  /// A swizzle over rows of `rowBytes`: chunks of 16 bytes, phases so that 8 consecutive rows, or
  /// as many as 128 bytes hold chunks, start at different chunks. Plain when a row has one chunk or
  /// the chunks of a row are odd.
  static SharedLayout swizzled(llvm::ArrayRef<int64_t> shape, unsigned elemBits);
  /// A swizzle for transposed reads (ds_read_b64_tr_*), which take 16 neighbouring columns of 8 or
  /// 16 rows at once: chunks of 16 elements, and phases so that those rows fill all 64 banks.
  static SharedLayout transposed(llvm::ArrayRef<int64_t> shape, unsigned elemBits);
  /// The swizzle of TMA and wgmma over rows of 32, 64 or 128 bytes; other rows become panels of
  /// 128 bytes, or of the widest of these that divides them where that would pad a row by more than
  /// a quarter. TMA writes row by row: on an H200 attention with panels of 32 bytes (head dim 112)
  /// took longer than with 128 columns, on an H100 products with 224 and 160 columns of a B with K
  /// as the slower dimension are 1.04 to 1.2 times as fast in wide panels (docs/numbers/
  /// hopper-trials.md). Nothing when neither is to be had, or a matrix has no multiple of 8 rows.
  static std::optional<SharedLayout> panelled(llvm::ArrayRef<int64_t> shape, unsigned elemBits);

  bool isSwizzled() const { return phases > 1; }
  int64_t rows() const;
  int64_t cols() const { return shape.empty() ? 1 : shape.back(); }
  int64_t panels() const; ///< the last may be padded
  /// Rows of one matrix.
  int64_t matrixRows() const { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
  /// Elements of storage.
  int64_t numElems() const { return rows() * pitchElems * panels(); }

  int64_t rowOf(llvm::ArrayRef<int64_t> point) const;
  int64_t phaseOf(int64_t row) const;
  /// Rows after which phases repeat.
  int64_t periodRows() const { return rowsPerPhase * phases * (isGray && phases > 1 ? 2 : 1); }
  /// Offset in elements.
  int64_t offset(llvm::ArrayRef<int64_t> point) const;
  /// The element stored at `offset`; nothing for padding.
  std::optional<Coords> pointAt(int64_t offset) const;

  /// The map offset -> (row, col) of one period of rows. Only for tiles whose
  /// pitch is a power of two.
  std::optional<LinearLayout> linear() const;

  bool operator==(const SharedLayout &) const = default;
  std::string str() const;
};

} // namespace tilec
