//===- Buffers.h - which memory an op touches -----------------------------===//
//
// Views are looked through, so that two ops on one buffer are seen as such.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Index.h"
#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// The buffer behind a chain of views: what tile.alloc, tile.tensor or tile.workspace made.
mlir::Value rootOf(mlir::Value buffer);

/// The same up to the first reshape, through which global and shared buffers are addressed, or up
/// to the first im2col.
mlir::Value boxRootOf(mlir::Value buffer);

/// The tensor parameter that the buffer is, or is in another shape, if its elements are dense; else
/// null.
tile::TensorOp plainTensorOf(mlir::Value buffer);

/// A box of boxRootOf: `offsets` has one sum per root dimension; dimension d of the view is
/// dimension dims[d] of the root.
struct BufferBox {
  mlir::Value root;
  llvm::SmallVector<IndexSum, 4> offsets;
  llvm::SmallVector<int64_t, 4> dims;

  tile::BufferType rootType() const { return mlir::cast<tile::BufferType>(root.getType()); }
};
BufferBox boxOf(mlir::Value buffer);

/// The indices into the root for indices into the view, built with `builder`.
llvm::SmallVector<mlir::Value, 4> rootIndices(const BufferBox &box, mlir::ValueRange viewIndices,
                                              mlir::OpBuilder &builder, mlir::Location loc);

/// Where an element of a view is: views are looked through, reshapes only of registers (memory is
/// addressed through them).
struct ElementPlace {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value, 4> indices;
};
ElementPlace placeOf(mlir::Value buffer, mlir::ValueRange indices, mlir::OpBuilder &builder,
                     mlir::Location loc);

/// What a load, a store or an atomic update of single elements names; nothing of other ops.
struct ElementAccess {
  mlir::Value buffer;
  mlir::ValueRange indices;

  tile::BufferType type() const { return mlir::cast<tile::BufferType>(buffer.getType()); }
};
std::optional<ElementAccess> elementAccess(mlir::Operation *op);

/// Roots that `op` (with its regions) reads and writes.
struct Accesses {
  llvm::SmallVector<mlir::Value, 4> reads, writes;
};
Accesses accessesOf(mlir::Operation *op);
/// Whether the op (with its regions) reads or writes the root.
bool touches(mlir::Operation *op, mlir::Value root);
/// Whether the block, of a round or of a kernel, begins its use of the tile with a copy to all of
/// it.
bool isFilledFirst(mlir::Block &block, mlir::Value tile);
/// Whether any of the roots is a tensor, or shared.
bool anyGlobal(llvm::ArrayRef<mlir::Value> roots);
bool anyShared(llvm::ArrayRef<mlir::Value> roots);
/// Whether the op reads tensors and writes shared memory.
bool movesToShared(mlir::Operation *op);
/// Whether writes to the roots `written` may change `root`: it is one of them, or it and one of
/// them are tensors that may overlap.
bool isChangedBy(llvm::ArrayRef<mlir::Value> written, mlir::Value root);
/// Whether each element of a tensor is in 32-bit words that are the tensor's as a whole: what is
/// the same for all lanes can then be read word by word. Tensors begin at multiples of 16 bytes.
bool isOfWords(mlir::Value root);
/// Whether one writes a root that the other touches.
bool conflict(const Accesses &a, const Accesses &b);

/// The name in the script of an allocation, tensor or workspace.
llvm::StringRef nameOfRoot(mlir::Value root);
/// What its author calls a buffer, in quotes.
std::string quotedName(mlir::Value buffer);

} // namespace tilec
