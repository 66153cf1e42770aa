//===- TmaBox.cpp - copies that the tensor memory accelerator can do ------===//
//
// Its limits are the target's (TensorCopies); a box is no wider than a swizzled row. Of an image's
// matrix a box has channels of one element of the kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/TmaBox.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

/// The swizzle of TMA that a shared layout is; nothing when it is none. 0: plain rows.
std::optional<int64_t> swizzleOf(const SharedLayout &layout, int64_t elemBytes,
                                 const TensorCopies &copies) {
  int64_t rowBytes = layout.pitchElems * elemBytes;
  if (layout.phases == 1)
    return layout.pitchElems == layout.cols() ? std::optional<int64_t>(0) : std::nullopt;
  bool isTma = layout.vecElems * elemBytes == copies.chunkBytes &&
               layout.phases * copies.chunkBytes == rowBytes &&
               layout.rowsPerPhase == std::max<int64_t>(1, copies.widestRowBytes / rowBytes) &&
               layout.matrixRows() % copies.swizzleRows == 0;
  return isTma ? std::optional(rowBytes) : std::nullopt;
}

/// Whether all that writes the tile in shared memory copies from the tensor.
bool isFilledFrom(Value tensor, Value tile) {
  SmallVector<Value> views = {tile};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<tile::SubviewOp, tile::ReshapeOp, tile::AssumeOp>(user)) {
        llvm::append_range(views, user->getResults());
        continue;
      }
      if (!llvm::is_contained(accessesOf(user).writes, tile))
        continue;
      Value source;
      if (auto copy = dyn_cast<tile::CopyOp>(user))
        source = copy.getSrc();
      else if (auto copy = dyn_cast<tile::TmaCopyOp>(user))
        source = copy.getSrc();
      if (!source || rootOf(source) != tensor)
        return false;
    }
  return true;
}

/// Rows of the tile, of `rows`, in which the box may have elements of the tensor: whole groups,
/// after which a swizzle starts anew, in each of the tile's boxes.
int64_t rowsWithin(const BufferBox &box, int64_t rowDim, int64_t rows, Value tile,
                   const TensorCopies &copies) {
  const int64_t together = copies.swizzleRows * ceilDiv(rows, copies.widestExtent);
  int64_t extent = box.rootType().getShape()[rowDim];
  if (ShapedType::isDynamic(extent) || llvm::alignTo(extent, together) >= uint64_t(rows))
    return rows;
  std::optional<IndexRange> first = rangeOf(box.offsets[rowDim]);
  if (!first || first->low < 0 || !isFilledFrom(box.root, boxRootOf(tile)))
    return rows;
  return std::max<int64_t>(llvm::alignTo(extent, together), together);
}

} // namespace

tile::TensorOp mappedTensorOf(Value buffer) {
  auto type = cast<tile::BufferType>(buffer.getType());
  tile::TensorOp tensor = plainTensorOf(buffer);
  bool isAsItIs = tensor && tensor.getResult() == buffer;
  bool isOtherShape = tensor && type.hasStaticShape() &&
                      tensor.getResult().getType().getElementType() == type.getElementType();
  return isAsItIs || isOtherShape ? tensor : tile::TensorOp();
}

