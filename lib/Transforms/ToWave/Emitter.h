//===- Emitter.h - one tile.kernel becomes one wave.kernel ----------------===//
//
// The emitter walks the kernel in order and writes what one wave does. It is made of layers,
// each of which knows those before it: WaveBuilder (arithmetic), LaneBuilder (where a lane is
// in a layout), MemoryBuilder (addresses), ElementBuilder (values, one an element), KernelFrame
// (parameters, buffers), and here the statements. What one kind of op becomes stands in a file
// of its own (Ops.h).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Memory/DeviceOrder.h"
#include "ToWave/KernelFrame.h"

#include "tilec/IR/Tile/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

class RoleEmitter;

/// Asynchronous copies that are counted, not grouped by instructions: operations of each wave at
/// least.
struct CopyGroups {
  int64_t inGroup = 0;
  llvm::SmallVector<int64_t, 8> ended; ///< groups, in the order of the program
  bool hasEnded = false;               ///< a group, and no wait has come since
};

class Emitter : public KernelFrame {
public:
  Emitter(tile::KernelOp kernel, const TargetInfo &target, mlir::OpBuilder &builder,
          bool checksBounds);
  ~Emitter();

  /// Builds the wave kernel before the builder's insertion point.
  LogicalResult run();

  LogicalResult emitBlock(mlir::Block &block, Elements &elements);
  LogicalResult emitOp(Operation &op, Elements &elements);

  /// Roots of the buffers that the kernel writes.
  mlir::ArrayRef<Value> written();
  /// What comes behind it touches device memory; launches before and behind may run beside what
  /// comes in front (TargetInfo::launchesEarly).
  void meetLaunches();
  /// Whether reads of the tensor may say that nobody writes it (TargetInfo::hasConstantReads).
  bool isConstant(Value root);
  /// Whether a round of the loop starts copies, or reads tiles, for a later one.
  bool runsAhead(tile::ForOp loop);
  /// Whether only some threads of a block may get to the ops of this block of the program.
  bool isDivergent(mlir::Block *block);
  /// The barrier of the block that the op asks for.
  void emitBarrier(Operation *op);

  std::unique_ptr<RoleEmitter> roles;
  CopyGroups copies;
  /// Ops of the loop whose elements are computed that have their values (EarlyReads.cpp).
  const llvm::SmallPtrSetImpl<Operation *> *emitted = nullptr;

private:
  bool mayWait();
  bool isLaunchedEarly();

  std::optional<bool> waits; ///< for what another kernel writes, once somebody has asked
  std::optional<llvm::SmallVector<Value, 4>> writes; ///< once somebody has asked
  std::optional<tile::Uniformity> uniformity;        ///< the same
  llvm::DenseMap<Operation *, bool> loopsAhead;      ///< of those that somebody has asked for
  std::optional<DeviceOrder> deviceOrder;            ///< the same

  LogicalResult checkGrid();
  LogicalResult emitFor(tile::ForOp loop, Elements &elements);
  /// Whether a wave's fragments and the addresses of the loop's operands exceed its registers.
  bool isShortOfRegisters(tile::ForOp loop) const;
  LogicalResult emitWhile(tile::WhileOp loop, Elements &elements);
  LogicalResult forEachElement(Elements &elements,
                               llvm::function_ref<LogicalResult(Elements &)> emit);
  LogicalResult emitIf(mlir::scf::IfOp op, Elements &elements);
  LogicalResult emitBranch(mlir::scf::IfOp op, Value condition, Elements &elements, int64_t count,
                           llvm::function_ref<Value(Value, int64_t)> valueOf);
  LogicalResult emitAlloc(tile::AllocOp alloc, Elements &elements);
};

} // namespace tilec
