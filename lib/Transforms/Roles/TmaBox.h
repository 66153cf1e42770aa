//===- TmaBox.h - copies that the tensor memory accelerator can do --------===//
//
// Takes a box of a tensor and a shared tile, gives the TMA transfers between them, or why there
// are none.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

#include "llvm/Support/Error.h"

namespace tilec {

/// How a box of a global tensor and a tile of shared memory meet: `panels` x `chunks` transfers of
/// `box`, chunk by chunk down the rows of a panel. Where the tensor has fewer rows than the tile,
/// the transfers end with them and those that are swizzled together: rows outside of a tensor take
/// TMA as long as those inside. What is below in each panel stays as it is: zeros, from the
/// kernel's begin on.
struct TmaBox {
  mlir::Value root;              ///< the tensor, or all of it in another shape
  tile::Im2colOp matrix;         ///< of the tensor, of which the box is one; mostly null
  tile::TransfersAttr transfers; ///< what was decided; all else follows from it and the types
  llvm::SmallVector<int64_t, 5> extents; ///< of one transfer, per dimension of the tensor or matrix
  int64_t swizzleBytes = 0;
  int64_t panels = 1, chunks = 1;
  int64_t panelElems = 0, chunkRows = 0;
  /// The dimensions that rows and columns run along; a vector has no rows (-1).
  int64_t rowDim = -1, colDim = 0;
  int64_t bytes = 0;      ///< of all transfers
  int64_t panelBytes = 0; ///< of a panel of the tile
  int64_t tileBytes() const { return panels * panelBytes; }

  /// Bytes after which the swizzle repeats, of which shared addresses are multiples.
  int64_t periodBytes = 0;
  int64_t swizzleRows = 1; ///< after which it does
  int64_t transferBytes() const { return bytes / (panels * chunks); }
  /// Bytes at the end of each panel that no transfer writes.
  int64_t untouchedBytes() const { return panelBytes - chunks * transferBytes(); }
  /// Whether every transfer can be cut into `parts` along its rows: the swizzle starts anew
  /// in each.
  bool canSplit(int64_t parts) const { return chunkRows % (swizzleRows * parts) == 0; }
  /// `extents` of one of `parts` of a transfer, which is more than one only where it can be split.
  llvm::SmallVector<int64_t, 5> extentsOfPart(int64_t parts) const {
    llvm::SmallVector<int64_t, 5> result = extents;
    if (parts > 1)
      result[rowDim] /= parts;
    return result;
  }
};

/// The parameter that a tensor map of the buffer's shape is of: all of its elements, in its element
/// type; null where there is no such map.
tile::TensorOp mappedTensorOf(mlir::Value buffer);

/// Says why when TMA cannot: rows that do not begin at multiples of its step, strides of the
/// caller's, shared tiles in another order. `shared` is the tile: a matrix or a vector, the last
/// dimensions of its allocation.
llvm::Expected<TmaBox> planTmaBox(mlir::Value globalBox, mlir::Value sharedTile,
                                  const TargetInfo &target);
/// The box of a copy whose transfers are decided: it says them.
TmaBox tmaBoxOf(mlir::Value globalBox, mlir::Value sharedTile, tile::TransfersAttr transfers,
                const TargetInfo &target);
inline TmaBox tmaBoxOf(tile::TmaCopyOp copy, const TargetInfo &target) {
  return tmaBoxOf(copy.getSrc(), copy.getDst(), copy.getTransfers(), target);
}

} // namespace tilec
