//===- SharedLayout.cpp - where a block keeps the elements of a shared tile ===//
//
// Takes a shape, pitch and swizzle, gives the place of an element in shared memory, and the way
// back.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Layout/SharedLayout.h"

#include "tilec/Base/Math.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tilec {

SharedLayout SharedLayout::plain(llvm::ArrayRef<int64_t> shape) {
  SharedLayout layout;
  layout.shape = Coords(shape);
  layout.pitchElems = layout.cols();
  return layout;
}

SharedLayout SharedLayout::swizzled(llvm::ArrayRef<int64_t> shape, unsigned elemBits) {
  SharedLayout layout = plain(shape);
  if (shape.size() < 2 || elemBits > 64)
    return layout;
  int64_t vec = 128 / elemBits; // 16 bytes: the widest shared-memory access
  int64_t cols = layout.cols();
  if (cols % vec != 0)
    return layout;
  int64_t chunks = cols / vec;
  // The largest power of two that divides the chunks of a row, at most the 8 chunks of 128 bytes.
  int64_t phases = std::min<int64_t>(chunks & -chunks, 8);
  if (phases == 1)
    return layout;
  layout.vecElems = vec;
  layout.phases = phases;
  // Short rows: several of them share the 128 bytes that one pass over the banks covers.
  layout.rowsPerPhase = std::max<int64_t>(1, 8 / phases);
  if (!isPowerOf2(chunks))
    layout.rowsPerPhase = 1;
  return layout;
}

SharedLayout SharedLayout::transposed(llvm::ArrayRef<int64_t> shape, unsigned elemBits) {
  constexpr int64_t chunkElems = 16;    // columns that the 16 lanes of a group receive
  constexpr int64_t bankBytes = 64 * 4; // gfx950 serves 32 lanes of 8 bytes at once
  SharedLayout layout = plain(shape);
  int64_t chunkBytes = chunkElems * elemBits / 8;
  if (shape.size() < 2 || layout.cols() % chunkElems != 0)
    return layout;
  int64_t chunks = layout.cols() / chunkElems, perPass = bankBytes / chunkBytes;
  int64_t phases = std::min(chunks & -chunks, perPass);
  if (phases == 1)
    return layout;
  layout.vecElems = chunkElems;
  layout.phases = phases;
  layout.rowsPerPhase = isPowerOf2(chunks) ? perPass / phases : 1;
  layout.isGray = true;
  return layout;
}

/// How wide the panels of such rows are; 0: none.
static int64_t panelBytesOf(int64_t rowBytes) {
  constexpr int64_t widest = 128;
  if (rowBytes % widest == 0 || alignTo(rowBytes, widest) * 4 <= rowBytes * 5)
    return widest;
  if (rowBytes % 64 == 0)
    return 64;
  if (rowBytes == 32)
    return 32;
  for (int64_t bytes : {128, 64, 32})
    if (alignTo(rowBytes, bytes) * 4 <= rowBytes * 5)
      return bytes;
  return 0;
}

std::optional<SharedLayout> SharedLayout::panelled(llvm::ArrayRef<int64_t> shape,
                                                   unsigned elemBits) {
  if (shape.size() < 2 || elemBits > 32 || elemBits < 8 || shape[shape.size() - 2] % 8 != 0)
    return std::nullopt;
  constexpr int64_t chunkBytes = 16, bankBytes = 128;
  int64_t rowBytes = shape.back() * elemBits / 8;
  if (rowBytes % chunkBytes != 0)
    return std::nullopt;
  int64_t panelBytes = panelBytesOf(rowBytes);
  if (panelBytes == 0)
    return std::nullopt;
  if (rowBytes == panelBytes)
    return swizzled(shape, elemBits);
  SharedLayout layout = plain(shape);
  layout.panelElems = layout.pitchElems = panelBytes * 8 / elemBits;
  layout.vecElems = chunkBytes * 8 / elemBits;
  layout.phases = panelBytes / chunkBytes;
  layout.rowsPerPhase = bankBytes / panelBytes;
  return layout;
}

int64_t SharedLayout::panels() const { return panelElems == 0 ? 1 : ceilDiv(cols(), panelElems); }

int64_t SharedLayout::rows() const {
  int64_t n = 1;
  for (int64_t size : llvm::ArrayRef(shape).drop_back(shape.empty() ? 0 : 1))
    n *= size;
  return n;
}

int64_t SharedLayout::rowOf(llvm::ArrayRef<int64_t> point) const {
  int64_t row = 0;
  for (unsigned d = 0; d + 1 < shape.size(); ++d)
    row = row * shape[d] + point[d];
  return row;
}

int64_t SharedLayout::phaseOf(int64_t row) const {
  int64_t q = row / rowsPerPhase;
  return (isGray ? q ^ q / 2 : q) % phases;
}

int64_t SharedLayout::offset(llvm::ArrayRef<int64_t> point) const {
  int64_t row = rowOf(point);
  int64_t col = shape.empty() ? 0 : point.back();
  int64_t start = 0;
  if (panelElems != 0) {
    start = (row / matrixRows() * panels() + col / panelElems) * matrixRows() * panelElems;
    row %= matrixRows();
    col %= panelElems;
  }
  int64_t phase = phaseOf(row);
  return start + row * pitchElems + ((col / vecElems) ^ phase) * vecElems + col % vecElems;
}

std::optional<Coords> SharedLayout::pointAt(int64_t offset) const {
  if (offset < 0 || offset >= numElems())
    return std::nullopt;
  int64_t row = offset / pitchElems, inRow = offset % pitchElems, panel = 0;
  if (panelElems != 0) {
    int64_t matrix = row / matrixRows(); // counts panels of all matrices
    row = matrix / panels() * matrixRows() + row % matrixRows();
    panel = matrix % panels();
  }
  int64_t phase = phaseOf(row);
  int64_t col = ((inRow / vecElems) ^ phase) * vecElems + inRow % vecElems + panel * panelElems;
  if (col >= cols())
    return std::nullopt;
  Coords point(shape.size(), 0);
  if (!shape.empty())
    point.back() = col;
  for (int d = int(shape.size()) - 2; d >= 0; --d) {
    point[d] = row % shape[d];
    row /= shape[d];
  }
  return point;
}

std::optional<LinearLayout> SharedLayout::linear() const {
  if (!isPowerOf2(pitchElems) || panelElems != 0)
    return std::nullopt;
  LayoutInput bits{"offset", {}};
  int64_t period = pitchElems * periodRows();
  for (int64_t bit = 1; bit < period; bit *= 2) {
    int64_t row = bit / pitchElems, inRow = bit % pitchElems;
    int64_t phase = phaseOf(row);
    bits.bases.push_back({row, ((inRow / vecElems) ^ phase) * vecElems + inRow % vecElems});
  }
  return LinearLayout(2, {bits});
}

std::string SharedLayout::str() const {
  std::string text = llvm::formatv("pitch={0} vec={1} rowsPerPhase={2} phases={3}", pitchElems,
                                   vecElems, rowsPerPhase, phases);
  if (isGray)
    text += " gray";
  return panelElems == 0 ? text : text + llvm::formatv(" panel={0}", panelElems).str();
}

} // namespace tilec
