//===- AsyncPieces.cpp - what one copy without registers can move ---------===//
//
// Questions about single copies; which of them run ahead is PlanPipeline.cpp's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/AsyncPieces.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Index.h"

using namespace mlir;

namespace tilec {

bool copiesWidePieces(const TargetInfo &target) {
  return target.asyncCopies.bytes.front() >= target.accessBytes;
}

bool partsRowEnds(tile::BufferType tensor, int64_t columns, const TargetInfo &target) {
  constexpr int64_t fewestTiles = 4; // else each tile is one at an end
  constexpr unsigned wordBits = 32;
  unsigned bits = bitsOf(tile::dtypeOf(tensor.getElementType()));
  if (!target.unalignedAccess || tensor.rank() == 0 || (bits != 8 && bits != 16))
    return false;
  int64_t rowElems = tensor.getShape().back();
  return ShapedType::isDynamic(rowElems) ||
         (rowElems * bits % wordBits != 0 && rowElems >= fewestTiles * columns);
}

SmallVector<int64_t> sizesWithinOffsets(tile::BufferType tensor) {
  constexpr int64_t mostBytes = int64_t(1) << 31;
  DType dtype = tile::dtypeOf(tensor.getElementType());
  SmallVector<int64_t> sizes(tensor.rank() + 1, -1);
  sizes.back() = 1;
  for (int64_t d = tensor.rank() - 1; d >= 0 && sizes[d + 1] >= 0; --d) {
    int64_t extent = tensor.getShape()[d];
    bool isKnown = !ShapedType::isDynamic(extent) && extent <= mostBytes;
    if (isKnown && storageBytes(dtype, sizes[d + 1] * extent) <= mostBytes)
      sizes[d] = sizes[d + 1] * extent;
  }
  return sizes;
}

bool fitsOffsets(tile::BufferType tensor) { return sizesWithinOffsets(tensor).front() >= 0; }

/// Whether offsets of 32 bits reach all of the box from its beginning on.
static bool isBoxReached(const BufferBox &box, Value view) {
  tile::BufferType root = box.rootType();
  SmallVector<int64_t> sizes = sizesWithinOffsets(root);
  int64_t elems = 1;
  for (auto [d, extent] :
       llvm::zip_equal(box.dims, cast<tile::BufferType>(view.getType()).getShape())) {
    if (extent == 1)
      continue;
    if (sizes[d + 1] < 0)
      return false;
    elems += (extent - 1) * sizes[d + 1];
  }
  return storageBytes(tile::dtypeOf(root.getElementType()), elems) <= int64_t(1) << 31;
}

/// Whether the view is a slot of a ring or a tile, or of its rows so many as begin with a period of
/// the swizzle.
static bool isWholeRows(Value view, const SharedLayout &layout) {
  auto part = view.getDefiningOp<tile::SubviewOp>();
  if (!part || !part.getDropped().empty())
    return true;
  ArrayRef<int64_t> shape = part.getType().getShape();
  ArrayRef<int64_t> all = cast<tile::BufferType>(part.getSource().getType()).getShape();
  if (shape == all)
    return true;
  std::optional<int64_t> first = tile::constantInt(part.getOffsets().front());
  return shape.size() == 2 && shape.back() == all.back() && layout.panelElems == 0 && first &&
         *first % layout.periodRows() == 0;
}

int64_t asyncPieceBytes(Value srcView, Value dstView, const TargetInfo &target) {
  auto src = cast<tile::BufferType>(srcView.getType());
  auto dst = cast<tile::BufferType>(dstView.getType());
  if (!src.isGlobal() || !dst.isShared() || src.getElementType() != dst.getElementType())
    return 0;
  auto ring = boxRootOf(dstView).getDefiningOp<tile::AllocOp>();
  const SharedLayout *layout = ring ? sharedLayoutOf(ring) : nullptr;
  if (!layout || (layout->panelElems != 0 && dst.rank() != 2) || !isWholeRows(dstView, *layout))
    return 0;
  BufferBox box = boxOf(srcView);
  auto tensor = box.root.getDefiningOp<tile::TensorOp>();
  tile::BufferType root = box.rootType();
  if (tensor && !tensor.getStrides().empty())
    return 0;
  // A lane's own address has 64 bits.
  if (target.asyncCopies.lanesInRow && !fitsOffsets(root) && !isBoxReached(box, srcView))
    return 0;
  // The last dimension of the box runs along the tensor's rows.
  if (root.rank() == 0 || box.dims.empty() || box.dims.back() != root.rank() - 1)
    return 0;
  int64_t rowElems = root.getShape().back(),
          elemBits = bitsOf(tile::dtypeOf(root.getElementType()));
  if (elemBits % 8 != 0)
    return 0;
  int64_t elemBytes = elemBits / 8;
  int64_t startDivisor = divisorOf(box.offsets.back()), ofPart = 0;
  for (int64_t bytes : target.asyncCopies.bytes) {
    int64_t elems = bytes / elemBytes;
    if (bytes % elemBytes != 0 || elems == 0)
      continue;
    // Rows of a length that only the run knows are asked for it, if no promise tells
    // (emitAsyncCopy).
    bool isAligned =
        (ShapedType::isDynamic(rowElems) || rowElems % elems == 0) && startDivisor % elems == 0;
    bool staysTogether =
        layout->phases == 1 ? layout->pitchElems % elems == 0 : layout->vecElems % elems == 0;
    // One instruction writes waveLanes pieces in a row; the last one may not pass the end.
    bool fillsRows = !target.asyncCopies.lanesInRow || layout->pitchElems == dst.getShape().back();
    if (!isAligned || !staysTogether || !fillsRows || dst.getShape().back() % elems != 0)
      continue;
    if (!target.asyncCopies.lanesInRow ||
        dst.numElems() * elemBytes % (target.waveLanes * bytes) == 0)
      return bytes;
    if (ofPart == 0)
      ofPart = bytes;
  }
  return ofPart;
}

bool leavesLanesOut(tile::CopyOp copy, const TargetInfo &target) {
  tile::BufferType tile = copy.getDst().getType();
  int64_t bytes = storageBytes(tile::dtypeOf(tile.getElementType()), tile.numElems());
  int64_t piece = asyncPieceBytes(copy.getSrc(), copy.getDst(), target);
  return target.asyncCopies.lanesInRow && bytes % (target.waveLanes * piece) != 0;
}

} // namespace tilec
