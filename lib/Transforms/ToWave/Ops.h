//===- Ops.h - what one kind of op becomes --------------------------------===//
//
// One function a kind of op: takes an op of a tile.kernel and the emitter, writes what it becomes.
// The files of this folder have them by subject.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"
#include "ToWave/Emitter.h"
#include "ToWave/Pipeline.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

namespace tilec {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

// Accesses.cpp
LogicalResult emitLoad(Emitter &e, tile::LoadOp load, Elements &elements);
LogicalResult emitStore(Emitter &e, tile::StoreOp store, Elements &elements);
LogicalResult emitAtomic(Emitter &e, tile::AtomicOp atomic, Elements &elements);
/// Whether a lane outside of the tile reads what one inside of it reads, of a tensor that nobody
/// writes: the read needs no mask, and repetitions inside and outside have it in common.
bool readsInside(Emitter &e, tile::LoadOp load, const Elements &elements);
/// Stops the kernel where `mask` holds and `holds` does not.
void trapUnless(Emitter &e, Value holds, Value mask, mlir::StringAttr message);

/// Arith.cpp: of all elements of a group, two by two where the target can.
LogicalResult emitArith(Emitter &e, Operation &op, Elements &elements);
/// Whether arithmetic of the op, or in it, goes two elements at a time.
bool goesInPairs(Emitter &e, Operation *op);

// Parallel.cpp
LogicalResult emitParallel(Emitter &e, tile::ElementLoop loop, Elements &outer);
/// Of a loop that is `F[i] *= G[i]`, both fragments, and nothing else: what reads G. F sums the
/// products of a chain, which is where a running maximum scales it (online softmax).
tile::LoadOp factorOf(tile::ElementLoop loop);
/// EarlyReads.cpp: whether the loop's writes would keep its reads of tensors, and these go first.
bool readsFirst(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout);
/// EarlyReads.cpp: a loop whose writes would keep reads of tensors, those first; nothing when it is
/// none of these. `dynamicRep` comes on top of `reps`.
std::optional<LogicalResult> emitReadsFirst(Emitter &e, tile::ElementLoop loop,
                                            const FragmentLayout &layout,
                                            std::pair<int64_t, int64_t> reps, Elements &outer,
                                            Value dynamicRep = {});
/// EarlyReads.cpp: waves of a unit that run at once, as far as shared memory, the grid and
/// fragments say.
int64_t wavesAtOnce(Emitter &e);
/// Bytes that a unit reads at once, from which on nothing is won: of an addition of two tensors
/// from the last cache 8 KiB gained 27 % by reading early, 16 KiB 1 to 14 %, more none (model of
/// a chip that counts copies, 2026-11).
constexpr int64_t enoughInFlight = 32 << 10;
/// GroupRounds.cpp: rounds of the loop `from` that may read together do; `loop` is what it has
/// become.
void groupRounds(Emitter &e, tile::ForOp from, mlir::scf::ForOp loop);
/// Gather.cpp: nothing when the loop is no asynchronous copy.
std::optional<LogicalResult> emitGather(Emitter &e, tile::GatherOp loop, Elements &outer);
/// The register group of one repetition, its loop variables bound.
Elements elementsOf(Emitter &e, tile::ElementLoop loop, const FragmentLayout &layout, int64_t rep,
                    Value dynamicRep, Elements &outer);
/// MatrixWrites.cpp: repetitions of a loop that writes fragments to shared memory; nothing where
/// they are no matrices.
std::optional<LogicalResult> emitMatrixWrites(Emitter &e, tile::ElementLoop loop,
                                              const FragmentLayout &layout,
                                              std::pair<int64_t, int64_t> reps, Elements &outer);
/// ByteTranspose.cpp: a loop that `transposes` bytes.
LogicalResult emitByteTranspose(Emitter &e, tile::TransposeBytesOp loop, Elements &outer);
/// EmitTileStore.cpp: a loop that stores a tile by tensor copies.
LogicalResult emitTileStore(Emitter &e, tile::StoreTileOp loop, Elements &outer);

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

// Gemm.cpp, EmitGemm.cpp
LogicalResult emitGemm(Emitter &e, tile::GemmOp gemm, Elements &elements);
LogicalResult emitWarpGroupGemm(Emitter &e, tile::GemmOp gemm, const GemmPlan &plan,
                                Elements &elements);
/// The issue priority with which a round of the loop begins, if it is not that of the kernel.
std::optional<int64_t> priorityOfRounds(Emitter &e, tile::ForOp loop);
/// Whether each scheduler has two waves, as far as shared memory and the grid say.
bool fillsSchedulers(Emitter &e);

// Reduce.cpp, Scan.cpp
LogicalResult emitReduce(Emitter &e, tile::ReduceOp reduce, Elements &elements);
LogicalResult emitScan(Emitter &e, tile::ScanOp scan, Elements &elements);

// AsyncCopy.cpp, LdsDma.cpp, CpAsync.cpp; groups of copies: CopyGroups.cpp
LogicalResult emitAsyncCopy(Emitter &e, tile::AsyncCopyOp copy, Elements &elements);
void emitAsyncCommit(Emitter &e);
/// Outside of any tensor that an LDS DMA reads (asyncPieceBytes), whatever soffset adds in the
/// check.
constexpr int64_t outsideOfTensors = int64_t(1) << 31;
/// Makes the tensor's descriptor, where copies need one and there is none.
void makeDescriptor(Emitter &e, TensorPlace &place);
/// No access to memory is moved across a wait, and so no copy into another group: in front of the
/// first copy behind a group's end.
void keepGroupsApart(Emitter &e);
/// Coordinates in a shared tile of the element that lies there in memory, the first of a piece.
SmallVector<Value, 4> pointInTile(Emitter &e, Location loc, const SharedLayout &layout,
                                  ArrayRef<int64_t> shape, int64_t pieceElems, Value row,
                                  Value inRow);
void emitAsyncWait(Emitter &e, int64_t pending);

/// Pipeline.cpp: the parts of a matrix loop, whose order `wave-schedule` plans; those of its copies
/// (LdsDma.cpp) and of its product (Gemm.cpp).
LogicalResult emitPipeline(Emitter &e, tile::ForOp loop, Elements &elements);
void emitCopyTemplates(Emitter &e, tile::AsyncCopyOp copy, const PipelineOperand &operand,
                       Elements &elements);
LogicalResult emitGemmTemplates(Emitter &e, tile::GemmOp gemm, const PipelineOperand (&operands)[2],
                                Elements &elements);

/// Threads.cpp: what lanes find out together, and wishes about instructions; nothing when `op` is
/// none of them.
std::optional<LogicalResult> emitThreadOp(Emitter &e, Operation &op, Elements &elements);

} // namespace tilec
