//===- Normalize.h - steps of tile-normalize ------------------------------===//
//
// Each step takes a program or kernel, gives one that means the same with fewer forms of
// operations.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Loads, stores and atomics on views become ones on the buffer behind.
void foldViews(tile::ProgramOp program);
/// A tile.parallel that moves a box of a global tensor to a whole shared buffer becomes a copy.
void raiseCopies(tile::ProgramOp program);
/// A tile.parallel that only fills whole tiles becomes fills; of one that does more, fills of
/// fragments that it does not touch otherwise are taken out. What fills all of a tile through a
/// view names the tile.
void raiseFills(tile::ProgramOp program);
/// A tile.copy that touches a fragment or local buffer becomes a tile.move, and a tile.fill of
/// anything else than a whole fragment or shared tile a tile.parallel.
void copiesToMoves(tile::ProgramOp program);
/// A tile.parallel that moves elements and does nothing else is a tile.move.
void raiseMoves(tile::ProgramOp program);

/// Loops with a tile.break become tile.while; no tile.break is left.
void lowerBreaks(tile::ProgramOp program);

/// An element of a tensor that the kernel does not write is read once in an iteration of a
/// parallel.
void readOnce(tile::ProgramOp program);

/// Tiles that a short loop brings to registers are read for all its rounds at once, where a
/// thread's registers hold them.
void readRoundsTogether(tile::KernelOp kernel);

/// Parallels have constant extents, and so have nested ones unless they are serial loops now.
void boundNestedParallels(tile::ProgramOp program);
/// Moves the pure arithmetic behind `value` in front of `loop`; false when it depends on the loop.
bool hoistBefore(mlir::Value value, tile::ParallelOp loop);
/// Nested parallels become perfect nests.
void fissionParallels(tile::ProgramOp program);
/// Copies within one buffer read all before they write.
void separateOverlaps(tile::ProgramOp program);
/// Copies, fills and reductions in a parallel become loops over elements.
void expandTilesInParallels(tile::ProgramOp program);
/// x = op(x, e) in a parallel becomes a tile.reduce; reports dependences that are none.
mlir::LogicalResult recognizeReductions(tile::ProgramOp program);

/// x = op(x, e): what a store updates its element with, when its value is such a combination.
struct ReductionUpdate {
  tile::LoadOp old;
  tile::ReduceKind kind;
};
std::optional<ReductionUpdate> matchReduction(tile::StoreOp store);
/// The atomic that computes what an update in a parallel does whose element memory names
/// (x[I[i]] += e): several iterations may share it. Nothing for other stores, and where there is no
/// such atomic.
std::optional<tile::AtomicKind> atomicOfUpdate(tile::StoreOp store);
/// Whether it is such an update and there is none, so that iterations will take turns.
bool updatesInTurns(tile::StoreOp store);
/// A tile.parallel that copies between buffers on the chip of one shape.
void moveElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Type scalar, mlir::Value from,
                  mlir::Value to);
/// Those for which there is no atomic: iterations of the parallel take turns.
void orderLoadedUpdates(tile::ProgramOp program);

/// Fragment elements that are read or written outside of a parallel.
void liftScalarAccesses(tile::ProgramOp program);
/// tile.scan as loops over rows.
void expandScans(tile::ProgramOp program);
/// Serial loops outside of parallels whose iterations are independent become parallels.
void parallelizeSerialLoops(tile::ProgramOp program);
/// A parallel with extents that are known at run time becomes a loop over parallels of fixed size.
void chunkDynamicParallels(tile::ProgramOp program);

/// The neutral value of a combination. Of a largest or smallest float it is NaN, which loses
/// against every number, so that nothing but NaN gives NaN; where NaN wins, an infinity.
mlir::Value identityOf(mlir::OpBuilder &b, mlir::Location loc, tile::ReduceKind kind,
                       mlir::Type type, bool isUnsigned, bool nanPropagate = false);
/// The same as an element of a buffer, which may hold less than the scalars computed with.
mlir::Value identityOfElement(mlir::OpBuilder &b, mlir::Location loc, tile::ReduceKind kind,
                              mlir::Type elementType, bool isUnsigned, bool nanPropagate = false);
/// One step of it. max and min give the number when one side is NaN, unless `nanPropagate`.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, tile::ReduceKind kind, mlir::Value x,
                    mlir::Value y, bool isUnsigned, bool nanPropagate);

/// A tile.parallel over the whole of `dst` that stores what `element` gives for the indices.
tile::ParallelOp
makeElementwise(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value dst,
                llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> element);

/// A tile.parallel that does what the copy does, built before it.
tile::ParallelOp expandCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value src,
                            mlir::Value dst);

/// A tile.move that does what the copy does.
tile::MoveOp moveElements(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value src,
                          mlir::Value dst);

/// A tile.parallel that does what the fill does.
tile::ParallelOp expandFill(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                            mlir::Value dst);

/// The same in place of a copy or a fill, which it erases.
void replaceByLoop(mlir::Operation *copyOrFill);

/// Loops over large fragments that are used element by element only become one loop without them.
void streamFragments(tile::KernelOp kernel);

/// A scalar loaded from a buffer of `from` as a scalar to store into one of `to`.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          mlir::Type fromElement, mlir::Type toElement);

/// Erases views and index arithmetic that nothing uses.
void eraseDeadOps(mlir::Operation *root);

} // namespace tilec
