//===- Normalize.h - what passes share that give operations one form ------===//
//
// Takes ops and values, gives loops over elements, what updates an element, and the passes that
// others run on their own programs, too.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Loads, stores and atomics on views become ones on the buffer behind.
void foldViews(tile::ProgramOp program);
/// Moves the pure arithmetic behind `value` in front of `loop`; false when it depends on the loop.
bool hoistBefore(mlir::Value value, tile::ParallelOp loop);
/// Parallels that stand in no other one.
llvm::SmallVector<tile::ParallelOp> outermostParallels(tile::ProgramOp program);
/// The serial loop that tile-widen-parallels makes a loop of the parallel; null where there is
/// none.
tile::ForOp loopToWiden(tile::ParallelOp loop);
/// The program's kernels that name threads.
llvm::SmallVector<tile::KernelOp> lockstepKernels(tile::ProgramOp program);
/// Whether the block's threads fill its waves.
bool hasWholeWaves(tile::KernelOp kernel);
/// Whether arithmetic makes the value of `source`, or is it.
bool isMadeOf(mlir::Value value, mlir::Value source);
/// Copies, fills and reductions in a parallel become loops over elements.
void expandTilesInParallels(tile::ProgramOp program);

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

/// A scalar loaded from a buffer of `from` as a scalar to store into one of `to`.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          mlir::Type fromElement, mlir::Type toElement);

/// Erases views and index arithmetic that nothing uses.
void eraseDeadOps(mlir::Operation *root);

} // namespace tilec