llvm::Expected<TmaBox> planTmaBox(Value globalBox, Value sharedTile, const TargetInfo &target) {
  auto refuse = [&](const Twine &why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "TMA cannot bring " + quotedName(globalBox) + " to " +
                                       quotedName(sharedTile) + ": " + why);
  };
  if (!target.tensorCopies)
    return refuse("the target has none");
  const TensorCopies &copies = *target.tensorCopies;
  auto global = cast<tile::BufferType>(globalBox.getType());
  auto shared = cast<tile::BufferType>(sharedTile.getType());
  const SharedLayout *layout = sharedLayoutOf(boxRootOf(sharedTile));
  bool isVector = shared.rank() == 1; // a matrix of one row
  if (!global.isGlobal() || !shared.isShared() || (shared.rank() != 2 && !isVector) || !layout ||
      !global.hasStaticShape())
    return refuse("it is no box of a tensor for a matrix or a vector in shared memory");
  if (global.getElementType() != shared.getElementType())
    return refuse("their element types differ");
  DType dtype = tile::dtypeOf(shared.getElementType());
  int64_t elemBytes = bytesOf(dtype);
  // A boolean is a byte, which TMA would not clean; 4-bit elements have no tensor map here.
  if (bitsOf(dtype) < 8)
    return refuse("elements have fewer than 8 bits");
  BufferBox box = boxOf(globalBox);
  auto matrix = box.root.getDefiningOp<tile::Im2colOp>();
  Value source = matrix ? matrix.getSource() : box.root;
  if (!mappedTensorOf(source))
    return refuse("its strides are the caller's, or it is no parameter");
  tile::BufferType root = box.rootType();
  int64_t rank = root.rank();
  if (rank < 2 || rank > copies.mostDims)
    return refuse("it has no 2 to " + Twine(copies.mostDims) + " dimensions");
  auto tensor = source.getDefiningOp<tile::TensorOp>();
  int64_t rowElems = cast<tile::BufferType>(source.getType()).getShape().back();
  if (ShapedType::isDynamic(rowElems))
    rowElems = tensor ? divisorOfRows(tensor) : 1;
  if (rowElems * elemBytes % copies.pitchBytes != 0)
    return refuse("its rows are not known to be a multiple of " + Twine(copies.pitchBytes) +
                  " bytes");

  // Dimensions of extent 1 aside, rows and columns in order.
  SmallVector<int64_t, 2> dims;
  for (auto [d, dim] : llvm::enumerate(box.dims))
    if (global.getShape()[d] != 1 || global.rank() == shared.rank())
      dims.push_back(dim);
  if (int64_t(dims.size()) != shared.rank() || dims.back() != rank - 1)
    return refuse("its rows are not the tile's rows");
  int64_t rowDim = isVector ? -1 : dims[0], colDim = dims.back();
  std::optional<int64_t> swizzle = swizzleOf(*layout, elemBytes, copies);
  if (!swizzle)
    return refuse("the tile is laid out for threads");
  int64_t rows = isVector ? 1 : shared.getShape()[0], cols = shared.getShape().back();
  int64_t panelElems = layout->panelElems != 0 ? layout->panelElems : cols;
  if (!isVector)
    rows = rowsWithin(box, rowDim, rows, sharedTile, copies);
  int64_t chunks = ceilDiv(rows, copies.widestExtent), chunkRows = rows / chunks;
  bool fits = rows % chunks == 0 && (chunks == 1 || chunkRows % copies.swizzleRows == 0) &&
              panelElems <= copies.widestExtent && panelElems * elemBytes % copies.pitchBytes == 0;
  if (!fits)
    return refuse("the tile cannot be cut into boxes of at most " + Twine(copies.widestExtent) +
                  " x " + Twine(copies.widestExtent) + " elements, " + Twine(copies.pitchBytes) +
                  " bytes in step");
  if (matrix && (isVector || matrix.channels() % panelElems != 0 ||
                 divisorOf(box.offsets[colDim]) % panelElems != 0))
    return refuse("a row of it belongs to several elements of the convolution's kernel");
  SmallVector<int64_t, 5> extents(rank, 1);
  if (!isVector)
    extents[rowDim] = chunkRows;
  extents[colDim] = panelElems;
  auto transfers = tile::TransfersAttr::get(globalBox.getContext(), extents, *swizzle,
                                            layout->panels(), chunks, rowDim, colDim);
  return tmaBoxOf(globalBox, sharedTile, transfers, target);
}

TmaBox tmaBoxOf(Value globalBox, Value sharedTile, tile::TransfersAttr transfers,
                const TargetInfo &target) {
  auto tile = cast<tile::BufferType>(sharedTile.getType());
  const TensorCopies &copies = *target.tensorCopies;
  const int64_t elemBytes = bytesOf(tile::dtypeOf(tile.getElementType()));
  TmaBox box;
  box.root = boxRootOf(globalBox);
  box.matrix = box.root.getDefiningOp<tile::Im2colOp>();
  if (box.matrix)
    box.root = box.matrix.getSource();
  box.transfers = transfers;
  box.extents.assign(transfers.getExtents().begin(), transfers.getExtents().end());
  box.swizzleBytes = transfers.getSwizzle();
  box.panels = transfers.getPanels();
  box.chunks = transfers.getChunks();
  box.panelElems = transfers.panelElems();
  box.chunkRows = transfers.chunkRows();
  box.rowDim = transfers.getRowDim();
  box.colDim = transfers.getColDim();
  box.bytes = transfers.rows() * box.panels * box.panelElems * elemBytes;
  box.panelBytes = (tile.rank() == 1 ? 1 : tile.getShape()[0]) * box.panelElems * elemBytes;
  box.periodBytes = std::max(target.sharedGrain, copies.swizzleBytes(box.swizzleBytes));
  box.swizzleRows = copies.swizzleRows;
  return box;
}

} // namespace tilec
