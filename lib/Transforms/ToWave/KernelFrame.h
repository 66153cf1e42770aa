//===- KernelFrame.h - a wave kernel's parameters and the places of its buffers -===//
//
// Takes a tile.kernel, gives the wave.kernel with its parameters, who executes it, and the places
// of its buffers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"
#include "ToWave/ElementBuilder.h"

#include "tilec/Transforms/BlockOrder.h"

namespace tilec {

/// What stands around the statements of a kernel: its parameters, who executes it, and where its
/// buffers are.
class KernelFrame : public ElementBuilder {
public:
  KernelFrame(tile::KernelOp kernel, const TargetInfo &target, mlir::OpBuilder &builder,
              bool checksBounds);

  /// Where what the op needs of shared memory lies (tile-place-shared).
  int64_t placeOf(Operation *op);
  /// The same of what waves tell each other, `bytes` of it.
  int64_t placeOfExchange(Operation *op, int64_t bytes);
  /// Whether no other op's waves tell each other anything there.
  bool hasOwnPlace(Operation *op);
  /// Registers of a lane that fragments take.
  int64_t heldRegisters() const;
  /// How a gemm of the kernel is multiplied, as layout inference has decided.
  GemmPlan planOf(tile::GemmOp gemm) const;
  LogicalResult unsupported(Operation &op, llvm::StringRef what);

  tile::KernelOp kernel;
  bool checksBounds;
  SmallVector<tile::ProducerOp, 1> producers;

protected:
  wave::KernelOp makeKernel();
  /// Block coordinates, in the order that the author asked for (BlockOrder.cpp).
  BlockOrder makeBlockIds();
  LogicalResult placeBuffers();
  /// Every gemm says how it is multiplied, and the target can do it.
  LogicalResult checkProducts();

  bool isUnplaced = false; ///< something has too little shared memory, and that was said

private:
  llvm::DenseMap<int64_t, int64_t> exchangesAt; ///< ops by the place where waves tell each other

  void bindParameters(wave::KernelOp waveKernel, ArrayRef<Operation *> used);
  void bindTensor(Operation *op, Value base);
  LogicalResult checkRegisters(tile::AllocOp alloc, int64_t bitsOfLane);
  LogicalResult placeFragment(tile::AllocOp alloc, const FragmentLayout &layout);
  LogicalResult placeView(tile::ReshapeOp view);
};

} // namespace tilec
