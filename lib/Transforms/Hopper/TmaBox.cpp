//===- TmaBox.cpp - copies that the tensor memory accelerator can do ------===//
//
// Limits: CUDA driver API, cuTensorMapEncodeTiled (rank 5, box extents 256, strides
// in multiples of 16 bytes, inner box no wider than the swizzle).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/TmaBox.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr int64_t widestExtent = 256;
constexpr int64_t mostDims = 5;
constexpr int64_t alignBytes = 16;

/// The swizzle of TMA that a shared layout is; nothing when it is none. 0: plain rows.
std::optional<int64_t> swizzleOf(const SharedLayout &layout, int64_t elemBytes) {
  int64_t rowBytes = layout.pitchElems * elemBytes;
  if (layout.phases == 1)
    return layout.pitchElems == layout.cols() ? std::optional<int64_t>(0) : std::nullopt;
  bool isTma = layout.vecElems * elemBytes == 16 && layout.phases * 16 == rowBytes &&
               layout.rowsPerPhase == std::max<int64_t>(1, 128 / rowBytes) &&
               layout.matrixRows() % 8 == 0;
  return isTma ? std::optional(rowBytes) : std::nullopt;
}

} // namespace

std::optional<TmaBox> tmaBoxOf(Value globalBox, Value sharedTile) {
  auto global = cast<tile::BufferType>(globalBox.getType());
  auto shared = cast<tile::BufferType>(sharedTile.getType());
  const SharedLayout *layout = sharedLayoutOf(boxRootOf(sharedTile));
  if (!global.isGlobal() || !shared.isShared() || shared.rank() != 2 || !layout ||
      !global.hasStaticShape() || global.getElementType() != shared.getElementType())
    return std::nullopt;
  DType dtype = tile::dtypeOf(shared.getElementType());
  int64_t elemBytes = bytesOf(dtype);
  // A boolean is a byte, which TMA would not clean; 4-bit elements have no tensor map here.
  if (bitsOf(dtype) < 8)
    return std::nullopt;
  OpBuilder scratch(global.getContext());
  scratch.setInsertionPointAfterValue(globalBox);
  std::optional<BufferBox> box = boxOf(globalBox, scratch, globalBox.getLoc());
  auto tensor = box ? box->root.getDefiningOp<tile::TensorOp>() : tile::TensorOp();
  if (!tensor || !tensor.getStrides().empty())
    return std::nullopt;
  tile::BufferType root = box->rootType();
  int64_t rank = root.rank(), rowElems = root.getShape().back();
  if (rank < 2 || rank > mostDims || ShapedType::isDynamic(rowElems) ||
      rowElems * elemBytes % alignBytes != 0)
    return std::nullopt;

  TmaBox result;
  result.root = box->root;
  result.extents.assign(rank, 1);
  // Dimensions of extent 1 aside, rows and columns in order.
  SmallVector<int64_t, 2> dims;
  for (auto [d, dim] : llvm::enumerate(box->dims))
    if (global.getShape()[d] != 1 || global.rank() == 2)
      dims.push_back(dim);
  if (dims.size() != 2 || dims[1] != rank - 1)
    return std::nullopt;
  result.rowDim = dims[0];
  result.colDim = dims[1];
  std::optional<int64_t> swizzle = swizzleOf(*layout, elemBytes);
  if (!swizzle)
    return std::nullopt;
  result.swizzleBytes = *swizzle;
  int64_t rows = shared.getShape()[0], cols = shared.getShape()[1];
  result.panels = layout->panels();
  result.panelElems = cols / result.panels;
  result.chunks = ceilDiv(rows, widestExtent);
  result.chunkRows = rows / result.chunks;
  result.bytes = rows * cols * elemBytes;
  bool fits = rows % result.chunks == 0 && (result.chunks == 1 || result.chunkRows % 8 == 0) &&
              result.panelElems <= widestExtent && result.panelElems * elemBytes % alignBytes == 0;
  if (!fits)
    return std::nullopt;
  result.extents[result.rowDim] = result.chunkRows;
  result.extents[result.colDim] = result.panelElems;
  return result;
}

} // namespace tilec
