//===- Roles.h - a producer and consumers in one kernel -------------------===//
//
// Takes kernels of which one warp copies for the others, gives pipes their mbarriers and each side
// its place in them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ToWave/Emitter.h"

namespace tilec {

/// The mbarriers of a pipe, and where its two sides are in it.
struct PipePlace {
  int64_t stages = 0, bytes = 0, arrivals = 0;
  bool everyThread = false, shared = false;
  int64_t fullBytes = 0, emptyBytes = 0; ///< addresses of the first of each
  Value slot[2], parity[2];              ///< registers of the consumers and of the producer
  Value previous;                        ///< register: the slot that is still being read, or -1
};

/// Kernels of which one warp copies for the others: pipes, turns, tensor copies, and barriers of a
/// part of the block.
class RoleEmitter {
public:
  explicit RoleEmitter(Emitter &emitter)
      : e(emitter), b(emitter.b), loc(emitter.loc), kernel(emitter.kernel) {}

  LogicalResult emitKernel(tile::ProducerOp producer, wave::KernelOp waveKernel);
  /// Pipes, TMA and waits for matrices; nothing when `op` is none of them.
  std::optional<LogicalResult> emit(Operation &op, Elements &elements);
  /// Whether warp groups' instructions read shared memory that threads write: they make their
  /// writes visible to it.
  bool needsAsyncFence();
  /// The threads whose number `id` is meet at a barrier of their own, from number `firstBarrier`.
  void syncAt(Value id, int64_t count, int64_t firstBarrier, int64_t threads);

  /// Tensor maps by copy; copies of equal boxes of a tensor share one.
  llvm::DenseMap<Operation *, Value> tensorMaps;

private:
  void bindTensorMaps(wave::KernelOp waveKernel);
  void placePipes();
  void initPipes(wave::KernelOp waveKernel);
  void clearUntouched(int64_t threads);
  void waitTurn();
  void passTurn();
  void skipSlots(PipePlace &pipe, Value count);
  int64_t clusterBlocks() { return kernel.getCluster(); }
  Value advanceSlot(PipePlace &pipe, bool isProducer);
  LogicalResult emitTmaCopy(tile::TmaCopyOp copy, Elements &elements);
  std::pair<SmallVector<Value>, SmallVector<Value>> placeInImage(tile::Im2colOp matrix, Value row,
                                                                 Value column);
  /// Those of the warp group.
  void syncGroup();
  void emitRelease(PipePlace &pipe, Value slot, Value mask);
  void emitTurn(Value group, bool isPass);

  Emitter &e;
  mlir::OpBuilder &b;
  Location &loc;
  tile::KernelOp kernel;
  llvm::MapVector<Value, PipePlace> pipes;
  int64_t turnBytes = 0;  ///< address of the teams' mbarriers
  Value turnParity;       ///< register
  int64_t fenceBytes = 0; ///< the mbarrier of tile.issue_fence
  std::optional<bool>
      hasAsyncReaders; ///< matrix instructions or tensor copies read what threads write
};

} // namespace tilec
